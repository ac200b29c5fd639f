/* Parts of the greedy solver that the better one starts from. */
#ifndef TN_PLAN_GREEDY_H
#define TN_PLAN_GREEDY_H

#include "plan/firstfit.h"
#include "plan/problem.h"

#define TN_COUPLES_MAX ((int64_t)24 << 20) /* more than these are not listed */

enum tn_status TN_MUST_CHECK tn_solution_init(
	const struct tn_problem *p, struct tn_arena *arena, struct tn_solution *out);

/* First fit by every static order until the height is at most target or, after the first
 * of them, the time of tn_clock is `until` (0: never). best_order (may be NULL) gets the
 * order that gave the answer. */
enum tn_status TN_MUST_CHECK tn_greedy_fit(struct tn_fit *fit, int64_t target,
	double until, uint32_t *best_order, struct tn_solution *out);

/* tn_greedy with a time at which it has to come to an end. */
enum tn_status TN_MUST_CHECK tn_greedy_until(const struct tn_problem *p, double until,
	struct tn_arena *arena, struct tn_solution *out);

#endif
