/* Ops that only hand bytes on, and what becomes of them. */
#include "suite.h"

#include <stdio.h>
#include <string.h>

#include "driver/pipeline.h"

static enum tn_status plan_fixture(
	struct tn_run *run, tenure_options *options, const char *graph)
{
	char name[256];
	enum tn_status status;

	options->rewrite = "none"; /* which would take some of these ops away */
	snprintf(name, sizeof(name), "fixtures/nocopy/%s.json", graph);
	tn_run_init(run, options);
	status = tn_pipeline(run, tn_test_path(name), STAGE_PLAN);
	for (size_t i = 0; i < run->diags.list.count; i++)
		printf("# %s: %s\n", graph, run->diags.list.items[i].message);
	return status;
}

/* Names of the ops that do not run, in the order of the file. */
static const struct plan_case {
	const char *graph, *elided;
	long long activation, disjoint;
} plans[] = {
	{ "concat-rows", "join", 64, 128 },
	{ "concat-channels", "", 192, 256 },
	{ "concat-channels-of-a-pixel", "join", 24, 32 },
	{ "concat-twice", "", 64, 128 },
	{ "concat-constant", "", 64, 128 },
	{ "concat-taken", "join", 128, 192 },
	{ "concat-scale", "", 64, 128 },
	{ "concat-tail", "", 80, 144 },
	{ "concat-outputs", "", 96, 128 },
	{ "concat-of-inputs", "join", 96, 96 },
	{ "concat-odd-inputs", "", 98, 146 },
	{ "concat-variable", "", 96, 160 },
	{ "concat-rewritten", "", 128, 160 },
	{ "concat-nested", "join again", 96, 192 },
	{ "split-rows", "split", 128, 256 },
	{ "split-and-join", "split join", 64, 128 },
	{ "split-and-swap", "split", 96, 128 },
	{ "passed-through", "left right join", 128, 256 },
	{ "passed-through-late", "join", 192, 320 },
	{ "slices", "rows row", 192, 256 },
	{ "identities", "turn pad cast one all", 32, 64 },
	{ "odd-view", "", 104, 168 },
	{ "copy-is-smaller", "", 144, 144 },
	{ "nothing-to-join", "none", 64, 96 },
	{ "nibbles", "", 40, 40 },
	{ "backwards", "", 32, 32 },
};

START_TEST(plan_of_fixture)
{
	const struct plan_case *p = &plans[_i];
	char elided[256] = "";
	tenure_options options;
	struct tn_run run;

	tenure_options_init(&options);
	ck_assert_msg(plan_fixture(&run, &options, p->graph) == TN_OK && run.verified,
		"%s", p->graph);
	for (uint32_t i = 0; i < run.graph.n_ops; i++)
		if (run.plan.ops[i].elided)
			snprintf(elided + strlen(elided), sizeof(elided) - strlen(elided),
				"%s%s", *elided ? " " : "", run.graph.ops[i].name);
	ck_assert_msg(strcmp(elided, p->elided) == 0, "%s: '%s' need not run, want '%s'",
		p->graph, elided, p->elided);
	ck_assert_msg(run.plan.activation_bytes == p->activation &&
			      run.plan.disjoint_bound_bytes == p->disjoint,
		"%s: %lld bytes, %lld apart; want %lld, %lld", p->graph,
		(long long)run.plan.activation_bytes,
		(long long)run.plan.disjoint_bound_bytes, p->activation, p->disjoint);
	ck_assert_msg(run.plan.optimal, "%s: bound %lld", p->graph,
		(long long)run.plan.bound_bytes);
	tn_run_release(&run);
}
END_TEST

#define N_PLANS (int)(sizeof(plans) / sizeof(*plans))

/* Of these the planner does not prove that its plan is the best. */
static const char *const others[] = { "part-and-whole", "kept-part", "cast-constant" };

static void verify_fixture(tenure_options *options, const char *graph)
{
	struct tn_run run;

	ck_assert_msg(plan_fixture(&run, options, graph) == TN_OK && run.verified,
		"%s: mode %d, alignment %d, order %d", graph, options->overlap,
		(int)options->align, options->schedule);
	ck_assert_msg(run.plan.bound_bytes <= run.plan.activation_bytes,
		"%s: mode %d, alignment %d, order %d: bound %lld of %lld", graph,
		options->overlap, (int)options->align, options->schedule,
		(long long)run.plan.bound_bytes, (long long)run.plan.activation_bytes);
	if (options->overlap == TENURE_OVERLAP_NONE)
		ck_assert_int_le(
			run.plan.disjoint_bound_bytes, run.plan.activation_bytes);
	tn_run_release(&run);
}

