/* Tensors over several memories: random graphs, and the command line. */
#define _POSIX_C_SOURCE 200809L
#include "suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/liveness.h"
#include "gen_graph.h"
#include "inplace/inplace.h"
#include "ir/validate.h"
#include "lower/place.h"
#include "tenure/tenure.h"
#include "tools.h"
#include "validate/process.h"
#include "verify/verify.h"

/* ---- random graphs ---- */

struct tables {
	struct tn_order order;
	struct tn_aliases aliases;
	struct tn_liveness live;
	struct tn_inplace inplace;
	struct tn_tables t;
};

static void make_tables(
	const struct tn_graph *g, struct tn_arena *arena, struct tables *out)
{
	ck_assert_int_eq(tn_order_given(g, arena, &out->order), TN_OK);
	ck_assert_int_eq(tn_aliases_choose(g, &(struct tn_alias_options){ .align = 32 },
				 arena, &out->aliases),
		TN_OK); /* the largest alignment of a memory below */
	ck_assert_int_eq(
		tn_liveness_find(g, &out->order, &out->aliases, arena, &out->live),
		TN_OK);
	ck_assert_int_eq(tn_inplace_judge(g, &out->order, &out->aliases, &out->live,
				 arena, &out->inplace),
		TN_OK);
	out->t = (struct tn_tables){ g, &out->order, &out->aliases, &out->live,
		&out->inplace };
}

/* One memory without limit: what fits in any case. */
static int64_t alone(struct tables *t, enum tn_overlap_mode mode, struct tn_gen *gen)
{
	const struct tn_lower_options options = { .overlap = mode, .align = 16 };
	struct tn_plan_region whole = {
		.name = "all", .capacity = -1, .align = 16, .cost = 1
	};
	const struct tn_memories memories = { .regions = &whole, .n_regions = 1 };
	const struct tn_limits limits = { .nodes = 20000 };
	struct tn_placed placed;
	struct tn_plan plan;

	ck_assert_int_eq(tn_place(&t->t, &options, &memories, &limits, &gen->arena,
				 &gen->diags, &placed, &plan),
		TN_OK);
	return plan.arena_bytes;
}

/* A small memory that is cheap, a large one that is not, and sometimes a third that holds
 * nothing but what is pinned to it. */
static void place_random(const struct tn_graph *g, struct tables *t, uint32_t seed,
	enum tn_overlap_mode mode, struct tn_gen *gen, unsigned *split)
{
	const int64_t whole = alone(t, mode, gen);
	const struct tn_lower_options options = { .overlap = mode, .align = 16 };
	const struct tn_limits limits = { .nodes = 20000 };
	const uint32_t input = g->n_inputs ? g->inputs[0].i : TN_NONE;
	struct tn_plan_region regions[3] = {
		{ .name = "fast", .capacity = whole * 2 / 5, .align = 16, .cost = 1 },
		{ .name = "slow", .capacity = whole + 512, .align = 32, .cost = 5 },
		{ .name = "dma",
			.capacity = 4096,
			.align = 32,
			.cost = 2,
			.owned = true },
	};
	struct tn_plan_pin pin = { input, seed % 3, seed % 2 ? 0 : -1 };
	const bool pinned =
		input != TN_NONE && seed % 4 != 3 &&
		t->aliases.of[input].root.i == input &&
		(pin.region || g->tensors[input].bytes <= regions[0].capacity);
	const struct tn_memories memories = { regions, 3, &pin, pinned ? 1 : 0 };
	struct tn_placed placed;
	struct tn_plan plan;
	struct tn_verdict v;
	enum tn_status status = tn_place(&t->t, &options, &memories, &limits, &gen->arena,
		&gen->diags, &placed, &plan);
	const char *why =
		gen->diags.list.count
			? gen->diags.list.items[gen->diags.list.count - 1].message
			: "";

