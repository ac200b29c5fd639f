#include "plan/conflict.h"

#include "base/checked.h"
#include "plan/sort.h"

struct events {
	struct tn_sort_key *begins, *ends;
	size_t n;
};

static bool events_build(
	const struct tn_problem *p, struct tn_arena *scratch, struct events *e)
{
	e->n = 0;
	e->begins = TN_NEW_ARRAY(scratch, struct tn_sort_key, p->n_buffers);
	e->ends = TN_NEW_ARRAY(scratch, struct tn_sort_key, p->n_buffers);
	if (!e->begins || !e->ends)
		return false;
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		if (!p->buffers[i].size)
			continue;
		e->begins[e->n] = (struct tn_sort_key){ p->buffers[i].begin, i };
		e->ends[e->n++] = (struct tn_sort_key){ p->buffers[i].end, i };
	}
	tn_sort(e->begins, e->n);
	tn_sort(e->ends, e->n);
	return true;
}

int64_t tn_conflicts_count(const struct tn_problem *p)
{
	struct tn_arena scratch;
	struct events e;
	int64_t count = -1;

	tn_arena_init(&scratch);
	if (events_build(p, &scratch, &e)) {
		size_t gone = 0;

		count = 0;
		for (size_t i = 0; i < e.n; i++) {
			while (gone < e.n && e.ends[gone].key <= e.begins[i].key)
				gone++;
			count += (int64_t)(i - gone);
		}
	}
	tn_arena_release(&scratch);
	return count;
}

/* Calls for each couple twice, once to count and once to fill. `at` is by buffer. */
static void each_couple(const struct tn_problem *p, const struct tn_pairs *pairs,
	const struct events *e, uint32_t *live, size_t *at, uint32_t *other)
{
	size_t n_live = 0;

	for (size_t i = 0; i < e->n; i++) {
		const uint32_t x = e->begins[i].id;
		size_t kept = 0;

		for (size_t j = 0; j < n_live; j++) {
			const uint32_t y = live[j];

			if (p->buffers[y].end <= e->begins[i].key)
				continue;
			live[kept++] = y;
			if (tn_pairs_linked(p, pairs, x, y))
				continue;
			if (other) {
				other[at[x]] = y;
				other[at[y]] = x;
			}
			at[x]++;
			at[y]++;
		}
		n_live = kept;
		live[n_live++] = x;
	}
}

/* Lists in ascending order without sorting: the graph is symmetric, so reading it row by
 * row and writing each entry's mirror image visits every column in row order. */
static void order_lists(
	uint32_t n, const size_t *first, const uint32_t *from, size_t *at, uint32_t *to)
{
	for (uint32_t x = 0; x < n; x++)
		at[x] = first[x];
	for (uint32_t x = 0; x < n; x++)
		for (size_t i = first[x]; i < first[x + 1]; i++)
			to[at[from[i]]++] = x;
}

enum tn_status tn_conflicts_build(const struct tn_problem *p,
	const struct tn_pairs *pairs, struct tn_arena *arena, struct tn_conflicts *out)
{
	struct tn_arena scratch;
	struct events e;
	enum tn_status status = TN_ERR_NOMEM;
	uint32_t *live, *unsorted;
	size_t *at, total = 0;

	tn_arena_init(&scratch);
	out->first = TN_NEW_ARRAY(arena, size_t, (size_t)p->n_buffers + 1);
	live = TN_NEW_ARRAY(&scratch, uint32_t, p->n_buffers);
	at = TN_NEW_ARRAY(&scratch, size_t, p->n_buffers);
	if (!out->first || !live || !at || !events_build(p, &scratch, &e))
		goto out;
	each_couple(p, pairs, &e, live, at, NULL);
	out->max_degree = 0;
	for (uint32_t x = 0; x < p->n_buffers; x++) {
		if (at[x] > out->max_degree)
			out->max_degree = at[x];
		out->first[x] = total;
		total += at[x];
		at[x] = out->first[x];
	}
	out->first[p->n_buffers] = total;
	out->other = TN_NEW_ARRAY(arena, uint32_t, total);
	unsorted = TN_NEW_ARRAY(&scratch, uint32_t, total);
	if (!out->other || !unsorted)
		goto out;
	each_couple(p, pairs, &e, live, at, unsorted);
	order_lists(p->n_buffers, out->first, unsorted, at, out->other);
	status = TN_OK;
out:
	tn_arena_release(&scratch);
	return status;
}
