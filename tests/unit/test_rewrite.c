/* Rewrites: what each pass does, on fixtures; equal results, one spelling and
 * verified plans on these and on random graphs. */
#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/pipeline.h"
#include "exec/exec.h"
#include "gen_graph.h"
#include "ir/digest.h"
#include "loaded.h"
#include "own_plan.h"
#include "rewritten.h"

/* ---- fixtures ---- */

static const struct {
	const char *file;
	int pass, times; /* done by this pass */
	uint32_t ops; /* afterwards */
	int64_t before, after; /* activation bytes; 0: the same as before */
} cases[] = {
	{ "pad_conv_i8", PASS_PAD, 1, 2, 288, 172 },
	{ "pad_conv_f32", PASS_PAD, 1, 2, 1152, 672 },
	{ "pad_depthwise_i8", PASS_PAD, 1, 2, 400, 256 },
	{ "pad_depthwise_f32", PASS_PAD, 1, 2, 1600, 1024 },
	{ "pad_max_pool_i8", PASS_PAD, 1, 2, 192, 140 },
	{ "clamp_i8", PASS_ACTIVATION, 2, 3, 288, 288 },
	{ "clamp_f32", PASS_ACTIVATION, 2, 3, 1152, 1152 },
	{ "dead_reader_i8", PASS_DEAD_CODE, 2, 2, 220, 108 },
	{ "dead_reader_f32", PASS_DEAD_CODE, 2, 2, 864, 432 },
	{ "identities_i8", PASS_IDENTITY, 4, 2, 96, 96 },
	{ "identities_f32", PASS_IDENTITY, 4, 2, 384, 384 },
	{ "reshapes_i8", PASS_CANONICAL, 7, 3, 28, 28 },
	{ "reshapes_f32", PASS_CANONICAL, 7, 3, 80, 80 },
	{ "commuted_ba_i8", PASS_CANONICAL, 1, 3, 128, 128 },
	{ "constants_f32", PASS_CONSTANT, 2, 1, 64, 32 },
	{ "common_i8", PASS_COMMON, 2, 5, 436, 324 },
	{ "common_f32", PASS_COMMON, 2, 5, 1600, 1200 },
	{ "transposes_i8", PASS_TRANSPOSE, 3, 3, 144, 96 },
	{ "transposes_f32", PASS_TRANSPOSE, 3, 4, 560, 384 },
	{ "round_trip_i8", PASS_QUANTIZE, 1, 2, 320, 96 },
	{ "round_trip_left_i8", PASS_CHAINS, 1, 3, 320, 96 },
	{ "transposed_operands_i8", PASS_TRANSPOSE, 3, 2, 140, 124 },
	{ "transposed_rows_i8", PASS_TRANSPOSE, 2, 4, 108, 76 },
	{ "transposed_sum_i8", PASS_TRANSPOSE, 3, 4, 176, 128 },
	{ "transpose_narrow_i8", PASS_TRANSPOSE, 1, 3, 1280, 768 },
	{ "transpose_wide_i8", PASS_TRANSPOSE, 1, 4, 1008, 576 },
	{ "transposed_channels_i8", PASS_TRANSPOSE, 3, 3, 340, 138 },
	{ "transposed_channels_f32", PASS_TRANSPOSE, 3, 3, 1360, 552 },
	{ "transposed_mean_i8", PASS_TRANSPOSE, 1, 3, 216, 138 },
	{ "transposed_mean_f32", PASS_TRANSPOSE, 1, 3, 832, 552 },
	{ "shape_reader_i8", PASS_CONSTANT, 1, 3, 220, 124 },
	{ "mean_pool_i8", PASS_COMMON, 1, 3, 40, 24 },
	{ "mean_pool_f32", PASS_ACTIVATION, 1, 3, 384, 384 },
	{ "mean_of_one_i8", PASS_IDENTITY, 2, 3, 64, 40 },
	{ "matmul_f32", PASS_SYNONYM, 1, 1, 64, 64 },
	{ "matmul_i8", PASS_SYNONYM, 1, 1, 26, 26 },
	{ "bias_f32", PASS_BIAS, 1, 1, 476, 476 },
	{ "spelled_clamps_f32", PASS_SYNONYM, 4, 3, 496, 496 },
	{ "spelled_clamps_i8", PASS_SYNONYM, 2, 2, 123, 123 },
	{ "chain_i8", PASS_CHAINS, 3, 2, 172, 172 },
	{ "requantize_pair_i8", PASS_CHAINS, 1, 3, 172, 172 },
	{ "fake_quant_i8", PASS_CHAINS, 3, 2, 432, 108 },
	{ "float_moves_i8", PASS_QUANTIZE, 3, 5, 720, 180 },
	{ "float_moves_seen_i8", PASS_QUANTIZE, 2, 4, 576, 180 },
	{ "qdq_add_i8", PASS_QUANTIZE, 1, 1, 864, 220 },
	{ "dead_channels_residual_i8", PASS_CHANNELS, 1, 7, 1024, 768 },
	{ "dead_channels_i8", PASS_CHANNELS, 2, 6, 592, 224 },
};

