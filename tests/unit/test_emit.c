/* The emitter: text that no name can break, constants, and programs that compile for
 * every processor without a warning, without heap and without state of their own. */
#define _POSIX_C_SOURCE 200809L
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "emit/emit.h"
#include "emit/pool.h"
#include "emit/text.h"
#include "net.h"
#include "tools.h"
#include "validate/process.h"

#define COMPILE_SECONDS 120

/* ---- names ---- */

static const struct {
	const char *name, *ident;
} idents[] = {
	{ "kws", "kws" },
	{ "MobileNetV1-0.25 96x96", "MobileNetV1_0_25_96x96" },
	{ "", "model" },
	{ "***", "model" },
	{ "9lives", "lives" },
	{ "__reserved", "reserved" },
	{ "tn_conv", "model" },
	{ "tn", "model" },
	{ "tenure_x", "model" },
	{ "a/**/b", "a_b" },
	{ "x\n#include <y>", "x_include_y" },
	{ "\xc3\xa9t\xc3\xa9", "t" },
	{ "a123456789b123456789c123456789d123456789e",
		"a123456789b123456789c123456789d123456789" },
};

START_TEST(identifiers)
{
	struct tn_arena arena;

	tn_arena_init(&arena);
	ck_assert_str_eq(
		tn_text_ident(&arena, idents[_i].name, "model"), idents[_i].ident);
	tn_arena_release(&arena);
}
END_TEST

static const struct {
	const char *text, *plain, *string;
} texts[] = {
	{ "conv/Relu;bias", "conv/Relu;bias", "\"conv/Relu;bias\"" },
	{ "*/ int x; /*", "_/ int x; /_", "\"*/ int x; /*\"" },
	{ "a//b\\", "a_/b_", "\"a//b\\134\"" },
	{ "?\?/\n", "__/_", "\"\\077\\077/\\012\"" },
	{ "\"1", "_1", "\"\\0421\"" },
	{ "`$(x)`|<b>", "__(x)___b_", "\"`$(x)`|<b>\"" },
	{ "\xff\x01", "__", "\"\\377\\001\"" },
};

START_TEST(names_in_text)
{
	struct tn_strbuf plain, string;

	tn_strbuf_init(&plain);
	tn_strbuf_init(&string);
	tn_text_plain(&plain, texts[_i].text);
	tn_text_string(&string, texts[_i].text);
	ck_assert_str_eq(plain.text, texts[_i].plain);
	ck_assert_str_eq(string.text, texts[_i].string);
	tn_strbuf_release(&plain);
	tn_strbuf_release(&string);
}
END_TEST

/* ---- numbers ---- */

START_TEST(floats_read_back)
{
	uint32_t x = 1;

	for (int i = 0; i < 20000; i++) {
		struct tn_strbuf text;
		float value, back;
		char *end;

		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
		if ((x >> 23 & 0xff) == 0xff)
			continue; /* no number */
		if (i % 4 == 0)
			x &= 0x807fffff; /* subnormal, or zero */
		memcpy(&value, &x, sizeof(value));
		tn_strbuf_init(&text);
		tn_print_float(value, &text);
		back = strtof(text.text, &end);
		ck_assert_str_eq(end, "f");
		ck_assert_msg(memcmp(&back, &value, sizeof(back)) == 0, "%08x: %s", x,
			text.text);
		tn_strbuf_release(&text);
		x |= 1;
	}
}
END_TEST

static const struct {
	int64_t value;
	const char *text;
} ints[] = {
	{ 0, "0" },
	{ -128, "-128" },
	{ INT32_MAX, "2147483647" },
	{ INT32_MIN, "(-2147483647 - 1)" },
	{ (int64_t)INT32_MIN - 1, "-INT64_C(2147483649)" },
	{ INT64_MAX, "INT64_C(9223372036854775807)" },
	{ INT64_MIN, "(-INT64_C(9223372036854775807) - 1)" },
};

START_TEST(integers_are_valid_c)
{
	struct tn_strbuf text;

	tn_strbuf_init(&text);
	tn_print_int(ints[_i].value, &text);
	ck_assert_str_eq(text.text, ints[_i].text);
	tn_strbuf_release(&text);
}
END_TEST

