#include "suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "plan/regions.h"

#define BUFFERS_MAX 6
#define PAIRS_MAX   10
#define GROUPS_MAX  6

struct random_problem {
	struct tn_region_problem p;
	struct tn_problem q;
	struct tn_buffer buffers[BUFFERS_MAX];
	struct tn_pair pairs[PAIRS_MAX];
	struct tn_group groups[GROUPS_MAX];
	struct tn_region regions[3];
	int64_t accessed[BUFFERS_MAX];
	uint32_t allowed[BUFFERS_MAX];
};

enum feature { WITH_PAIRS = 1, WITH_FIXED = 2, WITH_SETS = 4 };

static uint32_t rnd(uint64_t *state, uint32_t n)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((*state >> 33) % n);
}

static void add_pairs(struct random_problem *r, uint64_t *s)
{
	for (uint32_t out = 1; out < r->q.n_buffers; out++) {
		/* now and then two outputs of one op, so that a group may be split */
		const bool same = out > 1 && rnd(s, 3) == 0;
		const uint32_t group = same ? r->q.n_groups - 1 : r->q.n_groups++;
		struct tn_group *g = &r->groups[group];

		if (same) {
			r->buffers[out].begin = r->buffers[out - 1].begin;
		} else {
			g->n_variants = 1 + rnd(s, 2);
			g->descending = (uint8_t)rnd(s, 4);
		}
		for (uint32_t in = 0; in < out; in++) {
			struct tn_pair *pair = &r->pairs[r->q.n_pairs];

			if (r->buffers[in].begin >= r->buffers[out].begin ||
				r->buffers[in].end <= r->buffers[out].begin ||
				rnd(s, 4) == 0 || r->q.n_pairs == PAIRS_MAX)
				continue;
			r->buffers[in].end = r->buffers[out].begin + 1;
			*pair = (struct tn_pair){ in, out, group, { 0 } };
			for (uint32_t v = 0; v < g->n_variants; v++) {
				const uint32_t kind = rnd(s, 8);

				pair->d[v] = kind == 0	 ? TN_D_FREE
					     : kind == 1 ? TN_D_NEVER
							 : (int64_t)rnd(s, 7) - 3;
			}
			r->q.n_pairs++;
		}
	}
}

/* A few ops in a row, two or three memories that are a little too small for all. */
static void make_random(struct random_problem *r, uint64_t seed, unsigned features)
{
	uint64_t s = seed * 2654435761u + 1;
	const uint32_t n = 3 + rnd(&s, 3), regions = 2 + rnd(&s, 2);

	memset(r, 0, sizeof(*r));
	for (uint32_t k = 0; k < regions; k++)
		r->regions[k] = (struct tn_region){ .capacity = 1 + rnd(&s, 7),
			.align = 1 + (rnd(&s, 4) == 0),
			.cost = rnd(&s, 5) };
	for (uint32_t i = 0; i < n; i++) {
		struct tn_buffer *b = &r->buffers[i];

		b->begin = i ? 2 * (int64_t)i - 1 : 0;
		b->end = b->begin + (i ? 3 : 2) + 2 * (int64_t)rnd(&s, 3);
		b->size = (int64_t)rnd(&s, 5) + (rnd(&s, 8) != 0);
		b->align = 1 + (rnd(&s, 6) == 0);
		b->fixed = -1;
		r->accessed[i] = rnd(&s, 12);
		r->allowed[i] = (UINT32_C(1) << regions) - 1;
		if (features & WITH_SETS && rnd(&s, 3) == 0)
			r->allowed[i] = 1 + rnd(&s, r->allowed[i]);
		if (features & WITH_FIXED && rnd(&s, 4) == 0) {
			r->allowed[i] = UINT32_C(1) << rnd(&s, regions);
			b->fixed = 2 * rnd(&s, 3);
		}
	}
	r->q = (struct tn_problem){ .buffers = r->buffers,
		.n_buffers = n,
		.pairs = r->pairs,
		.groups = r->groups,
		.capacity = -1 };
	r->p = (struct tn_region_problem){ .buffers = &r->q,
		.accessed = r->accessed,
		.allowed = r->allowed,
		.regions = r->regions,
		.n_regions = regions };
	if (features & WITH_PAIRS)
		add_pairs(r, &s);
}

