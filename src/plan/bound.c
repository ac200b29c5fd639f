/* Lower bound: at any moment the live buffers cover at least the sum of their sizes less
 * what pairs let them share.
 *
 * Take the live buffers in any fixed order; each adds at least its size minus the most
 * that it can share with each earlier one, and never less than nothing. Pairs of one
 * group are counted under one common variant. Two orders are tried, by birth and its
 * reverse: the first counts an output that lies over several inputs at most once, the
 * second an input under several outputs. What several buffers share with one is limited
 * by the stretch of it that they can reach at all (nested).
 *
 * Everything is counted in cells of the greatest common alignment: two buffers never
 * share a cell unless a pair lets them, and only the topmost may end inside its last
 * cell. */
#include "base/checked.h"
#include "plan/pairs.h"
#include "plan/problem.h"
#include "plan/share.h"
#include "plan/sort.h"

struct bound {
	const struct tn_problem *p;
	int64_t cell;
	int64_t *size; /* rounded up to cells */
	uint32_t *rank; /* by birth */
	int64_t *shared; /* scratch, zero between uses */
	uint32_t *live; /* live pairs, by group */
	uint32_t n_live;
	const struct tn_pairs *pairs;
	struct tn_sort_key *heap; /* live buffers, most padding first */
	size_t n_heap;
};

/* The most that the ends of this pair can share in variant v, in bytes of cells. */
static int64_t share(const struct bound *s, const struct tn_pair *pair, uint32_t v)
{
	const bool descending = s->p->groups[pair->group].descending >> v & 1;
	const int64_t least = tn_min_i64(s->size[pair->a], s->size[pair->b]);
	const int64_t outer = descending ? s->size[pair->a] : s->size[pair->b];
	int64_t d = pair->d[v];

	if (d >= outer)
		return 0;
	if (d <= outer - least)
		return least;
	(void)tn_align_up_i64(d, s->cell, &d); /* d < outer: cannot overflow */
	return tn_max_i64(0, tn_min_i64(least, outer - d));
}

/* What the pairs live[from..to) of one group save under variant v at most, when each
 * buffer is charged what it shares with earlier ones (with later ones if reverse). */
static int64_t group_saving(
	struct bound *s, uint32_t from, uint32_t to, uint32_t v, bool reverse)
{
	int64_t total = 0;

	for (uint32_t i = from; i < to; i++) {
		const struct tn_pair *pair = &s->p->pairs[s->live[i]];
		const bool a_first = s->rank[pair->a] < s->rank[pair->b];
		const uint32_t x = a_first != reverse ? pair->b : pair->a;
		const int64_t add =
			tn_min_i64(share(s, pair, v), s->size[x] - s->shared[x]);

		s->shared[x] += add;
		total += add;
	}
	for (uint32_t i = from; i < to; i++) {
		s->shared[s->p->pairs[s->live[i]].a] = 0;
		s->shared[s->p->pairs[s->live[i]].b] = 0;
	}
	return total;
}

/* How far from one end of the hub the other end of the pair can reach, in its cells. */
static int64_t reach(
	const struct bound *s, const struct tn_pair *pair, uint32_t v, bool hub_is_b)
{
	const bool descending = s->p->groups[pair->group].descending >> v & 1;
	const uint32_t hub = hub_is_b ? pair->b : pair->a;
	const int64_t outer = descending ? s->size[pair->a] : s->size[pair->b];
	int64_t d = pair->d[v];

	if (d >= outer)
		return 0;
	if (d <= outer - s->size[hub])
		return s->size[hub];
	(void)tn_align_up_i64(d, s->cell, &d);
	return tn_max_i64(0, outer - d);
}

/* The most that disjoint buffers share with one hub: each lies within a stretch of it, and
 * all stretches have one end in common, so they are filled from the shortest on. No
 * limit when the pairs have no common hub or the others may overlap each other. */
#define NESTED_MAX 32