	if (pinned && status == TN_ERR_INPUT) /* nothing needs the input */
		return;
	ck_assert_msg(status == TN_OK, "seed %u: status %d: %s", seed, status, why);
	status = tn_verify(g, &plan, &gen->arena, &gen->diags, &v);
	ck_assert_msg(status == TN_OK, "seed %u, mode %d: %s: %s", seed, mode, v.rule,
		gen->diags.list.count
			? gen->diags.list.items[gen->diags.list.count - 1].message
			: "");
	ck_assert_msg(!pinned || plan.tensors[input].region == pin.region,
		"seed %u: the pin is not obeyed", seed);
	ck_assert_msg(plan.access_cost_bound <= plan.access_cost, "seed %u: bound", seed);
	ck_assert_msg(plan.bound_bytes <= plan.activation_bytes, "seed %u: bytes", seed);
	*split += plan.regions[0].used > 0 && plan.regions[1].used > 0;
}

START_TEST(random_graphs)
{
	static const struct tn_gen_options kinds[] = {
		{ .ops = 16 },
		{ .ops = 12, .views = true },
		{ .ops = 12, .state = true, .opaque = true },
	};
	unsigned split = 0;

	for (uint32_t i = 0; i < 30; i++) {
		uint32_t seed = 7000 * ((uint32_t)_i + 1) + i;
		struct tn_gen gen;
		struct tn_graph g;
		struct tables t;

		tn_gen_init(&gen, seed);
		tn_gen_graph(&gen, &kinds[_i], &g);
		ck_assert_msg(tn_validate(&g, &gen.diags) == TN_OK, "seed %u", seed);
		make_tables(&g, &gen.arena, &t);
		for (int mode = OVERLAP_NONE; mode <= OVERLAP_FULL; mode++)
			place_random(
				&g, &t, seed, (enum tn_overlap_mode)mode, &gen, &split);
		tn_gen_release(&gen);
	}
	printf("# kind %d: seeds %d to %d, %u plans in both memories\n", _i,
		7000 * (_i + 1), 7000 * (_i + 1) + 29, split);
	ck_assert_uint_gt(split, 20);
}
END_TEST

/* ---- the command line ---- */

#define WORDS_MAX 6

/* Options as on the command line: "--region", "a:4K", ..., NULL. */
struct call {
	const char *graph;
	const char *words[2 * WORDS_MAX + 1];
};

struct result {
	int status;
	char *out, *err;
	size_t out_len, err_len;
};

static void release(struct result *r)
{
	free(r->out);
	free(r->err);
}

typedef int command_fn(const tenure_options *options, const char *graph);

static struct result call(
	command_fn *command, const struct call *c, tenure_options *options)
{
	const char *lists[5][WORDS_MAX];
	const char *const names[] = { "--region", "--reserve", "--owned", "--pin",
		"--keep" };
	tenure_list *const targets[] = { &options->regions, &options->reserves,
		&options->owned, &options->pins, &options->keep };
	struct result r = { 0 };

	for (size_t i = 0; c->words[i]; i += 2) {
		size_t k = 0;

		if (strcmp(c->words[i], "--overlap") == 0) {
			options->overlap = strcmp(c->words[i + 1], "none") == 0
						   ? TENURE_OVERLAP_NONE
						   : TENURE_OVERLAP_FULL;
			continue;
		}
		if (strcmp(c->words[i], "--ram") == 0) {
			options->ram = strtoll(c->words[i + 1], NULL, 10);
			continue;
		}
		if (strcmp(c->words[i], "--keep-inputs") == 0) {
			options->keep_inputs = 1;
			continue;
		}
		while (strcmp(names[k], c->words[i]) != 0)
			k++;
		lists[k][targets[k]->n++] = c->words[i + 1];
		targets[k]->items = lists[k];
	}
	options->out = open_memstream(&r.out, &r.out_len);
	options->err = open_memstream(&r.err, &r.err_len);
	r.status = command(options, tn_test_path(c->graph));
	fclose(options->out);
	fclose(options->err);
	return r;
}

static struct result plan(const struct call *c)
{
	tenure_options options;

	tenure_options_init(&options);
	return call(tenure_plan, c, &options);
}

#define KWS "fixtures/graphs/kws_i8.json"
#define RES "fixtures/graphs/residual_i8.json"