/* The optimum by trying every assignment, variant and offset: the definition, with no
 * cleverness. */
struct brute {
	const struct tn_region_problem *p;
	uint32_t region[BUFFERS_MAX];
	int64_t offset[BUFFERS_MAX];
	uint32_t variant[GROUPS_MAX];
	int64_t best; /* -1: none */
};

static bool may_be(const struct brute *b, uint32_t x, uint32_t y)
{
	const struct tn_problem *q = b->p->buffers;
	const struct tn_buffer *bx = &q->buffers[x], *by = &q->buffers[y];
	bool linked = false;

	if (b->region[x] != b->region[y] || bx->end <= by->begin ||
		by->end <= bx->begin || !bx->size || !by->size ||
		b->offset[x] + bx->size <= b->offset[y] ||
		b->offset[y] + by->size <= b->offset[x])
		return true;
	for (uint32_t i = 0; i < q->n_pairs; i++) {
		const struct tn_pair *pair = &q->pairs[i];
		const uint32_t v = b->variant[pair->group];
		int64_t d;

		if ((pair->a != x || pair->b != y) && (pair->a != y || pair->b != x))
			continue;
		d = b->offset[pair->a] - b->offset[pair->b];
		if (q->groups[pair->group].descending >> v & 1)
			d = -d;
		if (d < pair->d[v])
			return false;
		linked = true;
	}
	return linked;
}

static bool brute_offsets(struct brute *b, uint32_t x)
{
	const struct tn_problem *q = b->p->buffers;
	const struct tn_buffer *buffer = &q->buffers[x];
	const struct tn_region *r;

	if (x == q->n_buffers)
		return true;
	r = &b->p->regions[b->region[x]];
	for (int64_t at = 0; at + buffer->size <= r->capacity; at++) {
		bool legal = at % buffer->align == 0 && at % r->align == 0 &&
			     (buffer->fixed < 0 || buffer->fixed == at);

		b->offset[x] = at;
		for (uint32_t i = 0; i < x && legal; i++)
			legal = may_be(b, i, x);
		if (legal && brute_offsets(b, x + 1))
			return true;
	}
	return false;
}

static bool brute_variants(struct brute *b, uint32_t g)
{
	if (g >= b->p->buffers->n_groups || g >= GROUPS_MAX)
		return brute_offsets(b, 0);
	for (b->variant[g] = 0; b->variant[g] < b->p->buffers->groups[g].n_variants;
		b->variant[g]++)
		if (brute_variants(b, g + 1))
			return true;
	return false;
}

static void brute_regions(struct brute *b, uint32_t x, int64_t cost)
{
	if (b->best >= 0 && cost >= b->best)
		return;
	if (x == b->p->buffers->n_buffers) {
		if (brute_variants(b, 0))
			b->best = cost;
		return;
	}
	for (uint32_t r = 0; r < b->p->n_regions; r++) {
		b->region[x] = r;
		if (b->p->allowed[x] >> r & 1)
			brute_regions(b, x + 1,
				cost + b->p->accessed[x] * b->p->regions[r].cost);
	}
}

