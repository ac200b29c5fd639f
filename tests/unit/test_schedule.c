/* The schedule search against brute force: on random problems, and on random graphs whose
 * every order is analysed, bounded, planned and verified. */
#include "suite.h"

#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "gen_graph.h"
#include "ir/validate.h"
#include "lower/schedule.h"
#include "plan/schedule_part.h"
#include "verify/verify.h"

/* ---- every order ---- */

#define OPS_MAX 12

/* The next order of all that respect the predecessors, in the order of their positions;
 * false behind the last one. Plain backtracking. */
struct orders {
	const struct tn_schedule_problem *p;
	uint32_t order[OPS_MAX];
	uint32_t n; /* ops placed */
	bool placed[OPS_MAX];
	uint32_t count;
};

static bool may_run(const struct orders *o, uint32_t op)
{
	for (uint32_t k = o->p->ops[op].first_pred; k < o->p->ops[op + 1].first_pred; k++)
		if (!o->placed[o->p->preds[k]])
			return false;
	return !o->placed[op];
}

static bool next_order(struct orders *o)
{
	uint32_t from = 0;

	if (o->n == o->p->n_ops) { /* take the last one back */
		if (!o->n)
			return false;
		from = o->order[--o->n];
		o->placed[from++] = false;
	}
	for (;;) {
		while (from < o->p->n_ops && !may_run(o, from))
			from++;
		if (from < o->p->n_ops) {
			o->placed[from] = true;
			o->order[o->n++] = from;
			from = 0;
			if (o->n == o->p->n_ops) {
				o->count++;
				return true;
			}
		} else if (o->n) {
			from = o->order[--o->n];
			o->placed[from++] = false;
		} else {
			return false;
		}
	}
}

/* ---- problems ---- */

#define BUFFERS_MAX 24
#define CELL	    16

struct random {
	uint32_t state;
};

static uint32_t below(struct random *r, uint32_t n)
{
	r->state ^= r->state << 13;
	r->state ^= r->state >> 17;
	r->state ^= r->state << 5;
	return (uint32_t)(((uint64_t)r->state * n) >> 32);
}

struct problem {
	struct tn_schedule_problem p;
	struct tn_schedule_op ops[OPS_MAX + 1];
	uint32_t preds[OPS_MAX * 8], touches[OPS_MAX * 8], given[OPS_MAX];
	struct tn_schedule_pair pairs[OPS_MAX * 8];
	struct tn_schedule_buffer buffers[BUFFERS_MAX];
	uint32_t
		maker[BUFFERS_MAX]; /* op + 1 that writes the buffer, 0: from the start */
};

static bool touches(const struct problem *q, uint32_t op, uint32_t buffer)
{
	for (uint32_t k = q->ops[op].first_touch; k < q->p.ops[q->p.n_ops].first_touch;
		k++)
		if (q->touches[k] == buffer)
			return true;
	return false;
}

static uint32_t new_buffer(struct problem *q, struct random *r, uint32_t maker)
{
	struct tn_schedule_buffer *b = &q->buffers[q->p.n_buffers];
	int64_t bytes = 1 + below(r, 200);

	b->size = (bytes + CELL - 1) / CELL * CELL;
	b->pad = below(r, 2) ? b->size - bytes : 0;
	b->from_start = !maker;
	b->to_end = !below(r, 8);
	q->maker[q->p.n_buffers] = maker;
	return q->p.n_buffers++;
}

/* Op i reads what earlier ones made, and makes one or two buffers, or writes to one that
 * another op has begun. */
