#include "suite.h"

#include <stdio.h>
#include <string.h>

#include "driver/pipeline.h"
#include "gen_graph.h"
#include "ir/validate.h"

/* A random graph and what is known of it before it is planned. */
struct planned_graph {
	struct tn_gen gen;
	struct tn_graph g;
	struct tn_order order;
	struct tn_aliases aliases;
	struct tn_liveness live;
	struct tn_inplace inplace;
};

static void planned_graph_init(
	struct planned_graph *p, uint32_t seed, const struct tn_gen_options *options)
{
	struct tn_arena *arena = &p->gen.arena;

	tn_gen_init(&p->gen, seed);
	tn_gen_graph(&p->gen, options, &p->g);
	ck_assert_int_eq(tn_order_given(&p->g, arena, &p->order), TN_OK);
	ck_assert_int_eq(tn_aliases_find(&p->g, arena, &p->aliases), TN_OK);
	ck_assert_int_eq(
		tn_liveness_find(&p->g, &p->order, &p->aliases, arena, &p->live), TN_OK);
	ck_assert_int_eq(tn_inplace_judge(&p->g, &p->order, &p->aliases, &p->live, arena,
				 &p->inplace),
		TN_OK);
}

static void planned_graph_release(struct planned_graph *p)
{
	tn_gen_release(&p->gen);
}

/* One candidate of a fixture and the verdict that it must get. */
static const struct verdict_case {
	const char *graph, *op, *in;
	enum tn_obligation failed; /* OBLIGATION_NONE: proved */
	const char *hazard, *reader;
	long long saves;
} verdicts[] = {
	{ "sum-keeps-operands", "sum", "A", OBLIGATION_O2, "INPUT_WRITE", NULL, 0 },
	{ "sum-keeps-operands", "sum", "B", OBLIGATION_O2, "INPUT_WRITE", NULL, 0 },
	{ "sum-into-operand", "sum", "A", OBLIGATION_NONE, NULL, NULL, 64 },
	{ "sum-into-operand", "sum", "B", OBLIGATION_O2, "INPUT_WRITE", NULL, 0 },
	{ "later-reader", "op1", "y", OBLIGATION_O1, "RAW", "op2", 0 },
	{ "later-reader", "op2", "y", OBLIGATION_NONE, NULL, NULL, 32 },
	{ "relu-in-place", "op", "a", OBLIGATION_NONE, NULL, NULL, 64 },
	{ "sigmoid-in-place", "op", "a", OBLIGATION_NONE, NULL, NULL, 64 },
	{ "tanh-in-place", "op", "a", OBLIGATION_NONE, NULL, NULL, 64 },
	{ "add-in-place", "op", "a", OBLIGATION_NONE, NULL, NULL, 64 },
	{ "add-in-place", "op", "b", OBLIGATION_NONE, NULL, NULL, 64 },
	{ "mul-in-place", "op", "a", OBLIGATION_NONE, NULL, NULL, 64 },
	{ "mul-in-place", "op", "b", OBLIGATION_NONE, NULL, NULL, 64 },
	{ "broadcast-operand", "op", "a", OBLIGATION_NONE, NULL, NULL, 64 },
	{ "broadcast-operand", "op", "b", OBLIGATION_O4, "SIZE", "op", 32 },
	{ "wider-output", "op", "a", OBLIGATION_O4, "SIZE", "op", 16 },
	{ "preserved-operand", "op", "x", OBLIGATION_O2, "INPUT_WRITE", NULL, 0 },
	{ "residual", "left", "skip", OBLIGATION_O1, "RAW", "add", 0 },
	{ "residual", "add", "skip", OBLIGATION_NONE, NULL, NULL, 256 },
	{ "residual", "add", "b", OBLIGATION_NONE, NULL, NULL, 256 },
	{ "pool-stride-2", "pool", "a", OBLIGATION_NONE, NULL, NULL, 256 },
	{ "pool-stride-1", "pool", "a", OBLIGATION_O3, "RAW_SAME_STEP", "pool",
		2 * 16384 - (16384 + 528) },
	{ "reshape-is-a-view", "op", "r", OBLIGATION_O1, "LIFETIME_VIA_ALIAS", "old", 0 },
	{ "reshape-is-a-view", "old", "a", OBLIGATION_NONE, NULL, NULL, 64 },
};

