/* Emitted chains: programs that compile without a warning, and that compute every row as
 * the ops do one after the other, on this machine and on emulated boards. */
#define _POSIX_C_SOURCE 200809L
#include "suite.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "chain_plan.h"
#include "emit/emit.h"
#include "gen_chain.h"
#include "loaded.h"
#include "tools.h"
#include "validate/expected.h"
#include "validate/process.h"
#include "validate/program.h"
#include "validate/validation.h"

#define COMPILE_SECONDS 120

/* ---- a net with every kind of op ---- */

static void name_window(struct net *n, const int64_t *kernel, const int64_t *stride)
{
	ck_assert(tn_build_attr_string(&n->build, "pad", "SAME"));
	ck_assert(tn_build_attr_ints(&n->build, "stride", stride, 2));
	if (kernel)
		ck_assert(tn_build_attr_ints(&n->build, "kernel", kernel, 2));
}

/* Convolution, depthwise, pooling, a sum of the two last ones; with `mean`, that of its
 * planes. Channels as the kernels for DSP and for MVE want them. */
static void net_chain(struct net *n, enum tn_dtype dtype, bool mean)
{
	static const int64_t image[] = { 1, 21, 9, 16 }, half[] = { 1, 11, 9, 16 },
			     filter[] = { 16, 3, 3, 16 }, depth[] = { 1, 3, 3, 16 },
			     bias[] = { 16 }, sums[] = { 1, 1, 1, 16 }, once[] = { 1, 1 },
			     twice[] = { 2, 1 }, pool[] = { 3, 3 }, axes[] = { 1, 2 };
	const bool real = dtype == DTYPE_F32;
	const enum tn_role last = mean ? ROLE_ACT : ROLE_OUTPUT;
	tn_tensor_id in, w, b, d, e, t[5];

	net_start(n);
	in = net_tensor(n, "in", dtype, ROLE_INPUT, image, 4, 0.05f, 3);
	w = net_const(n, "w", dtype, filter, 4, 0.01f, 1);
	b = net_const(n, "b", real ? dtype : DTYPE_I32, bias, 1, 0.0005f, 2);
	d = net_const(n, "d", dtype, depth, 4, 0.01f, 3);
	e = net_const(n, "e", real ? dtype : DTYPE_I32, bias, 1, 0.0005f, 4);
	t[0] = net_tensor(n, "conv", dtype, ROLE_ACT, half, 4, 0.05f, 3);
	t[1] = net_tensor(n, "depthwise", dtype, ROLE_ACT, half, 4, 0.05f, -3);
	t[2] = net_tensor(n, "pool", dtype, ROLE_ACT, half, 4, 0.05f, -3);
	t[3] = net_tensor(n, "add", dtype, last, half, 4, 0.07f, 5);
	net_op(n, OP_CONV_2D, "conv", (tn_tensor_id[]){ in, w, b }, 3, t[0]);
	name_window(n, NULL, twice);
	net_op(n, OP_DEPTHWISE_CONV_2D, "depthwise", (tn_tensor_id[]){ t[0], d, e }, 3,
		t[1]);
	name_window(n, NULL, once);
	net_op(n, OP_AVERAGE_POOL_2D, "pool", (tn_tensor_id[]){ t[1] }, 1, t[2]);
	name_window(n, pool, once);
	net_op(n, OP_ADD, "add", (tn_tensor_id[]){ t[1], t[2] }, 2, t[3]);
	if (mean) {
		t[4] = net_tensor(n, "mean", dtype, ROLE_OUTPUT, sums, 4, 0.07f, 5);
		net_op(n, OP_MEAN, "mean", (tn_tensor_id[]){ t[3] }, 1, t[4]);
		ck_assert(tn_build_attr_ints(&n->build, "axes", axes, 2));
		ck_assert(tn_build_attr_int(&n->build, "keep_dims", 1));
	}
	net_finish(n, "chain");
}

static void plan_all(struct net *n, enum chain_way way, bool fed)
{
	const struct tn_stream_pick pick = { 0, n->graph.n_ops };
	struct chain_tables t;

	chain_analyse(n, fed, &t);
	chain_plan(n, &t, pick, way, &n->plan);
	ck_assert_uint_eq(n->plan.n_streams, 1);
	ck_assert(n->plan.streams[0].fed == fed);
	ck_assert(way == CHAIN_ANY ||
		  n->plan.streams[0].descending == (way == CHAIN_DESCENDING));
}

/* ---- the same bits ---- */

static void check_same(struct net *n, const char *target, const char *what)
{
	const struct tn_validation_options options = {
		.targets = &target, .n_targets = 1, .seed = 1, .seconds = 60
	};
	struct tn_validation v;
	struct tn_strbuf text;
	enum tn_status status = tn_validation_run(
		&n->graph, &n->plan, &options, &n->arena, &n->diags, &v);

	tn_strbuf_init(&text);
	tn_validation_print(&n->graph, &v, &text);
	ck_assert_msg(status == TN_OK, "%s\n%s\n%s", what, text.text, net_report(n));
	ck_assert_uint_eq(v.configs.count, strcmp(target, "host") == 0 ? 7 : 3);
	for (size_t i = 0; i < v.configs.count; i++)
		ck_assert_msg(v.configs.items[i].verdict == VALIDATION_SAME, "%s\n%s",
			what, text.text);
	tn_strbuf_release(&text);
}