static void add_op(struct problem *q, struct random *r, uint32_t i)
{
	struct tn_schedule_op *next = &q->ops[i + 1];
	uint32_t n_reads = 1 + below(r, 3), n_before = q->p.n_buffers, first;

	q->ops[i].n_variants = 1 + below(r, 3);
	for (uint32_t k = 0; k < n_reads; k++) {
		uint32_t b = below(r, n_before);

		if (touches(q, i, b))
			continue;
		q->touches[next->first_touch++] = b;
		if (q->maker[b])
			q->preds[next->first_pred++] = q->maker[b] - 1;
	}
	first = next->first_touch;
	for (uint32_t k = 0; k <= below(r, 2) && q->p.n_buffers < BUFFERS_MAX; k++)
		q->touches[next->first_touch++] = new_buffer(q, r, i + 1);
	if (!below(r, 6) && !touches(q, i, below(r, n_before)) && i) {
		uint32_t b = n_before - 1;

		if (!touches(q, i, b) && q->maker[b])
			q->touches[next->first_touch++] = b;
	}
	for (uint32_t a = q->ops[i].first_touch; a < first; a++) {
		for (uint32_t b = first; b < next->first_touch; b++) {
			struct tn_schedule_pair *pair = &q->pairs[next->first_pair];
			int64_t in = q->buffers[q->touches[a]].size;
			int64_t out = q->buffers[q->touches[b]].size;

			if (!below(r, 3))
				continue;
			*pair = (struct tn_schedule_pair){ .a = q->touches[a],
				.b = q->touches[b] };
			for (uint32_t v = 0; v < q->ops[i].n_variants; v++) {
				int64_t reach = below(r, 14) * CELL;

				pair->reach_a[v] = tn_min_i64(reach, in);
				pair->reach_b[v] = tn_min_i64(reach, out);
				pair->share[v] = tn_min_i64(reach, tn_min_i64(in, out));
			}
			next->first_pair++;
		}
	}
}

static void make_problem(struct problem *q, uint32_t seed, uint32_t n_ops)
{
	struct random r = { seed * 2654435761u + 12345u };

	memset(q, 0, sizeof(*q));
	q->p = (struct tn_schedule_problem){ .n_ops = n_ops,
		.ops = q->ops,
		.preds = q->preds,
		.touches = q->touches,
		.pairs = q->pairs,
		.buffers = q->buffers,
		.given = q->given };
	for (uint32_t k = 0; k <= below(&r, 3); k++)
		(void)new_buffer(q, &r, 0);
	for (uint32_t i = 0; i < n_ops; i++) {
		q->p.n_ops = i + 1;
		q->ops[i + 1].first_pred = q->ops[i].first_pred;
		q->ops[i + 1].first_touch = q->ops[i].first_touch;
		q->ops[i + 1].first_pair = q->ops[i].first_pair;
		add_op(q, &r, i);
		q->given[i] = i;
	}
}

/* The definition, in half-steps, without any state that is carried along. */
struct life {
	int64_t begin, end;
};

static struct life life_of(const struct problem *q, const uint32_t *order, uint32_t b)
{
	struct life life = { INT64_MAX, -1 };

	for (uint32_t p = 0; p < q->p.n_ops; p++) {
		for (uint32_t k = q->ops[order[p]].first_touch;
			k < q->ops[order[p] + 1].first_touch; k++) {
			if (q->touches[k] != b)
				continue;
			life.begin = tn_min_i64(life.begin, 2 * (int64_t)p + 1);
			life.end = 2 * (int64_t)p + 2;
		}
	}
	if (q->buffers[b].from_start) {
		life.begin = 0;
		life.end = tn_max_i64(life.end, 2);
	}
	if (q->buffers[b].to_end)
		life.end = 2 * (int64_t)q->p.n_ops + 2;
	return life;
}

/* What disjoint buffers can have of one hub, of which each reaches a stretch from the same
 * end on: the least that any stretch leaves to those within it and gives to all beyond. */
static int64_t naive_nested(const struct problem *q, const struct life *lives,
	uint32_t op, int64_t at, uint32_t v, bool hub_is_b)
{
	const struct tn_schedule_pair *of[BUFFERS_MAX * 8];
	int64_t total, least = INT64_MAX;
	uint32_t n = 0;

	for (uint32_t k = q->ops[op].first_pair; k < q->ops[op + 1].first_pair; k++)
		if (lives[q->pairs[k].a].end == at + 1 &&
			lives[q->pairs[k].b].begin == at)
			of[n++] = &q->pairs[k];
	for (uint32_t i = 1; i < n; i++)
		if (hub_is_b ? of[i]->b != of[0]->b : of[i]->a != of[0]->a)
			return INT64_MAX;
	if (n < 2)
		return INT64_MAX;
	for (uint32_t i = 0; i <= n; i++) {
		int64_t cap =
			i < n ? (hub_is_b ? of[i]->reach_b[v] : of[i]->reach_a[v]) : 0;

		total = cap;
		for (uint32_t k = 0; k < n; k++) {
			int64_t own = hub_is_b ? of[k]->reach_b[v] : of[k]->reach_a[v];

			if (own > cap)
				total += of[k]->share[v];
		}
		least = tn_min_i64(least, total);
	}
	return least;
}

