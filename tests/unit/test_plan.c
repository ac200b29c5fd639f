#include "suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "plan/problem.h"

#define BUFFERS_MAX 8
#define PAIRS_MAX   12
#define GROUPS_MAX  8

struct random_problem {
	struct tn_problem p;
	struct tn_buffer buffers[BUFFERS_MAX];
	struct tn_pair pairs[PAIRS_MAX];
	struct tn_group groups[GROUPS_MAX];
};

static uint32_t rnd(uint64_t *state, uint32_t n)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((*state >> 33) % n);
}

/* A few ops in a row; each reads some live buffers, of which some die there and may be
 * overlapped by the output. Sometimes a second output, sometimes fixed offsets. */
static void make_random(
	struct random_problem *r, uint64_t seed, bool with_pairs, bool with_fixed)
{
	uint64_t s = seed * 2654435761u + 1;
	const int64_t align = rnd(&s, 3) == 0 ? 2 : 1;
	const uint32_t n = 3 + rnd(&s, 4);

	memset(r, 0, sizeof(*r));
	for (uint32_t i = 0; i < n; i++) {
		struct tn_buffer *b = &r->buffers[i];

		b->begin = i ? 2 * (int64_t)i - 1 : 0;
		b->end = b->begin + (i ? 3 : 2) + 2 * (int64_t)rnd(&s, 2);
		if (rnd(&s, 3) == 0)
			b->end += 2 * (int64_t)rnd(&s, 3);
		b->size = (int64_t)rnd(&s, 5) + (rnd(&s, 8) != 0);
		b->align = rnd(&s, 6) == 0 ? 1 : align;
		b->fixed = with_fixed && rnd(&s, 4) == 0 ? b->align * rnd(&s, 4) : -1;
	}
	r->p = (struct tn_problem){ .buffers = r->buffers,
		.n_buffers = n,
		.pairs = r->pairs,
		.groups = r->groups,
		.capacity = -1 };
	for (uint32_t out = 1; out < n && with_pairs; out++) {
		struct tn_group *g = &r->groups[r->p.n_groups];

		g->n_variants = 1 + rnd(&s, 3);
		g->descending = (uint8_t)rnd(&s, 8);
		for (uint32_t in = 0; in < out; in++) {
			struct tn_pair *pair = &r->pairs[r->p.n_pairs];

			if (r->buffers[in].end <= r->buffers[out].begin ||
				rnd(&s, 4) == 0 || r->p.n_pairs == PAIRS_MAX)
				continue;
			r->buffers[in].end = r->buffers[out].begin + 1;
			*pair = (struct tn_pair){ in, out, r->p.n_groups, { 0 } };
			for (uint32_t v = 0; v < g->n_variants; v++) {
				const uint32_t kind = rnd(&s, 8);

				pair->d[v] = kind == 0	 ? TN_D_FREE
					     : kind == 1 ? TN_D_NEVER
							 : (int64_t)rnd(&s, 9) - 4;
			}
			r->p.n_pairs++;
		}
		r->p.n_groups++;
	}
}

/* One op with a hub: several inputs under one output, or several outputs over one input,
 * which is what joins and splits are. The hub is buffer 0. */