static void check_program(const struct tn_program_run *r, const char *options,
	bool shared, const char *what)
{
	struct tn_validation_config config;

	ck_assert_int_eq(
		tn_program_check(r, tn_target_find("host"), options, shared, &config),
		TN_OK);
	ck_assert_msg(config.verdict == VALIDATION_SAME, "%s, %s, %s\n%s", what, options,
		shared ? "shared" : "apart", config.detail);
	ck_assert_uint_gt(config.compared, 0);
}

/* The executor, and of the six programs for this machine two: one over the plan, one with all
 * apart, each at a level. The next number means the next levels. */
static void check_some(struct net *n, int number, const char *what)
{
	static const char *const levels[] = { "-O0", "-O2", "-Os" };
	const struct tn_emit_model model = { .graph = &n->graph, .plan = &n->plan };
	const struct tn_emit_options options = { .debug = true };
	struct tn_emit_summary emitted;
	struct tn_validation_config config;
	struct tn_validation v = { .same = true };
	struct tn_program_run r = { .graph = &n->graph,
		.emitted = &emitted,
		.seed = 1,
		.seconds = 60,
		.arena = &n->arena,
		.diags = &n->diags,
		.reference = &v };

	ck_assert_int_eq(
		tn_expected_run(&n->graph, &n->plan, 1, r.arena, r.diags, &v), TN_OK);
	ck_assert_int_eq(tn_expected_check_plan(
				 &n->graph, &n->plan, 1, r.arena, r.diags, &v, &config),
		TN_OK);
	ck_assert_msg(config.verdict == VALIDATION_SAME, "%s, executor", what);
	ck_assert_int_eq(tn_tempdir_make(r.arena, r.diags, &r.dir), TN_OK);
	ck_assert_int_eq(
		tn_emit(&model, 1, &options, r.dir, r.arena, r.diags, &emitted), TN_OK);
	ck_assert_int_eq(tn_program_harness(&r), TN_OK);
	check_program(&r, levels[number % 3], true, what);
	check_program(&r, levels[(number + 1) % 3], false, what);
	tn_tempdir_remove(r.dir);
}

static const struct {
	const char *target;
	enum tn_kernel_set kernels;
	enum tn_dtype dtype;
	bool mean;
	enum chain_way way;
	bool fed;
} cases[] = {
	{ "host", KERNELS_PORTABLE, DTYPE_I8, true, CHAIN_ASCENDING, false },
	{ "host", KERNELS_PORTABLE, DTYPE_F32, false, CHAIN_DESCENDING, false },
	{ "host", KERNELS_DSP, DTYPE_I8, true, CHAIN_ASCENDING, false },
	{ "host", KERNELS_MVE, DTYPE_I8, false, CHAIN_DESCENDING, false },
	{ "m0plus", KERNELS_PORTABLE, DTYPE_I8, true, CHAIN_ASCENDING, false },
	{ "m4", KERNELS_DSP, DTYPE_I8, true, CHAIN_ASCENDING, false },
	{ "m4", KERNELS_DSP, DTYPE_I8, false, CHAIN_DESCENDING, false },
	{ "m7", KERNELS_DSP, DTYPE_I8, false, CHAIN_ASCENDING, false },
	{ "m55", KERNELS_MVE, DTYPE_I8, true, CHAIN_ASCENDING, false },
	{ "m55", KERNELS_MVE, DTYPE_I8, false, CHAIN_DESCENDING, false },
	{ "host", KERNELS_PORTABLE, DTYPE_I8, true, CHAIN_ANY, true },
	{ "host", KERNELS_PORTABLE, DTYPE_F32, false, CHAIN_ANY, true },
	{ "m4", KERNELS_DSP, DTYPE_I8, false, CHAIN_ANY, true },
	{ "m55", KERNELS_MVE, DTYPE_I8, true, CHAIN_ANY, true },
};

START_TEST(every_row_is_the_same)
{
	struct net n;
	char what[40];

	if (!tn_test_has_tools(cases[_i].target))
		return;
	net_chain(&n, cases[_i].dtype, cases[_i].mean);
	n.graph.kernels = cases[_i].kernels;
	plan_all(&n, cases[_i].way, cases[_i].fed);
	snprintf(what, sizeof(what), "case %d", _i);
	if (_i > 0 && strcmp(cases[_i].target, "host") == 0)
		check_some(&n, _i, what);
	else
		check_same(&n, cases[_i].target, what);
	net_release(&n);
}
END_TEST

