/* Windows that write in place through a buffer: what they save, that the verifier accepts
 * them, and that the results are those of a run in which nothing is shared. */
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract/contract.h"
#include "driver/pipeline.h"
#include "exec/exec.h"

static const struct buffer_case {
	const char *graph;
	enum tenure_overlap overlap;
	enum tn_hold hold; /* of the first op */
	long long activations, scratch, arena; /* of the least arena */
	long long without; /* arena of the least activations, which has no buffers */
} cases[] = {
	{ "buffers/depthwise-i8", TENURE_OVERLAP_FULL, HOLD_CHANNEL, 896, 9, 905, 1024 },
	{ "buffers/depthwise-i16", TENURE_OVERLAP_FULL, HOLD_CHANNEL, 1792, 18, 1810,
		2048 },
	{ "buffers/depthwise-f32", TENURE_OVERLAP_FULL, HOLD_CHANNEL, 3584, 36, 3620,
		4096 },
	{ "buffers/pool-i8", TENURE_OVERLAP_FULL, HOLD_CHANNEL, 448, 9, 457, 512 },
	{ "buffers/pool-i16", TENURE_OVERLAP_FULL, HOLD_CHANNEL, 896, 18, 914, 1024 },
	{ "buffers/pool-f32", TENURE_OVERLAP_INPLACE, HOLD_CHANNEL, 1792, 36, 1828,
		3584 },
	{ "buffers/conv-i8", TENURE_OVERLAP_INPLACE, HOLD_RING, 224, 36, 260, 448 },
	{ "buffers/conv-i16", TENURE_OVERLAP_INPLACE, HOLD_RING, 448, 72, 520, 896 },
	{ "buffers/conv-f32", TENURE_OVERLAP_INPLACE, HOLD_RING, 896, 144, 1040, 1792 },
	{ "buffers/transpose-i8", TENURE_OVERLAP_FULL, HOLD_CYCLE, 384, 48, 432, 720 },
	{ "buffers/transpose-square-f32", TENURE_OVERLAP_INPLACE, HOLD_CYCLE, 1024, 32,
		1056, 2048 },
	/* a ring costs what a displacement costs */
	{ "buffers/conv-i8", TENURE_OVERLAP_FULL, HOLD_PIXEL, 256, 4, 260, 260 },
	{ "graphs/kws_i8", TENURE_OVERLAP_FULL, HOLD_NONE, 8064, 7, 8064, 8384 },
	{ "graphs/kws_i8", TENURE_OVERLAP_INPLACE, HOLD_NONE, 8490, 64, 8490, 16000 },
	/* less scratch is worth more activations */
	{ "graphs/wake_i8", TENURE_OVERLAP_FULL, HOLD_NONE, 3632, 0, 3632, 3712 },
};

static void plan_case(
	struct tn_run *run, tenure_options *options, const struct buffer_case *c)
{
	char name[256];

	snprintf(name, sizeof(name), "fixtures/%s.json", c->graph);
	options->overlap = c->overlap;
	tn_run_init(run, options);
	ck_assert_msg(tn_pipeline(run, tn_test_path(name), STAGE_PLAN) == TN_OK, "%s",
		c->graph);
	ck_assert(run->verified);
}

START_TEST(least_arena)
{
	const struct buffer_case *c = &cases[_i];
	tenure_options options;
	struct tn_run run;

	tenure_options_init(&options);
	plan_case(&run, &options, c);
	ck_assert_msg(run.plan.arena_bytes == c->without,
		"%s: %lld bytes without buffers", c->graph,
		(long long)run.plan.arena_bytes);
	for (uint32_t i = 0; i < run.plan.n_ops; i++)
		ck_assert_int_le(run.plan.ops[i].hold, HOLD_PIXEL);
	tn_run_release(&run);
	options.objective = TENURE_OBJECTIVE_ARENA;
	plan_case(&run, &options, c);
	ck_assert_msg(run.plan.arena_bytes == c->arena, "%s: %lld bytes", c->graph,
		(long long)run.plan.arena_bytes);
	ck_assert_int_eq(run.plan.activation_bytes, c->activations);
	ck_assert_int_eq(run.plan.scratch_bytes, c->scratch);
	if (c->hold != HOLD_NONE)
		ck_assert_int_eq(run.plan.ops[0].hold, c->hold);
	tn_run_release(&run);
}
END_TEST

static struct tn_exec *executed(
	struct tn_run *run, const struct tn_plan *plan, int poison)
{
	struct tn_exec *e;

	ck_assert_int_eq(
		tn_exec_new(&run->graph, plan, &run->arena, &run->diags, &e), TN_OK);
	tn_exec_poison(e, poison);
	tn_exec_seed(e, 1);
	ck_assert_int_eq(tn_exec_run(e, NULL, NULL), TN_OK);
	return e;
}

START_TEST(results_are_the_same)
{
	const struct buffer_case *c = &cases[_i];
	tenure_options options;
	struct tn_exec *shared, *apart;
	struct tn_run run;

	tenure_options_init(&options);
	options.objective = TENURE_OBJECTIVE_ARENA;
	plan_case(&run, &options, c);
	apart = executed(&run, NULL, 0x55);
	for (int poison = 0; poison < 256; poison += 0xaa) {
		shared = executed(&run, &run.plan, poison);
		for (uint32_t k = 0; k < run.graph.n_outputs; k++) {
			size_t a, b;
			const uint8_t *x =
				tn_exec_bytes(shared, run.graph.outputs[k], &a);
			const uint8_t *y = tn_exec_bytes(apart, run.graph.outputs[k], &b);

			ck_assert(x && y && a == b);
			ck_assert_msg(memcmp(x, y, a) == 0, "%s: output %u differs",
				c->graph, k);
		}
	}
	tn_run_release(&run);
}
END_TEST

/* One of each kind of element and buffer, emitted and run on the board. */
static const int boarded[] = { 0, 4, 6, 8, 9 };

START_TEST(boards_agree)
{
	const struct buffer_case *c = &cases[boarded[_i]];
	tenure_options options;
	char name[256];
	FILE *out = tmpfile();

	ck_assert(out);
	if (system("qemu-system-arm --version >/dev/null 2>&1 && "
		   "arm-none-eabi-gcc --version >/dev/null 2>&1") != 0) {
		fclose(out);
		return;
	}
	snprintf(name, sizeof(name), "fixtures/%s.json", c->graph);
	tenure_options_init(&options);
	options.out = options.err = out;
	options.overlap = c->overlap;
	options.objective = TENURE_OBJECTIVE_ARENA;
	options.on = "host,cortex-m4";
	ck_assert_msg(tenure_validate(&options, tn_test_path(name)) == TENURE_OK, "%s",
		c->graph);
	fclose(out);
}
END_TEST

Suite *tn_test_suite(void)
{
	const int n = (int)(sizeof(cases) / sizeof(*cases));
	Suite *s = suite_create("buffers");
	TCase *tc = tcase_create("buffers");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, least_arena, 0, n);
	tcase_add_loop_test(tc, results_are_the_same, 0, n);
	tcase_add_loop_test(
		tc, boards_agree, 0, (int)(sizeof(boarded) / sizeof(*boarded)));
	suite_add_tcase(s, tc);
	return s;
}