START_TEST(each_pass_does_its_work)
{
	const char *file = cases[_i].file;
	struct rewritten r;
	struct loaded l;
	char path[128];

	snprintf(path, sizeof(path), "fixtures/rewrites/%s.json", file);
	loaded_file(&l, tn_test_path(path), NULL);
	loaded_ok(&l, file);
	r = rewritten_of(&l.graph, tn_passes_exact(), &l.arena, &l.strings);
	ck_assert_msg(rewritten_count(&r.log, cases[_i].pass, true) == cases[_i].times &&
			      r.graph.n_ops == cases[_i].ops,
		"%s: done %d times, %u ops", file,
		rewritten_count(&r.log, cases[_i].pass, true), r.graph.n_ops);
	ck_assert_msg(arena_of(&l.graph) == cases[_i].before &&
			      arena_of(&r.graph) == cases[_i].after,
		"%s: %lld B, then %lld B", file, (long long)arena_of(&l.graph),
		(long long)arena_of(&r.graph));
	for (uint32_t seed = 1; seed <= 8; seed++)
		same_results(file, seed, &l.graph, &r.graph);
	loaded_release(&l);
}
END_TEST

/* The same net in two formats: floats between quantisations become integers. */
static const char *const qdq[] = { "onnx_qdq_add.json", "torch_qdq_add.json" };

START_TEST(formats_lose_their_floats)
{
	struct rewritten r;
	struct loaded l;
	char path[128];

	snprintf(path, sizeof(path), "fixtures/foreign/%s", qdq[_i]);
	loaded_file(&l, tn_test_path(path), NULL);
	loaded_ok(&l, qdq[_i]);
	r = rewritten_of(&l.graph, tn_passes_exact(), &l.arena, &l.strings);
	ck_assert_uint_eq(l.graph.n_ops, 10);
	ck_assert_uint_eq(r.graph.n_ops, 5); /* two in, RELU, ADD, one out */
	for (uint32_t i = 0; i < r.graph.n_ops; i++)
		if (r.graph.ops[i].kind == OP_ADD || r.graph.ops[i].kind == OP_RELU)
			ck_assert_msg(
				tn_dtype_bits(r.graph.tensors[r.graph.ops[i].outputs[0].i]
						      .dtype) == 8,
				"%s: %s gives no bytes", qdq[_i], r.graph.ops[i].type);
	for (uint32_t seed = 1; seed <= 8; seed++)
		same_results(qdq[_i], seed, &l.graph, &r.graph);
	loaded_release(&l);
}
END_TEST

START_TEST(two_spellings_become_one)
{
	struct loaded a, b;
	struct rewritten x, y;
	struct tn_plan p, q;

	loaded_file(&a, tn_test_path("fixtures/rewrites/commuted_ab_i8.json"), NULL);
	loaded_ok(&a, "ab");
	x = rewritten_of(&a.graph, tn_passes_exact(), &a.arena, &a.strings);
	loaded_file(&b, tn_test_path("fixtures/rewrites/commuted_ba_i8.json"), NULL);
	loaded_ok(&b, "ba");
	y = rewritten_of(&b.graph, tn_passes_exact(), &b.arena, &b.strings);
	ck_assert_uint_ne(tn_digest_graph(&a.graph), tn_digest_graph(&b.graph));
	same_text("commuted", &x.graph, &y.graph);
	ck_assert(own_plan(&x.graph, OVERLAP_FULL, &a.arena, &p) &&
		  own_plan(&y.graph, OVERLAP_FULL, &b.arena, &q));
	ck_assert_uint_eq(p.n_tensors, q.n_tensors);
	ck_assert_int_eq(p.arena_bytes, q.arena_bytes);
	ck_assert_mem_eq(p.tensors, q.tensors, p.n_tensors * sizeof(*p.tensors));
	loaded_release(&a);
	loaded_release(&b);
}
END_TEST