static int64_t naive_saving(
	const struct problem *q, const struct life *lives, uint32_t op, int64_t at)
{
	int64_t best[2] = { 0, 0 };

	for (uint32_t v = 0; v < q->ops[op].n_variants; v++) {
		for (int side = 0; side < 2; side++) {
			int64_t used[BUFFERS_MAX] = { 0 }, sum = 0;

			for (uint32_t k = q->ops[op].first_pair;
				k < q->ops[op + 1].first_pair; k++) {
				const struct tn_schedule_pair *pair = &q->pairs[k];
				uint32_t x = side ? pair->a : pair->b;

				if (lives[pair->a].end == at + 1 &&
					lives[pair->b].begin == at)
					used[x] += pair->share[v];
			}
			for (uint32_t b = 0; b < q->p.n_buffers; b++)
				sum += tn_min_i64(used[b], q->buffers[b].size);
			sum = tn_min_i64(sum, naive_nested(q, lives, op, at, v, false));
			sum = tn_min_i64(sum, naive_nested(q, lives, op, at, v, true));
			best[side] = tn_max_i64(best[side], sum);
		}
	}
	return tn_min_i64(best[0], best[1]);
}

static int64_t naive_peak(const struct problem *q, const uint32_t *order)
{
	struct life lives[BUFFERS_MAX];
	int64_t peak = 0;

	for (uint32_t b = 0; b < q->p.n_buffers; b++)
		lives[b] = life_of(q, order, b);
	for (int64_t at = 0; at < 2 * (int64_t)q->p.n_ops; at++) {
		int64_t load = 0, pad = 0;

		if (at && at % 2 == 0)
			continue; /* nothing is born */
		for (uint32_t b = 0; b < q->p.n_buffers; b++) {
			if (lives[b].begin > at || lives[b].end <= at)
				continue;
			load += q->buffers[b].size;
			pad = tn_max_i64(pad, q->buffers[b].pad);
		}
		if (at % 2)
			load -= naive_saving(q, lives, order[at / 2], at);
		peak = tn_max_i64(peak, load - pad);
	}
	return peak;
}

static void check_found(uint32_t seed, const struct problem *q, int64_t least,
	const struct tn_schedule *found, struct tn_arena *arena)
{
	int64_t again;

	ck_assert_msg(found->given_peak == naive_peak(q, q->given),
		"seed %u: given %lld, %lld by the definition", seed,
		(long long)found->given_peak, (long long)naive_peak(q, q->given));
	ck_assert_msg(found->peak == least && found->bound == least && found->optimal,
		"seed %u: %lld (bound %lld) instead of %lld", seed,
		(long long)found->peak, (long long)found->bound, (long long)least);
	ck_assert_msg(naive_peak(q, found->order) == least,
		"seed %u: the order has another peak", seed);
	ck_assert_int_eq(tn_schedule_peak(&q->p, found->order, arena, &again), TN_OK);
	ck_assert_int_eq(again, least);
	ck_assert_msg(found->peak < found->given_peak ||
			      memcmp(found->order, q->given,
				      q->p.n_ops * sizeof(*q->given)) == 0,
		"seed %u: another order for nothing", seed);
}

/* With next to no effort: not worse, and no more is claimed than is so. */
static void check_short(
	uint32_t seed, const struct problem *q, int64_t least, struct tn_arena *arena)
{
	struct tn_schedule found;

	ck_assert_int_eq(tn_schedule_search(&q->p, 1, arena, &found), TN_OK);
	ck_assert_msg(found.peak <= found.given_peak && found.bound <= least &&
			      found.peak >= least &&
			      naive_peak(q, found.order) == found.peak &&
			      found.optimal == (found.peak == found.bound),
		"seed %u: a short search", seed);
}

/* The exact search alone, from nothing. */
static void check_exact(
	uint32_t seed, const struct problem *q, int64_t least, struct tn_arena *arena)
{
	struct tn_part part;
	struct tn_part_answer answer = { .peak = INT64_MAX };
	int64_t nodes = 1 << 20, floor;

	ck_assert_int_eq(tn_part_whole(&q->p, arena, &part), TN_OK);
	answer.order = TN_NEW_ARRAY(arena, uint32_t, q->p.n_ops);
	ck_assert_ptr_nonnull(answer.order);
	ck_assert_int_eq(tn_part_floor(&part, &nodes, &floor), TN_OK);
	ck_assert_int_eq(tn_part_exact(&part, 0, &nodes, &answer), TN_OK);
	ck_assert_msg(answer.peak <= least && answer.bound == answer.peak &&
			      floor <= answer.peak,
		"seed %u: exact %lld, bound %lld, floor %lld, %lld by brute force", seed,
		(long long)answer.peak, (long long)answer.bound, (long long)floor,
		(long long)least);
	for (uint32_t i = 0; i < q->p.n_ops; i++)
		answer.order[i] = part.op[answer.order[i]];
	ck_assert_msg(naive_peak(q, answer.order) == least,
		"seed %u: the exact search's order", seed);
}