static void plan_fixture(struct tn_run *run, tenure_options *options, const char *graph)
{
	char name[256];
	enum tn_status status;

	snprintf(name, sizeof(name), "fixtures/proofs/%s.json", graph);
	tn_run_init(run, options);
	status = tn_pipeline(run, tn_test_path(name), STAGE_PLAN);
	for (size_t i = 0; i < run->diags.list.count; i++)
		printf("# %s: %s\n", graph, run->diags.list.items[i].message);
	ck_assert_msg(status == TN_OK, "%s: status %d", graph, status);
	ck_assert(run->verified);
}

static const struct tn_candidate *find(
	const struct tn_run *run, const char *op, const char *in)
{
	for (size_t i = 0; i < run->inplace.n; i++) {
		const struct tn_candidate *c = &run->inplace.list[i];

		if (strcmp(run->graph.ops[c->op.i].name, op) == 0 &&
			strcmp(run->graph.tensors[c->in.i].name, in) == 0)
			return c;
	}
	ck_abort_msg("no candidate %s, %s", op, in);
	return NULL;
}

START_TEST(verdict_of_candidate)
{
	const struct verdict_case *v = &verdicts[_i];
	const struct tn_candidate *c;
	tenure_options options;
	struct tn_run run;

	tenure_options_init(&options);
	options.rewrite = "none"; /* the ops of the file are asked for */
	plan_fixture(&run, &options, v->graph);
	c = find(&run, v->op, v->in);
	ck_assert_msg(c->failed == v->failed, "%s: %s on %s fails %s, not %s", v->graph,
		v->op, v->in, tn_obligation_name(c->failed),
		tn_obligation_name(v->failed));
	ck_assert_int_eq(c->verdict, v->failed ? VERDICT_REJECTED : VERDICT_PROVED);
	if (v->hazard) {
		ck_assert_str_eq(c->hazard, v->hazard);
		ck_assert_str_eq(run.graph.ops[c->witness.writer.i].name, v->op);
		ck_assert_str_eq(run.graph.tensors[c->witness.victim.i].name, v->in);
		ck_assert_int_lt(c->witness.begin, c->witness.end);
	}
	if (v->reader)
		ck_assert_str_eq(run.graph.ops[c->witness.reader.i].name, v->reader);
	ck_assert_int_eq(c->saves_bytes, v->saves);
	tn_run_release(&run);
}
END_TEST

/* What a kernel destroys of its own operands: the bytes that it first reads too late. */
static const struct {
	const char *graph, *op, *in;
	int64_t begin, end; /* of the input's root */
} clashes[] = {
	{ "pool-descending", "pool", "a", 63, 64 },
	{ "shifted-operands", "sum", "middle", 12, 16 },
};

START_TEST(witness_of_own_contract)
{
	const struct tn_candidate *c;
	tenure_options options;
	struct tn_run run;

	tenure_options_init(&options);
	options.rewrite = "none";
	plan_fixture(&run, &options, clashes[_i].graph);
	c = find(&run, clashes[_i].op, clashes[_i].in);
	ck_assert_int_eq(c->failed, OBLIGATION_O3);
	ck_assert_str_eq(c->hazard, "RAW_SAME_STEP");
	ck_assert_msg(c->witness.begin == clashes[_i].begin &&
			      c->witness.end == clashes[_i].end,
		"%s: bytes %lld to %lld", clashes[_i].graph, (long long)c->witness.begin,
		(long long)c->witness.end);
	tn_run_release(&run);
}
END_TEST

/* A candidate that a reader forbids, until a rewrite has removed the reader. */
static const struct {
	const char *graph, *op, *in, *reader;
} freed[] = {
	{ "../rewrites/dead_reader_i8", "tanh_1", "mul0", "abs_2" },
	{ "../rewrites/shape_reader_i8", "tanh_1", "mul0", "shape_2" },
};

START_TEST(rewrites_remove_readers)
{
	const struct tn_candidate *c;
	tenure_options options;
	struct tn_run run;

	tenure_options_init(&options);
	options.rewrite = "none";
	plan_fixture(&run, &options, freed[_i].graph);
	c = find(&run, freed[_i].op, freed[_i].in);
	ck_assert_int_eq(c->verdict, VERDICT_REJECTED);
	ck_assert_int_eq(c->failed, OBLIGATION_O1);
	ck_assert_str_eq(run.graph.ops[c->witness.reader.i].name, freed[_i].reader);
	tn_run_release(&run);
	options.rewrite = "all";
	plan_fixture(&run, &options, freed[_i].graph);
	c = find(&run, freed[_i].op, freed[_i].in);
	ck_assert_int_eq(c->verdict, VERDICT_PROVED);
	tn_run_release(&run);
}
END_TEST

