/* Greedy assignments: buffers by what they gain, each into the cheapest region that has
 * room at every moment of its life; then each region is packed, the cheapest first, and
 * what sticks out of it moves on to the next. */
#include "base/checked.h"
#include "plan/regions_load.h"
#include "plan/regions_search.h"
#include "plan/share.h"
#include "plan/sort.h"

enum order { BY_DENSITY, BY_SIZE, BY_ACCESSES, N_ORDERS };

struct greedy {
	struct tn_region_search *s;
	struct tn_pairs pairs;
	struct tn_births births;
	struct tn_load load[TN_REGIONS_MAX];
	uint32_t *region; /* by buffer */
	int64_t *offset; /* by buffer */
	struct tn_sort_key *order;
};

/* 4096 times the bytes that are accessed for each byte of the size. */
static int64_t density(int64_t bytes, int64_t size)
{
	int64_t fine;

	if (tn_mul_i64(bytes, 4096, &fine))
		return fine / size;
	return tn_mul_i64(bytes / size, 4096, &fine) ? fine : INT64_MAX;
}

static int64_t key_of(const struct greedy *g, uint32_t x, enum order by)
{
	const struct tn_buffer *b = &g->s->p->buffers->buffers[x];
	const int64_t bytes = g->s->p->accessed[x];

	if (g->s->p->allowed[x] & (g->s->p->allowed[x] - 1)) {
		if (by == BY_SIZE)
			return -b->size;
		if (by == BY_ACCESSES)
			return -bytes;
		return -density(bytes, tn_max_i64(1, b->size));
	}
	return INT64_MIN; /* has no choice: goes first */
}

/* Takes x into (sign 1) or out of (-1) the load of its region. */
static void account(struct greedy *g, uint32_t x, int64_t sign)
{
	const struct tn_problem *q = g->s->p->buffers;
	const struct tn_buffer *b = &q->buffers[x];
	struct tn_load *load = &g->load[g->region[x]];

	tn_load_add(load, b->begin, b->end, sign * b->size);
	for (uint32_t i = g->pairs.first[x]; i < g->pairs.first[x + 1]; i++) {
		const struct tn_pair *pair = &q->pairs[g->pairs.of[i]];
		const uint32_t other = pair->a == x ? pair->b : pair->a;
		const struct tn_buffer *o = &q->buffers[other];

		if (g->region[other] == g->region[x])
			tn_load_add(load, tn_max_i64(b->begin, o->begin),
				tn_min_i64(b->end, o->end),
				-sign * tn_pair_share(q, pair, g->s->bound.cell));
	}
}

/* Bytes by which region r would be too small; 0 or less: it has room. */
static int64_t lack(struct greedy *g, uint32_t x, uint32_t r)
{
	const struct tn_buffer *b = &g->s->p->buffers->buffers[x];
	int64_t top;

	g->region[x] = r;
	account(g, x, 1);
	top = tn_load_max(&g->load[r], b->begin, b->end);
	account(g, x, -1);
	g->region[x] = TN_UNASSIGNED;
	return tn_max_i64(top, b->size) - g->s->p->regions[r].capacity;
}

static void assign(struct greedy *g, enum order by)
{
	const struct tn_region_problem *p = g->s->p;

	for (uint32_t i = 0; i < p->buffers->n_buffers; i++) {
		g->order[i] = (struct tn_sort_key){ key_of(g, i, by), i };
		g->region[i] = TN_UNASSIGNED;
	}
	tn_sort(g->order, p->buffers->n_buffers);
	for (uint32_t i = 0; i < p->buffers->n_buffers; i++) {
		const uint32_t x = g->order[i].id;
		uint32_t choice = TN_UNASSIGNED;
		int64_t least = INT64_MAX;

		for (uint32_t k = 0; k < p->n_regions && least > 0; k++) {
			const uint32_t r = g->s->bound.by_cost[k];
			const int64_t here =
				p->allowed[x] >> r & 1 ? lack(g, x, r) : INT64_MAX;

			if (here < least) {
				least = here;
				choice = r;
			}
		}
		g->region[x] = choice;
		account(g, x, 1);
	}
}

/* The next region in the order of cost that x may go to and that is large enough. */
static uint32_t next_region(const struct greedy *g, uint32_t x, uint32_t k)
{
	const struct tn_region_problem *p = g->s->p;

	for (k++; k < p->n_regions; k++) {
		const uint32_t r = g->s->bound.by_cost[k];

		if (p->allowed[x] >> r & 1 &&
			p->buffers->buffers[x].size <= p->regions[r].capacity)
			return r;
	}
	return TN_UNASSIGNED;
}

