/* Boards, budgets of RAM and flash, and what is said when they are exceeded. */
#define _POSIX_C_SOURCE 200809L
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "board/board.h"
#include "driver/need.h"
#include "emit/embedded.h"
#include "emit/footprint.h"
#include "ir/constants.h"

/* ---- the pack ---- */

START_TEST(shipped_boards)
{
	static const char *const wanted[] = { "nrf52840", "rp2040", "stm32f407",
		"stm32f746", "stm32h743", "stm32l4r5", "samd51j20", "esp32s3",
		"alif-e7-he", "mimxrt1062" };
	struct tn_arena arena;
	struct tn_diags diags;
	struct tn_boards boards = { 0 };

	tn_arena_init(&arena);
	tn_diags_init(&diags, &arena);
	/* as a user's file it is checked against the schema */
	ck_assert_int_eq(
		tn_boards_read(tn_test_path("rules/boards.xml"), &arena, &diags, &boards),
		TN_OK);
	boards = (struct tn_boards){ 0 };
	ck_assert_int_eq(tn_boards_read(NULL, &arena, &diags, &boards), TN_OK);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		ck_assert_msg(tn_board_find(&boards, wanted[i]) != NULL, "%s", wanted[i]);
	for (size_t i = 0; i < boards.n; i++) {
		const struct tn_board *b = &boards.list[i];

		ck_assert_msg(tn_board_ram(b) >= 16 * 1024 &&
				      tn_board_flash(b) >= 128 * 1024 &&
				      tn_board_flash(b) >= tn_board_ram(b) / 2,
			"%s", b->id);
		ck_assert_msg(
			b->n_sources > 0 && strlen(b->sources[0]) > 10, "%s", b->id);
		for (size_t k = 0; k < b->n_memories; k++)
			for (size_t o = 0; o < k; o++) {
				const struct tn_board_memory *x = &b->memories[k],
							     *y = &b->memories[o];

				ck_assert_msg(!x->has_base || !y->has_base ||
						      x->base + x->bytes <= y->base ||
						      y->base + y->bytes <= x->base,
					"%s: '%s' and '%s' overlap", b->id, x->name,
					y->name);
			}
	}
	ck_assert_int_eq(
		tn_board_find(&boards, "nrf52840")->memories[0].bytes, 256 * 1024);
	tn_arena_release(&arena);
}
END_TEST

/* ---- files of the user's ---- */

static const struct file_case {
	const char *file;
	size_t line; /* of the mistake; 0: it is right */
	const char *says;
} files[] = {
	{ "two", 0, NULL },
	{ "no-xml", 2, "" },
	{ "other", 1, "" },
	{ "version", 1, "" },
	{ "twice", 3, "there are two boards 'b'" },
	{ "no-ram", 2, "the board 'b' has no RAM" },
	{ "no-source", 2, "" },
	{ "unknown", 2, "" },
	{ "huge", 2, "" },
	{ "no-bytes", 2, "" },
	{ "same-memory", 2, "the board has two memories 'm'" },
	{ "entities", 1, "a document type is not allowed" },
	{ "external", 1, "a document type is not allowed" },
	{ "doctype", 1, "a document type is not allowed" },
};

START_TEST(board_files)
{
	const struct file_case *c = &files[_i];
	struct tn_arena arena;
	struct tn_diags diags;
	struct tn_boards boards = { 0 };
	char name[128];
	enum tn_status status;

	tn_arena_init(&arena);
	tn_diags_init(&diags, &arena);
	snprintf(name, sizeof(name), "fixtures/boards/%s.xml", c->file);
	status = tn_boards_read(tn_test_path(name), &arena, &diags, &boards);
	ck_assert_msg(status == (c->says ? TN_ERR_INPUT : TN_OK), "%s: %d", c->file,
		(int)status);
	ck_assert_msg((diags.errors > 0) == (c->says != NULL), "%s", c->file);
	if (c->says)
		ck_assert_msg(diags.list.items[0].line == c->line &&
				      strstr(diags.list.items[0].source->name, c->file) &&
				      strstr(diags.list.items[0].message, c->says),
			"%s:%zu: %s", c->file, diags.list.items[0].line,
			diags.list.items[0].message);
	else
		ck_assert_uint_eq(boards.n, 2);
	tn_arena_release(&arena);
}
END_TEST

/* ---- what a model needs ---- */

static void plan(struct tn_run *run, const tenure_options *options, const char *graph)
{
	char name[128];

	snprintf(name, sizeof(name), "fixtures/graphs/%s.json", graph);
	tn_run_init(run, options);
	ck_assert_int_eq(tn_pipeline(run, tn_test_path(name), STAGE_PLAN), TN_OK);
}

