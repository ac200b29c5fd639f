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

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("own_plans");
	TCase *tc = tcase_create("own_plans");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(
		tc, our_plans_are_accepted, 0, sizeof(kinds) / sizeof(*kinds));
	suite_add_tcase(s, tc);
	return s;
}