/* Not exact, so only when named: the results are near, not equal. */
static const struct {
	const char *file;
	int pass;
	uint32_t ops; /* afterwards */
	double worst; /* a float's difference, or steps of an int8 */
	int64_t before, after;
} near[] = {
	{ "batch_norm_f32", PASS_SCALE, 1, 1e-5, 656, 656 },
	{ "conv_bn_relu_f32", PASS_SCALE, 1, 1e-5, 656, 656 },
	{ "scale_ahead_f32", PASS_SCALE, 3, 1e-5, 1152, 720 },
	{ "scale_ahead_layers_f32", PASS_SCALE, 4, 1e-5, 336, 336 },
	{ "qdq_net_i8", PASS_INTEGERS, 6, 1.0, 2048, 512 },
	{ "qat_net_f32", PASS_INTEGERS, 7, 0.0315, 1680, 768 },
};

static double value_at(const struct tn_tensor *t, const uint8_t *bytes, int64_t i)
{
	float value;

	if (t->dtype == DTYPE_I8)
		return (double)(int8_t)bytes[i];
	memcpy(&value, bytes + 4 * i, sizeof(value));
	return (double)value;
}

static void near_results(
	int k, uint32_t seed, struct loaded *l, const struct tn_graph *rewritten)
{
	const struct tn_tensor *t = &l->graph.tensors[l->graph.outputs[0].i];
	const uint8_t *p, *q;
	struct tn_exec *x, *y;
	size_t size;

	ck_assert_int_eq(tn_exec_new(&l->graph, NULL, &l->arena, &l->diags, &x), TN_OK);
	ck_assert_int_eq(tn_exec_new(rewritten, NULL, &l->arena, &l->diags, &y), TN_OK);
	tn_exec_seed(x, seed);
	tn_exec_seed(y, seed);
	ck_assert_int_eq(tn_exec_run(x, NULL, NULL), TN_OK);
	ck_assert_int_eq(tn_exec_run(y, NULL, NULL), TN_OK);
	p = tn_exec_bytes(x, l->graph.outputs[0], &size);
	q = tn_exec_bytes(y, rewritten->outputs[0], &size);
	for (int64_t i = 0; i < t->elements; i++) {
		const double off = value_at(t, p, i) - value_at(t, q, i);

		ck_assert_msg(off <= near[k].worst && -off <= near[k].worst,
			"%s, seed %u, element %lld: off by %g", near[k].file, seed,
			(long long)i, off);
	}
}

START_TEST(inexact_passes_are_near)
{
	const tn_pass_set passes = tn_passes_exact() | 1u << near[_i].pass;
	struct rewritten r, exact;
	struct loaded l;
	char path[128];

	snprintf(path, sizeof(path), "fixtures/rewrites/%s.json", near[_i].file);
	loaded_file(&l, tn_test_path(path), NULL);
	loaded_ok(&l, near[_i].file);
	exact = rewritten_of(&l.graph, tn_passes_exact(), &l.arena, &l.strings);
	ck_assert_int_eq(rewritten_count(&exact.log, near[_i].pass, true), 0);
	r = rewritten_of(&l.graph, passes, &l.arena, &l.strings);
	ck_assert_msg(r.graph.n_ops == near[_i].ops &&
			      rewritten_count(&r.log, near[_i].pass, true) > 0,
		"%s: %u ops", near[_i].file, r.graph.n_ops);
	ck_assert_msg(arena_of(&l.graph) == near[_i].before &&
			      arena_of(&r.graph) == near[_i].after,
		"%s: %lld B, then %lld B", near[_i].file, (long long)arena_of(&l.graph),
		(long long)arena_of(&r.graph));
	for (uint32_t seed = 1; seed <= 16; seed++)
		near_results(_i, seed, &l, &r.graph);
	loaded_release(&l);
}
END_TEST

/* ---- properties ---- */

