#include "plan/regions_bound.h"

#include <stdlib.h>

#include "base/checked.h"
#include "base/vec.h"
#include "plan/share.h"
#include "plan/sort.h"

#define ENTRIES_MAX ((size_t)1 << 20) /* moments beyond these are left out */

struct tn_bound_choice {
	int64_t left, weight; /* bytes accessed, bytes needed */
	uint32_t buffer;
};

/* ---- what each moment needs ---- */

struct weighing {
	const struct tn_problem *q;
	struct tn_pairs pairs;
	int64_t cell;
	uint32_t *rank; /* by birth */
};

static int64_t cells(const struct weighing *w, uint32_t x)
{
	int64_t size = w->q->buffers[x].size;

	(void)tn_align_up_i64(size, w->cell, &size); /* valid: no overflow */
	return size;
}

/* Its size less what it can share with those alive at `now` that are older (younger). */
static int64_t weight(
	const struct weighing *w, uint32_t x, int64_t now, bool with_younger)
{
	int64_t left = cells(w, x);

	for (uint32_t i = w->pairs.first[x]; i < w->pairs.first[x + 1]; i++) {
		const struct tn_pair *pair = &w->q->pairs[w->pairs.of[i]];
		const uint32_t other = pair->a == x ? pair->b : pair->a;
		const struct tn_buffer *o = &w->q->buffers[other];

		if (o->begin <= now && now < o->end &&
			(w->rank[other] > w->rank[x]) == with_younger)
			left -= tn_pair_share(w->q, pair, w->cell);
	}
	return tn_max_i64(left, 0);
}

/* Whichever order of the live buffers leaves them heavier. */
static void weigh(const struct weighing *w, const uint32_t *live, uint32_t n, int64_t now,
	struct tn_bound_entry *out)
{
	int64_t older = 0, younger = 0;

	for (uint32_t i = 0; i < n; i++) {
		older += weight(w, live[i], now, false);
		younger += weight(w, live[i], now, true);
	}
	for (uint32_t i = 0; i < n; i++)
		out[i] = (struct tn_bound_entry){ live[i],
			weight(w, live[i], now, younger > older) };
}

/* Keeps those that are alive at `now`; gives the next death. */
static int64_t bury(const struct weighing *w, uint32_t *live, uint32_t *n, int64_t now)
{
	int64_t death = INT64_MAX;
	uint32_t kept = 0;

	for (uint32_t k = 0; k < *n; k++) {
		const int64_t end = w->q->buffers[live[k]].end;

		if (end <= now)
			continue;
		death = tn_min_i64(death, end);
		live[kept++] = live[k];
	}
	*n = kept;
	return death;
}

/* One moment for each birth that a death, or the end, follows: the others are parts of
 * these. */
static bool moments(struct tn_regions_bound *b, const struct weighing *w,
	const struct tn_sort_key *born, uint32_t n, uint32_t *live,
	struct tn_arena *arena)
{
	TN_VEC(struct tn_bound_entry) entries = { 0 };
	TN_VEC(size_t) first = { 0 };
	int64_t death = INT64_MAX;
	uint32_t n_live = 0;

	for (uint32_t i = 0; i < n;) {
		const int64_t now = born[i].key;

		if (death <= now)
			death = bury(w, live, &n_live, now);
		for (; i < n && born[i].key == now; i++) {
			live[n_live++] = born[i].id;
			death = tn_min_i64(death, w->q->buffers[born[i].id].end);
		}
		if ((i < n && born[i].key < death) ||
			entries.count + n_live > ENTRIES_MAX)
			continue;
		if (!tn_vec_push(arena, &first, entries.count))
			return false;
		for (uint32_t k = 0; k < n_live; k++)
			if (!tn_vec_push(arena, &entries, ((struct tn_bound_entry){ 0 })))
				return false;
		weigh(w, live, n_live, now, entries.items + entries.count - n_live);
	}
	b->n_moments = (uint32_t)first.count;
	b->entries = entries.items;
	if (!tn_vec_push(arena, &first, entries.count))
		return false;
	b->first = first.items;
	return true;
}

