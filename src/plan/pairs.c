#include "plan/pairs.h"

#include "base/checked.h"
#include "plan/sort.h"

struct tn_gap tn_pair_gap(
	const struct tn_problem *p, const struct tn_pair *pair, uint32_t v)
{
	const int64_t a = p->buffers[pair->a].size, b = p->buffers[pair->b].size;
	const int64_t d = pair->d[v];

	if (p->groups[pair->group].descending >> v & 1)
		return (struct tn_gap){ tn_max_i64(-d, -a), b };
	return (struct tn_gap){ -a, tn_min_i64(d, b) };
}

bool tn_buffers_meet(const struct tn_buffer *a, const struct tn_buffer *b)
{
	return a->begin < b->end && b->begin < a->end && a->size > 0 && b->size > 0;
}

enum tn_status tn_pairs_build(
	const struct tn_problem *p, struct tn_arena *arena, struct tn_pairs *out)
{
	struct tn_arena scratch;
	struct tn_sort_key *order;
	enum tn_status status = TN_ERR_NOMEM;
	uint32_t n = 0, *fill;

	tn_arena_init(&scratch);
	out->first = TN_NEW_ARRAY(arena, uint32_t, (size_t)p->n_buffers + 1);
	out->of = TN_NEW_ARRAY(arena, uint32_t, (size_t)p->n_pairs * 2);
	order = TN_NEW_ARRAY(&scratch, struct tn_sort_key, p->n_pairs);
	fill = TN_NEW_ARRAY(&scratch, uint32_t, p->n_buffers);
	if (!out->first || !out->of || !order || !fill)
		goto out;
	for (uint32_t i = 0; i < p->n_pairs; i++) {
		const struct tn_pair *pair = &p->pairs[i];

		if (!tn_buffers_meet(&p->buffers[pair->a], &p->buffers[pair->b]))
			continue;
		order[n++] = (struct tn_sort_key){ pair->group, i };
		out->first[pair->a + 1]++;
		out->first[pair->b + 1]++;
	}
	tn_sort(order, n);
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		out->first[i + 1] += out->first[i];
		fill[i] = out->first[i];
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct tn_pair *pair = &p->pairs[order[i].id];

		out->of[fill[pair->a]++] = order[i].id;
		out->of[fill[pair->b]++] = order[i].id;
	}
	status = TN_OK;
out:
	tn_arena_release(&scratch);
	return status;
}

bool tn_pairs_linked(
	const struct tn_problem *p, const struct tn_pairs *pairs, uint32_t x, uint32_t y)
{
	for (uint32_t i = pairs->first[x]; i < pairs->first[x + 1]; i++) {
		const struct tn_pair *pair = &p->pairs[pairs->of[i]];

		if (pair->a == y || pair->b == y)
			return true;
	}
	return false;
}