/* Every overlap mode and alignment gives a plan that the verifier accepts, none below its
 * bound. */
START_TEST(every_mode_is_verified)
{
	const char *graph = _i < N_PLANS ? plans[_i].graph : others[_i - N_PLANS];
	static const int64_t aligns[] = { 1, 2, 16, 64 };

	for (int mode = TENURE_OVERLAP_NONE; mode <= TENURE_OVERLAP_FULL; mode++) {
		for (size_t a = 0; a < sizeof(aligns) / sizeof(*aligns); a++) {
			tenure_options options;

			tenure_options_init(&options);
			options.overlap = (enum tenure_overlap)mode;
			options.align = aligns[a];
			verify_fixture(&options, graph);
			options.schedule = TENURE_SCHEDULE_SEARCH;
			verify_fixture(&options, graph);
		}
	}
}
END_TEST

/* A rejected decision names what failed and who stands in the way. */
static const struct verdict_case {
	const char *graph, *op, *in, *hazard;
	enum tn_obligation failed;
	const char *by;
} verdicts[] = {
	{ "concat-twice", "join", "a", "TWICE", OBLIGATION_O5, "join" },
	{ "concat-constant", "join", "k", "CONSTANT_PART", OBLIGATION_O2, NULL },
	{ "concat-constant", "join", "a", "OTHER_OPERAND", OBLIGATION_O5, "join" },
	{ "concat-channels", "join", "a", "STRIDED", OBLIGATION_O4, NULL },
	{ "concat-taken", "again", "a", "TAKEN", OBLIGATION_O5, "join" },
	{ "concat-scale", "join", "b", "QUANTISATION", OBLIGATION_O4, NULL },
	{ "concat-tail", "join", "a", "TAIL", OBLIGATION_O4, NULL },
	{ "concat-outputs", "join", "a", "CALLER_HAS_BOTH", OBLIGATION_O5, NULL },
	{ "concat-odd-inputs", "join", "w", "ALIGNMENT", OBLIGATION_O4, NULL },
	{ "concat-variable", "join", "v", "VARIABLE_PART", OBLIGATION_O2, NULL },
	{ "concat-rewritten", "join", "a", "REWRITTEN", OBLIGATION_O5, "over" },
	{ "split-and-swap", "join", "b", "FIXED_LAYOUT", OBLIGATION_O4, NULL },
	{ "odd-view", "shape", "v", "ALIGNMENT", OBLIGATION_O4, NULL },
};

START_TEST(verdict_of_operand)
{
	const struct verdict_case *v = &verdicts[_i];
	const struct tn_candidate *c = NULL;
	tenure_options options;
	struct tn_run run;

	tenure_options_init(&options);
	ck_assert_int_eq(plan_fixture(&run, &options, v->graph), TN_OK);
	for (size_t i = 0; i < run.inplace.n; i++) {
		const struct tn_candidate *x = &run.inplace.list[i];

		if (x->no_copy && strcmp(run.graph.ops[x->op.i].name, v->op) == 0 &&
			strcmp(run.graph.tensors[x->in.i].name, v->in) == 0)
			c = x;
	}
	ck_assert_msg(c, "%s: no decision", v->graph);
	ck_assert_msg(c->failed == v->failed && strcmp(c->hazard, v->hazard) == 0,
		"%s: %s %s", v->graph, tn_obligation_name(c->failed), c->hazard);
	ck_assert_int_eq(c->verdict, VERDICT_REJECTED);
	ck_assert_str_eq(run.graph.ops[c->witness.writer.i].name, v->op);
	ck_assert_int_lt(c->witness.begin, c->witness.end);
	if (v->by)
		ck_assert_str_eq(run.graph.ops[c->witness.reader.i].name, v->by);
	else
		ck_assert_uint_eq(c->witness.reader.i, TN_NONE);
	tn_run_release(&run);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("nocopy");
	TCase *tc = tcase_create("nocopy");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, plan_of_fixture, 0, sizeof(plans) / sizeof(*plans));
	tcase_add_loop_test(tc, every_mode_is_verified, 0,
		N_PLANS + sizeof(others) / sizeof(*others));
	tcase_add_loop_test(
		tc, verdict_of_operand, 0, sizeof(verdicts) / sizeof(*verdicts));
	suite_add_tcase(s, tc);
	return s;
}