static void make_hub(struct random_problem *r, uint64_t seed, bool with_fixed)
{
	uint64_t s = seed * 2654435761u + 3;
	const bool split = rnd(&s, 2);
	const uint32_t leaves = 2 + rnd(&s, 2), n = leaves + 1 + rnd(&s, 2);
	struct tn_group *g = &r->groups[0];

	memset(r, 0, sizeof(*r));
	r->p = (struct tn_problem){ .buffers = r->buffers,
		.n_buffers = n,
		.pairs = r->pairs,
		.n_pairs = leaves,
		.groups = r->groups,
		.n_groups = 1,
		.capacity = -1 };
	g->n_variants = 1 + rnd(&s, 3);
	g->descending = (uint8_t)rnd(&s, 8);
	for (uint32_t i = 0; i < n; i++) {
		struct tn_buffer *b = &r->buffers[i];
		const bool before = i > leaves ? rnd(&s, 2) : (i == 0) == split;

		b->begin = before ? 0 : 3;
		b->end = before ? 4 : 6;
		b->size = i ? 1 + (int64_t)rnd(&s, 4) : 3 + (int64_t)rnd(&s, 5);
		b->align = rnd(&s, 4) ? 1 : 2;
		b->fixed = with_fixed && rnd(&s, 5) == 0 ? b->align * rnd(&s, 4) : -1;
	}
	for (uint32_t i = 0; i < leaves; i++) {
		struct tn_pair *pair = &r->pairs[i];

		pair->a = split ? 0 : i + 1;
		pair->b = split ? i + 1 : 0;
		for (uint32_t v = 0; v < g->n_variants; v++)
			pair->d[v] =
				rnd(&s, 12) == 0 ? TN_D_NEVER : (int64_t)rnd(&s, 12) - 4;
	}
}

/* The optimum by trying every offset: the definition, with no cleverness. */
struct brute {
	const struct tn_problem *p;
	uint32_t order[BUFFERS_MAX]; /* fixed buffers first */
	int64_t offset[BUFFERS_MAX];
	uint32_t variant[GROUPS_MAX];
	int64_t best;
};

static bool may_be(const struct brute *b, uint32_t x, uint32_t y)
{
	const struct tn_buffer *bx = &b->p->buffers[x], *by = &b->p->buffers[y];
	bool linked = false;

	if (bx->end <= by->begin || by->end <= bx->begin || !bx->size || !by->size ||
		b->offset[x] + bx->size <= b->offset[y] ||
		b->offset[y] + by->size <= b->offset[x])
		return true;
	for (uint32_t i = 0; i < b->p->n_pairs; i++) {
		const struct tn_pair *pair = &b->p->pairs[i];
		const uint32_t v = b->variant[pair->group];
		int64_t d;

		if ((pair->a != x || pair->b != y) && (pair->a != y || pair->b != x))
			continue;
		d = b->offset[pair->a] - b->offset[pair->b];
		if (b->p->groups[pair->group].descending >> v & 1)
			d = -d;
		if (d < pair->d[v])
			return false;
		linked = true;
	}
	return linked;
}

static void brute_offsets(struct brute *b, uint32_t n, int64_t height)
{
	const uint32_t x = b->order[n];
	const struct tn_buffer *buffer = &b->p->buffers[x];

	if (n == b->p->n_buffers) {
		b->best = height;
		return;
	}
	for (int64_t at = buffer->fixed >= 0 ? buffer->fixed : 0;
		at + buffer->size < b->best; at += buffer->align) {
		bool legal = true;

		b->offset[x] = at;
		for (uint32_t i = 0; i < n && legal; i++)
			legal = may_be(b, x, b->order[i]);
		if (legal)
			brute_offsets(b, n + 1,
				height > at + buffer->size ? height : at + buffer->size);
		if (buffer->fixed >= 0)
			break;
	}
}

static void brute_variants(struct brute *b, uint32_t g)
{
	if (g == b->p->n_groups) {
		brute_offsets(b, 0, 0);
		return;
	}
	for (b->variant[g] = 0; b->variant[g] < b->p->groups[g].n_variants;
		b->variant[g]++)
		brute_variants(b, g + 1);
}

#define NO_SOLUTION 1000

static int64_t brute(const struct tn_problem *p)
{
	struct brute b = { .p = p, .best = NO_SOLUTION };
	uint32_t n = 0;

	for (int fixed = 1; fixed >= 0; fixed--)
		for (uint32_t i = 0; i < p->n_buffers; i++)
			if ((p->buffers[i].fixed >= 0) == fixed)
				b.order[n++] = i;
	brute_variants(&b, 0);
	return b.best;
}