static void compare(unsigned features, uint64_t seed, unsigned *out_fit)
{
	struct random_problem r;
	struct brute b = { .best = -1 };
	struct tn_region_solution s;
	struct tn_arena arena;
	struct tn_diags diags;
	enum tn_status status;
	const char *why;
	uint32_t at[2];
	int64_t bound;

	tn_arena_init(&arena);
	tn_diags_init(&diags, &arena);
	make_random(&r, seed, features);
	b.p = &r.p;
	brute_regions(&b, 0, 0);
	ck_assert_msg(tn_regions_valid(&r.p, &why, at), "seed %" PRIu64 ": %s", seed,
		why ? why : "");
	status = tn_regions_solve(&r.p, NULL, &arena, &diags, &s);
	ck_assert_msg(status == TN_OK || (status == TN_ERR_INPUT && b.best < 0),
		"seed %" PRIu64 ": status %d", seed, status);
	if (status == TN_OK) {
		ck_assert_msg(s.fits == (b.best >= 0), "seed %" PRIu64 ": fits %d, %d",
			seed, s.fits, b.best >= 0);
		ck_assert_msg(s.fits || s.hopeless, "seed %" PRIu64 ": not proved", seed);
	}
	if (status == TN_OK && s.fits) {
		++*out_fit;
		ck_assert_msg(tn_regions_check(&r.p, &s, &why, at),
			"seed %" PRIu64 ": %s (%u, %u)", seed, why ? why : "", at[0],
			at[1]);
		ck_assert_msg(s.cost == b.best,
			"seed %" PRIu64 ": cost %" PRId64 ", least %" PRId64, seed,
			s.cost, b.best);
		ck_assert_msg(s.optimal, "seed %" PRIu64 ": not proved", seed);
		ck_assert_int_eq(tn_regions_bound(&r.p, &arena, &bound), TN_OK);
		ck_assert_msg(bound <= s.cost,
			"seed %" PRIu64 ": bound %" PRId64 " above %" PRId64, seed, bound,
			s.cost);
	}
	tn_arena_release(&arena);
}

static const struct {
	const char *name;
	unsigned features;
} kinds[] = {
	{ "plain", 0 },
	{ "pairs", WITH_PAIRS },
	{ "sets", WITH_SETS },
	{ "given offsets", WITH_FIXED },
	{ "all", WITH_PAIRS | WITH_SETS | WITH_FIXED },
};

START_TEST(equals_brute_force)
{
	const uint64_t first = 1000 * (uint64_t)_i;
	unsigned fit = 0;

	for (uint64_t seed = first; seed < first + 400; seed++)
		compare(kinds[_i].features, seed, &fit);
	printf("# %s: seeds %" PRIu64 " to %" PRIu64 ", %u fit\n", kinds[_i].name, first,
		first + 399, fit);
	ck_assert_msg(fit > 100, "%s: only %u fit", kinds[_i].name, fit);
}
END_TEST

/* A chain of ops with now and then a long-lived value; two in three pairs may overlap. */
#define LARGE_MAX 160

struct large {
	struct tn_region_problem p;
	struct tn_problem q;
	struct tn_buffer buffers[LARGE_MAX];
	struct tn_pair pairs[LARGE_MAX];
	struct tn_group groups[LARGE_MAX];
	struct tn_region regions[3];
	int64_t accessed[LARGE_MAX];
	uint32_t allowed[LARGE_MAX];
};

static void make_large(struct large *l, uint64_t seed, uint32_t n)
{
	uint64_t s = seed * 2654435761u + 1;

	memset(l, 0, sizeof(*l));
	l->regions[0] = (struct tn_region){ 6000, 16, 1 };
	l->regions[1] = (struct tn_region){ 20000, 32, 3 };
	l->regions[2] = (struct tn_region){ 400000, 32, 10 };
	for (uint32_t i = 0; i < n; i++) {
		struct tn_buffer *b = &l->buffers[i];
		const uint32_t skip = rnd(&s, 5) == 0 ? 1 + rnd(&s, 8) : 0;

		*b = (struct tn_buffer){ .begin = i ? 2 * (int64_t)i - 1 : 0,
			.end = 2 * (int64_t)(i + skip) + 2,
			.size = 100 + rnd(&s, 6000),
			.align = 16,
			.fixed = -1 };
		l->accessed[i] = b->size * (2 + (skip > 0));
		l->allowed[i] = 7;
		l->groups[i] = (struct tn_group){ 2, 2 };
		if (i && !skip && rnd(&s, 3)) {
			l->pairs[l->q.n_pairs++] = (struct tn_pair){ i - 1, i, i,
				{ rnd(&s, 3000), rnd(&s, 6000) } };
		}
	}
	l->q = (struct tn_problem){ .buffers = l->buffers,
		.n_buffers = n,
		.pairs = l->pairs,
		.n_pairs = l->q.n_pairs,
		.groups = l->groups,
		.n_groups = n,
		.capacity = -1 };
	l->p = (struct tn_region_problem){ &l->q, l->accessed, l->allowed, l->regions,
		3 };
}