START_TEST(equal_constants_are_one)
{
	static const uint8_t a[] = { 1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff }, b[] = { 1, 2 };
	uint8_t copy[sizeof(a)];
	struct tn_arena arena;
	struct tn_pool pool = { .arena = &arena };
	struct tn_strbuf text;
	uint32_t i[5];

	tn_arena_init(&arena);
	memcpy(copy, a, sizeof(a));
	ck_assert(tn_pool_add(&pool, ELEMENT_I32, a, 8, "a", &i[0]));
	ck_assert(tn_pool_add(&pool, ELEMENT_I32, copy, 8, "copy", &i[1]));
	ck_assert(tn_pool_add(&pool, ELEMENT_I8, a, 8, "bytes", &i[2]));
	ck_assert(tn_pool_add(&pool, ELEMENT_I32, b, 2, "short", &i[3]));
	ck_assert(tn_pool_add(&pool, ELEMENT_I32, a, 4, "half", &i[4]));
	ck_assert_uint_eq(i[1], i[0]);
	ck_assert_uint_eq(pool.list.count, 4);
	ck_assert_uint_eq(tn_pool_bytes(&pool), 4 * 16);
	tn_strbuf_init(&text);
	for (uint32_t k = 0; k < 4; k++)
		tn_pool_define(&pool, k, "m", &text);
	ck_assert_str_eq(text.text,
		"const int32_t m_c0[2] TENURE_CONST = {\n\t1,-1,\n};\n"
		"const int8_t m_c1[8] TENURE_CONST = {\n\t1,0,0,0,-1,-1,-1,-1,\n};\n"
		"const uint8_t m_c2[2] TENURE_CONST = {\n\t0x01,0x02,\n};\n"
		"const int32_t m_c3[1] TENURE_CONST = {\n\t1,\n};\n");
	tn_strbuf_release(&text);
	tn_arena_release(&arena);
}
END_TEST

/* ---- emitting ---- */

struct emitted {
	struct net net;
	const char *dir;
	struct tn_emit_summary summary;
};

static const char *new_dir(struct net *n)
{
	const char *dir;

	ck_assert_int_eq(tn_tempdir_make(&n->arena, &n->diags, &dir), TN_OK);
	return dir;
}

static void emit(struct emitted *e, void (*make)(struct net *), bool debug)
{
	const struct tn_emit_options options = { .debug = debug };
	struct tn_emit_model model;

	make(&e->net);
	net_plan(&e->net);
	e->dir = new_dir(&e->net);
	model = (struct tn_emit_model){ .graph = &e->net.graph, .plan = &e->net.plan };
	ck_assert_msg(tn_emit(&model, 1, &options, e->dir, &e->net.arena, &e->net.diags,
			      &e->summary) == TN_OK,
		"%s", net_report(&e->net));
}

static void emitted_release(struct emitted *e)
{
	tn_tempdir_remove(e->dir);
	net_release(&e->net);
}

static const char *text_of(struct net *n, const char *dir, const char *file)
{
	struct tn_source *source;

	ck_assert_msg(tn_file_read(&n->arena, &n->diags,
			      tn_arena_printf(&n->arena, "%s/%s", dir, file), NULL,
			      &source) == TN_OK,
		"%s", net_report(n));
	return source->text;
}

static const char *const files[] = { "model.h", "model.c", "weights.h", "weights.c",
	"Makefile", "CMakeLists.txt", "README.md", "kernels/tenure/kernels.h",
	"kernels/ref/access.h", "kernels/ref/conv_2d_s8.c", "kernels/ref/softmax_s8.c" };

START_TEST(same_bytes_every_time)
{
	struct emitted a, b;

	emit(&a, net_residual, true);
	emit(&b, net_residual, true);
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		const char *text = text_of(&a.net, a.dir, files[i]);

		ck_assert_msg(strcmp(text, text_of(&b.net, b.dir, files[i])) == 0, "%s",
			files[i]);
		ck_assert_msg(!strstr(text, a.dir), "%s names its directory", files[i]);
	}
	/* a kernel that nobody calls is not there */
	ck_assert_int_ne(access(tn_arena_printf(&a.net.arena,
					"%s/kernels/ref/conv_2d_f32.c", a.dir),
				 F_OK),
		0);
	emitted_release(&a);
	emitted_release(&b);
}
END_TEST