START_TEST(needs)
{
	tenure_options options;
	struct tn_need need;
	struct tn_run run;

	tenure_options_init(&options);
	plan(&run, &options, "kws_i8");
	ck_assert_int_eq(tn_need_of(&run, &need), TN_OK);
	ck_assert(need.has_code);
	ck_assert_int_eq(need.arena, run.plan.arena_bytes);
	ck_assert_int_eq(need.sizes.n_unmeasured, 0);
	ck_assert(need.stack > 64 && need.stack < 2048);
	ck_assert_int_eq(tn_need_ram(&need), need.arena + need.stack);
	/* every constant of the graph is there, and rounding costs little */
	ck_assert(need.sizes.constant_bytes >= need.constants.bytes);
	ck_assert_int_eq(tn_need_flash(&need, "cortex-m4"),
		need.sizes.constant_bytes + need.sizes.code_bytes[2]);
	/* what nobody measured counts as a Cortex-M33 */
	ck_assert_int_eq(tn_need_flash(&need, "xtensa-lx7"),
		need.sizes.constant_bytes + need.sizes.code_bytes[4]);
	tn_run_release(&run);
}
END_TEST

START_TEST(zeros)
{
	static const uint8_t i8[] = { 3, 0, 3, 253, 3 },
			     floats[] = { 0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0x80, 0x3f },
			     wide[32] = { 0 };
	const int64_t three = 3;
	const float scale = 1;
	struct tn_tensor tensors[] = {
		{ .name = "w",
			.dtype = DTYPE_I8,
			.role = ROLE_CONST,
			.elements = 5,
			.bytes = 5,
			.data_kind = DATA_BYTES,
			.data = i8,
			.data_bytes = 5,
			.quant = { 1, 0, &scale, &three, false },
			.view_of = { TN_NONE } },
		{ .name = "v",
			.dtype = DTYPE_F32,
			.role = ROLE_CONST,
			.elements = 3,
			.bytes = 12,
			.data_kind = DATA_BYTES,
			.data = floats,
			.data_bytes = 12,
			.view_of = { TN_NONE } },
		{ .name = "unused",
			.dtype = DTYPE_F32,
			.role = ROLE_CONST,
			.elements = 3,
			.bytes = 12,
			.data_kind = DATA_BYTES,
			.data = floats,
			.data_bytes = 12,
			.view_of = { TN_NONE } },
		{ .name = "view",
			.dtype = DTYPE_I8,
			.role = ROLE_CONST,
			.elements = 5,
			.bytes = 5,
			.view_of = { 0 } },
		{ .name = "wide",
			.dtype = DTYPE_C128,
			.role = ROLE_CONST,
			.elements = 2,
			.bytes = 32,
			.data_kind = DATA_BYTES,
			.data = wide,
			.data_bytes = 32,
			.view_of = { TN_NONE } },
	};
	tn_tensor_id in[] = { { 0 }, { 1 }, { 0 }, { 3 }, { TN_NONE }, { 4 } };
	struct tn_op op = { .name = "op", .inputs = in, .n_inputs = 6 };
	const struct tn_graph g = {
		.tensors = tensors, .n_tensors = 5, .ops = &op, .n_ops = 1
	};
	struct tn_constants c;
	struct tn_arena arena;

	tn_arena_init(&arena);
	ck_assert_int_eq(tn_constants_find(&g, &arena, &c), TN_OK);
	ck_assert_int_eq(c.bytes, 49);
	ck_assert_int_eq(c.of[DTYPE_I8].tensors, 1);
	ck_assert_int_eq(c.of[DTYPE_I8].zeros, 3);
	ck_assert_int_eq(c.of[DTYPE_F32].zeros, 2);
	ck_assert_int_eq(c.of[DTYPE_F32].elements, 3);
	ck_assert_int_eq(c.of[DTYPE_C128].tensors, 1);
	ck_assert_int_eq(c.of[DTYPE_C128].elements, 0); /* not looked into */
	tn_arena_release(&arena);
}
END_TEST

/* Kernels that were added since the table was measured are counted as not known; most must
 * be there. */
START_TEST(table_is_complete)
{
	size_t known = 0, sources = 0;

	for (const struct tn_embedded *e = tn_embedded_kernels; e->name; e++) {
		const size_t len = strlen(e->name);

		if (len < 2 || strcmp(e->name + len - 2, ".c") != 0)
			continue;
		sources++;
		known += tn_footprint_find(e->name) != NULL;
	}
	ck_assert(sources > 100);
	ck_assert_msg(known * 20 >= sources * 19,
		"%zu of %zu kernels are measured: tools/measure_kernels.py --write",
		known, sources);
}
END_TEST

