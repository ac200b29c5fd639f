#include "plan/skyline.h"

#include "base/checked.h"
#include "plan/sort.h"

/* A tree over the segments between moments; raised[i] is a floor under the whole of node
 * i, top[i] the highest point in it. */
struct skyline {
	int64_t *raised, *top;
	size_t width;
};

static int64_t highest(const struct skyline *s, size_t node, size_t first, size_t width,
	size_t lo, size_t hi)
{
	if (hi <= first || first + width <= lo)
		return 0;
	if (lo <= first && first + width <= hi)
		return s->top[node];
	width /= 2;
	return tn_max_i64(s->raised[node],
		tn_max_i64(highest(s, 2 * node, first, width, lo, hi),
			highest(s, 2 * node + 1, first + width, width, lo, hi)));
}

static void raise(struct skyline *s, size_t node, size_t first, size_t width, size_t lo,
	size_t hi, int64_t to)
{
	if (hi <= first || first + width <= lo)
		return;
	s->top[node] = tn_max_i64(s->top[node], to);
	if (lo <= first && first + width <= hi) {
		s->raised[node] = tn_max_i64(s->raised[node], to);
		return;
	}
	width /= 2;
	raise(s, 2 * node, first, width, lo, hi, to);
	raise(s, 2 * node + 1, first + width, width, lo, hi, to);
}

static size_t find(const int64_t *moments, size_t n, int64_t moment)
{
	size_t lo = 0;

	while (lo < n) {
		size_t mid = lo + (n - lo) / 2;

		if (moments[mid] < moment)
			lo = mid + 1;
		else
			n = mid;
	}
	return lo;
}

static size_t moments_of(
	const struct tn_problem *p, struct tn_arena *scratch, int64_t **out)
{
	struct tn_sort_key *keys =
		TN_NEW_ARRAY(scratch, struct tn_sort_key, 2 * (size_t)p->n_buffers);
	size_t n = 0;

	*out = TN_NEW_ARRAY(scratch, int64_t, 2 * (size_t)p->n_buffers);
	if (!keys || !*out)
		return 0;
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		keys[2 * (size_t)i].key = p->buffers[i].begin;
		keys[2 * (size_t)i + 1].key = p->buffers[i].end;
	}
	tn_sort(keys, 2 * (size_t)p->n_buffers);
	for (size_t i = 0; i < 2 * (size_t)p->n_buffers; i++)
		if (!n || (*out)[n - 1] != keys[i].key)
			(*out)[n++] = keys[i].key;
	return n;
}

enum tn_status tn_skyline(
	const struct tn_problem *p, const uint32_t *order, int64_t *offset)
{
	struct tn_arena scratch;
	struct skyline s = { .width = 1 };
	enum tn_status status = TN_ERR_NOMEM;
	int64_t *moments;
	size_t n;

	if (!p->n_buffers)
		return TN_OK;
	tn_arena_init(&scratch);
	n = moments_of(p, &scratch, &moments);
	while (s.width < n)
		s.width *= 2;
	s.raised = TN_NEW_ARRAY(&scratch, int64_t, 2 * s.width);
	s.top = TN_NEW_ARRAY(&scratch, int64_t, 2 * s.width);
	if (!n || !s.raised || !s.top)
		goto out;
	for (int fixed = 1; fixed >= 0; fixed--) {
		for (uint32_t i = 0; i < p->n_buffers; i++) {
			const struct tn_buffer *b = &p->buffers[order[i]];
			const size_t lo = find(moments, n, b->begin);
			const size_t hi = find(moments, n, b->end);
			int64_t at = b->fixed;

			if ((b->fixed >= 0) != fixed)
				continue;
			if (!fixed) {
				at = b->size ? highest(&s, 1, 0, s.width, lo, hi) : 0;
				if (!tn_align_up_i64(at, b->align, &at))
					goto out;
			}
			offset[order[i]] = at;
			if (b->size)
				raise(&s, 1, 0, s.width, lo, hi, at + b->size);
		}
	}
	status = TN_OK;
out:
	tn_arena_release(&scratch);
	return status;
}
