/* Random graphs through all stages: every plan of ours is accepted by the verifier. */
#include "suite.h"

#include <stdio.h>

#include "gen_graph.h"
#include "ir/validate.h"
#include "own_plan.h"
#include "verify/verify.h"

static const struct {
	const char *name;
	struct tn_gen_options options;
} kinds[] = {
	{ "plain", { .ops = 16 } },
	{ "views", { .ops = 12, .views = true } },
	{ "state", { .ops = 12, .state = true } },
	{ "opaque", { .ops = 12, .opaque = true } },
	{ "types", { .ops = 14, .runnable = true, .types = true } },
	{ "mutation", { .ops = 14,
			      .runnable = true,
			      .types = true,
			      .views = true,
			      .mutation = true } },
	{ "tails", { .ops = 16, .tails = true } },
	{ "tails of types",
		{ .ops = 14, .runnable = true, .types = true, .tails = true } },
	{ "orders", { .ops = 14, .runnable = true, .types = true, .orders = true } },
	{ "scratch", { .ops = 14, .runnable = true, .types = true, .scratch = true } },
	{ "all", { .ops = 20, .views = true, .state = true, .opaque = true } },
};

static const char *const modes[] = { "none", "in place", "full" };

static void check(const char *kind, uint32_t seed, struct tn_gen *gen,
	const struct tn_graph *g, int mode, int64_t *bytes)
{
	struct tn_plan plan;
	struct tn_verdict v;

	ck_assert_msg(own_plan(g, (enum tn_overlap_mode)mode, &gen->arena, &plan),
		"%s, seed %u, overlap %s: no plan", kind, seed, modes[mode]);
	ck_assert_msg(tn_verify(g, &plan, &gen->arena, &gen->diags, &v) == TN_OK,
		"%s, seed %u, overlap %s: %s: %s", kind, seed, modes[mode], v.rule,
		gen->diags.list.count
			? gen->diags.list.items[gen->diags.list.count - 1].message
			: "");
	*bytes += plan.activation_bytes;
}

START_TEST(our_plans_are_accepted)
{
	int64_t bytes[3] = { 0 };

	for (uint32_t i = 0; i < 60; i++) {
		uint32_t seed = 5000 * (uint32_t)_i + i;
		struct tn_gen gen;
		struct tn_graph g;

		tn_gen_init(&gen, seed);
		tn_gen_graph(&gen, &kinds[_i].options, &g);
		ck_assert_msg(tn_validate(&g, &gen.diags) == TN_OK, "seed %u", seed);
		for (int mode = OVERLAP_NONE; mode <= OVERLAP_FULL; mode++)
			check(kinds[_i].name, seed, &gen, &g, mode, &bytes[mode]);
		tn_gen_release(&gen);
	}
	printf("# %s: %lld bytes, %lld in place, %lld with overlap\n", kinds[_i].name,
		(long long)bytes[0], (long long)bytes[1], (long long)bytes[2]);
	ck_assert(bytes[2] <= bytes[0]);
}
END_TEST

/* A tensor that no op names has a place all the same, for its views: they are looked for from
 * there. */
START_TEST(storage_of_views_alone)
{
	const int64_t all[] = { 8 }, half[] = { 4 };
	struct tn_graph g;
	struct tn_gen gen;
	int64_t bytes = 0;

	tn_gen_init(&gen, 1);
	tn_gen_tensor(&gen, "x", DTYPE_I8, ROLE_INPUT, 1, half);
	tn_gen_tensor(&gen, "s", DTYPE_I8, ROLE_ACT, 1, all);
	tn_gen_tensor(&gen, "a", DTYPE_I8, ROLE_ACT, 1, half);
	tn_gen_tensor(&gen, "b", DTYPE_I8, ROLE_ACT, 1, half);
	tn_gen_tensor(&gen, "y", DTYPE_I8, ROLE_OUTPUT, 1, half);
	for (int i = 2; i < 4; i++) {
		gen.build.tensors.items[i].view_of.i = 1;
		gen.build.tensors.items[i].view_offset = i == 3 ? 4 : 0;
	}
	tn_gen_op(&gen, "p", "NEG", (int[]){ 0, TN_GEN_END }, (int[]){ 2, TN_GEN_END });
	tn_gen_op(&gen, "q", "NEG", (int[]){ 0, TN_GEN_END }, (int[]){ 3, TN_GEN_END });
	tn_gen_op(
		&gen, "r", "ADD", (int[]){ 2, 3, TN_GEN_END }, (int[]){ 4, TN_GEN_END });
	tn_gen_finish(&gen, &g);
	ck_assert_int_eq(tn_validate(&g, &gen.diags), TN_OK);
	for (int mode = OVERLAP_NONE; mode <= OVERLAP_FULL; mode++)
		check("views alone", 1, &gen, &g, mode, &bytes);
	tn_gen_release(&gen);
}
END_TEST

/* One value, read by so many ops that the join of their results is not cut into pieces. */
START_TEST(wide_joins_are_accepted)
{
	enum { PARTS = 300 };
	const int64_t line[] = { 1, 4 }, joined[] = { 1, 4 * PARTS }, axis[] = { 1 };
	int parts[PARTS + 1], one[] = { 0, TN_GEN_END }, shared[] = { 1, TN_GEN_END };
	int out[] = { 2, TN_GEN_END };
	struct tn_graph g;
	struct tn_gen gen;
	char name[16];
	int64_t bytes = 0;

	tn_gen_init(&gen, 1);
	tn_gen_tensor(&gen, "x", DTYPE_F32, ROLE_INPUT, 2, line);
	tn_gen_tensor(&gen, "a", DTYPE_F32, ROLE_ACT, 2, line);
	tn_gen_tensor(&gen, "y", DTYPE_F32, ROLE_OUTPUT, 2, joined);
	tn_gen_op(&gen, "first", "TANH", one, shared);
	for (int i = 0; i < PARTS; i++) {
		int result[] = { 3 + i, TN_GEN_END };

		snprintf(name, sizeof(name), "b%d", i);
		tn_gen_tensor(&gen, name, DTYPE_F32, ROLE_ACT, 2, line);
		snprintf(name, sizeof(name), "f%d", i);
		tn_gen_op(&gen, name, "ABS", shared, result);
		parts[i] = 3 + i;
	}
	parts[PARTS] = TN_GEN_END;
	tn_gen_op(&gen, "join", "CONCATENATION", parts, out);
	tn_gen_ints(&gen, "axis", 1, axis);
	tn_gen_finish(&gen, &g);
	ck_assert_int_eq(tn_validate(&g, &gen.diags), TN_OK);
	check("wide join", 0, &gen, &g, _i, &bytes);
	tn_gen_release(&gen);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("own_plans");
	TCase *tc = tcase_create("own_plans");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(
		tc, our_plans_are_accepted, 0, sizeof(kinds) / sizeof(*kinds));
	tcase_add_test(tc, storage_of_views_alone);
	tcase_add_loop_test(tc, wide_joins_are_accepted, 0, 3);
	suite_add_tcase(s, tc);
	return s;
}