static const struct {
	struct call call;
	int status;
	const char *message;
} wrongs[] = {
	{ { KWS, { "--region", "a" } }, 2, "its size is missing" },
	{ { KWS, { "--region", ":4K" } }, 2, "the region's name is missing" },
	{ { KWS, { "--region", "a b:4K" } }, 2, "a region's name has letters" },
	{ { KWS, { "--region", "a:x" } }, 2, "the size is no number" },
	{ { KWS, { "--region", "a:-1" } }, 2, "the size is no number" },
	{ { KWS, { "--region", "a:0" } }, 2, "the region has no bytes" },
	{ { KWS, { "--region", "a:9223372036854775808" } }, 2, "the size is too large" },
	{ { KWS, { "--region", "a:9007199254740992K" } }, 2, "the size is too large" },
	{ { KWS, { "--region", "a:64K:12" } }, 2, "must be a power of two" },
	{ { KWS, { "--region", "a:64K:16:" } }, 2, "the cost is no number" },
	{ { KWS, { "--region", "a:64K:16:1:1" } }, 2, "':1' is not understood" },
	{ { KWS, { "--region", "a:64K:32@0x20000010" } }, 2, "not a multiple of the" },
	{ { KWS, { "--region", "a:64K@9223372036854775792" } }, 2,
		"the end of the region is too large" },
	{ { KWS, { "--region", "a:64K:16:9223372036854775807" } }, 2,
		"costs are too large together" },
	{ { KWS, { "--region", "a:64K", "--region", "a:32K" } }, 2,
		"there are two regions 'a'" },
	{ { KWS, { "--region", "a:64K@0x1000", "--region", "b:4K@0x2000" } }, 2,
		"it overlaps the region 'a'" },
	{ { KWS, { "--reserve", "a:4K" } }, 2, "there is no region 'a'" },
	{ { KWS, { "--region", "a:64K", "--reserve", "a:65K" } }, 2,
		"the region 'a' has only 65536 bytes" },
	{ { KWS, { "--region", "a:64K", "--reserve", "a" } }, 2,
		"expected REGION:BYTES" },
	{ { KWS, { "--region", "a:64K", "--owned", "b" } }, 2, "there is no region 'b'" },
	{ { KWS, { "--region", "a:64K", "--owned", "a" } }, 2, "may be in no region" },
	{ { KWS, { "--region", "a:64K", "--pin", "conv0" } }, 2,
		"expected TENSOR=REGION" },
	{ { KWS, { "--region", "a:64K", "--pin", "none=a" } }, 2,
		"the graph has no tensor 'none'" },
	{ { KWS, { "--region", "a:64K", "--pin", "conv0=b" } }, 2,
		"there is no region 'b'" },
	{ { KWS, { "--pin", "conv0=b" } }, 2, "there is no region 'b'" },
	{ { KWS, { "--region", "a:64K", "--pin", "conv0=a+x" } }, 2,
		"the offset is no number" },
	{ { KWS, { "--region", "a:64K", "--pin", "conv0=a+8" } }, 2,
		"not a multiple of its alignment, 16" },
	{ { KWS, { "--region", "a:64K", "--pin", "conv0=a+64K" } }, 2,
		"end behind the 65536 bytes" },
	{ { KWS, { "--region", "a:64K", "--pin", "conv0=@0x100" } }, 2,
		"no region has that address" },
	{ { KWS, { "--region", "a:64K", "--region", "b:64K", "--pin", "conv0=a", "--pin",
			 "conv0=b" } },
		2, "'conv0' is pinned to two different places" },
	{ { KWS, { "--region", "a:64K", "--pin", "conv0=a+0", "--pin", "conv0=a+16" } },
		2, "'conv0' is pinned to two different places" },
	{ { KWS, { "--region", "a:64K", "--pin", "conv0=a+0", "--pin", "depthwise1=a+0",
			 "--overlap", "none" } },
		2, "'conv0' and 'depthwise1' are needed at the same time" },
	{ { KWS, { "--region", "a:7999" } }, 2,
		"'conv0' has 8000 bytes, but the largest region" },
	{ { KWS, { "--region", "a:64K", "--ram", "9000" } }, 2,
		"--ram is the budget of a single memory" },
	{ { KWS, { "--reserve", "5" } }, 2, "there is nothing to take it from" },
	{ { KWS, { "--ram", "1024", "--reserve", "2048" } }, 2,
		"--ram has only 1024 bytes" },
	/* it does not fit, but nothing is wrong with the command */
	{ { KWS, { "--region", "a:15999", "--overlap", "none" } }, 1,
		"1 B are missing in 'a', which has 15999 B" },
	{ { KWS, { "--region", "a:16K", "--reserve", "a:500", "--overlap", "none" } }, 1,
		"would fit: without the reserve of 'a'" },
	{ { "fixtures/memories/two_branches.json", { "--region", "a:2000" } }, 1,
		"would fit: --schedule search" },
	{ { KWS, { "--ram", "8383" } }, 1, "the arena needs 8384 B, 1 B more" },
	{ { KWS, { "--ram", "8383" } }, 1, "'conv0' 8,000 B, 'depthwise1' 8,000 B" },
	{ { KWS, { "--ram", "15999", "--overlap", "none" } }, 1,
		"would fit: --overlap full" },
	{ { KWS, { "--region", "a:8400", "--keep-inputs", "" } }, 1,
		"would fit: graph inputs that may be overwritten" },
	{ { KWS, { "--region", "a:8400", "--keep", "input" } }, 1,
		"would fit: without --keep input" },
	{ { KWS, { "--region", "a:8400", "--region", "b:8000", "--pin", "conv0=b",
			 "--pin", "depthwise1=b" } },
		1, "would fit: without the pin of 'depthwise1'" },
};

