/* Two judges, one answer: what `lint` says of a plan that is told as claims must be what the
 * verifier says of the plan. They share no code but the graph and the kernels' contracts. */
#include "suite.h"

#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "claims/claims.h"
#include "contract/contract.h"
#include "gen_graph.h"
#include "gen_plan.h"
#include "ir/validate.h"
#include "verify/verify.h"

static const struct tn_gen_options kinds[] = {
	{ .ops = 2 },
	{ .ops = 5 },
	{ .ops = 8, .views = true },
	{ .ops = 8, .state = true },
	{ .ops = 6, .mutation = true, .runnable = true, .views = true },
	{ .ops = 8, .views = true, .state = true },
	{ .ops = 6, .mutation = true, .unchanged = true, .runnable = true },
	{ .ops = 6,
		.mutation = true,
		.unchanged = true,
		.runnable = true,
		.views = true },
};

enum { GRAPHS = 100, CHANGES = 20 };

struct counts {
	uint32_t accepted, refused;
};

/* A claim can say where tensors are and in which order ops run, but neither which kernels
 * run them, the first of each, nor an offset below zero. */
static void make_sayable(struct tn_plan *plan)
{
	for (uint32_t i = 0; i < plan->n_ops; i++)
		plan->ops[i] = (struct tn_plan_op){ .scratch_region = 0 };
	for (uint32_t i = 0; i < plan->n_tensors; i++)
		plan->tensors[i].offset = tn_max_i64(plan->tensors[i].offset, 0);
}

/* One `plan` claim for each region, and one for the order. */
static uint32_t claims_of(struct tn_gen *gen, const struct tn_graph *g,
	const struct tn_plan *plan, struct tn_claim *out)
{
	const uint32_t n = plan->n_regions;

	for (uint32_t r = 0; r < n; r++) {
		struct tn_claim_place *list =
			TN_NEW_ARRAY(&gen->arena, struct tn_claim_place, g->n_tensors);

		ck_assert(list != NULL);
		out[r] = (struct tn_claim){ .id = r ? "second" : "first",
			.kind = "plan",
			.op = { TN_NONE },
			.in = { TN_NONE },
			.out = { TN_NONE },
			.tensor = { TN_NONE },
			.of = { TN_NONE },
			.arena_bytes = plan->regions[r].used,
			.align = plan->regions[r].align,
			.base_address = -1,
			.places = list };
		for (uint32_t i = 0; i < g->n_tensors; i++)
			if (plan->tensors[i].region == r &&
				g->tensors[i].view_of.i == TN_NONE)
				list[out[r].n_places++] = (struct tn_claim_place){ { i },
					plan->tensors[i].offset, -1 };
	}
	out[n] = out[0];
	out[n].id = out[n].kind = "schedule";
	out[n].places = NULL;
	out[n].n_places = 0;
	out[n].order = TN_NEW_ARRAY(&gen->arena, tn_op_id, g->n_ops);
	ck_assert(out[n].order != NULL);
	for (uint32_t i = 0; i < g->n_ops; i++)
		out[n].order[i].i = plan->order[i];
	out[n].n_order = g->n_ops;
	return n + 1;
}

static void compare(struct tn_gen *gen, struct tn_graph *g, const struct tn_plan *plan,
	const char *what, struct counts *counts)
{
	static const uint32_t set[] = { 0, 1, 2 };
	struct tn_claim claims[3];
	struct tn_claim_verdict lint;
	struct tn_verdict verify;
	struct tn_arena scratch;
	struct tn_diags diags;
	enum tn_status status;

	tn_arena_init(&scratch);
	tn_diags_init(&diags, &scratch);
	status = tn_verify(g, plan, &scratch, &diags, &verify);
	ck_assert(status == TN_OK || status == TN_ERR_REFUSED);
	g->claims = claims;
	g->n_claims = claims_of(gen, g, plan, claims);
	ck_assert_int_eq(
		tn_claims_judge(g, set, g->n_claims, NULL, &scratch, &diags, &lint),
		TN_OK);
	if ((status == TN_OK) != (lint.result == CLAIM_PROVED))
		printf("# %s: verify %s (%s), lint %s (%s: %s)\n", what,
			status == TN_OK ? "accepts" : "refuses",
			diags.list.count ? diags.list.items[0].message : "-",
			tn_claim_result_name(lint.result),
			lint.hazard ? lint.hazard : "-", lint.why);
	ck_assert_msg((status == TN_OK) == (lint.result == CLAIM_PROVED),
		"%s: the judges disagree", what);
	*(status == TN_OK ? &counts->accepted : &counts->refused) += 1;
	g->claims = NULL;
	g->n_claims = 0;
	tn_arena_release(&scratch);
}