static void expect_legal(const struct tn_problem *p, const struct tn_solution *s,
	const char *what, int seed)
{
	const char *why = NULL;
	uint32_t at[2];

	ck_assert_msg(tn_solution_check(p, s, &why, at), "%s, seed %d: %s (%u, %u)", what,
		seed, why, at[0], at[1]);
}

/* The checker's verdict on changed solutions against the plain definition. */
static void expect_same_verdict(
	const struct tn_problem *p, struct tn_solution *s, uint64_t *random, int seed)
{
	struct brute b = { .p = p };
	const uint32_t x = rnd(random, p->n_buffers);
	const int64_t before = s->offset[x], height = s->height, bound = s->bound;
	const char *why = NULL;
	uint32_t at[2];
	bool legal = true;

	s->offset[x] += (int64_t)rnd(random, 9) - 4;
	if (p->n_groups && rnd(random, 2))
		s->variant[rnd(random, p->n_groups)] = rnd(random, 3);
	s->height = 0;
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		const struct tn_buffer *buffer = &p->buffers[i];

		b.offset[i] = s->offset[i];
		legal = legal && s->offset[i] >= 0 && s->offset[i] % buffer->align == 0 &&
			(buffer->fixed < 0 || buffer->fixed == s->offset[i]);
		if (s->offset[i] + buffer->size > s->height)
			s->height = s->offset[i] + buffer->size;
	}
	s->bound = s->height < bound ? s->height : bound;
	for (uint32_t g = 0; g < p->n_groups; g++) {
		b.variant[g] = s->variant[g];
		legal = legal && s->variant[g] < p->groups[g].n_variants;
	}
	for (uint32_t i = 0; i < p->n_buffers && legal; i++)
		for (uint32_t j = 0; j < i && legal; j++)
			legal = may_be(&b, i, j);
	ck_assert_msg(tn_solution_check(p, s, &why, at) == legal,
		"seed %d: the checker says '%s', the definition %s", seed,
		why ? why : "legal", legal ? "legal" : "illegal");
	s->offset[x] = before;
	s->height = height;
	s->bound = bound;
}

static const struct {
	const char *name;
	bool pairs, fixed, hub;
	int seeds;
} kinds[] = {
	{ "plain", false, false, false, 300 },
	{ "fixed", false, true, false, 300 },
	{ "pairs", true, false, false, 1500 },
	{ "pairs and fixed", true, true, false, 1000 },
	{ "hub", true, false, true, 1500 },
	{ "hub and fixed", true, true, true, 500 },
};

START_TEST(against_brute_force)
{
	uint64_t random = 1;

	for (int seed = 0; seed < kinds[_i].seeds; seed++) {
		struct random_problem r;
		struct tn_arena arena;
		struct tn_diags diags;
		struct tn_solution greedy, solved;
		const struct tn_limits limits = { .nodes = 100000 };
		enum tn_status status;
		int64_t optimum, bound = -1;

		if (kinds[_i].hub)
			make_hub(&r, (uint64_t)seed, kinds[_i].fixed);
		else
			make_random(&r, (uint64_t)seed, kinds[_i].pairs, kinds[_i].fixed);
		tn_arena_init(&arena);
		tn_diags_init(&diags, &arena);
		optimum = brute(&r.p);
		status = tn_solve(&r.p, &limits, &arena, &diags, &solved);
		if (optimum == NO_SOLUTION) {
			ck_assert_msg(status == TN_ERR_INPUT && diags.errors == 1,
				"%s, seed %d: contradiction not seen", kinds[_i].name,
				seed);
			ck_assert_int_eq(tn_greedy(&r.p, &arena, &greedy), TN_ERR_INPUT);
			tn_arena_release(&arena);
			continue;
		}
		ck_assert_msg(status == TN_OK, "%s, seed %d: status %d", kinds[_i].name,
			seed, status);
		ck_assert_int_eq(tn_greedy(&r.p, &arena, &greedy), TN_OK);
		ck_assert_int_eq(tn_bound(&r.p, &arena, &bound), TN_OK);
		expect_legal(&r.p, &greedy, kinds[_i].name, seed);
		expect_legal(&r.p, &solved, kinds[_i].name, seed);
		ck_assert_msg(bound <= optimum && solved.bound <= optimum,
			"%s, seed %d: bound %" PRId64 ", %" PRId64
			" above optimum %" PRId64,
			kinds[_i].name, seed, bound, solved.bound, optimum);
		ck_assert_msg(solved.height >= optimum && greedy.height >= solved.height,
			"%s, seed %d: greedy %" PRId64 ", solved %" PRId64
			", optimum %" PRId64,
			kinds[_i].name, seed, greedy.height, solved.height, optimum);
		ck_assert_msg(!solved.optimal || solved.height == optimum,
			"%s, seed %d: %" PRId64 " called optimal, optimum %" PRId64,
			kinds[_i].name, seed, solved.height, optimum);
		ck_assert_msg(solved.optimal, "%s, seed %d: not solved to the end",
			kinds[_i].name, seed);
		for (int i = 0; i < 8; i++)
			expect_same_verdict(&r.p, &solved, &random, seed);
		tn_arena_release(&arena);
	}
}
END_TEST