START_TEST(sizes_are_told)
{
	struct emitted e;
	char line[100];

	emit(&e, net_residual, false);
	ck_assert_int_eq(e.summary.memory_bytes, e.net.plan.regions[0].used);
	snprintf(line, sizeof(line), "#define RESIDUAL_ARENA_BYTES %lld\n",
		(long long)e.net.plan.regions[0].used);
	ck_assert(strstr(text_of(&e.net, e.dir, "model.h"), line));
	snprintf(line, sizeof(line), " | %lld | 16 |\n",
		(long long)e.net.plan.regions[0].used);
	ck_assert(strstr(text_of(&e.net, e.dir, "README.md"), line));
	ck_assert(strstr(text_of(&e.net, e.dir, "model.h"),
		"/* in: i8 [1, 7, 6, 3] */\n#define RESIDUAL_INPUT0_BYTES 126\n"
		"#define RESIDUAL_INPUT0_SCALE 0xcccccdp-28f\n"
		"#define RESIDUAL_INPUT0_ZERO_POINT -3\n"));
	ck_assert_str_eq(e.summary.ident, "residual");
	emitted_release(&e);
}
END_TEST

/* ---- compiling ---- */

static const char *const heap[] = { "malloc", "calloc", "realloc", "free", "sbrk",
	"printf" };

/* No writable data and no heap among the symbols that nm prints. */
static void check_symbols(const char *nm, const char *target)
{
	char line[256];

	for (const char *at = nm; at && *at; at = strchr(at, '\n')) {
		const char *kind;
		size_t len;

		while (*at == '\n')
			at++;
		len = strcspn(at, "\n");
		if (len == 0 || len >= sizeof(line))
			continue;
		memcpy(line, at, len);
		line[len] = '\0';
		kind = strchr(line, ' '); /* "name kind ..." of nm -P */
		if (!kind)
			continue;
		ck_assert_msg(
			!strchr("dDbBC", kind[1]), "%s: writable data: %s", target, line);
		for (size_t i = 0; i < sizeof(heap) / sizeof(*heap); i++)
			ck_assert_msg(strncmp(line, heap[i], strlen(heap[i])) != 0 ||
					      line[strlen(heap[i])] != ' ',
				"%s: %s", target, line);
	}
}

static void run_ok(
	const char *const *argv, const char *dir, struct tn_strbuf *out, const char *what)
{
	struct tn_process p = tn_process_run(argv, dir, COMPILE_SECONDS, out);

	ck_assert_msg(p.end == PROCESS_EXITED && p.exit_code == 0, "%s: %d %d\n%s", what,
		(int)p.end, p.exit_code, out->text ? out->text : "");
}

/* Compiles the first `n_sources` sources, and checks their symbols. */
static void compile(struct emitted *e, uint32_t n_sources, const char *cross,
	const char *cc, const char *cpu, const char *standard, const char *define)
{
	const char *argv[64], *nm[40], *const *flags = NULL;
	struct tn_strbuf out;
	size_t n = 0, n_nm = 0;

	ck_assert_ptr_nonnull(tn_emit_cpu_find(cpu, &flags));
	argv[n++] = tn_arena_printf(&e->net.arena, "%s%s", cross, cc);
	for (; *flags; flags++)
		argv[n++] = *flags;
	/* position independent code would move constants that hold addresses to where
	 * the loader can write them */
	for (const char *const *o = (const char *const[]){ "-fno-pie", "-O1", "-Wall",
		     "-Wextra", "-Werror", "-ffp-contract=off", "-Ikernels", "-c", NULL };
		*o; o++)
		argv[n++] = *o;
	argv[n++] = standard;
	if (define)
		argv[n++] = define;
	nm[n_nm++] = tn_arena_printf(&e->net.arena, "%snm", cross);
	nm[n_nm++] = "-P";
	for (uint32_t i = 0; i < n_sources; i++) {
		const char *source = e->summary.sources[i], *base = strrchr(source, '/');

		base = base ? base + 1 : source;
		argv[n++] = source;
		nm[n_nm++] = tn_arena_printf(
			&e->net.arena, "%.*s.o", (int)strlen(base) - 2, base);
	}
	argv[n] = nm[n_nm] = NULL;
	tn_strbuf_init(&out);
	run_ok(argv, e->dir, &out, cpu);
	out.len = 0;
	run_ok(nm, e->dir, &out, cpu);
	check_symbols(out.text, cpu);
	tn_strbuf_release(&out);
}