START_TEST(one_answer)
{
	struct counts counts = { 0 };

	for (uint32_t i = 0; i < GRAPHS; i++) {
		uint32_t seed = 77000 + (uint32_t)_i * 1000 + i;
		struct tn_gen gen;
		struct tn_graph g;
		struct tn_plan plan, changed;
		char what[80];

		tn_gen_init(&gen, seed);
		tn_gen_graph(&gen, &kinds[_i], &g);
		ck_assert_int_eq(tn_validate(&g, &gen.diags), TN_OK);
		gen_plan(&gen, &g, &plan);
		for (uint32_t k = 0; k < CHANGES; k++) {
			gen_plan_copy(&gen, &plan, &changed);
			for (uint32_t n = 0; n < k % 4; n++)
				gen_plan_mutate(&gen, &g, &changed,
					(enum gen_mutant)tn_gen_random(
						&gen, MUTANT_REORDER + 1));
			make_sayable(&changed);
			gen_plan_settle(&g, &changed);
			snprintf(what, sizeof(what), "seed %u, change %u", seed, k);
			compare(&gen, &g, &changed, what, &counts);
		}
		tn_gen_release(&gen);
	}
	printf("# kind %d: %u accepted, %u refused\n", _i, counts.accepted,
		counts.refused);
	ck_assert_uint_gt(counts.accepted, GRAPHS);
	ck_assert_uint_gt(counts.refused, GRAPHS);
}
END_TEST

/* Ops that destroy what they read, or read it again when they have begun to write, inputs that are kept though the graph writes them: what
 * no plan can mend is what `lint` finds without any claim. */
static void spoil(struct tn_gen *gen, struct tn_graph *g)
{
	static const struct tn_attr spoils[] = {
		{ .name = "destroys", .kind = ATTR_BOOL, .v.i = 1, .n = 1 },
		{ .name = "prezero", .kind = ATTR_BOOL, .v.i = 1, .n = 1 },
		{ .name = "passes", .kind = ATTR_INT, .v.i = 2, .n = 1 },
		{ .name = "reads_target", .kind = ATTR_BOOL, .v.i = 1, .n = 1 },
		{ .name = "accumulate", .kind = ATTR_BOOL, .v.i = 1, .n = 1 },
	};

	for (uint32_t i = 0; i < g->n_ops; i++) {
		struct tn_op *op = &g->ops[i];
		const bool unknown = op->kind == OP_UNKNOWN;
		struct tn_attr *attrs = TN_NEW_ARRAY(
			&gen->arena, struct tn_attr, (size_t)op->n_attrs + 1);

		ck_assert(attrs != NULL);
		if (tn_op_attr(op, "view") || tn_gen_random(gen, unknown ? 2 : 4))
			continue;
		for (uint32_t k = 0; k < op->n_attrs; k++)
			attrs[k] = op->attrs[k];
		attrs[op->n_attrs++] = spoils[unknown && tn_gen_random(gen, 2)
						      ? 0
						      : 1 + tn_gen_random(gen, 4)];
		op->attrs = attrs;
	}
	for (uint32_t i = 0; i < g->n_tensors; i++)
		if (g->tensors[i].role == ROLE_INPUT && !tn_gen_random(gen, 4))
			g->tensors[i].clobber = false;
}

static const struct tn_gen_options spoilt[] = {
	{ .ops = 4, .opaque = true },
	{ .ops = 8, .opaque = true, .views = true, .state = true },
	{ .ops = 5, .mutation = true, .runnable = true, .views = true },
	{ .ops = 5, .mutation = true, .unchanged = true, .runnable = true },
	{ .ops = 7, .mutation = true, .opaque = true },
};