/* Legal, the same twice, and with a gap that is told. */
START_TEST(larger_problems)
{
	static struct large l;
	const uint32_t n = _i < 4 ? 30 : LARGE_MAX;
	int64_t bound;
	const struct tn_limits limits = { .nodes = 200000 };
	struct tn_region_solution s, again;
	struct tn_arena arena;
	struct tn_diags diags;
	const char *why;
	uint32_t at[2];

	tn_arena_init(&arena);
	tn_diags_init(&diags, &arena);
	make_large(&l, 77 + (uint64_t)_i, n);
	ck_assert_int_eq(tn_regions_solve(&l.p, &limits, &arena, &diags, &s), TN_OK);
	ck_assert_int_eq(tn_regions_solve(&l.p, &limits, &arena, &diags, &again), TN_OK);
	ck_assert_msg(s.fits, "seed %d: nothing found", 77 + _i);
	ck_assert_msg(tn_regions_check(&l.p, &s, &why, at), "seed %d: %s (%u, %u)",
		77 + _i, why ? why : "", at[0], at[1]);
	ck_assert_int_eq(s.cost, again.cost);
	ck_assert_msg(memcmp(s.region, again.region, n * sizeof(*s.region)) == 0 &&
			      memcmp(s.offset, again.offset, n * sizeof(*s.offset)) == 0,
		"seed %d: two answers", 77 + _i);
	ck_assert_int_eq(tn_regions_bound(&l.p, &arena, &bound), TN_OK);
	printf("# seed %d, %u buffers: cost %" PRId64 ", bound %" PRId64 " (%" PRId64
	       " at the root), gap %.2f %%, "
	       "%" PRId64 " nodes\n",
		77 + _i, n, s.cost, s.cost_bound, bound,
		100.0 * (double)(s.cost - s.cost_bound) / (double)s.cost, s.nodes);
	ck_assert_msg((double)(s.cost - s.cost_bound) < 0.2 * (double)s.cost,
		"seed %d: gap of %" PRId64 " in %" PRId64, 77 + _i, s.cost - s.cost_bound,
		s.cost);
	tn_arena_release(&arena);
}
END_TEST

/* ---- one thing wrong ---- */

/* Two buffers in region 0, of which a pair allows the one to lie on the other, one that is
 * given its place there, and one in region 1. */
struct small {
	struct tn_region_problem p;
	struct tn_problem q;
	struct tn_buffer buffers[4];
	struct tn_pair pairs[1];
	struct tn_group groups[1];
	struct tn_region regions[2];
	int64_t accessed[4], offset[4], height[2];
	uint32_t allowed[4], region[4], variant[1];
	struct tn_region_solution s;
};

static void make_small(struct small *a)
{
	*a = (struct small){ .buffers = { { 0, 3, 8, 4, -1 }, { 2, 5, 8, 4, -1 },
				     { 0, 5, 4, 4, 16 }, { 0, 5, 8, 4, -1 } },
		.pairs = { { 0, 1, 0, { 0 } } },
		.groups = { { 1, 0 } },
		.regions = { { 24, 1, 1 }, { 64, 8, 3 } },
		.accessed = { 10, 20, 30, 40 },
		.allowed = { 3, 3, 1, 2 },
		.offset = { 0, 0, 16, 0 },
		.region = { 0, 0, 0, 1 },
		.height = { 20, 8 } };
	a->q = (struct tn_problem){ a->buffers, 4, a->pairs, 1, a->groups, 1, -1 };
	a->p = (struct tn_region_problem){ &a->q, a->accessed, a->allowed, a->regions,
		2 };
	a->s = (struct tn_region_solution){ .region = a->region,
		.offset = a->offset,
		.variant = a->variant,
		.height = a->height,
		.cost = 180,
		.cost_bound = 180 };
}