/* The longest chain of a random net, wherever it lies. */
START_TEST(random_chain)
{
	static struct tn_chain chain;
	const uint32_t seed = 1000 + (uint32_t)_i;
	const bool fed = _i % 2;
	struct tn_stream_pick pick = { 0, 0 };
	struct chain_tables t;
	struct net n;
	char what[40];

	if (!tn_test_has_tools("host"))
		return;
	gen_chain(&n, seed);
	chain_analyse(&n, fed, &t);
	for (uint32_t first = 0; first < n.graph.n_ops; first++)
		for (uint32_t k = 1; first + k <= n.graph.n_ops; k++)
			if (k > pick.n && tn_chain_of(&t.view, first, k, &chain) &&
				chain.fed == fed)
				pick = (struct tn_stream_pick){ first, k };
	if (pick.n) {
		chain_plan(&n, &t, pick, CHAIN_ANY, &n.plan);
		snprintf(what, sizeof(what), "net %u", seed);
		check_some(&n, _i, what);
	}
	net_release(&n);
}
END_TEST

/* ---- real nets ---- */

static const char *const models[] = { "models/vww_96_int8.tflite",
	"models/pretrainedResnet_quant.tflite", "models/kws_ref_model.tflite" };

static const struct {
	const char *target;
	enum tn_kernel_set kernels;
} boards[] = { { "m4", KERNELS_DSP }, { "m55", KERNELS_MVE } };

#define MODELS (sizeof(models) / sizeof(*models))
#define BOARDS (sizeof(boards) / sizeof(*boards))

START_TEST(real_net)
{
	const char *file = tn_test_shared(models[(size_t)_i / BOARDS % MODELS]);
	const size_t b = (size_t)_i % BOARDS;
	const bool fed = _i >= (int)(BOARDS * MODELS);
	struct loaded l;
	struct net n;

	if (!file || !tn_test_has_tools(boards[b].target))
		return;
	net_start(&n);
	loaded_file(&l, file, NULL);
	loaded_ok(&l, file);
	n.graph = l.graph;
	n.graph.kernels = boards[b].kernels;
	chain_best(&n, 16, fed, &n.plan);
	ck_assert_uint_gt(n.plan.n_streams, 0);
	ck_assert(n.plan.streams[0].fed == fed);
	check_same(&n, boards[b].target, file);
	net_release(&n);
	loaded_release(&l);
}
END_TEST

/* ---- the text ---- */

static const char *const defines[] = { NULL, "-DTENURE_UNSHARED", "-DTENURE_HOOK" };

static void compile(struct net *n, const char *dir, const char *cc, const char *define)
{
	const char *argv[] = { cc, "-std=c99", "-O1", "-Wall", "-Wextra", "-Werror",
		"-pedantic", "-Ikernels", "-MMD", "-c", "model.c", define, NULL };
	struct tn_strbuf out;
	struct tn_process p;

	if (!tn_test_has(cc))
		return;
	tn_strbuf_init(&out);
	p = tn_process_run(argv, dir, COMPILE_SECONDS, &out);
	ck_assert_msg(p.end == PROCESS_EXITED && p.exit_code == 0, "%s %s\n%s", cc,
		define ? define : "", out.text ? out.text : net_report(n));
	tn_strbuf_release(&out);
}

START_TEST(compiles_without_a_warning)
{
	const struct tn_emit_options options = { .debug = _i % 2 != 0 };
	struct tn_emit_summary summary;
	struct tn_emit_model model;
	struct net n;
	const char *dir;

	net_chain(&n, DTYPE_I8, true);
	plan_all(&n, _i < 2 ? CHAIN_ASCENDING : CHAIN_ANY, _i >= 2);
	model = (struct tn_emit_model){ .graph = &n.graph, .plan = &n.plan };
	ck_assert_int_eq(tn_tempdir_make(&n.arena, &n.diags, &dir), TN_OK);
	ck_assert_msg(
		tn_emit(&model, 1, &options, dir, &n.arena, &n.diags, &summary) == TN_OK,
		"%s", net_report(&n));
	ck_assert_int_eq(summary.memory_bytes, n.plan.regions[0].used);
	for (int i = 0; i < (options.debug ? 3 : 1); i++) {
		compile(&n, dir, "gcc", defines[i]);
		compile(&n, dir, "clang", defines[i]);
	}
	tn_tempdir_remove(dir);
	net_release(&n);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("stream_emit");
	TCase *c = tcase_create("stream_emit");

	tcase_set_timeout(c, 200);
	tcase_add_loop_test(
		c, every_row_is_the_same, 0, (int)(sizeof(cases) / sizeof(*cases)));
	tcase_add_loop_test(c, random_chain, 0, 4);
	tcase_add_loop_test(c, real_net, 0, (int)(2 * BOARDS * MODELS));
	tcase_add_loop_test(c, compiles_without_a_warning, 0, 4);
	suite_add_tcase(s, c);
	return s;
}