START_TEST(bad_input)
{
	struct result r = plan(&wrongs[_i].call);

	ck_assert_msg(
		r.status == wrongs[_i].status, "%d: exit %d: %s", _i, r.status, r.err);
	ck_assert_msg(strstr(r.err, wrongs[_i].message), "%d: '%s' is not in: %s", _i,
		wrongs[_i].message, r.err);
	release(&r);
}
END_TEST

/* What would fit, does; a byte less does not. */
START_TEST(changes_that_are_told_help)
{
	static const struct call none = { KWS,
		{ "--region", "a:12000", "--overlap", "none" } };
	static const struct call full = { KWS, { "--region", "a:12000" } };
	static const struct call larger = { KWS,
		{ "--region", "a:16000", "--overlap", "none" } };
	static const struct call less = { KWS,
		{ "--region", "a:15984", "--overlap", "none" } };
	struct result r = plan(&none);

	ck_assert_int_eq(r.status, 1);
	ck_assert_msg(strstr(r.err, "4000 B are missing in 'a', which has 12000 B"), "%s",
		r.err);
	ck_assert_msg(
		strstr(r.err, "alive at the peak, op 'depthwise_conv_2d_1', in 'a': "
			      "'conv0' 8000 B, 'depthwise1' 8000 B"),
		"%s", r.err);
	ck_assert_msg(
		strstr(r.err, "would fit: 'a' of 16000 B, 4000 B more"), "%s", r.err);
	ck_assert_msg(strstr(r.err, "would fit: --overlap full"), "%s", r.err);
	release(&r);
	r = plan(&full);
	ck_assert_msg(r.status == 0, "%s", r.err);
	release(&r);
	r = plan(&larger);
	ck_assert_msg(r.status == 0, "%s", r.err);
	release(&r);
	r = plan(&less);
	ck_assert_int_eq(r.status, 1);
	release(&r);
}
END_TEST

/* ---- the largest batch ---- */

static const struct {
	struct call call;
	int status;
	const char *message; /* in what is printed */
} batches[] = {
	/* two samples of 8000 B, less a displacement that covers one row */
	{ { KWS, { "--ram", "16384" } }, 0,
		"largest batch 2: arena 16,384 B; batch 3 needs 24,384 B" },
	{ { KWS, { "--ram", "16383" } }, 0,
		"largest batch 1: arena 8,384 B; batch 2 needs 16,384 B" },
	{ { KWS, { "--ram", "8384" } }, 0, "largest batch 1: arena 8,384 B" },
	{ { KWS, { "--ram", "8383" } }, 1, "the arena needs 8384 B, 1 B more" },
	{ { KWS, { "--region", "a:16384" } }, 0, "largest batch 2: arena 16,384 B" },
	{ { KWS, { "--region", "a:16K", "--region", "b:9K" } }, 0, "largest batch " },
	{ { KWS, { NULL } }, 2, "--max-batch needs --ram or --region" },
	{ { "fixtures/models/svdf.tflite", { "--ram", "64000" } }, 2,
		"the batch cannot be scaled: the graph has state" },
};