START_TEST(own_word)
{
	struct counts counts = { 0 };

	for (uint32_t i = 0; i < 4 * GRAPHS; i++) {
		uint32_t seed = 99000 + (uint32_t)_i * 1000 + i;
		struct tn_gen gen;
		struct tn_graph g;
		struct tn_plan plan;
		struct tn_claims lint;
		struct tn_verdict verify;
		enum tn_status status;

		tn_gen_init(&gen, seed);
		tn_gen_graph(&gen, &spoilt[_i], &g);
		spoil(&gen, &g);
		ck_assert_int_eq(tn_validate(&g, &gen.diags), TN_OK);
		gen_plan(&gen, &g, &plan);
		for (uint32_t t = 0; t < g.n_tensors; t++)
			if (g.tensors[t].view_of.i == TN_NONE &&
				plan.tensors[t].region != TN_REGION_NONE) {
				plan.tensors[t].region = 0;
				plan.tensors[t].offset = 1024 * (int64_t)t;
			}
		make_sayable(&plan);
		for (uint32_t k = 0; k < g.n_ops; k++)
			plan.order[k] = g.schedule[k].i;
		gen_plan_settle(&g, &plan);
		status = tn_verify(&g, &plan, &gen.arena, &gen.diags, &verify);
		ck_assert_int_eq(
			tn_claims_judge_all(&g, NULL, &gen.arena, &gen.diags, &lint),
			TN_OK);
		ck_assert_msg((status == TN_OK) == (lint.n_graph == 0),
			"seed %u: apart, verify says %s, lint %s", seed,
			verify.rule ? verify.rule : "yes",
			lint.n_graph ? lint.graph[0].hazard : "nothing");
		*(status == TN_OK ? &counts.accepted : &counts.refused) += 1;
		tn_gen_release(&gen);
	}
	printf("# kind %d: %u right, %u spoilt\n", _i, counts.accepted, counts.refused);
	ck_assert_uint_gt(counts.accepted, 10);
	ck_assert_uint_gt(counts.refused, 10);
}
END_TEST

/* What the caller, or the next run, has there beside what is meant. */
enum { U, X, T, V, A, D1, D2, Y, Z, P, Q, TENSORS };
#define NOBODY UINT32_MAX

static void make_graph(struct tn_gen *gen, struct tn_graph *g)
{
	static const struct {
		const char *name;
		enum tn_role role;
	} tensors[] = { { "unread", ROLE_INPUT }, { "x", ROLE_INPUT },
		{ "too", ROLE_INPUT }, { "v", ROLE_VARIABLE }, { "a", ROLE_ACT },
		{ "dead", ROLE_ACT }, { "lost", ROLE_ACT }, { "y", ROLE_OUTPUT },
		{ "z", ROLE_OUTPUT }, { "p", ROLE_OUTPUT }, { "q", ROLE_OUTPUT } };
	static const struct {
		const char *type;
		int in, out;
	} ops[] = { { "RELU", X, A }, { "TANH", A, D1 }, { "NEG", A, D2 },
		{ "RESHAPE", A, Y }, { "RESHAPE", A, Z }, { "RESHAPE", X, P },
		{ "RESHAPE", V, Q } };

	for (int i = 0; i < TENSORS; i++)
		tn_gen_tensor(gen, tensors[i].name, DTYPE_F32, tensors[i].role, 2,
			i < Y ? (int64_t[]){ 1, 8 } : (int64_t[]){ 2, 4 });
	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++)
		tn_gen_op(gen, ops[i].type, ops[i].type, (int[]){ ops[i].in, TN_GEN_END },
			(int[]){ ops[i].out, TN_GEN_END });
	tn_gen_finish(gen, g);
}