/* ---- the command ---- */

static const struct command_case {
	const char *name, *graph;
	int64_t ram, flash;
	const char *target, *boards, *reserve;
	enum tenure_overlap overlap;
	int keep_inputs, status;
	const char *says, *never;
} commands[] = {
	{ "kws fits 32K", "kws_i8", 32768, -1, NULL, NULL, NULL, TENURE_OVERLAP_FULL, 0,
		TENURE_OK, "0 errors", "over-budget" },
	{ "vww fits 64K", "vww_i8", 65536, -1, NULL, NULL, NULL, TENURE_OVERLAP_FULL, 0,
		TENURE_OK, "0 errors", "over-budget" },
	{ "vww without sharing does not", "vww_i8", 65536, -1, NULL, NULL, "12K",
		TENURE_OVERLAP_NONE, 0, TENURE_FINDINGS,
		"would fit: --overlap full, saves 18416 B of the arena", NULL },
	{ "resnet8 misses 32K", "resnet8_i8", 32768, -1, NULL, NULL, NULL,
		TENURE_OVERLAP_FULL, 0, TENURE_FINDINGS,
		"B more than the 32768 B of --ram", NULL },
	{ "the peak is named", "resnet8_i8", 32768, -1, NULL, NULL, NULL,
		TENURE_OVERLAP_FULL, 0, TENURE_FINDINGS, "the peak is '", NULL },
	{ "nothing helps", "ad_i8", 700, -1, NULL, NULL, NULL, TENURE_OVERLAP_FULL, 0,
		TENURE_FINDINGS, "no plan of this graph needs less than 768 B", NULL },
	{ "chains help", "resnet8_i8", 32768, -1, NULL, NULL, NULL, TENURE_OVERLAP_FULL,
		0, TENURE_FINDINGS,
		"would fit: --stream auto (ops run row by row), saves 17696 B", NULL },
	{ "and are a finding, too", "resnet8_i8", 32768, -1, NULL, NULL, NULL,
		TENURE_OVERLAP_FULL, 0, TENURE_FINDINGS,
		" B less, if chains of ops ran row by row (--stream auto)", NULL },
	{ "nothing to plan", "../rules/nothing", 0, -1, NULL, NULL, "1K",
		TENURE_OVERLAP_FULL, 0, TENURE_FINDINGS, "the arena is empty",
		"fewer channels" },
	{ "inputs that are kept", "kws_i8", 8700, -1, NULL, NULL, NULL,
		TENURE_OVERLAP_FULL, 1, TENURE_FINDINGS,
		"graph inputs that may be overwritten", NULL },
	{ "a reserve counts", "kws_i8", 32768, -1, NULL, NULL, "24K", TENURE_OVERLAP_FULL,
		0, TENURE_FINDINGS, "reserve 24576 B", NULL },
	{ "flash is enough", "resnet8_i8", -1, 131072, NULL, NULL, NULL,
		TENURE_OVERLAP_FULL, 0, TENURE_OK, "0 errors", "flash-over-budget" },
	{ "flash is not", "resnet8_i8", -1, 65536, NULL, NULL, NULL, TENURE_OVERLAP_FULL,
		0, TENURE_FINDINGS, "sharing memory cannot help", NULL },
	{ "weights by type", "resnet8_i8", -1, 65536, NULL, NULL, NULL,
		TENURE_OVERLAP_FULL, 0, TENURE_FINDINGS, "% zeros", NULL },
	{ "code is flash", "kws_i8", -1, 24 * 1024, NULL, NULL, NULL, TENURE_OVERLAP_FULL,
		0, TENURE_FINDINGS, "code ", NULL },
	{ "a board", "kws_i8", -1, -1, "nrf52840", NULL, NULL, TENURE_OVERLAP_FULL, 0,
		TENURE_OK, "0 errors", "over-budget" },
	{ "a board that is too small", "vww_i8", -1, -1, "samd21g18", NULL, NULL,
		TENURE_OVERLAP_FULL, 0, TENURE_FINDINGS,
		"B of 'sram' of the board samd21g18", NULL },
	{ "a board of the user's, spread", "kws_i8", -1, -1, "split", "two", "4K",
		TENURE_OVERLAP_FULL, 0, TENURE_OK,
		"tenure plan --target split --reserve small:4", "over-budget" },
	{ "all boards", "vww_i8", -1, -1, "all", NULL, NULL, TENURE_OVERLAP_FULL, 0,
		TENURE_OK, "26 of 28 boards", "samd21g18" },
	{ "all boards and the user's", "kws_i8", -1, -1, "all", "two", NULL,
		TENURE_OVERLAP_FULL, 0, TENURE_OK, "29 of 30 boards", "tiny" },
	{ "no such board", "kws_i8", -1, -1, "nrf99", NULL, NULL, TENURE_OVERLAP_FULL, 0,
		TENURE_BAD_INPUT, "", NULL },
	{ "a wrong file of boards", "kws_i8", -1, -1, "nrf52840", "twice", NULL,
		TENURE_OVERLAP_FULL, 0, TENURE_BAD_INPUT, "", NULL },
};