static const struct plan_case {
	const char *graph;
	enum tenure_overlap overlap;
	long long activation, disjoint, scratch;
} plans[] = {
	{ "sum-keeps-operands", TENURE_OVERLAP_FULL, 192, 192, 0 },
	{ "sum-into-operand", TENURE_OVERLAP_FULL, 128, 192, 0 },
	{ "sum-into-operand", TENURE_OVERLAP_INPLACE, 128, 192, 0 },
	{ "sum-into-operand", TENURE_OVERLAP_NONE, 192, 192, 0 },
	{ "wider-output", TENURE_OVERLAP_FULL, 80, 144, 0 },
	{ "residual", TENURE_OVERLAP_INPLACE, 512, 768, 0 },
	{ "feature-map-elementwise-i16", TENURE_OVERLAP_FULL, 1048576, 2097152, 0 },
	{ "feature-map-elementwise-i16", TENURE_OVERLAP_INPLACE, 1048576, 2097152, 0 },
	{ "feature-map-elementwise-i8", TENURE_OVERLAP_FULL, 524288, 1048576, 0 },
	{ "feature-map-conv-i16", TENURE_OVERLAP_FULL, 1065216, 2097152, 256 },
	{ "feature-map-conv-i16", TENURE_OVERLAP_INPLACE, 2097152, 2097152, 0 },
	{ "feature-map-conv-i8", TENURE_OVERLAP_FULL, 532608, 1048576, 128 },
	{ "pool-stride-1", TENURE_OVERLAP_FULL, 16384 + 528, 32768, 0 },
	{ "view-of-a-late-root", TENURE_OVERLAP_FULL, 1040, 1040, 0 },
	{ "reshape-is-a-view", TENURE_OVERLAP_FULL, 128, 192, 0 },
};

START_TEST(plan_of_fixture)
{
	const struct plan_case *p = &plans[_i];
	tenure_options options;
	struct tn_run run;

	tenure_options_init(&options);
	options.overlap = p->overlap;
	plan_fixture(&run, &options, p->graph);
	ck_assert_msg(run.plan.activation_bytes == p->activation,
		"%s: %lld activation bytes, want %lld", p->graph,
		(long long)run.plan.activation_bytes, p->activation);
	ck_assert_int_eq(run.plan.disjoint_bound_bytes, p->disjoint);
	ck_assert_int_eq(run.plan.scratch_bytes, p->scratch);
	ck_assert_int_le(run.plan.bound_bytes, run.plan.activation_bytes);
	tn_run_release(&run);
}
END_TEST

/* Every mode and alignment gives a plan that the verifier accepts: scratch is aligned for
 * kernels whatever the tensors are, and in place takes a variant that allows it. */
static const char *const nets[] = { "graphs/op_conv_2d_f32", "graphs/kws_i8",
	"graphs/residual_i8", "graphs/wake_i8", "graphs/branches_f32",
	"proofs/view-of-another-type" };

START_TEST(every_mode_is_verified)
{
	static const int64_t aligns[] = { 1, 2, 16, 64 };
	char name[256];

	snprintf(name, sizeof(name), "fixtures/%s.json", nets[_i]);
	for (int mode = TENURE_OVERLAP_NONE; mode <= TENURE_OVERLAP_FULL; mode++) {
		for (size_t a = 0; a < sizeof(aligns) / sizeof(*aligns); a++) {
			tenure_options options;
			struct tn_run run;

			tenure_options_init(&options);
			options.overlap = (enum tenure_overlap)mode;
			options.align = aligns[a];
			tn_run_init(&run, &options);
			ck_assert_msg(tn_pipeline(&run, tn_test_path(name), STAGE_PLAN) ==
						      TN_OK &&
					      run.verified,
				"%s: mode %d, alignment %d", name, mode, (int)aligns[a]);
			tn_run_release(&run);
		}
	}
}
END_TEST

