/* The plan that `tenure plan` would make of a graph. */
#ifndef TN_TESTS_OWN_PLAN_H
#define TN_TESTS_OWN_PLAN_H

#include "lower/lower.h"

/* The stages from the order to the plan, with a small search. False when one of them has
 * no answer. */
bool own_plan(const struct tn_graph *g, enum tn_overlap_mode mode, struct tn_arena *arena,
	struct tn_plan *out);

/* Over two memories, of which the first, of so many bytes, is cheaper. */
bool own_plan_in_two(const struct tn_graph *g, int64_t fast, struct tn_arena *arena,
	struct tn_plan *out);

#endif