START_TEST(command)
{
	const struct command_case *c = &commands[_i];
	char graph[1024], boards[1024], text[65536], name[128];
	const char *graphs[] = { graph }, *packs[] = { boards };
	FILE *out = tmpfile(), *err = tmpfile();
	tenure_options options;
	size_t len;
	int status;

	ck_assert(out && err);
	tenure_options_init(&options);
	options.out = out;
	options.err = err;
	options.ram = c->ram;
	options.flash = c->flash;
	options.target = c->target;
	options.overlap = c->overlap;
	options.keep_inputs = c->keep_inputs;
	options.only = "memory";
	snprintf(name, sizeof(name), "fixtures/graphs/%s.json", c->graph);
	snprintf(graph, sizeof(graph), "%s", tn_test_path(name));
	if (c->boards) {
		snprintf(name, sizeof(name), "fixtures/boards/%s.xml", c->boards);
		snprintf(boards, sizeof(boards), "%s", tn_test_path(name));
		options.boards = (tenure_list){ packs, 1 };
	}
	if (c->reserve)
		options.reserves = (tenure_list){ &c->reserve, 1 };
	status = tenure_lint(&options, graphs, 1);
	rewind(out);
	len = fread(text, 1, sizeof(text) - 1, out);
	text[len] = '\0';
	ck_assert_msg(status == c->status, "%s: exit status %d\n%.3000s", c->name, status,
		text);
	ck_assert_msg(strstr(text, c->says) != NULL, "%s:\n%.3000s", c->name, text);
	ck_assert_msg(
		!c->never || !strstr(text, c->never), "%s:\n%.3000s", c->name, text);
	fclose(out);
	fclose(err);
}
END_TEST

/* ---- plan on a board ---- */

static const struct target_case {
	const char *name, *target, *reserve, *region;
	enum tn_status status;
	uint32_t regions;
	int64_t reserved; /* of the first region */
} targets[] = {
	{ "one memory", "nrf52840", NULL, NULL, TN_OK, 1, 0 },
	{ "two memories", "stm32l432", NULL, NULL, TN_OK, 2, 0 },
	{ "a reserve is the largest's", "stm32l432", "4K", NULL, TN_OK, 2, 4096 },
	{ "a reserve by name", "stm32l432", "sram2:4K", NULL, TN_OK, 2, 0 },
	{ "too small with the reserve", "samd21g18", "24K", NULL, TN_ERR_REFUSED, 1,
		24576 },
	{ "all is no board to plan for", "all", NULL, NULL, TN_ERR_INPUT, 0, 0 },
	{ "not with regions", "nrf52840", NULL, "a:64K", TN_ERR_INPUT, 0, 0 },
};

START_TEST(plan_on_board)
{
	const struct target_case *c = &targets[_i];
	tenure_options options;
	struct tn_run run;

	tenure_options_init(&options);
	options.target = c->target;
	if (c->reserve)
		options.reserves = (tenure_list){ &c->reserve, 1 };
	if (c->region)
		options.regions = (tenure_list){ &c->region, 1 };
	tn_run_init(&run, &options);
	ck_assert_msg(tn_pipeline(&run, tn_test_path("fixtures/graphs/kws_i8.json"),
			      STAGE_PLAN) == c->status,
		"%s", c->name);
	ck_assert_msg(run.memories.n_regions == c->regions, "%s", c->name);
	if (c->regions)
		ck_assert_msg(
			run.memories.regions[0].reserved == c->reserved, "%s", c->name);
	ck_assert_msg(run.verified == (c->status == TN_OK), "%s", c->name);
	tn_run_release(&run);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("budget");
	TCase *tc = tcase_create("budget");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, shipped_boards);
	tcase_add_loop_test(tc, board_files, 0, (int)(sizeof(files) / sizeof(*files)));
	tcase_add_test(tc, needs);
	tcase_add_test(tc, zeros);
	tcase_add_test(tc, table_is_complete);
	tcase_add_loop_test(tc, command, 0, (int)(sizeof(commands) / sizeof(*commands)));
	tcase_add_loop_test(
		tc, plan_on_board, 0, (int)(sizeof(targets) / sizeof(*targets)));
	suite_add_tcase(s, tc);
	return s;
}
