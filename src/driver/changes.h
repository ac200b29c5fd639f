/* Single changes to what was asked for that may make a plan smaller: applied to a trial,
 * never to the run itself. */
#ifndef TN_DRIVER_CHANGES_H
#define TN_DRIVER_CHANGES_H

#include "driver/trial.h"

struct tn_change {
	uint32_t (*count)(const struct tn_run *run); /* of instances; NULL: one */
	bool (*apply)(struct tn_trial *t, const struct tn_run *run,
		uint32_t i); /* false: nothing to change, or no memory */
	const char *(*name)(const struct tn_run *run, uint32_t i); /* NULL: none */
	const char *text, *end; /* around the name */
};

#define TN_CHANGES 11

/* Cheap ones first: what costs nothing, what costs time of the planner, what asks
 * something of the caller. */
extern const struct tn_change tn_changes[TN_CHANGES];

uint32_t tn_change_count(const struct tn_change *change, const struct tn_run *run);

/* "without the pin of 'x'" */
void tn_change_words(const struct tn_change *change, const struct tn_run *run, uint32_t i,
	struct tn_strbuf *out);

#endif
