/* Greedy: first fit by several orders, the best of them; a skyline when there are too
 * many couples to list. */
#include "plan/greedy.h"

#include "base/checked.h"
#include "plan/fixed.h"
#include "plan/order.h"
#include "plan/scanfit.h"
#include "plan/skyline.h"

#define SCAN_MAX 100000u /* buffers; the scan takes time by the square */

enum tn_status tn_solution_init(
	const struct tn_problem *p, struct tn_arena *arena, struct tn_solution *out)
{
	*out = (struct tn_solution){ 0 };
	out->offset = TN_NEW_ARRAY(arena, int64_t, p->n_buffers);
	out->variant = TN_NEW_ARRAY(arena, uint32_t, p->n_groups);
	return out->offset && out->variant ? TN_OK : TN_ERR_NOMEM;
}

/* One order of the dense solver: a skyline, which is quick, or first fit by scanning. */
static enum tn_status dense_order(const struct tn_problem *p, enum tn_order which,
	bool scan, uint32_t *order, int64_t *offset, struct tn_solution *out)
{
	enum tn_status status = tn_order_build(p, which, order);
	int64_t height = 0;

	if (status == TN_OK && scan)
		status = tn_scanfit(p, order, out->height, offset, &height);
	else if (status == TN_OK)
		status = tn_skyline(p, order, offset);
	if (status != TN_OK)
		return status;
	for (uint32_t i = 0; i < p->n_buffers && !scan; i++)
		height = tn_max_i64(height, offset[i] + p->buffers[i].size);
	if (height >= out->height)
		return TN_OK;
	out->height = height;
	for (uint32_t i = 0; i < p->n_buffers; i++)
		out->offset[i] = offset[i];
	return TN_OK;
}

static enum tn_status greedy_dense(const struct tn_problem *p, int64_t target,
	struct tn_arena *scratch, struct tn_solution *out)
{
	static const enum tn_order by_scan[] = { ORDER_SIZE, ORDER_LIFE, ORDER_AREA };
	uint32_t *order = TN_NEW_ARRAY(scratch, uint32_t, p->n_buffers);
	int64_t *offset = TN_NEW_ARRAY(scratch, int64_t, p->n_buffers);
	uint8_t *possible = TN_NEW_ARRAY(scratch, uint8_t, p->n_groups);
	enum tn_status status = TN_OK;
	uint32_t pair;

	if (!order || !offset || !possible)
		return TN_ERR_NOMEM;
	out->height = INT64_MAX;
	for (enum tn_order which = 0; which < ORDER_COUNT && out->height > target;
		which++) {
		status = dense_order(p, which, false, order, offset, out);
		if (status != TN_OK)
			return status;
	}
	for (size_t i = 0; i < sizeof(by_scan) / sizeof(by_scan[0]); i++) {
		if (out->height <= target || p->n_buffers > SCAN_MAX)
			break;
		status = dense_order(p, by_scan[i], true, order, offset, out);
		if (status != TN_OK)
			return status;
	}
	if (!tn_variants_choose(p, out->offset, out->variant, &pair, possible))
		return TN_ERR_INTERNAL;
	return TN_OK;
}

enum tn_status tn_greedy_fit(
	struct tn_fit *fit, int64_t target, uint32_t *best_order, struct tn_solution *out)
{
	const uint32_t n = fit->p->n_buffers;
	struct tn_arena scratch;
	enum tn_status status = TN_ERR_NOMEM;
	uint32_t *order;

	tn_arena_init(&scratch);
	order = TN_NEW_ARRAY(&scratch, uint32_t, n);
	if (!order)
		goto out;
	out->height = INT64_MAX;
	for (enum tn_order which = 0; which < ORDER_COUNT && out->height > target;
		which++) {
		status = tn_order_build(fit->p, which, order);
		if (status != TN_OK)
			goto out;
		if (tn_fit_order(fit, order, n, out->height) == INT64_MAX)
			continue;
		tn_fit_solution(fit, out);
		for (uint32_t i = 0; i < n && best_order; i++)
			best_order[i] = order[i];
	}
	status = TN_OK;
out:
	tn_arena_release(&scratch);
	return status;
}

enum tn_status tn_greedy(
	const struct tn_problem *p, struct tn_arena *arena, struct tn_solution *out)
{
	struct tn_pairs pairs;
	struct tn_conflicts conflicts;
	struct tn_arena scratch;
	struct tn_fit fit;
	enum tn_status status;
	const char *why;
	uint32_t at[2];
	bool clash;
	int64_t couples, bound;

	if (!tn_problem_valid(p, &why, at))
		return TN_ERR_INPUT;
	status = tn_solution_init(p, arena, out);
	if (status != TN_OK)
		return status;
	tn_arena_init(&scratch);
	status = tn_pairs_build(p, &scratch, &pairs);
	if (status == TN_OK)
		status = tn_fixed_clash(p, &pairs, &clash, at);
	if (status == TN_OK && clash)
		status = TN_ERR_INPUT;
	if (status == TN_OK)
		status = tn_bound(p, &scratch, &bound);
	if (status != TN_OK)
		goto out;
	couples = tn_conflicts_count(p);
	if (couples > TN_COUPLES_MAX) {
		status = greedy_dense(p, bound, &scratch, out);
	} else {
		status = tn_conflicts_build(p, &pairs, &scratch, &conflicts);
		if (status == TN_OK)
			status = tn_fit_init(&fit, p, &pairs, &conflicts, &scratch);
		if (status == TN_OK)
			status = tn_greedy_fit(&fit, bound, NULL, out);
	}
	out->bound = bound;
	out->optimal = out->height == bound;
out:
	tn_arena_release(&scratch);
	return status;
}