static const struct tn_gen_options kinds[] = {
	{ .ops = 10, .runnable = true },
	{ .ops = 14, .runnable = true, .state = true },
	{ .ops = 14, .runnable = true, .views = true },
	{ .ops = 20, .runnable = true, .views = true, .state = true },
	{ .ops = 16, .runnable = true, .types = true },
};

static void check_random(
	uint32_t seed, const struct tn_gen_options *options, int *changed)
{
	struct rewritten once, twice;
	struct tn_graph g;
	struct tn_gen gen;

	tn_gen_init(&gen, seed);
	tn_gen_graph(&gen, options, &g);
	once = rewritten_of(&g, tn_passes_exact(), &gen.arena, &gen.strings);
	twice = rewritten_of(&once.graph, tn_passes_exact(), &gen.arena, &gen.strings);
	*changed += rewritten_count(&once.log, -1, true) > 0;
	ck_assert_msg(rewritten_count(&twice.log, -1, true) == 0,
		"seed %u: %s is done again", seed,
		tn_pass_name(twice.log.list.items[0].pass));
	same_results("random graph", seed, &g, &once.graph);
	tn_gen_release(&gen);
}

START_TEST(random_graphs_keep_their_results)
{
	const char *more = getenv("TENURE_REWRITE_GRAPHS");
	const uint32_t n = more ? (uint32_t)strtoul(more, NULL, 10) : 120;
	int changed = 0;

	for (uint32_t seed = 1; seed <= n; seed++)
		check_random(seed * 4 + (uint32_t)_i, &kinds[_i], &changed);
	ck_assert_int_gt(changed, (int)n / 4);
}
END_TEST

START_TEST(fixtures_are_rewritten_once)
{
	struct rewritten once, twice;
	struct loaded l;
	char path[128];

	snprintf(path, sizeof(path), "fixtures/rewrites/%s.json", cases[_i].file);
	loaded_file(&l, tn_test_path(path), NULL);
	loaded_ok(&l, cases[_i].file);
	once = rewritten_of(&l.graph, tn_passes_exact(), &l.arena, &l.strings);
	twice = rewritten_of(&once.graph, tn_passes_exact(), &l.arena, &l.strings);
	ck_assert_int_eq(rewritten_count(&twice.log, -1, true), 0);
	same_text(cases[_i].file, &once.graph, &twice.graph);
	loaded_release(&l);
}
END_TEST

/* Swapped operands of a float sum or product: each bit stays, those of a NaN, too. */
static const char *const swapped[] = { "ADD", "MUL" };

START_TEST(nans_stay_as_they_are)
{
	static const char net[] =
		"{\"format\": \"tenure.graph/1\", \"tensors\": ["
		"{\"name\": \"a\", \"dtype\": \"f32\", \"shape\": [4], "
		"\"role\": \"input\"},"
		"{\"name\": \"b\", \"dtype\": \"f32\", \"shape\": [4], "
		"\"role\": \"input\"},"
		"{\"name\": \"y\", \"dtype\": \"f32\", \"shape\": [4], "
		"\"role\": \"output\"}], \"ops\": [{\"name\": \"op\", \"type\": \"%s\", "
		"\"inputs\": [\"b\", \"a\"], \"outputs\": [\"y\"]}]}";
	static const uint32_t a[] = { 0x7fc00001, 0x3f800000, 0xffc00003, 0x3f800000 };
	static const uint32_t b[] = { 0x7fc00002, 0x7fc00004, 0x40000000, 0x80000000 };
	const struct tn_graph *graphs[2];
	uint8_t results[2][16];
	struct rewritten r;
	struct loaded l;
	char text[1024];

	snprintf(text, sizeof(text), net, swapped[_i]);
	loaded_bytes(&l, "nan.json", text, strlen(text), NULL);
	loaded_ok(&l, swapped[_i]);
	r = rewritten_of(&l.graph, tn_passes_exact(), &l.arena, &l.strings);
	ck_assert_int_eq(rewritten_count(&r.log, PASS_CANONICAL, true), 1);
	graphs[0] = &l.graph;
	graphs[1] = &r.graph;
	for (int k = 0; k < 2; k++) {
		struct tn_exec *x;
		size_t size;

		ck_assert_int_eq(
			tn_exec_new(graphs[k], NULL, &l.arena, &l.diags, &x), TN_OK);
		ck_assert_int_eq(tn_exec_input(x, 0, a, sizeof(a)), TN_OK);
		ck_assert_int_eq(tn_exec_input(x, 1, b, sizeof(b)), TN_OK);
		ck_assert_int_eq(tn_exec_run(x, NULL, NULL), TN_OK);
		memcpy(results[k], tn_exec_bytes(x, graphs[k]->outputs[0], &size), 16);
	}
	for (size_t i = 0; i < 4; i++) {
		float p;

		memcpy(&p, results[0] + 4 * i, sizeof(p));
		ck_assert(i < 3 ? isnan(p) : !isnan(p));
		ck_assert_msg(!memcmp(results[0] + 4 * i, results[1] + 4 * i, 4),
			"%s, element %zu", swapped[_i], i);
	}
	loaded_release(&l);
}
END_TEST

