/* The contract against a kernel. The kernels of programs that use this are built with
 * recording loads and stores: a variant of an op must touch its operands in exactly the
 * steps that its contract declares, and with an input and the output in one memory, at the
 * least displacement that the contract allows, the result must not change. */
#ifndef TN_TESTS_RECORD_H
#define TN_TESTS_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "bind/bind.h"

/* An op, bound, with its operands in memory of their own. */
struct recorded {
	const struct tn_graph *g;
	tn_op_id id;
	uint8_t **bytes; /* by tensor id */
	const struct tn_call *call;
	void *scratch;
};

void record_run(const struct recorded *r);

/* Runs the op and compares its loads and stores with the steps of the variant. NULL when
 * they agree, else what is wrong, until the next call. */
const char *record_compare(const struct recorded *r, struct tn_variant v);

/* After record_run, for an op that moves elements of one type and scale: is what each step
 * of the variant writes what it has read, or the one element that its cycle keeps? */
bool record_copies(const struct recorded *r, struct tn_variant v);

/* What the distance between input k and the output must be a multiple of. */
int64_t record_grain(const struct recorded *r, uint32_t k, struct tn_variant v);

/* Runs the op with input k at displacement d from its output, in the direction of the
 * variant, and the other operands where they are. Is the result that of the last
 * record_run? */
bool record_displaced(
	const struct recorded *r, uint32_t k, struct tn_variant v, int64_t d);

#endif