static void (*const nets[])(
	struct net *) = { net_residual, net_arithmetic, net_state, net_views };

START_TEST(compiles_on_this_machine)
{
	struct emitted e;

	emit(&e, nets[_i], true);
	if (tn_test_has("gcc")) {
		compile(&e, e.summary.n_sources, "", "gcc", "host", "-std=c99", NULL);
		compile(&e, 1, "", "gcc", "host", "-std=c11", "-DTENURE_UNSHARED");
	}
	if (tn_test_has("clang")) {
		compile(&e, 2, "", "clang", "host", "-std=c99", "-DTENURE_HOOK");
		compile(&e, 1, "", "clang", "host", "-std=c11", "-DTENURE_UNSHARED");
	}
	emitted_release(&e);
}
END_TEST

START_TEST(compiles_for_cortex_m)
{
	const char *cpu = tn_emit_cpu_name((uint32_t)_i);
	bool full = strstr("cortex-m0plus cortex-m4 cortex-m55", cpu) != NULL;
	struct emitted e;

	ck_assert(cpu && strncmp(cpu, "cortex-m", 8) == 0);
	if (!tn_test_has("arm-none-eabi-gcc"))
		return;
	emit(&e, net_residual, false);
	/* every kernel for the smallest, the middle and the largest; a test of the kernels
	 * compiles them for all */
	compile(&e, full ? e.summary.n_sources : 2, "arm-none-eabi-", "gcc", cpu,
		"-std=c99", NULL);
	emitted_release(&e);
}
END_TEST

START_TEST(make_builds_a_library)
{
	static const char *const argv[] = { "make", "size", NULL };
	struct tn_strbuf out;
	struct emitted e;

	if (!tn_test_has("gcc") || !tn_test_has("make"))
		return;
	emit(&e, net_arithmetic, false);
	tn_strbuf_init(&out);
	run_ok(argv, e.dir, &out, "make");
	ck_assert(strstr(out.text, "(TOTALS)"));
	ck_assert_int_eq(access(tn_arena_printf(&e.net.arena,
					"%s/build/host/libarithmetic.a", e.dir),
				 R_OK),
		0);
	tn_strbuf_release(&out);
	emitted_release(&e);
}
END_TEST

START_TEST(header_is_cxx)
{
	static const char *const argv[] = { "g++", "-std=c++11", "-Wall", "-Wextra",
		"-Werror", "-fsyntax-only", "-x", "c++", "model.h", NULL };
	struct tn_strbuf out;
	struct emitted e;

	if (!tn_test_has("g++"))
		return;
	emit(&e, net_residual, false);
	tn_strbuf_init(&out);
	run_ok(argv, e.dir, &out, "g++");
	tn_strbuf_release(&out);
	emitted_release(&e);
}
END_TEST

/* ---- hostile names ---- */

static const char hostile[] = "*/ #error \n#include \"nothing\"\n\"; } /* ?\?/ \\\n "
			      "$(shell touch pwned) `touch pwned` %s %n \xff \r ../../x";

static void net_hostile(struct net *n)
{
	net_residual(n);
	n->graph.name = hostile;
	for (uint32_t i = 0; i < n->graph.n_tensors; i++)
		n->graph.tensors[i].name = hostile;
	for (uint32_t i = 0; i < n->graph.n_ops; i++)
		n->graph.ops[i].name = n->graph.ops[i].type = hostile;
}