#define ORDERS_MAX 3000

START_TEST(the_search_equals_brute_force)
{
	const uint32_t n_ops = 1 + (uint32_t)_i;
	uint32_t better = 0, most = 0, done = 0;

	for (uint32_t i = 0; i < 400 && done < 80; i++) {
		uint32_t seed = 1000 * (uint32_t)_i + i;
		struct tn_schedule found;
		struct tn_arena arena;
		struct problem q;
		struct orders o = { .p = &q.p };
		int64_t least = INT64_MAX;

		make_problem(&q, seed, n_ops);
		while (o.count < ORDERS_MAX && next_order(&o))
			least = tn_min_i64(least, naive_peak(&q, o.order));
		if (o.count == ORDERS_MAX)
			continue;
		tn_arena_init(&arena);
		ck_assert_int_eq(tn_schedule_search(&q.p, 0, &arena, &found), TN_OK);
		check_found(seed, &q, least, &found, &arena);
		better += found.peak < found.given_peak;
		most = o.count > most ? o.count : most;
		check_short(seed, &q, least, &arena);
		check_exact(seed, &q, least, &arena);
		tn_arena_release(&arena);
		done++;
	}
	printf("# %u ops: %u of %u orders were improved, of at most %u\n", n_ops, better,
		done, most);
	ck_assert_uint_gt(done, 30);
}
END_TEST

/* ---- graphs ---- */

static const struct {
	const char *name;
	struct tn_gen_options options;
} kinds[] = {
	{ "plain", { .ops = 7 } },
	{ "views", { .ops = 8, .views = true } },
	{ "state", { .ops = 7, .state = true } },
	{ "all", { .ops = 9, .views = true, .state = true, .opaque = true } },
};

static const char *const modes[] = { "none", "in place", "full" };

/* All that follows from an order. */
struct tables {
	struct tn_order order;
	struct tn_aliases aliases;
	struct tn_liveness live;
	struct tn_hazards hazards;
	struct tn_inplace inplace;
	struct tn_tables all;
};

static void analyse(const struct tn_graph *g, const uint32_t *order,
	struct tn_arena *arena, struct tables *t)
{
	const struct tn_alias_options views = { .align = 16, .views_only = true };

	if (order)
		ck_assert_int_eq(tn_order_from(g, order, arena, &t->order), TN_OK);
	else
		ck_assert_int_eq(tn_order_given(g, arena, &t->order), TN_OK);
	ck_assert_int_eq(tn_aliases_choose(g, &views, arena, &t->aliases), TN_OK);
	ck_assert_int_eq(
		tn_liveness_find(g, &t->order, &t->aliases, arena, &t->live), TN_OK);
	ck_assert_int_eq(
		tn_hazards_find(g, &t->order, &t->aliases, arena, &t->hazards), TN_OK);
	ck_assert_int_eq(
		tn_inplace_judge(g, &t->order, &t->aliases, &t->live, arena, &t->inplace),
		TN_OK);
	t->all = (struct tn_tables){ g, &t->order, &t->aliases, &t->live, &t->inplace };
}

struct weighed {
	int64_t bound, height;
};

/* The bound of one order, and with `plan` the verified plan's height. */
static struct weighed weigh(const char *what, uint32_t seed, const struct tn_graph *g,
	const uint32_t *order, enum tn_overlap_mode mode, bool plan)
{
	const struct tn_lower_options options = { .overlap = mode, .align = 16 };
	const struct tn_limits limits = { 500, 0 };
	struct weighed result = { 0, 0 };
	struct tn_arena arena;
	struct tn_diags diags;
	struct tables t;
	struct tn_lowered lowered;
	struct tn_solution solution;
	struct tn_plan made;
	struct tn_verdict v;

	tn_arena_init(&arena);
	tn_diags_init(&diags, &arena);
	analyse(g, order, &arena, &t);
	ck_assert_int_eq(tn_lower(&t.all, &options, &arena, &diags, &lowered), TN_OK);
	ck_assert_int_eq(tn_bound(&lowered.problem, &arena, &result.bound), TN_OK);
	if (plan) {
		ck_assert_int_eq(
			tn_solve(&lowered.problem, &limits, &arena, &diags, &solution),
			TN_OK);
		ck_assert_int_eq(
			tn_raise(&t.all, &options, &lowered, &solution, &arena, &made),
			TN_OK);
		ck_assert_msg(tn_verify(g, &made, &arena, &diags, &v) == TN_OK,
			"%s, seed %u, overlap %s: %s: %s", what, seed, modes[mode],
			v.rule,
			diags.list.count ? diags.list.items[diags.list.count - 1].message
					 : "");
		result.height = made.activation_bytes;
	}
	tn_arena_release(&arena);
	return result;
}

