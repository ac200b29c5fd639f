#include "suite.h"

#include <inttypes.h>
#include <stdio.h>

#include "../../bench/hard.h"
#include "plan/conflict.h"
#include "plan/greedy.h"
#include "plan/timefit.h"

struct large {
	struct tn_arena arena;
	struct tn_diags diags;
	struct tn_problem p;
	struct tn_solution greedy, solved;
};

static void open_large(struct large *l)
{
	tn_arena_init(&l->arena);
	tn_diags_init(&l->diags, &l->arena);
}

/* bound <= plan <= greedy, and both are legal. */
static void solve(struct large *l, const struct tn_limits *limits, const char *what)
{
	const char *why = NULL;
	uint32_t at[2];

	ck_assert_int_eq(tn_greedy(&l->p, &l->arena, &l->greedy), TN_OK);
	ck_assert_int_eq(
		tn_solve(&l->p, limits, &l->arena, &l->diags, &l->solved), TN_OK);
	ck_assert_msg(tn_solution_check(&l->p, &l->greedy, &why, at), "%s: greedy: %s",
		what, why);
	ck_assert_msg(tn_solution_check(&l->p, &l->solved, &why, at), "%s: plan: %s",
		what, why);
	ck_assert_msg(l->solved.bound <= l->solved.height &&
			      l->solved.height <= l->greedy.height &&
			      l->greedy.bound <= l->solved.bound,
		"%s: bound %" PRId64 ", plan %" PRId64 ", greedy %" PRId64, what,
		l->solved.bound, l->solved.height, l->greedy.height);
}

/* The pieces of a rectangle: there is exactly one best height, and no slack. */
START_TEST(cut_rectangles)
{
	static const uint32_t counts[] = { 20, 50, 100, 200 };
	const uint64_t seed = (uint64_t)_i + 1;
	char what[64];

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		struct large l;

		open_large(&l);
		snprintf(what, sizeof(what), "seed %d, %u pieces", (int)seed, counts[i]);
		ck_assert(
			tn_hard_cuts(seed, counts[i], 1 << 20, 1 << 10, &l.arena, &l.p));
		ck_assert_msg(l.p.n_buffers == counts[i], "%s", what);
		solve(&l, NULL, what);
		ck_assert_msg(l.solved.height == 1 << 20 && l.solved.optimal,
			"%s: height %" PRId64 ", bound %" PRId64, what, l.solved.height,
			l.solved.bound);
		tn_arena_release(&l.arena);
	}
}
END_TEST

/* Given a moment only, there is an answer, whatever the size. */
START_TEST(time_runs_out)
{
	static const struct {
		uint32_t n;
		int64_t span;
	} sizes[] = { { 10, 10 }, { 300, 100 }, { 3000, 500 }, { 9000, 18000 },
		{ 30000, 60000 } };
	const struct tn_limits limits = { .seconds = 1e-9 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct large l;
		const char *why = NULL;
		uint32_t at[2];

		open_large(&l);
		ck_assert(tn_hard_random(
			7, sizes[i].n, sizes[i].span, 1000, &l.arena, &l.p));
		ck_assert_int_eq(
			tn_solve(&l.p, &limits, &l.arena, &l.diags, &l.solved), TN_OK);
		ck_assert_msg(tn_solution_check(&l.p, &l.solved, &why, at), "%u: %s",
			sizes[i].n, why);
		ck_assert_int_ge(l.solved.height, l.solved.bound);
		tn_arena_release(&l.arena);
	}
}
END_TEST

/* Too many couples to list: still legal and between the bound and twice of it; with
 * alignments, empty buffers and given offsets as well. */
START_TEST(dense_problems)
{
	for (int kind = 0; kind < 3; kind++) {
		struct large l;
		char what[64];

		open_large(&l);
		snprintf(what, sizeof(what), "kind %d", kind);
		ck_assert(tn_hard_random(11, 9000, 18000, 1000, &l.arena, &l.p));
		for (uint32_t i = 0; i < l.p.n_buffers && kind; i++) {
			l.p.buffers[i].align = (int64_t)1 << i % 5;
			if (i % 17 == 0)
				l.p.buffers[i].size = 0;
		}
		if (kind == 2)
			l.p.buffers[5].fixed = 1 << 20;
		ck_assert_int_gt(tn_conflicts_count(&l.p), TN_COUPLES_MAX);
		solve(&l, NULL, what);
		ck_assert_msg(l.solved.height < 2 * l.solved.bound,
			"%s: height %" PRId64 ", bound %" PRId64, what, l.solved.height,
			l.solved.bound);
		tn_arena_release(&l.arena);
	}
}
END_TEST

/* First fit over time, both ways, against its own definition. */
START_TEST(first_fit_over_time)
{
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct large l;
		struct tn_solution s = { 0 };
		const char *why = NULL;
		uint32_t at[2];

		open_large(&l);
		ck_assert(tn_hard_random(
			seed, 900, (int64_t)seed * 20, 100, &l.arena, &l.p));
		for (uint32_t i = 0; i < l.p.n_buffers; i++)
			l.p.buffers[i].align = seed % 2 ? 1 : 1 + i % 7;
		s.offset = TN_NEW_ARRAY(&l.arena, int64_t, l.p.n_buffers);
		ck_assert_int_eq(
			tn_timefit(&l.p, seed % 3 == 0, INT64_MAX, s.offset, &s.height),
			TN_OK);
		ck_assert_msg(tn_solution_check(&l.p, &s, &why, at), "seed %d: %s",
			(int)seed, why);
		for (uint32_t i = 0; i < l.p.n_buffers && seed % 2; i++) {
			bool stands = s.offset[i] == 0;

			for (uint32_t j = 0; j < l.p.n_buffers && !stands; j++)
				stands = s.offset[j] + l.p.buffers[j].size == s.offset[i];
			ck_assert_msg(stands, "seed %d: buffer %u hangs in the air",
				(int)seed, i);
		}
		tn_arena_release(&l.arena);
	}
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *suite = suite_create("plan_large");
	TCase *tc = tcase_create("large");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, cut_rectangles, 0, 10);
	tcase_add_test(tc, time_runs_out);
	tcase_add_test(tc, dense_problems);
	tcase_add_test(tc, first_fit_over_time);
	suite_add_tcase(suite, tc);
	return suite;
}