static int64_t nested(
	const struct bound *s, uint32_t from, uint32_t to, uint32_t v, bool hub_is_b)
{
	const struct tn_pair *all = s->p->pairs, *first = &all[s->live[from]];
	struct tn_sort_key caps[NESTED_MAX];
	int64_t used = 0;

	if (to - from < 2 || to - from > NESTED_MAX)
		return INT64_MAX;
	for (uint32_t i = from; i < to; i++) {
		const struct tn_pair *pair = &all[s->live[i]];
		const uint32_t x = hub_is_b ? pair->a : pair->b;

		if (hub_is_b ? pair->b != first->b : pair->a != first->a)
			return INT64_MAX;
		for (uint32_t j = from; j < i; j++) {
			const struct tn_pair *other = &all[s->live[j]];

			if (tn_pairs_linked(
				    s->p, s->pairs, x, hub_is_b ? other->a : other->b))
				return INT64_MAX;
		}
		caps[i - from] = (struct tn_sort_key){ reach(s, pair, v, hub_is_b), i };
	}
	tn_sort(caps, to - from);
	for (uint32_t i = 0; i < to - from; i++)
		used += tn_max_i64(0, tn_min_i64(share(s, &all[s->live[caps[i].id]], v),
					      caps[i].key - used));
	return used;
}

static int64_t saving(struct bound *s, bool reverse)
{
	int64_t total = 0;

	for (uint32_t i = 0, j; i < s->n_live; i = j) {
		const uint32_t group = s->p->pairs[s->live[i]].group;
		int64_t best = 0;

		for (j = i; j < s->n_live && s->p->pairs[s->live[j]].group == group; j++)
			;
		for (uint32_t v = 0; v < s->p->groups[group].n_variants; v++)
			best = tn_max_i64(
				best, tn_min_i64(group_saving(s, i, j, v, reverse),
					      tn_min_i64(nested(s, i, j, v, true),
						      nested(s, i, j, v, false))));
		total += best;
	}
	return total;
}

/* Max-heap on padding; buffers that have died are dropped when they come to the top. */
static void heap_push(struct bound *s, uint32_t x)
{
	size_t i = s->n_heap++;

	s->heap[i] = (struct tn_sort_key){ s->size[x] - s->p->buffers[x].size, x };
	while (i && s->heap[(i - 1) / 2].key < s->heap[i].key) {
		const struct tn_sort_key swap = s->heap[i];

		s->heap[i] = s->heap[(i - 1) / 2];
		s->heap[(i - 1) / 2] = swap;
		i = (i - 1) / 2;
	}
}

static void heap_pop(struct bound *s)
{
	size_t i = 0;

	s->heap[0] = s->heap[--s->n_heap];
	for (;;) {
		size_t child = 2 * i + 1;
		struct tn_sort_key swap;

		if (child + 1 < s->n_heap && s->heap[child + 1].key > s->heap[child].key)
			child++;
		if (child >= s->n_heap || s->heap[child].key <= s->heap[i].key)
			return;
		swap = s->heap[i];
		s->heap[i] = s->heap[child];
		s->heap[child] = swap;
		i = child;
	}
}

static void live_insert(struct bound *s, uint32_t pair)
{
	const struct tn_pair *pairs = s->p->pairs;
	uint32_t i = s->n_live++;

	for (; i && pairs[s->live[i - 1]].group > pairs[pair].group; i--)
		s->live[i] = s->live[i - 1];
	s->live[i] = pair;
}

static void live_expire(struct bound *s, int64_t now)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < s->n_live; i++) {
		const struct tn_pair *pair = &s->p->pairs[s->live[i]];

		if (s->p->buffers[pair->a].end > now && s->p->buffers[pair->b].end > now)
			s->live[kept++] = s->live[i];
	}
	s->n_live = kept;
}

struct bound_events {
	struct tn_sort_key *begins, *ends, *pairs;
	size_t n, n_pairs;
};