static void sort_regions(struct tn_regions_bound *b)
{
	struct tn_sort_key keys[TN_REGIONS_MAX];

	for (uint32_t r = 0; r < b->p->n_regions; r++)
		keys[r] = (struct tn_sort_key){ b->p->regions[r].cost, r };
	tn_sort(keys, b->p->n_regions);
	for (uint32_t r = 0; r < b->p->n_regions; r++)
		b->by_cost[r] = keys[r].id;
}

enum tn_status tn_regions_bound_init(struct tn_regions_bound *b,
	const struct tn_region_problem *p, struct tn_arena *arena)
{
	const struct tn_problem *q = p->buffers;
	struct weighing w = { .q = q };
	struct tn_arena scratch;
	struct tn_sort_key *born;
	uint32_t *live, n = 0;
	enum tn_status status = TN_ERR_NOMEM;

	*b = (struct tn_regions_bound){ .p = p };
	sort_regions(b);
	tn_arena_init(&scratch);
	b->left = TN_NEW_ARRAY(arena, int64_t, q->n_buffers);
	b->choices = TN_NEW_ARRAY(arena, struct tn_bound_choice, q->n_buffers);
	born = TN_NEW_ARRAY(&scratch, struct tn_sort_key, q->n_buffers);
	live = TN_NEW_ARRAY(&scratch, uint32_t, q->n_buffers);
	w.rank = TN_NEW_ARRAY(&scratch, uint32_t, q->n_buffers);
	if (!b->left || !b->choices || !born || !live || !w.rank)
		goto out;
	status = tn_pairs_build(q, &scratch, &w.pairs);
	if (status != TN_OK)
		goto out;
	for (uint32_t i = 0; i < q->n_buffers; i++) {
		w.cell = tn_gcd(q->buffers[i].align, w.cell);
		if (q->buffers[i].size)
			born[n++] = (struct tn_sort_key){ q->buffers[i].begin, i };
	}
	b->cell = w.cell = tn_max_i64(w.cell, 1);
	tn_sort(born, n);
	for (uint32_t i = 0; i < n; i++)
		w.rank[born[i].id] = i;
	status = moments(b, &w, born, n, live, arena) ? TN_OK : TN_ERR_NOMEM;
out:
	tn_arena_release(&scratch);
	return status;
}

/* ---- the knapsack of one step ---- */

enum side { SIDE_BELOW, SIDE_ABOVE, SIDE_FREE, SIDE_NONE };

/* Which side of the step is this buffer on? `below` is the set of regions below it. */
static enum side side_of(const struct tn_regions_bound *b, uint32_t x,
	const uint32_t *region, uint32_t below)
{
	uint32_t set =
		region[x] == TN_UNASSIGNED ? b->p->allowed[x] : UINT32_C(1) << region[x];
	const int64_t size = b->p->buffers->buffers[x].size;

	for (uint32_t r = 0; r < b->p->n_regions; r++)
		if (size > b->p->regions[r].capacity)
			set &= ~(UINT32_C(1) << r);
	if (!set)
		return SIDE_NONE;
	if (!(set & below))
		return SIDE_ABOVE;
	return set & ~below ? SIDE_FREE : SIDE_BELOW;
}

/* Is a / b < c / d, exactly? Nothing is negative, b and d are positive. */
static bool less(int64_t a, int64_t b, int64_t c, int64_t d)
{
	for (;;) {
		const int64_t whole = a / b, other = c / d;

		if (whole != other)
			return whole < other;
		a %= b;
		c %= d;
		if (!a || !c)
			return c != 0;
		/* a / b < c / d as d / c < b / a */
		const int64_t t = a, u = b;

		a = d;
		b = c;
		c = u;
		d = t;
	}
}

static int by_density(const void *a, const void *b)
{
	const struct tn_bound_choice *x = a, *y = b;

	if (less(x->left, x->weight, y->left, y->weight))
		return -1;
	if (less(y->left, y->weight, x->left, x->weight))
		return 1;
	return x->buffer < y->buffer ? -1 : x->buffer > y->buffer;
}

/* Pushes the cheapest bytes of the n choices above the step until `excess` bytes are
 * gone; takes what that is charged off what is left. */