START_TEST(largest_batch)
{
	tenure_options options;
	struct result r;

	tenure_options_init(&options);
	options.max_batch = 1;
	r = call(tenure_plan, &batches[_i].call, &options);
	ck_assert_msg(
		r.status == batches[_i].status, "%d: exit %d: %s", _i, r.status, r.err);
	ck_assert_msg(strstr(r.status ? r.err : r.out, batches[_i].message),
		"%d: '%s' is not in: %s%s", _i, batches[_i].message, r.out, r.err);
	release(&r);
}
END_TEST

/* ---- running ---- */

/* Each is run with its tensors in two memories, or apart. */
static const char *const graphs[] = { RES, KWS, "fixtures/graphs/branches_i8.json",
	"fixtures/graphs/branches_f32.json", "fixtures/graphs/two_outputs_i8.json",
	"fixtures/graphs/wake_i8.json" };

START_TEST(runs_are_equal)
{
	struct call c = { graphs[_i],
		{ "--region", "dtcm:9K:32:1", "--region", "psram:256K:64:8" } };
	tenure_options apart, split;
	struct result a, b;

	tenure_options_init(&apart);
	tenure_options_init(&split);
	apart.no_reuse = 1;
	a = call(tenure_run, &c, &apart);
	b = call(tenure_run, &c, &split);
	ck_assert_msg(
		a.status == 0 && b.status == 0, "%s: %s%s", graphs[_i], a.err, b.err);
	ck_assert_str_eq(a.out, b.out);
	release(&a);
	release(&b);
}
END_TEST

/* A plan on disk keeps regions and pins; one that breaks its pin is refused. */
START_TEST(plans_keep_their_pins)
{
	static const struct call c = { KWS,
		{ "--region", "dma:1K:32:1@0x20000000", "--region", "sram:64K:16:2",
			"--owned", "dma", "--pin", "input=@0x20000020" } };
	char name[] = "/tmp/tenure-plan-XXXXXX";
	char text[1 << 16], *pin;
	tenure_options options;
	struct result r;
	FILE *f;
	size_t n;

	close(mkstemp(name));
	tenure_options_init(&options);
	options.output = name;
	r = call(tenure_plan, &c, &options);
	ck_assert_msg(r.status == 0, "%s", r.err);
	release(&r);
	tenure_options_init(&options);
	options.out = options.err = tmpfile();
	ck_assert_int_eq(tenure_verify(&options, tn_test_path(KWS), name), 0);
	f = fopen(name, "r");
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = '\0';
	pin = strstr(text, "\"pins\"");
	ck_assert_ptr_nonnull(pin);
	pin = strstr(pin, "\"offset\": 32");
	ck_assert_ptr_nonnull(pin);
	memcpy(pin, "\"offset\": 64", 12);
	f = fopen(name, "w");
	ck_assert_uint_eq(fwrite(text, 1, n, f), n);
	fclose(f);
	ck_assert_int_eq(tenure_verify(&options, tn_test_path(KWS), name), 1);
	fclose(options.out);
	unlink(name);
}
END_TEST

/* Not our error: no plan keeps an input that the graph overwrites. */
START_TEST(graph_that_loses_its_input)
{
	tenure_options options;
	char text[1024];
	size_t n;

	tenure_options_init(&options);
	options.out = options.err = tmpfile();
	ck_assert_int_eq(
		tenure_plan(&options, tn_test_path("fixtures/refused/own-input.json")),
		TENURE_FINDINGS);
	rewind(options.err);
	n = fread(text, 1, sizeof(text) - 1, options.err);
	text[n] = '\0';
	ck_assert_ptr_nonnull(strstr(text, "[hazard/input-write]"));
	fclose(options.err);
}
END_TEST

static const char *const targets[] = { "host", "cortex-m4" };

/* Emitted with a parameter for each memory, with and without sharing, every layer. The
 * alignment is above that of the harness' guards. */
START_TEST(validated)
{
	static const struct call c = { RES, { "--region", "dtcm:500:32:1@0x20000000",
						    "--region", "sram:64K:128:4" } };
	tenure_options options;
	struct result r;

	if (_i > 0 &&
		(!tn_test_has("arm-none-eabi-gcc") || !tn_test_has("qemu-system-arm")))
		return;
	tenure_options_init(&options);
	options.on = targets[_i];
	r = call(tenure_validate, &c, &options);
	ck_assert_msg(r.status == 0, "%s: %s%s", targets[_i], r.out, r.err);
	ck_assert_msg(
		strstr(r.out, "every activation is the same bit for bit"), "%s", r.out);
	release(&r);
}
END_TEST