/* An op that runs and writes a preserved input through a view: no plan is right. */
START_TEST(a_view_is_no_excuse)
{
	tenure_options options;
	struct tn_run run;

	tenure_options_init(&options);
	tn_run_init(&run, &options);
	ck_assert_int_ne(
		tn_pipeline(&run,
			tn_test_path("fixtures/proofs/written-through-a-view.json"),
			STAGE_PLAN),
		TN_OK);
	ck_assert(!run.verified);
	ck_assert_str_eq(run.verdict.rule, "plan/input-lost");
	tn_run_release(&run);
}
END_TEST

/* The operands of C = A + B are apart from the result; under A += B one of them is not. */
START_TEST(operands_kept_or_destroyed)
{
	tenure_options options;
	struct tn_run run;
	const struct tn_plan_tensor *t;

	tenure_options_init(&options);
	plan_fixture(&run, &options, "sum-keeps-operands");
	t = run.plan.tensors;
	for (int i = 0; i < 2; i++)
		ck_assert(t[i].offset + t[i].bytes <= t[2].offset ||
			  t[2].offset + t[2].bytes <= t[i].offset);
	tn_run_release(&run);
	plan_fixture(&run, &options, "sum-into-operand");
	t = run.plan.tensors;
	ck_assert_int_eq(t[0].offset, t[2].offset);
	tn_run_release(&run);
}
END_TEST

/* The least bytes that two tensors need in any legal placement, tried one by one. */
static int64_t least_span(const struct tn_candidate *c, int64_t in, int64_t out)
{
	int64_t least = in + out;

	for (uint32_t v = 0; v < c->n_variants; v++) {
		for (int64_t x = -in; x <= out;
			x++) { /* the input's start less the output's */
			int64_t have = c->variant[v].descending ? -x : x;
			int64_t low = x < 0 ? x : 0;
			int64_t high = x + in > out ? x + in : out;

			if (c->d[v] != TN_DISPLACEMENT_NEVER && have >= c->d[v] &&
				high - low < least)
				least = high - low;
		}
	}
	return least;
}

/* What an overlap is said to save is what the best placement saves, whichever side is the
 * larger and whichever way the kernel runs. */
START_TEST(saving_is_real)
{
	int64_t overlaps = 0, descending = 0;

	for (uint32_t seed = 0; seed < 150; seed++) {
		const struct tn_gen_options options = { .ops = 12, .runnable = true };
		struct planned_graph p;

		planned_graph_init(&p, 7000 + seed, &options);
		for (size_t i = 0; i < p.inplace.n; i++) {
			const struct tn_candidate *c = &p.inplace.list[i];
			int64_t in = p.g.tensors[c->in.i].bytes;
			int64_t out = p.g.tensors[c->out.i].bytes;

			if (!c->may_overlap || c->verdict == VERDICT_PROVED || c->elided)
				continue;
			ck_assert_msg(in + out - c->saves_bytes == least_span(c, in, out),
				"seed %u: op %u saves %lld of %lld and %lld", 7000 + seed,
				c->op.i, (long long)c->saves_bytes, (long long)in,
				(long long)out);
			overlaps++;
			descending += c->variant[c->best].descending && in != out;
		}
		planned_graph_release(&p);
	}
	printf("# %lld overlaps, %lld descending between unequal sizes\n",
		(long long)overlaps, (long long)descending);
	ck_assert_int_gt(overlaps, 50);
	ck_assert_int_gt(descending, 5);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("proofs");
	TCase *tc = tcase_create("proofs");

	tcase_set_timeout(tc, 300);
	tcase_add_loop_test(
		tc, verdict_of_candidate, 0, (int)(sizeof(verdicts) / sizeof(*verdicts)));
	tcase_add_loop_test(
		tc, rewrites_remove_readers, 0, (int)(sizeof(freed) / sizeof(*freed)));
	tcase_add_loop_test(
		tc, witness_of_own_contract, 0, sizeof(clashes) / sizeof(*clashes));
	tcase_add_loop_test(
		tc, plan_of_fixture, 0, (int)(sizeof(plans) / sizeof(*plans)));
	tcase_add_loop_test(
		tc, every_mode_is_verified, 0, (int)(sizeof(nets) / sizeof(*nets)));
	tcase_add_test(tc, saving_is_real);
	tcase_add_test(tc, a_view_is_no_excuse);
	tcase_add_test(tc, operands_kept_or_destroyed);
	suite_add_tcase(s, tc);
	return s;
}