static int64_t push_up(struct tn_regions_bound *b, uint32_t n, int64_t excess)
{
	const struct tn_bound_choice *last = NULL;
	int64_t cost = 0, product;

	qsort(b->choices, n, sizeof(*b->choices), by_density);
	for (uint32_t i = 0; i < n; i++) {
		const struct tn_bound_choice *c = &b->choices[i];
		int64_t charge = c->left;

		if (!last) {
			if (c->weight >= excess) { /* the last, a part of it */
				last = c;
				cost += tn_mul_i64(c->left, excess, &product)
						? product / c->weight
						: c->left / c->weight * excess;
			} else {
				cost += c->left;
			}
			excess -= c->weight;
		} else if (tn_mul_i64(last->left, c->weight, &product)) {
			/* as if it were as cheap as the last: no part of it would go */
			charge = product / last->weight + 1;
		}
		b->left[c->buffer] -= tn_min_i64(charge, c->left);
	}
	return cost;
}

/* What the bytes of all buffers above the step are at least; -1: a moment does not fit. */
static int64_t step_bound(
	struct tn_regions_bound *b, const uint32_t *region, uint32_t below, int64_t room)
{
	const uint32_t n_buffers = b->p->buffers->n_buffers;
	int64_t bytes = 0;

	for (uint32_t i = 0; i < n_buffers; i++) {
		const enum side side = side_of(b, i, region, below);

		if (side == SIDE_NONE)
			return -1;
		b->left[i] = b->p->accessed[i];
		if (side == SIDE_ABOVE) {
			bytes += b->left[i];
			b->left[i] = -1;
		}
	}
	for (uint32_t m = 0; m < b->n_moments; m++) {
		int64_t fixed = 0, free = 0;
		uint32_t n = 0;

		for (size_t i = b->first[m]; i < b->first[m + 1]; i++) {
			const struct tn_bound_entry *e = &b->entries[i];

			if (b->left[e->buffer] < 0)
				continue;
			if (side_of(b, e->buffer, region, below) == SIDE_BELOW) {
				fixed += e->weight;
			} else if (e->weight) {
				free += e->weight;
				b->choices[n++] =
					(struct tn_bound_choice){ b->left[e->buffer],
						e->weight, e->buffer };
			}
		}
		if (fixed > room)
			return -1;
		if (free > room - fixed)
			bytes += push_up(b, n, free - (room - fixed));
	}
	return bytes;
}

int64_t tn_regions_bound_of(struct tn_regions_bound *b, const uint32_t *region)
{
	const struct tn_region_problem *p = b->p;
	int64_t cost = 0, room = 0;
	uint32_t below = 0;

	for (uint32_t i = 0; i < p->buffers->n_buffers; i++)
		cost += p->accessed[i] * p->regions[b->by_cost[0]].cost;
	for (uint32_t k = 0; k < p->n_regions; k++) {
		const struct tn_region *r = &p->regions[b->by_cost[k]];
		const bool top = k + 1 == p->n_regions;
		const int64_t step =
			top ? 0 : p->regions[b->by_cost[k + 1]].cost - r->cost;
		int64_t cells, bytes;

		below |= UINT32_C(1) << b->by_cost[k];
		if (!tn_align_up_i64(r->capacity, b->cell, &cells) ||
			!tn_add_i64(room, cells, &room))
			room = INT64_MAX;
		if (!top && !step)
			continue;
		bytes = step_bound(b, region, below, room);
		if (bytes < 0)
			return INT64_MAX;
		cost += bytes * step; /* valid: no overflow */
	}
	return cost;
}

enum tn_status tn_regions_bound(
	const struct tn_region_problem *p, struct tn_arena *scratch, int64_t *out_bound)
{
	struct tn_regions_bound b;
	uint32_t *region = TN_NEW_ARRAY(scratch, uint32_t, p->buffers->n_buffers);
	enum tn_status status = tn_regions_bound_init(&b, p, scratch);

	if (status != TN_OK || !region)
		return status != TN_OK ? status : TN_ERR_NOMEM;
	for (uint32_t i = 0; i < p->buffers->n_buffers; i++)
		region[i] = TN_UNASSIGNED;
	*out_bound = tn_regions_bound_of(&b, region);
	return TN_OK;
}
