#include "suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "gen_graph.h"
#include "gen_plan.h"
#include "sim_plan.h"
#include "ir/validate.h"
#include "verify/memory.h"
#include "verify/verify.h"

#define IDS(...)                                                                         \
	(int[])                                                                          \
	{                                                                                \
		__VA_ARGS__, TN_GEN_END                                                  \
	}
#define DIMS(...)                                                                        \
	(int64_t[])                                                                      \
	{                                                                                \
		__VA_ARGS__                                                              \
	}

static void show(const struct tn_diags *diags)
{
	for (size_t i = 0; i < diags->list.count; i++) {
		const struct tn_diag *d = &diags->list.items[i];

		printf("# %s '%s': %s [%s]\n", d->pointer ? d->pointer : "",
			d->subject ? d->subject : "", d->message, d->rule);
		for (size_t k = 0; k < d->notes.count; k++)
			printf("#   %s\n", d->notes.items[k]);
	}
	fflush(stdout);
}

/* The range map against an array of bytes. */
START_TEST(memory_is_a_map_of_bytes)
{
	enum { N = 64 };
	struct tn_gen gen;
	struct tn_memory m = { 0 };
	uint32_t value[N];
	int64_t at[N];

	tn_gen_init(&gen, (uint32_t)_i);
	for (int i = 0; i < N; i++)
		value[i] = TN_NOTHING;
	for (int step = 0; step < 400; step++) {
		int64_t begin = tn_gen_random(&gen, N), end = tn_gen_random(&gen, N + 1);
		uint32_t v = tn_gen_random(&gen, 5);
		int64_t from = tn_gen_random(&gen, 2) ? begin : tn_gen_random(&gen, 20);

		if (v == 4)
			v = TN_NOTHING;
		ck_assert(tn_memory_write(&m, &gen.arena, begin, end, v, from));
		for (int64_t i = begin; i < end; i++) {
			value[i] = v;
			at[i] = from + i - begin;
		}
		for (size_t i = 0; i < m.count; i++) {
			ck_assert_int_lt(m.items[i].begin, m.items[i].end);
			ck_assert(i == 0 || m.items[i - 1].end <= m.items[i].begin);
		}
		for (int i = 0; i < N; i++) {
			struct tn_content c = tn_memory_at(&m, i);

			ck_assert_uint_eq(c.value, value[i]);
			ck_assert(c.value == TN_NOTHING || c.at == at[i]);
			ck_assert_int_gt(c.run, 0);
		}
	}
	tn_gen_release(&gen);
}
END_TEST

static const struct tn_gen_options kinds[] = {
	{ .ops = 6 },
	{ .ops = 14 },
	{ .ops = 10, .views = true },
	{ .ops = 10, .opaque = true },
	{ .ops = 10, .state = true },
	{ .ops = 12, .views = true, .opaque = true, .state = true },
};

enum { GRAPHS = 40, CHANGES = 24 };

static bool compare(struct tn_gen *gen, const struct tn_graph *g,
	const struct tn_plan *plan, const char *what, uint32_t counts[4])
{
	struct tn_arena scratch;
	struct tn_diags diags;
	struct tn_verdict verdict;
	enum tn_status status;
	const char *why = NULL, *exact_why = NULL;
	bool right;

	tn_arena_init(&scratch);
	tn_diags_init(&diags, &gen->arena);
	status = tn_verify(g, plan, &scratch, &diags, &verdict);
	right = sim_accepts(g, plan, false, &why);
	if ((status == TN_OK) != right)
		show(&diags);
	ck_assert_msg((status == TN_OK) == right && status != TN_ERR_INTERNAL,
		"%s: verifier says %d, simulation says %s", what, status,
		right ? "right" : why);
	ck_assert_msg(verdict.accepted == right && (verdict.refusals > 0) == !right &&
			      (verdict.rule == NULL) == right,
		"%s: the verdict does not say what the status says", what);
	if (right)
		ck_assert_msg(sim_accepts(g, plan, true, &exact_why), "%s: %s", what,
			exact_why);
	counts[right ? 0 : 1]++;
	counts[2] += right && verdict.replayed > 0;
	counts[3] += !right && sim_accepts(g, plan, true, &exact_why);
	tn_arena_release(&scratch);
	return right;
}

/* Random plans of random graphs: the verifier says what the simulation says. */
START_TEST(agrees_with_simulation)
{
	uint32_t counts[4] = { 0 };

	for (uint32_t i = 0; i < GRAPHS; i++) {
		uint32_t seed = (uint32_t)_i * 10000 + i;
		struct tn_gen gen;
		struct tn_graph g;
		struct tn_plan plan, changed;
		char what[80];

		tn_gen_init(&gen, seed);
		tn_gen_graph(&gen, &kinds[_i], &g);
		if (tn_validate(&g, &gen.diags) != TN_OK)
			show(&gen.diags);
		ck_assert_msg(gen.diags.errors == 0, "seed %u: not valid", seed);
		gen_plan(&gen, &g, &plan);
		snprintf(what, sizeof(what), "seed %u", seed);
		ck_assert_msg(compare(&gen, &g, &plan, what, counts),
			"%s: the plan is right by construction", what);
		for (uint32_t k = 0; k < CHANGES; k++) {
			gen_plan_copy(&gen, &plan, &changed);
			gen_plan_change(&gen, &g, &changed);
			if (k % 2)
				gen_plan_change(&gen, &g, &changed);
			snprintf(what, sizeof(what), "seed %u, change %u", seed, k);
			compare(&gen, &g, &changed, what, counts);
		}
		tn_gen_release(&gen);
	}
	printf("# kind %d: %u right (%u by replay), %u wrong (%u only between strides)\n",
		_i, counts[0], counts[2], counts[1], counts[3]);
	ck_assert_uint_gt(counts[2], 0);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("verify");
	TCase *tc = tcase_create("verify");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, memory_is_a_map_of_bytes, 0, 8);
	tcase_add_loop_test(
		tc, agrees_with_simulation, 0, sizeof(kinds) / sizeof(*kinds));
	suite_add_tcase(s, tc);
	return s;
}