static void move_on(struct greedy *g, uint32_t x, uint32_t to)
{
	account(g, x, -1);
	g->region[x] = to;
	account(g, x, 1);
}

static bool meets(const struct greedy *g, uint32_t x, uint32_t y)
{
	const struct tn_buffer *b = g->s->p->buffers->buffers;

	return tn_buffers_meet(&b[x], &b[y]);
}

/* Moves on what sticks out of the k-th region. What cannot move makes the last one in the
 * order that meets it go instead. False: nothing could. */
static bool evict(struct greedy *g, uint32_t k)
{
	const struct tn_region_problem *p = g->s->p;
	const uint32_t r = g->s->bound.by_cost[k], n = p->buffers->n_buffers;
	bool moved = false;

	for (uint32_t i = 0; i < n; i++) {
		const uint32_t to =
			g->region[i] == r ? next_region(g, i, k) : TN_UNASSIGNED;

		if (to == TN_UNASSIGNED || g->offset[i] + p->buffers->buffers[i].size <=
						   p->regions[r].capacity)
			continue;
		move_on(g, i, to);
		moved = true;
	}
	for (uint32_t i = 0; i < n && !moved; i++) {
		if (g->region[i] != r || g->offset[i] + p->buffers->buffers[i].size <=
						 p->regions[r].capacity)
			continue;
		for (uint32_t j = n; j-- > 0 && !moved;) {
			const uint32_t x = g->order[j].id;
			const uint32_t to = g->region[x] == r && meets(g, i, x)
						    ? next_region(g, x, k)
						    : TN_UNASSIGNED;

			if (to == TN_UNASSIGNED)
				continue;
			move_on(g, x, to);
			moved = true;
		}
	}
	return moved;
}

static enum tn_status repair(struct greedy *g, bool *out_fits)
{
	struct tn_region_search *s = g->s;
	enum tn_status status = TN_OK;

	*out_fits = true;
	for (uint32_t k = 0; k < s->p->n_regions && *out_fits; k++) {
		enum tn_packing packing = PACKING_UNKNOWN;

		while (status == TN_OK && packing != PACKING_FITS && *out_fits) {
			(void)tn_pack_split(s->p, g->region, 0, s->variant, s->at);
			status = tn_search_pack(s, g->region, s->variant,
				s->bound.by_cost[k], g->offset, &packing);
			if (status == TN_OK && packing != PACKING_FITS)
				*out_fits = !tn_search_over(s) && evict(g, k);
		}
		if (status != TN_OK)
			return status;
	}
	/* what moved on may have split a group whose other part was packed before */
	return *out_fits ? tn_search_fits(s, g->region, UINT32_MAX, out_fits) : TN_OK;
}

static enum tn_status one(struct greedy *g, enum order by, struct tn_arena *arena)
{
	struct tn_region_search *s = g->s;
	enum tn_status status = TN_OK;
	bool fits;

	for (uint32_t r = 0; r < s->p->n_regions && status == TN_OK; r++)
		status = tn_load_init(&g->load[r], &g->births, arena);
	if (status != TN_OK)
		return status;
	assign(g, by);
	status = repair(g, &fits);
	if (status == TN_OK && fits)
		tn_search_take(s, g->region, s->variant);
	return status;
}

enum tn_status tn_regions_greedy(struct tn_region_search *s)
{
	const uint32_t n = s->p->buffers->n_buffers;
	struct greedy g = { .s = s };
	struct tn_arena arena;
	enum tn_status status;

	tn_arena_init(&arena);
	g.region = TN_NEW_ARRAY(&arena, uint32_t, n);
	g.offset = TN_NEW_ARRAY(&arena, int64_t, n);
	g.order = TN_NEW_ARRAY(&arena, struct tn_sort_key, n);
	status = g.region && g.offset && g.order ? TN_OK : TN_ERR_NOMEM;
	if (status == TN_OK)
		status = tn_pairs_build(s->p->buffers, &arena, &g.pairs);
	if (status == TN_OK)
		status = tn_births_find(s->p->buffers, &arena, &g.births);
	for (int by = 0; by < N_ORDERS && status == TN_OK; by++) {
		struct tn_arena scratch;

		tn_arena_init(&scratch);
		status = one(&g, (enum order)by, &scratch);
		tn_arena_release(&scratch);
	}
	tn_arena_release(&arena);
	return status;
}