/* A chain of windowed layers on int8 HWC maps, each computed pixel by pixel. */
struct layer {
	int32_t channels; /* of the output */
	int32_t window, stride;
	bool depthwise; /* or pointwise and full: the channels are mixed */
};

static const struct layer mobilenet[] = {
	{ 8, 3, 2, false },
	{ 8, 3, 1, true },
	{ 16, 1, 1, false },
	{ 16, 3, 2, true },
	{ 32, 1, 1, false },
	{ 32, 3, 1, true },
	{ 32, 1, 1, false },
	{ 32, 3, 2, true },
	{ 64, 1, 1, false },
	{ 64, 3, 1, true },
	{ 64, 1, 1, false },
	{ 64, 3, 2, true },
	{ 128, 1, 1, false },
	{ 128, 3, 1, true },
	{ 128, 1, 1, false },
	{ 128, 3, 1, true },
	{ 128, 1, 1, false },
	{ 128, 3, 1, true },
	{ 128, 1, 1, false },
	{ 128, 3, 1, true },
	{ 128, 1, 1, false },
	{ 128, 3, 1, true },
	{ 128, 1, 1, false },
	{ 128, 3, 2, true },
	{ 256, 1, 1, false },
	{ 256, 3, 1, true },
	{ 256, 1, 1, false },
};

/* d of both directions by walking the steps: what is written up to a step must not reach
 * what is read after it. */
static void walk(int32_t side, int32_t channels, const struct layer *l, int64_t d[2])
{
	const int32_t out = (side + l->stride - 1) / l->stride;
	const int32_t pad = ((out - 1) * l->stride + l->window - side) / 2;
	int64_t least = INT64_MAX, most = INT64_MIN;

	d[0] = d[1] = TN_D_FREE;
	for (int32_t t = out * out - 1; t >= 0; t--) { /* ascending, so from the end */
		const int32_t y = t / out * l->stride - pad,
			      x = t % out * l->stride - pad;
		const int64_t read =
			((y > 0 ? y : 0) * (int64_t)side + (x > 0 ? x : 0)) * channels;

		if (least != INT64_MAX && (t + 1) * (int64_t)l->channels - least > d[0])
			d[0] = (t + 1) * (int64_t)l->channels - least;
		least = read < least ? read : least;
	}
	for (int32_t t = 0; t < out * out; t++) { /* descending */
		const int32_t y = t / out * l->stride - pad + l->window;
		const int32_t x = t % out * l->stride - pad + l->window;
		const int64_t read = (((y < side ? y : side) - 1) * (int64_t)side +
					     (x < side ? x : side)) *
				     channels;

		if (most != INT64_MIN && most - t * (int64_t)l->channels > d[1])
			d[1] = most - t * (int64_t)l->channels;
		most = read > most ? read : most;
	}
}

