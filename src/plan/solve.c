/* The better solver, in phases; each stops as soon as the height reaches the bound or
 * fits the capacity. */
#include "base/checked.h"
#include "plan/fixed.h"
#include "plan/greedy.h"
#include "plan/improve.h"
#include "plan/problem.h"

#define WORK_DEFAULT ((int64_t)50000000)

static enum tn_status refuse(const struct tn_problem *p, struct tn_diags *diags)
{
	const char *why;
	uint32_t index;

	if (tn_problem_valid(p, &why, &index))
		return TN_OK;
	tn_diag_at(diags, SEVERITY_ERROR, "plan/problem", NULL, NULL, NULL,
		"%s (number %u)", why, (unsigned)index);
	return TN_ERR_INPUT;
}

static enum tn_status refuse_fixed(
	const struct tn_problem *p, const struct tn_pairs *pairs, struct tn_diags *diags)
{
	uint32_t at[2] = { 0, 0 };
	enum tn_status status;
	bool clash;

	status = tn_fixed_clash(p, pairs, &clash, at);
	if (status != TN_OK || !clash)
		return status;
	tn_diag_at(diags, SEVERITY_ERROR, "plan/fixed", NULL, NULL, NULL,
		"buffers %u and %u are alive together and their given offsets %lld and "
		"%lld make them overlap",
		(unsigned)at[0], (unsigned)at[1], (long long)p->buffers[at[0]].fixed,
		(long long)p->buffers[at[1]].fixed);
	return TN_ERR_INPUT;
}

enum tn_status tn_solve(const struct tn_problem *p, const struct tn_limits *limits,
	struct tn_arena *arena, struct tn_diags *diags, struct tn_solution *out)
{
	struct tn_improve_limit limit = { .work = WORK_DEFAULT };
	struct tn_arena scratch;
	struct tn_pairs pairs;
	struct tn_conflicts conflicts;
	struct tn_fit fit;
	uint32_t *order;
	enum tn_status status = refuse(p, diags);
	int64_t bound;

	if (status != TN_OK)
		return status;
	if (limits && limits->nodes > 0)
		limit.work = limits->nodes;
	if (limits && limits->seconds > 0)
		limit.until = tn_clock() + limits->seconds;
	tn_arena_init(&scratch);
	status = tn_pairs_build(p, &scratch, &pairs);
	if (status == TN_OK)
		status = refuse_fixed(p, &pairs, diags);
	if (status == TN_OK)
		status = tn_bound(p, &scratch, &bound);
	if (status != TN_OK)
		goto out;
	limit.target = tn_max_i64(bound, p->capacity);
	if (tn_conflicts_count(p) > TN_COUPLES_MAX) {
		status = tn_greedy(p, arena, out);
		goto out;
	}
	status = TN_ERR_NOMEM;
	order = TN_NEW_ARRAY(&scratch, uint32_t, p->n_buffers);
	if (!order)
		goto out;
	status = tn_solution_init(p, arena, out);
	if (status == TN_OK)
		status = tn_conflicts_build(p, &pairs, &scratch, &conflicts);
	if (status == TN_OK)
		status = tn_fit_init(&fit, p, &pairs, &conflicts, &scratch);
	if (status == TN_OK)
		status = tn_greedy_fit(&fit, limit.target, order, out);
	if (status == TN_OK)
		status = tn_improve(&fit, &limit, order, out);
	if (status != TN_OK)
		goto out;
	out->nodes = fit.work;
	out->bound = bound;
	out->optimal = out->height == bound;
out:
	tn_arena_release(&scratch);
	return status;
}