/* Which passes may run: the list, what is allowed, and which of them ran. */
static const struct {
	const char *rewrite, *allow;
	enum tn_status status;
	bool scales;
} asked[] = {
	{ NULL, NULL, TN_OK, false },
	{ NULL, "fold-scale", TN_OK, true },
	{ "all", "fold-scale", TN_OK, true },
	{ "fold-pad,fold-scale", "fold-scale", TN_OK, true },
	{ "none", NULL, TN_OK, false },
	{ "none", "fold-scale", TN_ERR_INPUT, false },
	{ "fold-pad", "fold-scale", TN_ERR_INPUT, false },
	{ "fold-scale", NULL, TN_ERR_INPUT, false },
	{ NULL, "fold-pad", TN_ERR_INPUT, false },
	{ NULL, "all", TN_ERR_INPUT, false },
	{ NULL, "none", TN_ERR_INPUT, false },
	{ NULL, "fold-scale,fold-pad", TN_ERR_INPUT, false },
	{ NULL, "fold", TN_ERR_INPUT, false },
};

START_TEST(options_choose_passes)
{
	tenure_options options;
	struct tn_run run;

	tenure_options_init(&options);
	options.rewrite = asked[_i].rewrite;
	options.allow_inexact = asked[_i].allow;
	tn_run_init(&run, &options);
	ck_assert_int_eq(
		tn_pipeline(&run, tn_test_path("fixtures/rewrites/batch_norm_f32.json"),
			STAGE_PLAN),
		asked[_i].status);
	if (asked[_i].status == TN_OK)
		ck_assert_int_eq(rewritten_count(&run.rewrites, PASS_SCALE, true) > 0,
			asked[_i].scales);
	tn_run_release(&run);
}
END_TEST

/* A plan says what it was made with; the options may not say something else. */
static const struct {
	const char *recorded, *rewrite, *allow;
	enum tn_status status;
} recorded[] = {
	{ "\"fold-pad\"", NULL, NULL, TN_OK },
	{ "\"fold-pad\"", "fold-pad", NULL, TN_OK },
	{ "\"fold-pad\"", "none", NULL, TN_ERR_INPUT },
	{ "\"fold-pad\"", "all", NULL, TN_ERR_INPUT },
	{ "\"fold-pad\"", NULL, "fold-scale", TN_ERR_INPUT },
	{ "\"fold-scale\"", NULL, "fold-scale", TN_OK },
	{ "\"fold-what\"", NULL, NULL, TN_ERR_INPUT },
};

START_TEST(plans_choose_passes)
{
	tenure_options options;
	struct tn_run run;
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "rewrite_plan_%d.json", _i);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fprintf(file, "{\"format\": \"tenure.plan/1\", \"rewrite\": [%s]}\n",
		recorded[_i].recorded);
	fclose(file);
	tenure_options_init(&options);
	options.rewrite = recorded[_i].rewrite;
	options.allow_inexact = recorded[_i].allow;
	tn_run_init(&run, &options);
	run.plan_file = path;
	ck_assert_int_eq(
		tn_pipeline(&run, tn_test_path("fixtures/rewrites/pad_conv_f32.json"),
			STAGE_IMPORT),
		recorded[_i].status);
	tn_run_release(&run);
	remove(path);
}
END_TEST

