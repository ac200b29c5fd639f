/* What the execution of a graph shows. */
#ifndef TN_CAMPAIGN_TRACE_H
#define TN_CAMPAIGN_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "ir/graph.h"
#include "plan/plan.h"

/* Digests: the output of each op right after it, and at the end of each invocation what
 * lasts. Not of ops with more outputs (those that nobody reads may share bytes), nor of
 * views that the graph declares (they compute nothing, and nobody need be able to read
 * them at once). */
struct trace {
	const struct tn_graph *g;
	uint64_t *by_op;
	uint64_t last;
	const uint8_t *
		*value; /* by tensor: as it was given, or written last, in the first
	                          invocation; only with keep_values */
	bool keep_values;
	const struct trace_probe *probe; /* or NULL */
};

/* Bytes of planned memory to be looked at in the first invocation, before the op (TN_NONE:
 * at the end). */
struct trace_probe {
	uint32_t op, region;
	int64_t place, len;
	uint8_t *bytes; /* `len` of them */
};

/* Fills *out, whose keep_values and probe the caller has set. Two invocations, one after the other, with inputs from `seed` and the next; the memory
 * that nobody needs is overwritten with `poison` after each op. False when the executor
 * refuses the plan. Without a plan nothing is shared, and it must run. */
bool trace_run(const struct tn_graph *g, const struct tn_plan *plan, int poison,
	uint32_t seed, struct tn_arena *arena, struct trace *out);

bool trace_same(const struct trace *a, const struct trace *b);

#endif