/* Only moments at which something is born can be the maximum. */
static int64_t bound_sweep(struct bound *s, const struct bound_events *e)
{
	int64_t best = 0, load = 0;
	size_t gone = 0, met = 0;

	for (size_t i = 0; i < e->n;) {
		const int64_t now = e->begins[i].key;
		int64_t need;

		for (; gone < e->n && e->ends[gone].key <= now; gone++)
			load -= s->size[e->ends[gone].id];
		for (; i < e->n && e->begins[i].key == now; i++) {
			load += s->size[e->begins[i].id];
			heap_push(s, e->begins[i].id);
		}
		live_expire(s, now);
		for (; met < e->n_pairs && e->pairs[met].key <= now; met++)
			live_insert(s, e->pairs[met].id);
		while (s->p->buffers[s->heap[0].id].end <= now)
			heap_pop(s);
		need = load - s->heap[0].key;
		if (need > best && s->n_live)
			need -= tn_min_i64(saving(s, false), saving(s, true));
		best = tn_max_i64(best, need);
	}
	return best;
}

/* The same pair given twice, or two pairs of the same buffers, would be saved twice:
 * keep the first of each couple only if nothing else links it. */
static size_t pair_events(
	struct bound *s, struct tn_sort_key *out, struct tn_pairs *pairs)
{
	const struct tn_problem *p = s->p;
	size_t n = 0;

	for (uint32_t x = 0; x < p->n_buffers; x++) {
		for (uint32_t i = pairs->first[x]; i < pairs->first[x + 1]; i++) {
			const struct tn_pair *pair = &p->pairs[pairs->of[i]];
			bool again = false;

			if (pair->a != x)
				continue;
			for (uint32_t j = pairs->first[x]; j < i && !again; j++) {
				const struct tn_pair *other = &p->pairs[pairs->of[j]];

				again = other->a == pair->b || other->b == pair->b;
			}
			if (!again)
				out[n++] = (struct tn_sort_key){
					tn_max_i64(p->buffers[pair->a].begin,
						p->buffers[pair->b].begin),
					pairs->of[i]
				};
		}
	}
	tn_sort(out, n);
	return n;
}

enum tn_status tn_bound(
	const struct tn_problem *p, struct tn_arena *scratch, int64_t *out_bound)
{
	struct tn_pairs pairs;
	struct bound s = { .p = p, .pairs = &pairs };
	struct bound_events e = { 0 };
	int64_t fixed = 0;

	s.size = TN_NEW_ARRAY(scratch, int64_t, p->n_buffers);
	s.rank = TN_NEW_ARRAY(scratch, uint32_t, p->n_buffers);
	s.shared = TN_NEW_ARRAY(scratch, int64_t, p->n_buffers);
	s.live = TN_NEW_ARRAY(scratch, uint32_t, p->n_pairs);
	s.heap = TN_NEW_ARRAY(scratch, struct tn_sort_key, p->n_buffers);
	e.begins = TN_NEW_ARRAY(scratch, struct tn_sort_key, p->n_buffers);
	e.ends = TN_NEW_ARRAY(scratch, struct tn_sort_key, p->n_buffers);
	e.pairs = TN_NEW_ARRAY(scratch, struct tn_sort_key, p->n_pairs);
	if (!s.size || !s.rank || !s.shared || !s.live || !s.heap || !e.begins ||
		!e.ends || !e.pairs || tn_pairs_build(p, scratch, &pairs) != TN_OK)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < p->n_buffers; i++)
		s.cell = tn_gcd(p->buffers[i].align, s.cell);
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		const struct tn_buffer *b = &p->buffers[i];

		if (b->fixed >= 0)
			fixed = tn_max_i64(fixed, b->fixed + b->size);
		if (!tn_align_up_i64(b->size, s.cell, &s.size[i]))
			return TN_ERR_INPUT;
		if (!b->size)
			continue;
		e.begins[e.n] = (struct tn_sort_key){ b->begin, i };
		e.ends[e.n++] = (struct tn_sort_key){ b->end, i };
	}
	tn_sort(e.begins, e.n);
	tn_sort(e.ends, e.n);
	for (size_t i = 0; i < e.n; i++)
		s.rank[e.begins[i].id] = (uint32_t)i;
	e.n_pairs = pair_events(&s, e.pairs, &pairs);
	*out_bound = tn_max_i64(fixed, bound_sweep(&s, &e));
	return TN_OK;
}
