/* Rewrites: what each pass does and leaves, on fixtures; equal results, one spelling and
 * verified plans on these and on random graphs. */
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/exec.h"
#include "export/native.h"
#include "gen_graph.h"
#include "ir/digest.h"
#include "ir/validate.h"
#include "loaded.h"
#include "own_plan.h"
#include "rewrite/rewrite.h"
#include "verify/verify.h"

/* ---- helpers ---- */

struct rewritten {
	struct tn_graph graph;
	struct tn_rewrites log;
};

static struct rewritten rewrite(const struct tn_graph *g, tn_pass_set passes,
	struct tn_arena *arena, struct tn_strings *strings)
{
	struct rewritten r;

	ck_assert_int_eq(tn_rewrite(g, passes, arena, strings, &r.graph, &r.log), TN_OK);
	return r;
}

static int count(const struct tn_rewrites *log, int pass, bool done)
{
	int n = 0;

	for (size_t i = 0; i < log->list.count; i++)
		n += log->list.items[i].done == done &&
		     (pass < 0 || (int)log->list.items[i].pass == pass);
	return n;
}

static const char *first_message(const struct tn_diags *diags)
{
	return diags->list.count ? diags->list.items[0].message : "no message";
}

/* Runs both graphs twice, so that state counts, and compares every output. The second one
 * runs over a plan that the verifier has accepted. */
static void same_results(const char *name, uint32_t seed, const struct tn_graph *a,
	const struct tn_graph *b)
{
	struct tn_arena arena;
	struct tn_diags diags;
	struct tn_exec *x, *y;
	struct tn_plan plan;
	struct tn_verdict verdict;

	tn_arena_init(&arena);
	tn_diags_init(&diags, &arena);
	ck_assert_msg(tn_validate(b, &diags) == TN_OK, "%s, seed %u: %s", name, seed,
		first_message(&diags));
	ck_assert_msg(own_plan(b, OVERLAP_FULL, &arena, &plan), "%s, seed %u: no plan",
		name, seed);
	ck_assert_msg(tn_verify(b, &plan, &arena, &diags, &verdict) == TN_OK,
		"%s, seed %u: %s", name, seed, first_message(&diags));
	ck_assert_msg(tn_exec_new(a, NULL, &arena, &diags, &x) == TN_OK &&
			      tn_exec_new(b, &plan, &arena, &diags, &y) == TN_OK,
		"%s, seed %u: %s", name, seed, first_message(&diags));
	tn_exec_seed(x, seed);
	tn_exec_seed(y, seed);
	tn_exec_poison(y, 0x5A);
	for (int run = 0; run < 2; run++) {
		ck_assert_int_eq(tn_exec_run(x, NULL, NULL), TN_OK);
		ck_assert_int_eq(tn_exec_run(y, NULL, NULL), TN_OK);
		for (uint32_t k = 0; k < a->n_outputs; k++) {
			size_t size, other;
			const uint8_t *p = tn_exec_bytes(x, a->outputs[k], &size);
			const uint8_t *q = tn_exec_bytes(y, b->outputs[k], &other);

			ck_assert_msg(p && q && size == other && !memcmp(p, q, size),
				"%s, seed %u, run %d: output %u differs", name, seed, run,
				k);
		}
	}
	tn_arena_release(&arena);
}

static struct tn_strbuf exported(const struct tn_graph *g)
{
	struct tn_strbuf out;

	tn_strbuf_init(&out);
	ck_assert_int_eq(tn_export_native(g, NULL, &out), TN_OK);
	return out;
}

static void same_text(
	const char *name, const struct tn_graph *a, const struct tn_graph *b)
{
	struct tn_strbuf x = exported(a), y = exported(b);

	ck_assert_msg(x.len == y.len && !memcmp(x.text, y.text, x.len),
		"%s: the graphs differ", name);
	tn_strbuf_release(&x);
	tn_strbuf_release(&y);
}

