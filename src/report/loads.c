/* What each op needs while it runs: a sweep over the boxes, or over the roots' lives when
 * nothing was planned. */
#include "base/checked.h"
#include "report/boxes.h"
#include "report/cover.h"

#include "base/banned.h"

static enum tn_status region_cover(const struct tn_boxes *boxes, uint32_t region,
	struct tn_arena *arena, struct tn_cover *out)
{
	uint32_t n = 0;
	int64_t *ends;

	for (uint32_t i = 0; i < boxes->n; i++)
		n += boxes->list[i].region == region ? 2 : 0;
	ends = TN_NEW_ARRAY(arena, int64_t, n);
	if (!ends)
		return TN_ERR_NOMEM;
	n = 0;
	for (uint32_t i = 0; i < boxes->n; i++) {
		const struct tn_box *b = &boxes->list[i];

		if (b->region != region)
			continue;
		ends[n++] = b->offset;
		ends[n++] = b->offset + b->bytes;
	}
	return tn_cover_init(out, arena, ends, n);
}

/* Boxes by the position at which they go: a linked list for each. */
struct leaving {
	uint32_t *first; /* by position */
	uint32_t *next; /* by box */
};

/* A box counts at every op that it touches with one half-step. */
static uint32_t last_position(const struct tn_box *b, uint32_t n_ops)
{
	int64_t last = (b->end - 1) / 2;

	return last < n_ops ? (uint32_t)last : n_ops;
}

static enum tn_status sort_leaving(const struct tn_boxes *boxes, uint32_t n_ops,
	struct tn_arena *arena, struct leaving *out)
{
	out->first = TN_NEW_ARRAY(arena, uint32_t, (size_t)n_ops + 1);
	out->next = TN_NEW_ARRAY(arena, uint32_t, boxes->n);
	if (!out->first || !out->next)
		return TN_ERR_NOMEM;
	for (uint32_t p = 0; p <= n_ops; p++)
		out->first[p] = TN_NONE;
	for (uint32_t i = 0; i < boxes->n; i++) {
		uint32_t last = last_position(&boxes->list[i], n_ops);

		out->next[i] = out->first[last];
		out->first[last] = i;
	}
	return TN_OK;
}

static void sweep(const struct tn_boxes *boxes, uint32_t region, uint32_t n_ops,
	const struct leaving *leaving, struct tn_cover *cover, struct tn_load *loads)
{
	uint32_t next = 0;

	for (uint32_t p = 0; p < n_ops; p++) {
		for (; next < boxes->n && boxes->list[next].begin < 2 * (int64_t)p + 2;
			next++) {
			const struct tn_box *b = &boxes->list[next];

			if (b->region == region)
				tn_cover_add(cover, b->offset, b->offset + b->bytes);
		}
		loads[p].live_bytes += tn_cover_bytes(cover);
		loads[p].top = tn_max_i64(loads[p].top, tn_cover_top(cover));
		for (uint32_t i = leaving->first[p]; i != TN_NONE; i = leaving->next[i]) {
			const struct tn_box *b = &boxes->list[i];

			if (b->region == region)
				tn_cover_remove(cover, b->offset, b->offset + b->bytes);
		}
	}
}

static enum tn_status planned(
	const struct tn_view *v, struct tn_arena *arena, struct tn_load *loads)
{
	struct leaving leaving;
	struct tn_boxes boxes;
	enum tn_status status = tn_boxes_find(v, arena, &boxes);

	if (status == TN_OK)
		status = sort_leaving(&boxes, v->g->n_ops, arena, &leaving);
	for (uint32_t r = 0; r < v->plan->n_regions && status == TN_OK; r++) {
		struct tn_cover cover;

		status = region_cover(&boxes, r, arena, &cover);
		if (status == TN_OK)
			sweep(&boxes, r, v->g->n_ops, &leaving, &cover, loads);
	}
	return status;
}

/* Root sizes come and go: differences at both ends, then a running sum. */
static enum tn_status unplanned(
	const struct tn_view *v, struct tn_arena *arena, struct tn_load *loads)
{
	uint32_t n = v->g->n_ops;
	int64_t *change = TN_NEW_ARRAY(arena, int64_t, (size_t)n + 2), sum = 0;

	if (!change)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < v->g->n_tensors && v->live; i++) {
		const struct tn_span *span = &v->live->root[i];
		int64_t bytes = v->g->tensors[i].bytes, last;

		if (tn_view_alias(v, (tn_tensor_id){ i }).root.i != i ||
			span->first > span->last || bytes <= 0)
			continue;
		last = tn_min_i64((tn_span_end(span) - 1) / 2, n);
		if (!tn_add_i64(
			    change[span->first / 2], bytes, &change[span->first / 2]) ||
			!tn_sub_i64(change[last + 1], bytes, &change[last + 1]))
			return TN_ERR_INPUT;
	}
	for (uint32_t p = 0; p < n; p++) {
		if (!tn_add_i64(sum, change[p], &sum))
			return TN_ERR_INPUT;
		loads[p] = (struct tn_load){ sum, sum };
	}
	return TN_OK;
}

static bool higher(const struct tn_load *a, const struct tn_load *b)
{
	return a->top != b->top ? a->top > b->top : a->live_bytes > b->live_bytes;
}

enum tn_status tn_loads_find(const struct tn_view *v, struct tn_arena *arena,
	struct tn_load **out_loads, uint32_t *out_peak)
{
	struct tn_load *loads = TN_NEW_ARRAY(arena, struct tn_load, v->g->n_ops);
	enum tn_status status;
	uint32_t peak = TN_NONE;

	if (!loads)
		return TN_ERR_NOMEM;
	status = v->plan ? planned(v, arena, loads) : unplanned(v, arena, loads);
	if (status != TN_OK)
		return status;
	for (uint32_t p = 0; p < v->g->n_ops; p++)
		if (peak == TN_NONE || higher(&loads[p], &loads[peak]))
			peak = p;
	*out_loads = loads;
	*out_peak = peak;
	return TN_OK;
}