START_TEST(names_cannot_harm)
{
	static const char *const argv[] = { "make", "CFLAGS=-Werror -DTENURE_HOOK",
		NULL };
	struct tn_strbuf out;
	struct emitted e;

	if (!tn_test_has("gcc") || !tn_test_has("make"))
		return;
	emit(&e, net_hostile, true);
	tn_strbuf_init(&out);
	run_ok(argv, e.dir, &out, "make");
	ck_assert_int_ne(
		access(tn_arena_printf(&e.net.arena, "%s/pwned", e.dir), F_OK), 0);
	ck_assert_str_eq(e.summary.ident, "error_include_nothing_shell_touch_pwned");
	tn_strbuf_release(&out);
	emitted_release(&e);
}
END_TEST

/* ---- several models, several memories ---- */

START_TEST(models_in_one_directory)
{
	static const char *const argv[] = { "make", "CFLAGS=-Werror", "build/host/net.o",
		"build/host/Net_2.o", "build/host/models_2.o",
		"build/host/Net_2.weights.o", NULL };
	const struct tn_emit_options options = { .shared_arena = true };
	struct tn_emit_summary summaries[3];
	struct tn_emit_model models[3];
	struct net a, b;
	struct tn_strbuf out;
	const char *dir, *text;
	char line[80];

	net_residual(&a);
	net_plan(&a);
	net_arithmetic(&b);
	net_plan(&b);
	models[0] = (struct tn_emit_model){ &a.graph, &a.plan, "net" };
	models[1] = (struct tn_emit_model){ &b.graph, &b.plan, "Net" };
	models[2] = (struct tn_emit_model){ &b.graph, NULL, "models" };
	dir = new_dir(&a);
	ck_assert_msg(
		tn_emit(models, 3, &options, dir, &a.arena, &a.diags, summaries) == TN_OK,
		"%s", net_report(&a));
	ck_assert_str_eq(summaries[0].ident, "net");
	ck_assert_str_eq(summaries[1].ident, "Net_2"); /* NET is taken in macros */
	ck_assert_str_eq(summaries[2].ident, "models_2"); /* models.h is taken */
	text = text_of(&a, dir, "models.h");
	snprintf(line, sizeof(line), "#define TENURE_ARENA_BYTES %lld\n",
		(long long)a.plan.regions[0].used);
	ck_assert(strstr(text, line));
	ck_assert(strstr(text, "#include \"net.h\"\n#include \"Net_2.h\"\n#include "
			       "\"models_2.h\"\n"));
	tn_strbuf_init(&out);
	if (tn_test_has("make") && tn_test_has("gcc"))
		run_ok(argv, dir, &out, "make");
	tn_strbuf_release(&out);
	tn_tempdir_remove(dir);
	net_release(&a);
	net_release(&b);
}
END_TEST

START_TEST(memories_are_parameters)
{
	const struct tn_emit_options options = { .cpu = "m4" };
	struct tn_plan_region regions[3];
	struct tn_emit_summary summary;
	struct tn_emit_model model;
	struct net n;
	const char *dir, *text;

	net_residual(&n);
	net_plan(&n);
	regions[0] = n.plan.regions[0];
	regions[1] = (struct tn_plan_region){ .name = "sram", .used = 336, .align = 32 };
	regions[2] = (struct tn_plan_region){ .name = "input0", .used = 0, .align = 1 };
	n.plan.regions = regions;
	n.plan.n_regions = 3;
	n.plan.tensors[net_find_tensor(&n, "c")].region = 1;
	n.plan.tensors[net_find_tensor(&n, "c")].offset = 0;
	model = (struct tn_emit_model){ &n.graph, &n.plan, NULL };
	dir = new_dir(&n);
	ck_assert_msg(
		tn_emit(&model, 1, &options, dir, &n.arena, &n.diags, &summary) == TN_OK,
		"%s", net_report(&n));
	text = text_of(&n, dir, "model.h");
	ck_assert(strstr(text, "int residual_run(void *sram_memory, void "
			       "*memory_sram_2_memory, void *memory_input0_2_memory);"));
	ck_assert(strstr(text, "#define RESIDUAL_MEMORY_SRAM_2_BYTES 336\n"));
	ck_assert(strstr(text, "#define RESIDUAL_MEMORY_SRAM_2_ALIGN 32\n"));
	ck_assert(strstr(text, "#define RESIDUAL_MEMORY_INPUT0_2_BYTES 0\n"));
	ck_assert(strstr(text_of(&n, dir, "Makefile"), "CPU ?= cortex-m4\n"));
	ck_assert_int_eq(summary.memory_bytes, regions[0].used + 336);
	tn_tempdir_remove(dir);
	net_release(&n);
}
END_TEST

