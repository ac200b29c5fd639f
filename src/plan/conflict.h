/* Which buffers meet in time and must be disjoint: the conflict graph as lists. Couples
 * that a pair links are not in it. Only for problems that are not too dense. */
#ifndef TN_PLAN_CONFLICT_H
#define TN_PLAN_CONFLICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "plan/pairs.h"
#include "plan/problem.h"

struct tn_conflicts {
	size_t *first; /* by buffer; n_buffers + 1 of them; index into other */
	uint32_t *other; /* ascending within a buffer */
	size_t max_degree;
};

/* Couples of buffers that meet in time, counted in O(n log n); -1 on lack of memory. */
int64_t tn_conflicts_count(const struct tn_problem *p);

enum tn_status TN_MUST_CHECK tn_conflicts_build(const struct tn_problem *p,
	const struct tn_pairs *pairs, struct tn_arena *arena, struct tn_conflicts *out);

#endif