START_TEST(mobilenet_chain)
{
	enum { N = sizeof(mobilenet) / sizeof(mobilenet[0]) };
	struct tn_buffer buffers[N + 1] = { { 0, 2, 96 * 96 * 3, 16, -1 } };
	struct tn_pair pairs[N] = { { 0 } };
	struct tn_group groups[N] = { { 0 } };
	const struct tn_problem p = { buffers, N + 1, pairs, N, groups, N, -1 };
	struct tn_solution s;
	struct tn_arena arena;
	struct tn_diags diags;
	int32_t side = 96, channels = 3;

	for (uint32_t i = 0; i < N; i++) {
		const struct layer *l = &mobilenet[i];

		groups[i] = (struct tn_group){ 2, 2 };
		pairs[i] = (struct tn_pair){ i, i + 1, i, { 0 } };
		walk(side, channels, l, pairs[i].d);
		side = (side + l->stride - 1) / l->stride;
		channels = l->channels;
		buffers[i + 1] = (struct tn_buffer){ 2 * (int64_t)i + 1,
			2 * (int64_t)i + 4, (int64_t)side * side * channels, 16, -1 };
	}
	tn_arena_init(&arena);
	tn_diags_init(&diags, &arena);
	ck_assert_int_eq(tn_solve(&p, NULL, &arena, &diags, &s), TN_OK);
	expect_legal(&p, &s, "mobilenet", 0);
	ck_assert_int_eq(s.bound, 36864);
	ck_assert_int_eq(s.height, 36864);
	ck_assert(s.optimal);
	tn_arena_release(&arena);
}
END_TEST

/* ---- one thing wrong ---- */

/* Two buffers of which a pair allows the one to lie on the other, and one with a given place. */
struct small {
	struct tn_problem p;
	struct tn_buffer buffers[3];
	struct tn_pair pairs[1];
	struct tn_group groups[1];
	struct tn_solution s;
	int64_t offset[3];
	uint32_t variant[1];
};

static void make_small(struct small *a)
{
	*a = (struct small){ .buffers = { { 0, 3, 8, 4, -1 }, { 2, 5, 8, 4, -1 },
				     { 0, 5, 4, 4, 16 } },
		.pairs = { { 0, 1, 0, { 0 } } },
		.groups = { { 1, 0 } },
		.offset = { 0, 0, 16 } };
	a->p = (struct tn_problem){ a->buffers, 3, a->pairs, 1, a->groups, 1, -1 };
	a->s = (struct tn_solution){
		.offset = a->offset, .variant = a->variant, .height = 20, .bound = 20
	};
}

#define SMALL(name, change)                                                              \
	static void name(struct small *a)                                                \
	{                                                                                \
		change;                                                                  \
	}

SMALL(at_negative, a->offset[1] = -4)
SMALL(at_odd, a->offset[1] = 2)
SMALL(elsewhere, a->offset[2] = 12)
SMALL(past_all, a->offset[1] = INT64_MAX - 3)
SMALL(higher, a->s.height++)
SMALL(bound_above, a->s.bound++)
SMALL(no_variant, a->variant[0] = 1)
SMALL(unlike_pair, a->offset[1] = 4)
SMALL(without_pair, a->offset[0] = 12)

static const struct {
	const char *why;
	void (*change)(struct small *);
	uint32_t x, y;
} illegal[] = {
	{ "offset is negative", at_negative, 1, 1 },
	{ "offset is not aligned", at_odd, 1, 1 },
	{ "offset is not the given one", elsewhere, 2, 2 },
	{ "offset overflows", past_all, 1, 1 },
	{ "height is not the largest end", higher, 0, 0 },
	{ "bound is above the height", bound_above, 0, 0 },
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
	expect_legal(&a.p, &a.s, illegal[_i].why, 0);
	illegal[_i].change(&a);
	ck_assert_msg(!tn_solution_check(&a.p, &a.s, &why, at), "%s", illegal[_i].why);
	ck_assert_ptr_nonnull(why);
	ck_assert_str_eq(why, illegal[_i].why);
	ck_assert_msg((at[0] == illegal[_i].x && at[1] == illegal[_i].y) ||
			      (at[0] == illegal[_i].y && at[1] == illegal[_i].x),
		"%s: %u, %u", why, at[0], at[1]);
}
END_TEST

