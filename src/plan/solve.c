/* The better solver, in phases; each stops as soon as the height reaches the bound or
 * fits the capacity. */
#include "base/checked.h"
#include "plan/exact.h"
#include "plan/fixed.h"
#include "plan/greedy.h"
#include "plan/improve.h"
#include "plan/problem.h"

#define NODES_DEFAULT  ((int64_t)2000000)
#define NODES_MAX      ((int64_t)1 << 40)
#define STEPS_PER_NODE ((int64_t)1000) /* of the exact search */
#define WORK_PER_NODE  ((int64_t)25) /* of the local search */

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

/* Greedy, then the search that suits the problem. */
static enum tn_status search(const struct tn_problem *p, const struct tn_pairs *pairs,
	int64_t nodes, double until, struct tn_arena *scratch, struct tn_solution *out)
{
	const int64_t target = tn_max_i64(out->bound, p->capacity);
	const struct tn_exact_limit exact = { nodes * STEPS_PER_NODE, until };
	const struct tn_improve_limit improve = { target, nodes * WORK_PER_NODE, until };
	struct tn_conflicts conflicts;
	struct tn_fit fit;
	bool suits;
	uint32_t *order = TN_NEW_ARRAY(scratch, uint32_t, p->n_buffers);
	enum tn_status status = order ? TN_OK : TN_ERR_NOMEM;

	if (status == TN_OK)
		status = tn_conflicts_build(p, pairs, scratch, &conflicts);
	if (status == TN_OK)
		status = tn_fit_init(&fit, p, pairs, &conflicts, scratch);
	if (status == TN_OK)
		status = tn_greedy_fit(&fit, target, until, order, out);
	if (status != TN_OK || out->height <= target)
		return status;
	status = tn_exact(p, &exact, out, &suits);
	if (status != TN_OK || suits)
		return status;
	status = tn_improve(&fit, &improve, order, out);
	out->nodes = fit.work / WORK_PER_NODE;
	return status;
}

enum tn_status tn_solve(const struct tn_problem *p, const struct tn_limits *limits,
	struct tn_arena *arena, struct tn_diags *diags, struct tn_solution *out)
{
	struct tn_arena scratch;
	struct tn_pairs pairs;
	enum tn_status status = refuse(p, diags);
	int64_t nodes = NODES_DEFAULT;
	double until = 0;

	if (status != TN_OK)
		return status;
	if (limits && limits->nodes > 0)
		nodes = tn_min_i64(limits->nodes, NODES_MAX);
	if (limits && limits->seconds > 0)
		until = tn_clock() + limits->seconds;
	tn_arena_init(&scratch);
	status = tn_solution_init(p, arena, out);
	if (status == TN_OK)
		status = tn_pairs_build(p, &scratch, &pairs);
	if (status == TN_OK)
		status = refuse_fixed(p, &pairs, diags);
	if (status == TN_OK)
		status = tn_bound(p, &scratch, &out->bound);
	if (status == TN_OK && tn_conflicts_count(p) > TN_COUPLES_MAX)
		status = tn_greedy_until(p, until, arena, out);
	else if (status == TN_OK)
		status = search(p, &pairs, nodes, until, &scratch, out);
	out->optimal = status == TN_OK && out->height == out->bound;
	tn_arena_release(&scratch);
	return status;
}