static int64_t arena_of(const struct tn_graph *g)
{
	struct tn_arena arena;
	struct tn_plan plan;
	int64_t bytes;

	tn_arena_init(&arena);
	ck_assert(own_plan(g, OVERLAP_FULL, &arena, &plan));
	bytes = plan.activation_bytes;
	tn_arena_release(&arena);
	return bytes;
}

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
	{ "clamp_i8", PASS_ACTIVATION, 3, 3, 288, 288 },
	{ "clamp_f32", PASS_ACTIVATION, 3, 3, 1152, 1152 },
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
	{ "transposes_i8", PASS_TRANSPOSE, 3, 4, 144, 96 },
	{ "transposes_f32", PASS_TRANSPOSE, 3, 4, 560, 384 },
	{ "round_trip_i8", PASS_QUANTIZE, 1, 2, 320, 96 },
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
	r = rewrite(&l.graph, tn_passes_exact(), &l.arena, &l.strings);
	ck_assert_msg(count(&r.log, cases[_i].pass, true) == cases[_i].times &&
			      r.graph.n_ops == cases[_i].ops,
		"%s: done %d times, %u ops", file, count(&r.log, cases[_i].pass, true),
		r.graph.n_ops);
	ck_assert_msg(arena_of(&l.graph) == cases[_i].before &&
			      arena_of(&r.graph) == cases[_i].after,
		"%s: %lld B, then %lld B", file, (long long)arena_of(&l.graph),
		(long long)arena_of(&r.graph));
	for (uint32_t seed = 1; seed <= 8; seed++)
		same_results(file, seed, &l.graph, &r.graph);
	loaded_release(&l);
}
END_TEST

static const char *const left[] = { "pad_max_pool_f32", "pad_max_pool_left_i8",
	"pad_max_pool_left_f32", "pad_average_left_i8", "pad_average_left_f32",
	"pad_two_readers_left_i8", "pad_two_readers_left_f32",
	"clamp_two_readers_left_i8", "clamp_two_readers_left_f32", "clamp_output_left_i8",
	"clamp_output_left_f32", "clamp_scale_left_i8", "leaky_left_i8", "leaky_left_f32",
	"minus_left_i8", "minus_left_f32", "large_constant_left_f32", "common_left_i8",
	"common_left_f32", "transpose_left_i8", "transpose_left_f32",
	"round_trip_left_i8", "dead_channels_left_i8", "commuted_ab_i8" };

/* Near misses: nothing is done, and the graph is the file's, byte for byte. */
START_TEST(near_misses_stay)
{
	struct rewritten r;
	struct loaded l;
	char path[128];

	snprintf(path, sizeof(path), "fixtures/rewrites/%s.json", left[_i]);
	loaded_file(&l, tn_test_path(path), NULL);
	loaded_ok(&l, left[_i]);
	r = rewrite(&l.graph, tn_passes_exact(), &l.arena, &l.strings);
	ck_assert_msg(count(&r.log, -1, true) == 0, "%s: %s was done", left[_i],
		tn_pass_name(r.log.list.items[0].pass));
	ck_assert_uint_eq(tn_digest_graph(&l.graph), tn_digest_graph(&r.graph));
	same_text(left[_i], &l.graph, &r.graph);
	loaded_release(&l);
}
END_TEST

/* A refusal names why, and who stands in the way. */
static const struct {
	const char *file;
	int pass;
	const char *op, *witness;
} refusals[] = {
	{ "pad_two_readers_left_i8", PASS_PAD, "pad_1", "max_pool_2d_3" },
	{ "pad_average_left_i8", PASS_PAD, "pad_1", "average_pool_2d_2" },
	{ "clamp_two_readers_left_i8", PASS_ACTIVATION, "relu_1", "max_pool_2d_2" },
	{ "clamp_scale_left_i8", PASS_ACTIVATION, "relu_1", "conv_2d_0" },
	{ "round_trip_left_i8", PASS_QUANTIZE, "quantize_2", "dequantize_1" },
	{ "large_constant_left_f32", PASS_CONSTANT, "broadcast_to_0", NULL },
};

START_TEST(refusals_have_witnesses)
{
	struct rewritten r;
	struct loaded l;
	char path[128];
	size_t i = 0;

	snprintf(path, sizeof(path), "fixtures/rewrites/%s.json", refusals[_i].file);
	loaded_file(&l, tn_test_path(path), NULL);
	loaded_ok(&l, refusals[_i].file);
	r = rewrite(&l.graph, tn_passes_exact(), &l.arena, &l.strings);
	while (i < r.log.list.count && (int)r.log.list.items[i].pass != refusals[_i].pass)
		i++;
	ck_assert_msg(i < r.log.list.count, "%s: nothing refused", refusals[_i].file);
	ck_assert(!r.log.list.items[i].done && r.log.list.items[i].why);
	ck_assert_str_eq(r.log.list.items[i].op, refusals[_i].op);
	if (refusals[_i].witness)
		ck_assert_str_eq(r.log.list.items[i].witness, refusals[_i].witness);
	else
		ck_assert_ptr_null(r.log.list.items[i].witness);
	loaded_release(&l);
}
END_TEST