/* More PADs in a row than there are rounds of a net without ops. */
START_TEST(long_rows_end_in_one_go)
{
	const int n = 70;
	char text[32768];
	struct rewritten once, twice;
	struct loaded l;
	size_t at;

	at = (size_t)snprintf(text, sizeof(text),
		"{\"format\": \"tenure.graph/1\", \"tensors\": ["
		"{\"name\": \"p0\", \"dtype\": \"f32\", \"shape\": [1, 2, 2, 1], "
		"\"role\": \"input\"},"
		"{\"name\": \"w\", \"dtype\": \"f32\", \"shape\": [1, 2, 2, 1], "
		"\"role\": \"const\", \"data\": {\"seed\": 1}},"
		"{\"name\": \"y\", \"dtype\": \"f32\", \"shape\": [1, %d, 1, 1], "
		"\"role\": \"output\"}",
		n + 1);
	for (int i = 1; i <= n; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at,
			",{\"name\": \"p%d\", \"dtype\": \"f32\", "
			"\"shape\": [1, %d, 2, 1]}",
			i, i + 2);
	at += (size_t)snprintf(text + at, sizeof(text) - at, "], \"ops\": [");
	for (int i = 1; i <= n; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at,
			"{\"type\": \"PAD\", \"inputs\": [\"p%d\"], \"outputs\": "
			"[\"p%d\"], \"attrs\": {\"paddings\": "
			"[0, 0, 0, 1, 0, 0, 0, 0]}},",
			i - 1, i);
	at += (size_t)snprintf(text + at, sizeof(text) - at,
		"{\"type\": \"CONV_2D\", \"inputs\": [\"p%d\", \"w\"], "
		"\"outputs\": [\"y\"], \"attrs\": {\"stride\": [1, 1], "
		"\"pad\": \"VALID\"}}]}",
		n);
	ck_assert_uint_lt(at, sizeof(text));
	loaded_bytes(&l, "pads.json", text, at, NULL);
	loaded_ok(&l, "pads");
	once = rewritten_of(&l.graph, tn_passes_exact(), &l.arena, &l.strings);
	twice = rewritten_of(&once.graph, tn_passes_exact(), &l.arena, &l.strings);
	ck_assert_uint_eq(once.graph.n_ops, 1);
	ck_assert_int_eq(rewritten_count(&twice.log, -1, true), 0);
	same_results("pads", 1, &l.graph, &once.graph);
	loaded_release(&l);
}
END_TEST

START_TEST(lists_of_passes)
{
	tn_pass_set set;
	const char *bad;
	size_t len;

	ck_assert(tn_passes_parse("all", &set, &bad, &len));
	ck_assert_uint_eq(set, tn_passes_exact());
	ck_assert_uint_eq(set & 1u << PASS_SCALE, 0);
	ck_assert(tn_passes_parse("none", &set, &bad, &len));
	ck_assert_uint_eq(set, TN_PASSES_NONE);
	ck_assert(tn_passes_parse("fold-pad,dead-code", &set, &bad, &len));
	ck_assert_uint_eq(set, 1u << PASS_PAD | 1u << PASS_DEAD_CODE);
	ck_assert(!tn_passes_parse("fold-pad,fold", &set, &bad, &len));
	ck_assert_uint_eq(len, 4);
	ck_assert(!tn_passes_parse("", &set, &bad, &len));
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("rewrite");
	TCase *t = tcase_create("rewrite");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(
		t, each_pass_does_its_work, 0, sizeof(cases) / sizeof(*cases));
	tcase_add_loop_test(
		t, fixtures_are_rewritten_once, 0, sizeof(cases) / sizeof(*cases));
	tcase_add_loop_test(t, formats_lose_their_floats, 0, sizeof(qdq) / sizeof(*qdq));
	tcase_add_test(t, two_spellings_become_one);
	tcase_add_loop_test(t, inexact_passes_are_near, 0, sizeof(near) / sizeof(*near));
	tcase_add_loop_test(
		t, random_graphs_keep_their_results, 0, sizeof(kinds) / sizeof(*kinds));
	tcase_add_loop_test(t, options_choose_passes, 0, sizeof(asked) / sizeof(*asked));
	tcase_add_loop_test(
		t, plans_choose_passes, 0, sizeof(recorded) / sizeof(*recorded));
	tcase_add_loop_test(
		t, nans_stay_as_they_are, 0, sizeof(swapped) / sizeof(*swapped));
	tcase_add_test(t, long_rows_end_in_one_go);
	tcase_add_test(t, lists_of_passes);
	suite_add_tcase(s, t);
	return s;
}
