/* The schedule search on random graphs: every order is analysed and bounded, some are
 * planned and verified. */
#include "suite.h"

#include <stdio.h>

#include "base/checked.h"
#include "every_order.h"
#include "gen_graph.h"
#include "ir/validate.h"
#include "lower/schedule.h"
#include "verify/verify.h"

#define CELL 16 /* alignment */

static const struct {
	const char *name;
	struct tn_gen_options options;
	uint32_t
		equal; /* at least so many graphs without pieces and copies to leave out */
} kinds[] = {
	{ "plain", { .ops = 7 }, 10 },
	{ "views", { .ops = 8, .views = true }, 0 },
	{ "state", { .ops = 7, .state = true }, 10 },
	{ "all", { .ops = 9, .views = true, .state = true, .opaque = true }, 0 },
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

/* Of the order, NULL: the graph's; or for the search, what holds in every order. */
static void analyse(const struct tn_graph *g, const uint32_t *order, bool copies,
	bool any_order, struct tn_arena *arena, struct tables *t)
{
	const struct tn_alias_options views = { .align = 16,
		.views_only = copies,
		.any_order = any_order,
		.order = &t->order };

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

/* The bound of one order, and with `plan` the verified plan's height; with `copies` all ops
 * run that do anything. */
static struct weighed weigh(const char *what, uint32_t seed, const struct tn_graph *g,
	const uint32_t *order, enum tn_overlap_mode mode, bool plan, bool copies)
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
	analyse(g, order, copies, false, &arena, &t);
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
	uint32_t better, orders, graphs, equal, skipped;
};

/* The planner's bound does not look at steps at which nothing is born; they need no more
 * than the step before, but for its padding. */
static bool about(int64_t peak, int64_t bound)
{
	return bound <= peak && peak < bound + CELL;
}

/* Copies that other choices would leave out are counted as nothing. */
static bool has_idle(const struct tn_schedule_problem *p)
{
	for (uint32_t i = 0; i < p->n_ops; i++)
		if (p->ops[i].idle)
			return true;
	return false;
}

/* The least bound of all orders is what the search finds, and each order is one that the
 * verifier accepts. In place, buffers are merged by the way, and roots in pieces are wholes to
 * the planner: there it is a bound. */
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
	int64_t least = INT64_MAX, lowest = INT64_MAX;
	struct weighed given, best;
	struct tn_lowered whole;

	tn_arena_init(&arena);
	tn_diags_init(&diags, &arena);
	analyse(g, NULL, false, true, &arena, &t);
	ck_assert_int_eq(tn_lower(&t.all, &options, &arena, &diags, &whole), TN_OK);
	ck_assert_int_eq(
		tn_lower_schedule(&t.all, &t.hazards, &options, &arena, &diags, &p),
		TN_OK);
	while (p.n_ops <= OPS_MAX && o.count < MANY && next_order(&o)) {
		bool plan = o.count % 16 == 1;
		struct weighed w = weigh(kind, seed, g, o.order, mode, plan, false);

		least = tn_min_i64(least, w.bound);
		if (plan)
			lowest = tn_min_i64(lowest, w.height);
	}
	if (p.n_ops > OPS_MAX || o.count == MANY) {
		tally->skipped++;
		tn_arena_release(&arena);
		return;
	}
	ck_assert_int_eq(tn_schedule_search(&p, 0, &arena, &found), TN_OK);
	given = weigh(kind, seed, g, NULL, mode, true, false);
	best = weigh(kind, seed, g, found.order, mode, true, false);
	if (mode != OVERLAP_INPLACE && p.n_buffers == whole.problem.n_buffers &&
		!has_idle(&p)) {
		tally->equal++;
		ck_assert_msg(found.optimal && about(found.peak, least) &&
				      about(found.peak, best.bound) &&
				      about(found.given_peak, given.bound),
			"%s, seed %u, overlap %s: %lld of %lld (%lld), best %lld", kind,
			seed, modes[mode], (long long)found.peak,
			(long long)found.given_peak, (long long)given.bound,
			(long long)least);
	}
	lowest = tn_min_i64(lowest, tn_min_i64(best.height, given.height));
	lowest = tn_min_i64(
		lowest, weigh(kind, seed, g, found.order, mode, true, true).height);
	ck_assert_msg(found.bound <= lowest,
		"%s, seed %u, overlap %s: bound %lld, but a plan has %lld", kind, seed,
		modes[mode], (long long)found.bound, (long long)lowest);
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
	printf("# %s: %u graphs with %u orders, %u with more; of %u the bound is exact, "
	       "%u "
	       "plans got smaller\n",
		kinds[_i].name, tally.graphs, tally.orders, tally.skipped, tally.equal,
		tally.better);
	ck_assert_uint_gt(tally.graphs, 20);
	ck_assert_uint_ge(tally.equal, kinds[_i].equal);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("schedule_graphs");
	TCase *tc = tcase_create("schedule_graphs");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, all_orders_of_graphs, 0, sizeof(kinds) / sizeof(*kinds));
	suite_add_tcase(s, tc);
	return s;
}
