/* Greedy: first fit by several orders, the best of them; a skyline and what a run-time
 * allocator would do when there are too many couples to list. The first order is always
 * finished, however short the time. */
#include "plan/greedy.h"

#include "base/checked.h"
#include "plan/fixed.h"
#include "plan/improve.h"
#include "plan/order.h"
#include "plan/scanfit.h"
#include "plan/skyline.h"
#include "plan/timefit.h"

#define SCAN_MAX  100000u /* buffers; the scan takes time by the square */
#define SCAN_WORK ((int64_t)2000000000) /* comparisons of all scans, some seconds */

enum tn_status tn_solution_init(
	const struct tn_problem *p, struct tn_arena *arena, struct tn_solution *out)
{
	*out = (struct tn_solution){ 0 };
	out->offset = TN_NEW_ARRAY(arena, int64_t, p->n_buffers);
	out->variant = TN_NEW_ARRAY(arena, uint32_t, p->n_groups);
	return out->offset && out->variant ? TN_OK : TN_ERR_NOMEM;
}

/* The ways of the dense solver; all but the scan are quick. */
enum dense_way { WAY_SKYLINE, WAY_TIME, WAY_TIME_BACKWARDS, WAY_SCAN };

struct dense {
	const struct tn_problem *p;
	double until;
	int64_t work; /* comparisons left to the scans */
	uint32_t *order; /* scratch */
	int64_t *offset; /* scratch */
	struct tn_solution *best;
};

static enum tn_status dense_try(struct dense *d, enum dense_way way, enum tn_order which)
{
	const struct tn_problem *p = d->p;
	enum tn_status status = TN_OK;
	int64_t height = 0;

	if (way == WAY_SKYLINE || way == WAY_SCAN)
		status = tn_order_build(p, which, d->order);
	if (status == TN_OK && way == WAY_SCAN)
		status = tn_scanfit(p, d->order, d->best->height, d->until, &d->work,
			d->offset, &height);
	else if (status == TN_OK && way == WAY_SKYLINE)
		status = tn_skyline(p, d->order, d->offset);
	else if (status == TN_OK)
		status = tn_timefit(p, way == WAY_TIME_BACKWARDS, d->best->height,
			d->offset, &height);
	if (status != TN_OK)
		return status;
	for (uint32_t i = 0; i < p->n_buffers && way == WAY_SKYLINE; i++)
		height = tn_max_i64(height, d->offset[i] + p->buffers[i].size);
	if (height >= d->best->height)
		return TN_OK;
	d->best->height = height;
	for (uint32_t i = 0; i < p->n_buffers; i++)
		d->best->offset[i] = d->offset[i];
	return TN_OK;
}

static enum tn_status greedy_dense(const struct tn_problem *p, int64_t target,
	double until, struct tn_arena *scratch, struct tn_solution *out)
{
	static const struct {
		enum dense_way way;
		enum tn_order which;
	} tries[] = { { WAY_TIME, ORDER_BIRTH }, { WAY_TIME_BACKWARDS, ORDER_DEATH },
		{ WAY_SKYLINE, ORDER_SIZE }, { WAY_SKYLINE, ORDER_AREA },
		{ WAY_SKYLINE, ORDER_LIFE }, { WAY_SKYLINE, ORDER_TIGHT },
		{ WAY_SKYLINE, ORDER_BIRTH }, { WAY_SKYLINE, ORDER_DEATH },
		{ WAY_SCAN, ORDER_SIZE }, { WAY_SCAN, ORDER_LIFE },
		{ WAY_SCAN, ORDER_AREA } };
	struct dense d = { .p = p, .until = until, .work = SCAN_WORK, .best = out };
	uint8_t *possible = TN_NEW_ARRAY(scratch, uint8_t, p->n_groups);
	bool fixed = false;
	uint32_t pair;

	d.order = TN_NEW_ARRAY(scratch, uint32_t, p->n_buffers);
	d.offset = TN_NEW_ARRAY(scratch, int64_t, p->n_buffers);
	if (!d.order || !d.offset || !possible)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < p->n_buffers; i++)
		fixed = fixed || p->buffers[i].fixed >= 0;
	out->height = INT64_MAX;
	for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
		const bool by_time =
			tries[i].way == WAY_TIME || tries[i].way == WAY_TIME_BACKWARDS;
		enum tn_status status;

		if (out->height < INT64_MAX &&
			(out->height <= target || tn_clock_passed(until)))
			break;
		if ((by_time && fixed) ||
			(tries[i].way == WAY_SCAN && p->n_buffers > SCAN_MAX))
			continue;
		status = dense_try(&d, tries[i].way, tries[i].which);
		if (status != TN_OK)
			return status;
	}
	if (!tn_variants_choose(p, out->offset, out->variant, &pair, possible))
		return TN_ERR_INTERNAL;
	return TN_OK;
}

enum tn_status tn_greedy_fit(struct tn_fit *fit, int64_t target, double until,
	uint32_t *best_order, struct tn_solution *out)
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
		if (out->height < INT64_MAX && tn_clock_passed(until))
			break;
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
	return tn_greedy_until(p, 0, arena, out);
}

enum tn_status tn_greedy_until(const struct tn_problem *p, double until,
	struct tn_arena *arena, struct tn_solution *out)
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
		status = greedy_dense(p, bound, until, &scratch, out);
	} else {
		status = tn_conflicts_build(p, &pairs, &scratch, &conflicts);
		if (status == TN_OK)
			status = tn_fit_init(&fit, p, &pairs, &conflicts, &scratch);
		if (status == TN_OK)
			status = tn_greedy_fit(&fit, bound, until, NULL, out);
	}
	out->bound = bound;
	out->optimal = out->height == bound;
out:
	tn_arena_release(&scratch);
	return status;
}