#define SMALL(name, change)                                                              \
	static void name(struct small *a)                                                \
	{                                                                                \
		change;                                                                  \
	}

SMALL(no_region, a->region[3] = 2)
SMALL(not_its_region, a->region[3] = 0)
SMALL(at_negative, a->offset[1] = -4)
SMALL(at_odd, a->offset[1] = 2)
SMALL(at_odd_of_region, a->offset[3] = 4)
SMALL(elsewhere, a->offset[2] = 12)
SMALL(behind_the_end, a->offset[1] = 20)
SMALL(past_all, a->offset[1] = INT64_MAX - 3)
SMALL(higher, a->height[1]++)
SMALL(dearer, a->s.cost++)
SMALL(bound_above, a->s.cost_bound++)
SMALL(no_variant, a->variant[0] = 1)
SMALL(unlike_pair, a->offset[1] = 4)
SMALL(without_pair, a->offset[0] = 12)

static const struct {
	const char *why;
	void (*change)(struct small *);
	uint32_t x, y;
} illegal[] = {
	{ "region is not allowed", no_region, 3, 3 },
	{ "region is not allowed", not_its_region, 3, 3 },
	{ "offset is negative", at_negative, 1, 1 },
	{ "offset is not aligned", at_odd, 1, 1 },
	{ "offset is not aligned", at_odd_of_region, 3, 3 },
	{ "offset is not the given one", elsewhere, 2, 2 },
	{ "buffer does not fit its region", behind_the_end, 1, 1 },
	{ "buffer does not fit its region", past_all, 1, 1 },
	{ "height is not the largest end", higher, 1, 1 },
	{ "cost is not the sum", dearer, 0, 0 },
	{ "bound is above the cost", bound_above, 0, 0 },
	{ "variant does not exist", no_variant, 0, 0 },
	{ "overlap is not one that the pair allows", unlike_pair, 0, 1 },
	{ "buffers overlap", without_pair, 0, 2 },
};

START_TEST(the_judge_says_why)
{
	const char *why = NULL;
	struct small a;
	uint32_t at[2];

	make_small(&a);
	ck_assert_msg(tn_regions_check(&a.p, &a.s, &why, at), "%s", why ? why : "");
	illegal[_i].change(&a);
	ck_assert_msg(!tn_regions_check(&a.p, &a.s, &why, at), "%s", illegal[_i].why);
	ck_assert_ptr_nonnull(why);
	ck_assert_str_eq(why, illegal[_i].why);
	ck_assert_msg((at[0] == illegal[_i].x && at[1] == illegal[_i].y) ||
			      (at[0] == illegal[_i].y && at[1] == illegal[_i].x),
		"%s: %u, %u", why, at[0], at[1]);
}
END_TEST

SMALL(without_regions, a->p.n_regions = 0)
SMALL(many_regions, a->p.n_regions = TN_REGIONS_MAX + 1)
SMALL(no_capacity, a->regions[1].capacity = -1)
SMALL(no_region_align, a->regions[1].align = 0)
SMALL(no_cost, a->regions[1].cost = -1)
SMALL(no_size, a->buffers[3].size = -1)
SMALL(nowhere, a->allowed[1] = 0)
SMALL(beyond, a->allowed[1] = 7)
SMALL(not_accessed, a->accessed[2] = -1)
SMALL(too_dear, a->accessed[2] = INT64_MAX / 2)
SMALL(given_in_two, a->allowed[2] = 3)
SMALL(given_odd, a->regions[0].align = 32)
SMALL(large, a->buffers[0].size = a->buffers[1].size = INT64_MAX / 7)
SMALL(wide, a->buffers[0].align = 3; a->regions[0].align = INT64_C(1) << 62)

