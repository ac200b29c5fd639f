#include "plan/overlap.h"

#include "base/checked.h"
#include "plan/sort.h"

/* Leaves are the buffers in order of offset; a node holds the largest end of those that
 * are alive, or -1. */
struct sweep {
	const struct tn_problem *p;
	const int64_t *offset;
	tn_overlap_fn *fn;
	void *ctx;
	struct tn_sort_key *leaves;
	int64_t *top;
	size_t width; /* number of leaves, a power of two */
};

static void set_leaf(struct sweep *s, size_t leaf, int64_t end)
{
	size_t i = leaf + s->width;

	s->top[i] = end;
	for (i /= 2; i; i /= 2)
		s->top[i] = tn_max_i64(s->top[2 * i], s->top[2 * i + 1]);
}

/* Reports each live buffer under `node` that starts below `hi` and ends above `lo`. */
static bool report(struct sweep *s, size_t node, size_t first, size_t width, size_t n,
	uint32_t x, int64_t lo)
{
	if (first >= n || s->top[node] <= lo)
		return true;
	if (width == 1)
		return s->fn(s->ctx, x, s->leaves[first].id);
	width /= 2;
	return report(s, 2 * node, first, width, n, x, lo) &&
	       report(s, 2 * node + 1, first + width, width, n, x, lo);
}

/* Number of leaves that start below hi. */
static size_t starts_below(const struct sweep *s, size_t n, int64_t hi)
{
	size_t lo = 0;

	while (lo < n) {
		size_t mid = lo + (n - lo) / 2;

		if (s->leaves[mid].key < hi)
			lo = mid + 1;
		else
			n = mid;
	}
	return lo;
}

static bool sweep(struct sweep *s, const struct tn_sort_key *begins,
	const struct tn_sort_key *ends, const size_t *leaf_of, size_t n)
{
	size_t gone = 0;

	for (size_t i = 0; i < n; i++) {
		const uint32_t x = begins[i].id;
		const int64_t lo = s->offset[x], hi = lo + s->p->buffers[x].size;

		for (; gone < n && ends[gone].key <= begins[i].key; gone++)
			set_leaf(s, leaf_of[ends[gone].id], -1);
		if (!report(s, 1, 0, s->width, starts_below(s, n, hi), x, lo))
			return false;
		set_leaf(s, leaf_of[x], hi);
	}
	return true;
}

enum tn_status tn_overlaps(
	const struct tn_problem *p, const int64_t *offset, tn_overlap_fn *fn, void *ctx)
{
	struct sweep s = { .p = p, .offset = offset, .fn = fn, .ctx = ctx, .width = 1 };
	struct tn_arena scratch;
	struct tn_sort_key *begins, *ends;
	enum tn_status status = TN_ERR_NOMEM;
	size_t *leaf_of, n = 0;

	tn_arena_init(&scratch);
	begins = TN_NEW_ARRAY(&scratch, struct tn_sort_key, p->n_buffers);
	ends = TN_NEW_ARRAY(&scratch, struct tn_sort_key, p->n_buffers);
	s.leaves = TN_NEW_ARRAY(&scratch, struct tn_sort_key, p->n_buffers);
	leaf_of = TN_NEW_ARRAY(&scratch, size_t, p->n_buffers);
	while (s.width < p->n_buffers)
		s.width *= 2;
	s.top = TN_NEW_ARRAY(&scratch, int64_t, 2 * s.width);
	if (!begins || !ends || !s.leaves || !leaf_of || !s.top)
		goto out;
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		if (!p->buffers[i].size || offset[i] < 0)
			continue;
		begins[n] = (struct tn_sort_key){ p->buffers[i].begin, i };
		ends[n] = (struct tn_sort_key){ p->buffers[i].end, i };
		s.leaves[n++] = (struct tn_sort_key){ offset[i], i };
	}
	tn_sort(begins, n);
	tn_sort(ends, n);
	tn_sort(s.leaves, n);
	for (size_t i = 0; i < n; i++)
		leaf_of[s.leaves[i].id] = i;
	for (size_t i = 0; i < 2 * s.width; i++)
		s.top[i] = -1;
	(void)sweep(&s, begins, ends, leaf_of, n);
	status = TN_OK;
out:
	tn_arena_release(&scratch);
	return status;
}