START_TEST(two_spellings_become_one)
{
	struct loaded a, b;
	struct rewritten x, y;

	loaded_file(&a, tn_test_path("fixtures/rewrites/commuted_ab_i8.json"), NULL);
	loaded_ok(&a, "ab");
	x = rewrite(&a.graph, tn_passes_exact(), &a.arena, &a.strings);
	loaded_file(&b, tn_test_path("fixtures/rewrites/commuted_ba_i8.json"), NULL);
	loaded_ok(&b, "ba");
	y = rewrite(&b.graph, tn_passes_exact(), &b.arena, &b.strings);
	ck_assert_uint_ne(tn_digest_graph(&a.graph), tn_digest_graph(&b.graph));
	same_text("commuted", &x.graph, &y.graph);
	loaded_release(&a);
	loaded_release(&b);
}
END_TEST

/* Not exact, so only when named: the results are near, not equal. */
START_TEST(scales_fold_when_allowed)
{
	const tn_pass_set passes = tn_passes_exact() | 1u << PASS_SCALE;
	struct rewritten r;
	struct tn_exec *x, *y;
	struct loaded l;
	size_t size;
	double worst = 0;

	loaded_file(&l, tn_test_path("fixtures/rewrites/batch_norm_f32.json"), NULL);
	loaded_ok(&l, "batch norm");
	r = rewrite(&l.graph, passes, &l.arena, &l.strings);
	ck_assert_uint_eq(r.graph.n_ops, 1);
	ck_assert_int_eq(tn_exec_new(&l.graph, NULL, &l.arena, &l.diags, &x), TN_OK);
	ck_assert_int_eq(tn_exec_new(&r.graph, NULL, &l.arena, &l.diags, &y), TN_OK);
	tn_exec_seed(x, 1);
	tn_exec_seed(y, 1);
	ck_assert_int_eq(tn_exec_run(x, NULL, NULL), TN_OK);
	ck_assert_int_eq(tn_exec_run(y, NULL, NULL), TN_OK);
	{
		const uint8_t *p = tn_exec_bytes(x, l.graph.outputs[0], &size);
		const uint8_t *q = tn_exec_bytes(y, r.graph.outputs[0], &size);

		for (size_t i = 0; i < size; i += 4) {
			float a, b;

			memcpy(&a, p + i, 4);
			memcpy(&b, q + i, 4);
			worst = worst > (double)(a > b ? a - b : b - a)
					? worst
					: (double)(a > b ? a - b : b - a);
		}
	}
	ck_assert_msg(worst < 1e-5, "off by %g", worst);
	loaded_release(&l);
}
END_TEST

/* ---- properties ---- */

static const struct tn_gen_options kinds[] = {
	{ .ops = 10, .runnable = true },
	{ .ops = 14, .runnable = true, .state = true },
	{ .ops = 14, .runnable = true, .views = true },
	{ .ops = 20, .runnable = true, .views = true, .state = true },
};

static void check_random(
	uint32_t seed, const struct tn_gen_options *options, int *changed)
{
	struct rewritten once, twice;
	struct tn_graph g;
	struct tn_gen gen;

	tn_gen_init(&gen, seed);
	tn_gen_graph(&gen, options, &g);
	once = rewrite(&g, tn_passes_exact(), &gen.arena, &gen.strings);
	twice = rewrite(&once.graph, tn_passes_exact(), &gen.arena, &gen.strings);
	*changed += count(&once.log, -1, true) > 0;
	ck_assert_msg(count(&twice.log, -1, true) == 0, "seed %u: %s is done again", seed,
		tn_pass_name(twice.log.list.items[0].pass));
	same_results("random graph", seed, &g, &once.graph);
	tn_gen_release(&gen);
}

START_TEST(random_graphs_keep_their_results)
{
	const char *more = getenv("TENURE_REWRITE_GRAPHS");
	const uint32_t n = more ? (uint32_t)atoi(more) : 120;
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
	once = rewrite(&l.graph, tn_passes_exact(), &l.arena, &l.strings);
	twice = rewrite(&once.graph, tn_passes_exact(), &l.arena, &l.strings);
	ck_assert_int_eq(count(&twice.log, -1, true), 0);
	same_text(cases[_i].file, &once.graph, &twice.graph);
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
	tcase_add_loop_test(t, near_misses_stay, 0, sizeof(left) / sizeof(*left));
	tcase_add_loop_test(
		t, refusals_have_witnesses, 0, sizeof(refusals) / sizeof(*refusals));
	tcase_add_test(t, two_spellings_become_one);
	tcase_add_test(t, scales_fold_when_allowed);
	tcase_add_loop_test(
		t, random_graphs_keep_their_results, 0, sizeof(kinds) / sizeof(*kinds));
	tcase_add_test(t, lists_of_passes);
	suite_add_tcase(s, t);
	return s;
}
