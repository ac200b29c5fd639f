/* The plan of campaign for fill: styles in turn, limits that grow, capacities between
 * bound and incumbent. */
#ifndef TN_PLAN_EXACT_H
#define TN_PLAN_EXACT_H

#include "base/arena.h"
#include "base/status.h"
#include "plan/problem.h"

struct tn_exact_limit {
	int64_t steps; /* at most so many */
	double until; /* of tn_clock; 0: no limit */
};

/* Improves *best (a legal solution with its bound) until its height is at most p's
 * capacity, or proved least, or the limit is reached. *out_suits is false, and nothing is
 * done, when the problem is not one for fill. */
enum tn_status TN_MUST_CHECK tn_exact(const struct tn_problem *p,
	const struct tn_exact_limit *limit, struct tn_solution *best, bool *out_suits);

#endif