SMALL(many, a->p.n_buffers = UINT32_MAX)
SMALL(no_time, a->buffers[1].end = 2)
SMALL(less_than_none, a->buffers[2].size = -1)
SMALL(no_align, a->buffers[1].align = 0)
SMALL(given_negative, a->buffers[2].fixed = -2)
SMALL(given_odd, a->buffers[2].fixed = 18)
SMALL(one_large, a->buffers[1].size = INT64_MAX / 2)
SMALL(together_large, a->buffers[0].size = a->buffers[1].size = INT64_MAX / 8)
SMALL(no_way, a->groups[0].n_variants = 0)
SMALL(many_ways, a->groups[0].n_variants = TN_GROUP_VARIANTS_MAX + 1)
SMALL(pair_of_one, a->pairs[0].b = 0)
SMALL(pair_of_none, a->pairs[0].a = 3)
SMALL(ungrouped, a->pairs[0].group = 1)
SMALL(displaced, a->pairs[0].d[0] = INT64_MIN)

static const struct {
	const char *message;
	void (*change)(struct small *);
} ill_formed[] = {
	{ "too many buffers or pairs (number 0)", many },
	{ "buffer's lifetime is empty or reversed (number 1)", no_time },
	{ "buffer's size is negative (number 2)", less_than_none },
	{ "buffer's alignment is not positive (number 1)", no_align },
	{ "buffer's given offset is negative (number 2)", given_negative },
	{ "buffer's given offset is not a multiple of its alignment (number 2)",
		given_odd },
	{ "buffers are too large together (number 1)", one_large },
	{ "buffers are too large together (number 1)", together_large },
	{ "group has no variant or too many (number 0)", no_way },
	{ "group has no variant or too many (number 0)", many_ways },
	{ "pair's buffers are not two buffers of the problem (number 0)", pair_of_one },
	{ "pair's buffers are not two buffers of the problem (number 0)", pair_of_none },
	{ "pair's group does not exist (number 0)", ungrouped },
	{ "pair's displacement is out of range (number 0)", displaced },
};

START_TEST(the_solver_says_why)
{
	struct tn_arena arena;
	struct tn_diags diags;
	struct tn_solution s;
	struct small a;

	tn_arena_init(&arena);
	tn_diags_init(&diags, &arena);
	make_small(&a);
	ck_assert_int_eq(tn_solve(&a.p, NULL, &arena, &diags, &s), TN_OK);
	ill_formed[_i].change(&a);
	ck_assert_int_eq(tn_solve(&a.p, NULL, &arena, &diags, &s), TN_ERR_INPUT);
	ck_assert_uint_eq(diags.list.count, 1);
	ck_assert_str_eq(diags.list.items[0].rule, "plan/problem");
	ck_assert_str_eq(diags.list.items[0].message, ill_formed[_i].message);
	tn_arena_release(&arena);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *suite = suite_create("plan");
	TCase *tc = tcase_create("random");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, against_brute_force, 0, sizeof(kinds) / sizeof(kinds[0]));
	tcase_add_test(tc, mobilenet_chain);
	tcase_add_loop_test(
		tc, the_judge_says_why, 0, sizeof(illegal) / sizeof(illegal[0]));
	tcase_add_loop_test(
		tc, the_solver_says_why, 0, sizeof(ill_formed) / sizeof(ill_formed[0]));
	suite_add_tcase(suite, tc);
	return suite;
}