/* ---- refusals ---- */

static void missing_constant(struct net *n)
{
	n->graph.tensors[net_find_tensor(n, "w0")].data_kind = DATA_MISSING;
}

static void bad_plan(struct net *n)
{
	n->plan.tensors[0].offset = -1;
}

static void nothing(struct net *n)
{
	(void)n;
}

static const struct {
	const char *name;
	void (*make)(struct net *);
	void (*break_it)(struct net *);
	struct tn_emit_options options;
	uint32_t copies;
	const char *rule;
} refusals[] = {
	{ "processor", net_residual, nothing, { .cpu = "z80" }, 1, "[emit/cpu]" },
	{ "constant", net_residual, missing_constant, { .cpu = NULL }, 1, "[exec/" },
	{ "plan", net_residual, bad_plan, { .cpu = NULL }, 1, "[exec/plan-mismatch]" },
	{ "state", net_state, nothing, { .shared_arena = true }, 2,
		"[emit/shared-state]" },
};

START_TEST(refusals_are_told)
{
	struct tn_emit_summary summaries[2];
	struct tn_emit_model models[2];
	struct net n;
	const char *dir;

	refusals[_i].make(&n);
	net_plan(&n);
	refusals[_i].break_it(&n);
	models[0] = models[1] = (struct tn_emit_model){ &n.graph, &n.plan, NULL };
	dir = new_dir(&n);
	ck_assert_msg(tn_emit(models, refusals[_i].copies, &refusals[_i].options, dir,
			      &n.arena, &n.diags, summaries) == TN_ERR_INPUT,
		"%s", refusals[_i].name);
	ck_assert_msg(strstr(net_report(&n), refusals[_i].rule) != NULL, "%s: %s",
		refusals[_i].name, net_report(&n));
	/* nothing was written */
	ck_assert_int_eq(rmdir(dir), 0);
	net_release(&n);
}
END_TEST

START_TEST(directory_that_cannot_be)
{
	const struct tn_emit_options options = { .debug = false };
	struct tn_emit_summary summary;
	struct tn_emit_model model;
	struct net n;

	net_arithmetic(&n);
	model = (struct tn_emit_model){ &n.graph, NULL, NULL };
	ck_assert_int_eq(
		tn_emit(&model, 1, &options, "/dev/null/x", &n.arena, &n.diags, &summary),
		TN_ERR_IO);
	net_release(&n);
}
END_TEST

#define N(array) (int)(sizeof(array) / sizeof(*(array)))

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("emit");
	TCase *tc = tcase_create("emit");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, identifiers, 0, N(idents));
	tcase_add_loop_test(tc, names_in_text, 0, N(texts));
	tcase_add_test(tc, floats_read_back);
	tcase_add_loop_test(tc, integers_are_valid_c, 0, N(ints));
	tcase_add_test(tc, equal_constants_are_one);
	tcase_add_test(tc, same_bytes_every_time);
	tcase_add_test(tc, sizes_are_told);
	tcase_add_loop_test(tc, compiles_on_this_machine, 0, N(nets));
	tcase_add_loop_test(tc, compiles_for_cortex_m, 1, 7);
	tcase_add_test(tc, make_builds_a_library);
	tcase_add_test(tc, header_is_cxx);
	tcase_add_test(tc, names_cannot_harm);
	tcase_add_test(tc, models_in_one_directory);
	tcase_add_test(tc, memories_are_parameters);
	tcase_add_loop_test(tc, refusals_are_told, 0, N(refusals));
	tcase_add_test(tc, directory_that_cannot_be);
	suite_add_tcase(s, tc);
	return s;
}
