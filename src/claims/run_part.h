/* The parts of a run; for claims/run*.c only. */
#ifndef TN_CLAIMS_RUN_PART_H
#define TN_CLAIMS_RUN_PART_H

#include "claims/run.h"
#include "claims/steps.h"

/* One world, as it goes on. */
struct tn_pass {
	struct tn_run *r;
	const struct tn_world *world;
	struct tn_cells memory; /* events: indices in r->events */
	uint32_t run; /* invocation, from 0 */
	uint32_t time; /* ops that have run in it */
	uint32_t *ran_at; /* by op: 1 + its time in this invocation; 0: not yet */
	uint32_t given; /* event of this invocation */
};

/* Where contents differ: a range of an operand, what should be there and what is. */
struct tn_difference {
	int64_t begin, end; /* bits of the root */
	struct tn_cell expected, found;
};

/* The first difference in [begin, end) of the tensor's root; false: there is none, or the run
 * is too large. */
bool tn_pass_differs(struct tn_pass *p, uint32_t tensor, struct tn_cells *expected,
	int64_t begin, int64_t end, struct tn_difference *out);

/* A loss with the facts of a difference filled in; NULL: no memory, or there are so many that
 * no more are told. */
struct tn_loss *tn_pass_lose(struct tn_pass *p, enum tn_loss_kind kind, uint32_t victim,
	uint32_t reader, uint32_t operand, const struct tn_difference *d);

/* An event, or EVENT_NONE when memory ran out. */
uint32_t tn_pass_event(
	struct tn_pass *p, enum tn_event_kind kind, uint32_t op, uint32_t tensor);

/* Runs one op; false: stop (memory, or too many steps). */
bool tn_pass_op(struct tn_pass *p, uint32_t op);

/* What must hold when an invocation is over. */
bool tn_pass_end(struct tn_pass *p);

#endif
