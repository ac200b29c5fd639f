#include "plan/firstfit.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"

enum tn_status tn_fit_init(struct tn_fit *fit, const struct tn_problem *p,
	const struct tn_pairs *pairs, const struct tn_conflicts *conflicts,
	struct tn_arena *arena)
{
	*fit = (struct tn_fit){ .p = p, .pairs = pairs, .conflicts = conflicts };
	fit->offset = TN_NEW_ARRAY(arena, int64_t, p->n_buffers);
	fit->variants = TN_NEW_ARRAY(arena, uint8_t, p->n_groups);
	fit->gaps = TN_NEW_ARRAY(arena, struct tn_gap, conflicts->max_degree);
	if (!fit->offset || !fit->variants || !fit->gaps)
		return TN_ERR_NOMEM;
	tn_fit_reset(fit);
	return TN_OK;
}

void tn_fit_reset(struct tn_fit *fit)
{
	for (uint32_t i = 0; i < fit->p->n_buffers; i++)
		fit->offset[i] = -1;
	for (uint32_t g = 0; g < fit->p->n_groups; g++)
		fit->variants[g] = (uint8_t)((1u << fit->p->groups[g].n_variants) - 1);
}

static int64_t align_up(int64_t value, int64_t align)
{
	int64_t up = value;
	bool ok = align == 1 || tn_align_up_i64(value, align, &up);

	(void)ok; /* tn_problem_valid leaves room above every height */
	return up;
}

/* Offsets that pair i forbids to x under variant v, its other end being placed. */
static struct tn_gap forbidden(
	const struct tn_fit *fit, uint32_t i, uint32_t v, uint32_t x)
{
	const struct tn_pair *pair = &fit->p->pairs[i];
	struct tn_gap gap = tn_pair_gap(fit->p, pair, v);

	if (gap.lo >= gap.hi)
		return (struct tn_gap){ 0, 0 };
	if (pair->a == x)
		return (struct tn_gap){ fit->offset[pair->b] + gap.lo,
			fit->offset[pair->b] + gap.hi };
	return (struct tn_gap){ fit->offset[pair->a] - gap.hi,
		fit->offset[pair->a] - gap.lo };
}

static uint32_t other_end(const struct tn_fit *fit, uint32_t i, uint32_t x)
{
	const struct tn_pair *pair = &fit->p->pairs[i];

	return pair->a == x ? pair->b : pair->a;
}

/* The lowest offset >= at that satisfies the pairs [from, to) of one group and x under
 * variant v. */
static int64_t group_lowest(struct tn_fit *fit, uint32_t from, uint32_t to, uint32_t v,
	uint32_t x, int64_t at)
{
	const int64_t align = fit->p->buffers[x].align;
	bool moved = true;

	while (moved) {
		moved = false;
		for (uint32_t i = from; i < to; i++) {
			struct tn_gap gap;

			if (fit->offset[other_end(fit, fit->pairs->of[i], x)] < 0)
				continue;
			gap = forbidden(fit, fit->pairs->of[i], v, x);
			fit->work++;
			if (gap.lo < at && at < gap.hi) {
				at = align_up(gap.hi, align);
				moved = true;
			}
		}
	}
	return at;
}

static uint32_t group_end(const struct tn_fit *fit, uint32_t from, uint32_t x)
{
	const uint32_t group = fit->p->pairs[fit->pairs->of[from]].group;
	uint32_t to = from;

	while (to < fit->pairs->first[x + 1] &&
		fit->p->pairs[fit->pairs->of[to]].group == group)
		to++;
	return to;
}

/* The lowest offset >= at that every group of x allows by some possible variant. */
static int64_t pairs_lowest(struct tn_fit *fit, uint32_t x, int64_t at)
{
	uint32_t to;

	for (uint32_t from = fit->pairs->first[x]; from < fit->pairs->first[x + 1];
		from = to) {
		const uint32_t group = fit->p->pairs[fit->pairs->of[from]].group;
		int64_t best = INT64_MAX;

		to = group_end(fit, from, x);
		for (uint32_t v = 0; fit->variants[group] >> v && best > at; v++)
			if (fit->variants[group] >> v & 1)
				best = tn_min_i64(
					best, group_lowest(fit, from, to, v, x, at));
		if (best > at) {
			at = best;
			to = fit->pairs->first[x]; /* again from the first group */
		}
	}
	return at;
}