static const char board[] =
	"MEMORY\n{\n\tFLASH (rx) : ORIGIN = 0, LENGTH = 1M\n"
	"\tRAM (rwx) : ORIGIN = 0x20000000, LENGTH = 64K\n}\n"
	"ENTRY(main)\nSECTIONS\n{\n\t.text : { *(.text*) *(.rodata*) } > FLASH\n"
	"\t.data : { *(.data*) } > RAM\n\t.bss : { *(.bss*) *(COMMON) } > RAM\n}\n";

static const char firmware[] =
	"#include \"memory.h\"\n"
	"int main(void)\n{\n"
	"\treturn DS_CNN_keyword_spotting_run(DS_CNN_KEYWORD_SPOTTING_MEMORY);\n}\n";

static void put(const char *dir, const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_ge(fputs(text, f), 0);
	fclose(f);
}

/* The arrays of the memories end up where the plan has its memories; what the caller owns
 * is none of them. */
START_TEST(linked_where_they_are_planned)
{
	static const struct call c = { KWS,
		{ "--region", "dma:1K:32:1@0x40000000", "--region",
			"dtcm:9K:32:1@0x20010000", "--region", "sram:64K:16:4", "--owned",
			"dma", "--pin", "input=dma" } };
	static const char *const sh[] = { "sh", "-c",
		"make CPU=cortex-m4 CROSS=arm-none-eabi- >make.log 2>&1 &&"
		"arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -mfloat-abi=hard "
		"-mfpu=fpv4-sp-d16 -Wall -Wextra -Werror -Ikernels main.c "
		"build/cortex-m4/lib*.a -nostartfiles -specs=nosys.specs -T memory.ld "
		"-T board.ld -o a.elf >ld.log 2>&1 && arm-none-eabi-nm a.elf",
		NULL };
	char dir[] = "/tmp/tenure-emit-XXXXXX";
	tenure_options options;
	struct tn_process p;
	struct tn_strbuf out;
	struct result r;

	if (!tn_test_has("arm-none-eabi-gcc") || !tn_test_has("make"))
		return;
	ck_assert_ptr_nonnull(mkdtemp(dir));
	tenure_options_init(&options);
	options.output = dir;
	options.cpu = "cortex-m4";
	r = call(tenure_emit, &c, &options);
	ck_assert_msg(r.status == 0, "%s", r.err);
	release(&r);
	put(dir, "board.ld", board);
	put(dir, "main.c", firmware);
	tn_strbuf_init(&out);
	p = tn_process_run(sh, dir, 120, &out);
	ck_assert_msg(p.end == PROCESS_EXITED && p.exit_code == 0, "%s: %s", dir,
		out.text ? out.text : "");
	ck_assert_msg(
		strstr(out.text, "20010000 B DS_CNN_keyword_spotting_dtcm_memory\n"),
		"%s", out.text);
	ck_assert_msg(
		strstr(out.text, "20000000 B DS_CNN_keyword_spotting_sram_memory\n"),
		"%s", out.text);
	ck_assert_msg(!strstr(out.text, "dma_memory"), "%s", out.text);
	tn_strbuf_release(&out);
	tn_tempdir_remove(dir);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("memories");
	TCase *t = tcase_create("memories");

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, random_graphs, 0, 3);
	tcase_add_loop_test(t, bad_input, 0, (int)(sizeof(wrongs) / sizeof(*wrongs)));
	tcase_add_test(t, changes_that_are_told_help);
	tcase_add_loop_test(
		t, largest_batch, 0, (int)(sizeof(batches) / sizeof(*batches)));
	tcase_add_loop_test(
		t, runs_are_equal, 0, (int)(sizeof(graphs) / sizeof(*graphs)));
	tcase_add_test(t, plans_keep_their_pins);
	tcase_add_test(t, graph_that_loses_its_input);
	tcase_add_loop_test(t, validated, 0, (int)(sizeof(targets) / sizeof(*targets)));
	tcase_add_test(t, linked_where_they_are_planned);
	suite_add_tcase(s, t);
	return s;
}