#define MANY 200 /* orders of a graph */

struct tally {
	uint32_t better, orders, graphs, skipped;
};

/* The least bound of all orders is what the search finds, and each order is one that the
 * verifier accepts. In place, buffers are merged by the way: there it is a bound. */
static void check_graph(const char *kind, uint32_t seed, const struct tn_graph *g,
	enum tn_overlap_mode mode, struct tally *tally)
{
	const struct tn_lower_options options = { .overlap = mode, .align = 16 };
	struct tn_arena arena;
	struct tn_diags diags;
	struct tables t;
	struct tn_schedule_problem p;
	struct tn_schedule found;
	struct orders o = { .p = &p };
	int64_t least = INT64_MAX;
	struct weighed given, best;

	tn_arena_init(&arena);
	tn_diags_init(&diags, &arena);
	analyse(g, NULL, &arena, &t);
	ck_assert_int_eq(
		tn_lower_schedule(&t.all, &t.hazards, &options, &arena, &diags, &p),
		TN_OK);
	while (p.n_ops <= OPS_MAX && o.count < MANY && next_order(&o))
		least = tn_min_i64(least,
			weigh(kind, seed, g, o.order, mode, o.count % 32 == 1).bound);
	if (p.n_ops > OPS_MAX || o.count == MANY) {
		tally->skipped++;
		tn_arena_release(&arena);
		return;
	}
	ck_assert_int_eq(tn_schedule_search(&p, 0, &arena, &found), TN_OK);
	given = weigh(kind, seed, g, NULL, mode, true);
	best = weigh(kind, seed, g, found.order, mode, true);
	if (mode == OVERLAP_INPLACE)
		ck_assert_msg(found.bound <= least,
			"%s, seed %u: bound %lld, but an order has %lld", kind, seed,
			(long long)found.bound, (long long)least);
	else
		ck_assert_msg(found.optimal && found.peak == least &&
				      best.bound == least &&
				      found.given_peak == given.bound,
			"%s, seed %u, overlap %s: %lld of %lld (%lld), best %lld", kind,
			seed, modes[mode], (long long)found.peak,
			(long long)found.given_peak, (long long)given.bound,
			(long long)least);
	ck_assert_msg(best.height >= found.bound && given.height >= found.bound,
		"%s, seed %u: a plan is below the bound", kind, seed);
	tally->better += best.height < given.height;
	tally->orders += o.count;
	tally->graphs++;
	tn_arena_release(&arena);
}

START_TEST(all_orders_of_graphs)
{
	struct tally tally = { 0 };

	for (uint32_t i = 0; i < 50; i++) {
		uint32_t seed = 7000 * (uint32_t)_i + i;
		struct tn_gen gen;
		struct tn_graph g;

		tn_gen_init(&gen, seed);
		tn_gen_graph(&gen, &kinds[_i].options, &g);
		ck_assert_msg(tn_validate(&g, &gen.diags) == TN_OK, "seed %u", seed);
		for (int mode = OVERLAP_NONE; mode <= OVERLAP_FULL; mode++)
			check_graph(kinds[_i].name, seed, &g, (enum tn_overlap_mode)mode,
				&tally);
		tn_gen_release(&gen);
	}
	printf("# %s: %u graphs with %u orders, %u with more; %u plans got smaller\n",
		kinds[_i].name, tally.graphs, tally.orders, tally.skipped, tally.better);
	ck_assert_uint_gt(tally.graphs, 20);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("schedule");
	TCase *tc = tcase_create("schedule");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, the_search_equals_brute_force, 0, OPS_MAX);
	tcase_add_loop_test(tc, all_orders_of_graphs, 0, sizeof(kinds) / sizeof(*kinds));
	suite_add_tcase(s, tc);
	return s;
}