static int by_lo(const void *a, const void *b)
{
	const struct tn_gap *x = a, *y = b;

	return x->lo < y->lo ? -1 : x->lo > y->lo;
}

static void sort_gaps(struct tn_gap *gaps, size_t n)
{
	if (n > 32) {
		qsort(gaps, n, sizeof(*gaps), by_lo);
		return;
	}
	for (size_t i = 1; i < n; i++) {
		const struct tn_gap gap = gaps[i];
		size_t j = i;

		for (; j && gaps[j - 1].lo > gap.lo; j--)
			gaps[j] = gaps[j - 1];
		gaps[j] = gap;
	}
}

int64_t tn_fit_lowest(struct tn_fit *fit, uint32_t x, int64_t from)
{
	const struct tn_buffer *buffer = &fit->p->buffers[x];
	const struct tn_conflicts *c = fit->conflicts;
	int64_t at = align_up(from, buffer->align);
	size_t n = 0, next = 0;

	fit->work += (int64_t)(c->first[x + 1] - c->first[x]) + 1;
	for (size_t i = c->first[x]; i < c->first[x + 1]; i++) {
		const uint32_t y = c->other[i];

		if (fit->offset[y] >= 0)
			fit->gaps[n++] = (struct tn_gap){ fit->offset[y],
				fit->offset[y] + fit->p->buffers[y].size };
	}
	sort_gaps(fit->gaps, n);
	for (;;) {
		int64_t up;

		for (; next < n && fit->gaps[next].lo < at + buffer->size; next++)
			if (fit->gaps[next].hi > at)
				at = align_up(fit->gaps[next].hi, buffer->align);
		up = pairs_lowest(fit, x, at);
		if (up == at)
			return at;
		at = up;
	}
}

void tn_fit_put(struct tn_fit *fit, uint32_t x, int64_t offset)
{
	uint32_t to;

	fit->offset[x] = offset;
	for (uint32_t from = fit->pairs->first[x]; from < fit->pairs->first[x + 1];
		from = to) {
		const uint32_t group = fit->p->pairs[fit->pairs->of[from]].group;

		to = group_end(fit, from, x);
		for (uint32_t v = 0; fit->variants[group] >> v; v++)
			if (group_lowest(fit, from, to, v, x, offset) != offset)
				fit->variants[group] &= (uint8_t) ~(1u << v);
	}
}

bool tn_fit_fixed(struct tn_fit *fit, uint32_t *out_x)
{
	for (uint32_t x = 0; x < fit->p->n_buffers; x++) {
		const int64_t fixed = fit->p->buffers[x].fixed;

		if (fixed < 0)
			continue;
		if (tn_fit_lowest(fit, x, fixed) != fixed) {
			*out_x = x;
			return false;
		}
		tn_fit_put(fit, x, fixed);
	}
	return true;
}

int64_t tn_fit_order(struct tn_fit *fit, const uint32_t *order, uint32_t n, int64_t limit)
{
	int64_t height = 0;
	uint32_t x;

	tn_fit_reset(fit);
	if (!tn_fit_fixed(fit, &x))
		return INT64_MAX;
	for (uint32_t i = 0; i < fit->p->n_buffers; i++)
		if (fit->offset[i] >= 0)
			height = tn_max_i64(
				height, fit->offset[i] + fit->p->buffers[i].size);
	for (uint32_t i = 0; i < n && height < limit; i++) {
		if (fit->offset[order[i]] >= 0)
			continue;
		tn_fit_put(fit, order[i], tn_fit_lowest(fit, order[i], 0));
		height = tn_max_i64(
			height, fit->offset[order[i]] + fit->p->buffers[order[i]].size);
	}
	return height < limit ? height : INT64_MAX;
}

void tn_fit_solution(const struct tn_fit *fit, struct tn_solution *out)
{
	const struct tn_problem *p = fit->p;

	out->height = 0;
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		out->offset[i] = fit->offset[i];
		out->height =
			tn_max_i64(out->height, fit->offset[i] + p->buffers[i].size);
	}
	for (uint32_t g = 0; g < p->n_groups; g++) {
		out->variant[g] = 0;
		while (fit->variants[g] && !(fit->variants[g] >> out->variant[g] & 1))
			out->variant[g]++;
	}
}