static const struct {
	const char *message;
	void (*change)(struct small *);
} ill_formed[] = {
	{ "no region or too many (number 0)", without_regions },
	{ "no region or too many (number 0)", many_regions },
	{ "region's capacity is negative (number 1)", no_capacity },
	{ "region's alignment is not positive (number 1)", no_region_align },
	{ "region's cost is negative (number 1)", no_cost },
	{ "buffer's size is negative (number 3)", no_size },
	{ "buffer has no region, or one that does not exist (number 1)", nowhere },
	{ "buffer has no region, or one that does not exist (number 1)", beyond },
	{ "buffer's accessed bytes are negative (number 2)", not_accessed },
	{ "costs are too large together (number 2)", too_dear },
	{ "buffer with a given offset has several regions (number 2)", given_in_two },
	{ "buffer's given offset is not a multiple of its region's alignment (number 2)",
		given_odd },
	{ "buffers are too large together (number 1)", large },
	{ "buffer's alignment is too large (number 0)", wide },
};

START_TEST(the_solver_says_why)
{
	struct tn_region_solution s;
	struct tn_arena arena;
	struct tn_diags diags;
	struct small a;

	tn_arena_init(&arena);
	tn_diags_init(&diags, &arena);
	make_small(&a);
	ck_assert_int_eq(tn_regions_solve(&a.p, NULL, &arena, &diags, &s), TN_OK);
	ill_formed[_i].change(&a);
	ck_assert_int_eq(tn_regions_solve(&a.p, NULL, &arena, &diags, &s), TN_ERR_INPUT);
	ck_assert_uint_eq(diags.list.count, 1);
	ck_assert_str_eq(diags.list.items[0].rule, "plan/problem");
	ck_assert_str_eq(diags.list.items[0].message, ill_formed[_i].message);
	tn_arena_release(&arena);
}
END_TEST

/* Accesses that cannot be added are refused, whatever they cost; those that can are placed,
 * however small the buffer is. */
START_TEST(many_accesses)
{
	struct random_problem r = { .q = { .n_buffers = 3, .capacity = -1 } };
	const int64_t most = _i % 2 ? INT64_MAX : INT64_MAX / 3;
	struct tn_region_solution s;
	struct tn_arena arena;
	struct tn_diags diags;
	enum tn_status status;
	const char *why;
	uint32_t at[2];

	tn_arena_init(&arena);
	tn_diags_init(&diags, &arena);
	r.q.buffers = r.buffers;
	r.p = (struct tn_region_problem){ &r.q, r.accessed, r.allowed, r.regions, 2 };
	for (uint32_t i = 0; i < 3; i++) {
		r.buffers[i] = (struct tn_buffer){
			.begin = 0, .end = 1, .size = 1 + i, .align = 1, .fixed = -1
		};
		r.accessed[i] = most;
		r.allowed[i] = 3;
	}
	r.regions[0] = (struct tn_region){ .capacity = 3, .align = 1, .cost = _i / 2 };
	r.regions[1] = (struct tn_region){ .capacity = 8, .align = 1, .cost = _i / 2 };
	status = tn_regions_solve(&r.p, NULL, &arena, &diags, &s);
	ck_assert_int_eq(status, _i % 2 ? TN_ERR_INPUT : TN_OK);
	ck_assert_uint_eq(diags.list.count, (size_t)(_i % 2));
	if (_i % 2)
		ck_assert(strstr(diags.list.items[0].message, "too large together"));
	else
		ck_assert(s.fits && tn_regions_check(&r.p, &s, &why, at));
	tn_arena_release(&arena);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("regions");
	TCase *t = tcase_create("regions");

	tcase_set_timeout(t, 240);
	tcase_add_loop_test(t, many_accesses, 0, 4);
	tcase_add_loop_test(
		t, equals_brute_force, 0, (int)(sizeof(kinds) / sizeof(*kinds)));
	tcase_add_loop_test(t, larger_problems, 0, 6);
	tcase_add_loop_test(
		t, the_judge_says_why, 0, (int)(sizeof(illegal) / sizeof(*illegal)));
	tcase_add_loop_test(t, the_solver_says_why, 0,
		(int)(sizeof(ill_formed) / sizeof(*ill_formed)));
	suite_add_tcase(s, t);
	return s;
}