static const struct {
	const char *name;
	uint32_t tensor, on; /* `tensor` lies on `on`, `shift` bytes further */
	int64_t shift;
	uint32_t clobber; /* bit per input that may be overwritten */
	uint32_t view; /* this one is a view of that it lies on */
	const char *rule, *hazard; /* NULL: proved */
} shared[] = {
	{ "apart", NOBODY, 0, 0, 0, NOBODY, NULL, NULL },
	/* what is given, whichever is last in the file, read or not */
	{ "unread on live", U, X, 0, 7, NOBODY, "plan/overlap", "WAW" },
	{ "live on unread", X, U, 0, 7, NOBODY, "plan/overlap", "WAW" },
	{ "later on live", T, X, 0, 7, NOBODY, "plan/overlap", "WAW" },
	{ "live on later", X, T, 0, 7, NOBODY, "plan/overlap", "WAW" },
	{ "part of it", U, X, 28, 7, NOBODY, "plan/overlap", "WAW" },
	{ "beside it", U, X, 32, 7, NOBODY, NULL, NULL },
	{ "unread both", U, T, 0, 7, NOBODY, "plan/overlap", "WAW" },
	{ "unread on kept", U, X, 0, 5, NOBODY, "plan/overlap", "INPUT_WRITE" },
	{ "kept on unread", T, X, 0, 3, NOBODY, "plan/overlap", "INPUT_WRITE" },
	{ "kept both", U, T, 0, 0, NOBODY, "plan/overlap", "INPUT_WRITE" },
	{ "unread on state", U, V, 0, 7, NOBODY, "plan/overlap", "VARIABLE_CLOBBER" },
	{ "state on unread", V, T, 0, 7, NOBODY, "plan/overlap", "VARIABLE_CLOBBER" },
	{ "declared", T, X, 0, 7, T, NULL, NULL },
	/* over an input that is read no more, or was never */
	{ "on an unread input", A, U, 0, 7, NOBODY, NULL, NULL },
	{ "on a kept unread input", A, U, 0, 6, NOBODY, "plan/input-lost",
		"INPUT_WRITE" },
	/* results that nobody reads */
	{ "unread results", D1, D2, 0, 0, NOBODY, NULL, NULL },
	{ "unread on read", D1, A, 0, 0, NOBODY, "plan/lost-value", "WAW_DEAD_OUTPUT" },
	{ "unread on an input", D1, T, 0, 7, NOBODY, NULL, NULL },
	{ "unread before an output", D2, Z, 0, 0, NOBODY, NULL, NULL },
	/* outputs, with values that agree */
	{ "outputs", Y, Z, 0, 0, NOBODY, "plan/output-shared", "OUTPUT_ALIAS" },
	{ "outputs are one", Z, Y, 0, 0, Z, NULL, NULL },
	{ "output over its source", Y, A, 0, 0, NOBODY, NULL, NULL },
	{ "output in a kept input", P, X, 0, 0, NOBODY, "plan/output-shared",
		"INPUT_OUTPUT_SHARED" },
	{ "output in a given input", P, X, 0, 2, NOBODY, NULL, NULL },
	{ "output is a kept input", P, X, 0, 0, P, NULL, NULL },
	{ "output in a variable", Q, V, 0, 0, NOBODY, "plan/output-shared",
		"VARIABLE_CLOBBER" },
};

START_TEST(owners)
{
	static const uint32_t set[] = { 0, 1 };
	struct tn_gen gen;
	struct tn_graph g;
	struct tn_plan plan;
	struct tn_claim claims[2];
	struct tn_claim_verdict lint;
	struct tn_verdict verify;
	enum tn_status status;

	tn_gen_init(&gen, 1);
	make_graph(&gen, &g);
	for (uint32_t i = 0; i < 3; i++)
		g.tensors[i].clobber = shared[_i].clobber >> i & 1;
	ck_assert_int_eq(tn_plan_init(&plan, &gen.arena, TENSORS, g.n_ops, 1), TN_OK);
	plan.regions[0].align = 4;
	for (uint32_t i = 0; i < TENSORS; i++)
		plan.tensors[i] = (struct tn_plan_tensor){
			.region = 0, .offset = 64 * i, .bytes = 32
		};
	if (shared[_i].tensor != NOBODY)
		plan.tensors[shared[_i].tensor].offset =
			plan.tensors[shared[_i].on].offset + shared[_i].shift;
	if (shared[_i].view != NOBODY)
		g.tensors[shared[_i].view].view_of.i = shared[_i].on;
	gen_plan_settle(&g, &plan);
	status = tn_verify(&g, &plan, &gen.arena, &gen.diags, &verify);
	ck_assert_msg(
		status == (shared[_i].rule ? TN_ERR_REFUSED : TN_OK) &&
			(!shared[_i].rule || strcmp(verify.rule, shared[_i].rule) == 0),
		"%s: verify says %s", shared[_i].name,
		verify.rule ? verify.rule : "accepted");
	g.claims = claims;
	g.n_claims = claims_of(&gen, &g, &plan, claims);
	ck_assert_int_eq(
		tn_claims_judge(&g, set, 2, NULL, &gen.arena, &gen.diags, &lint), TN_OK);
	ck_assert_msg(shared[_i].hazard
			      ? lint.hazard && strcmp(lint.hazard, shared[_i].hazard) == 0
			      : lint.result == CLAIM_PROVED,
		"%s: lint says %s: %s", shared[_i].name,
		lint.hazard ? lint.hazard : tn_claim_result_name(lint.result), lint.why);
	tn_gen_release(&gen);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("judges");
	TCase *tc = tcase_create("judges");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, one_answer, 0, sizeof(kinds) / sizeof(*kinds));
	tcase_add_loop_test(tc, own_word, 0, sizeof(spoilt) / sizeof(*spoilt));
	tcase_add_loop_test(tc, owners, 0, sizeof(shared) / sizeof(*shared));
	suite_add_tcase(s, tc);
	return s;
}
