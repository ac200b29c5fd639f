/* tenure check: which plan belongs to which model, and what is wrong with it. */
#define _POSIX_C_SOURCE 200809L
#include "suite.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tenure/tenure.h"

#define GRAPH(size)                                                                      \
	"{\"format\": \"tenure.graph/1\", \"tensors\": ["                                \
	"{\"name\": \"x\", \"dtype\": \"f32\", \"shape\": [" size                        \
	"], \"role\": \"input\", \"clobber\": true}, "                                   \
	"{\"name\": \"h\", \"dtype\": \"f32\", \"shape\": [" size "]}, "                 \
	"{\"name\": \"y\", \"dtype\": \"f32\", \"shape\": [" size                        \
	"], \"role\": \"output\"}], \"ops\": ["                                          \
	"{\"name\": \"a\", \"type\": \"ABS\", \"inputs\": [\"x\"], "                     \
	"\"outputs\": [\"h\"]}, "                                                        \
	"{\"name\": \"b\", \"type\": \"NEG\", \"inputs\": [\"h\"], "                     \
	"\"outputs\": [\"y\"]}]}"

static char folder[] = "/tmp/tenure-check-XXXXXX";

static const char *const names[] = { "good.json", "good.plan.json", "large.json",
	"large.plan.json", "stale.json", "stale.plan.json", "alone.json",
	"orphan.plan.json", "damaged.json", "damaged.plan.json", "package.json",
	"asked.json", "asked.plan.json", "two.json", "two.onnx", "two.plan.json" };

#define NAMES (sizeof(names) / sizeof(*names))

static void path_of(const char *name, char *out, size_t size)
{
	snprintf(out, size, "%s/%s", folder, name);
}

static void put(const char *name, const char *text)
{
	char path[512];
	FILE *file;

	path_of(name, path, sizeof(path));
	file = fopen(path, "w");
	ck_assert(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void plan(const char *model, const char *out, enum tenure_overlap overlap)
{
	char from[512], to[512];
	tenure_options options;
	FILE *nothing = tmpfile();

	ck_assert(nothing != NULL);
	path_of(model, from, sizeof(from));
	path_of(out, to, sizeof(to));
	tenure_options_init(&options);
	options.out = options.err = nothing;
	options.output = to;
	options.overlap = overlap;
	ck_assert_int_eq(tenure_plan(&options, from), TENURE_OK);
	fclose(nothing);
}

/* A plan as it would be had the planner been worse. */
static void plan_badly(const char *model, const char *out)
{
	static const char none[] = "\"overlap\": \"none\"",
			  full[] = "\"overlap\": \"full\"";
	char path[512], text[16384];
	FILE *file;
	char *at;
	size_t n;

	plan(model, out, TENURE_OVERLAP_NONE);
	path_of(out, path, sizeof(path));
	file = fopen(path, "r+");
	ck_assert(file != NULL);
	n = fread(text, 1, sizeof(text) - 1, file);
	text[n] = '\0';
	at = strstr(text, none);
	ck_assert(at != NULL);
	ck_assert(fseek(file, at - text, SEEK_SET) == 0 && fputs(full, file) >= 0 &&
		  fclose(file) == 0);
}

static void make_files(void)
{
	ck_assert(mkdtemp(folder) != NULL);
	put("good.json", GRAPH("64"));
	plan("good.json", "good.plan.json", TENURE_OVERLAP_FULL);
	put("large.json", GRAPH("64"));
	plan_badly("large.json", "large.plan.json");
	put("stale.json", GRAPH("64"));
	plan("stale.json", "stale.plan.json", TENURE_OVERLAP_FULL);
	plan("stale.json", "orphan.plan.json", TENURE_OVERLAP_FULL);
	put("stale.json", GRAPH("65"));
	put("alone.json", GRAPH("64"));
	put("damaged.json", GRAPH("64"));
	put("damaged.plan.json", "{\"format\": \"tenure.plan/1\"}");
	put("two.json", GRAPH("64"));
	plan("two.json", "two.plan.json", TENURE_OVERLAP_FULL);
	put("two.onnx", GRAPH("65")); /* what a file is says its content */
	put("package.json", "{\"name\": \"x\"}");
}

static void remove_files(void)
{
	char path[512];

	for (size_t i = 0; i < NAMES; i++) {
		path_of(names[i], path, sizeof(path));
		unlink(path);
	}
	rmdir(folder);
	memcpy(folder + sizeof(folder) - 7, "XXXXXX", 6);
}

static const struct check_case {
	const char *name, *files[3];
	int hook, status;
	const char *out, *err; /* what is said; NULL: nothing */
} cases[] = {
	{ "by the plan", { "good.plan.json" }, 0, TENURE_OK, "good.plan.json: right for",
		NULL },
	{ "by the model", { "good.json" }, 0, TENURE_OK, "right for", NULL },
	{ "once for both", { "good.json", "good.plan.json" }, 0, TENURE_OK, ", 256 B",
		NULL },
	{ "larger than need be", { "large.json" }, 0, TENURE_FINDINGS, NULL,
		"needs 512 B, one that is made now 256 B: 256 B less [plan/larger]" },
	{ "of another version", { "stale.json" }, 0, TENURE_FINDINGS, NULL,
		"a plan that is made now needs 260 B" },
	{ "no plan", { "alone.json" }, 0, TENURE_BAD_INPUT, NULL, "has no plan" },
	{ "no plan, in a hook", { "alone.json" }, 1, TENURE_OK, NULL, NULL },
	{ "no graph, in a hook", { "package.json" }, 1, TENURE_OK, NULL, NULL },
	{ "no model", { "orphan.plan.json" }, 0, TENURE_BAD_INPUT, NULL,
		"[plan/no-model]" },
	{ "no model, in a hook", { "orphan.plan.json" }, 1, TENURE_BAD_INPUT, NULL,
		"[plan/no-model]" },
	{ "the model that is named", { "two.json" }, 0, TENURE_OK,
		"two.plan.json: right for", NULL },
	{ "the other one", { "two.onnx" }, 0, TENURE_FINDINGS, NULL, "[plan/stale]" },
	{ "one of two by the plan", { "two.plan.json" }, 0, TENURE_FINDINGS, NULL,
		"[plan/stale]" },
	{ "with its plan", { "two.json", "two.plan.json" }, 0, TENURE_OK, "two.json, ",
		NULL },
	{ "after its plan", { "two.plan.json", "two.json" }, 0, TENURE_OK, "two.json, ",
		NULL },
	{ "both are named", { "two.json", "two.onnx" }, 0, TENURE_FINDINGS, "two.json, ",
		"[plan/stale]" },
	{ "damaged", { "damaged.plan.json" }, 0, TENURE_BAD_INPUT, NULL,
		"damaged.plan.json" },
	{ "the worst counts", { "good.json", "large.json", "stale.json" }, 0,
		TENURE_FINDINGS, "right for", "[plan/stale]" },
};

static void read_all(FILE *file, char *out, size_t size)
{
	size_t len;

	rewind(file);
	len = fread(out, 1, size - 1, file);
	out[len] = '\0';
	fclose(file);
}

START_TEST(check)
{
	const struct check_case *c = &cases[_i];
	char paths[3][512], out[8192], err[8192];
	const char *files[3];
	FILE *to = tmpfile(), *told = tmpfile();
	tenure_options options;
	size_t n = 0;
	int status;

	ck_assert(to && told);
	for (; n < 3 && c->files[n]; n++) {
		path_of(c->files[n], paths[n], sizeof(paths[n]));
		files[n] = paths[n];
	}
	tenure_options_init(&options);
	options.out = to;
	options.err = told;
	options.hook = c->hook;
	status = tenure_check(&options, files, n);
	read_all(to, out, sizeof(out));
	read_all(told, err, sizeof(err));
	ck_assert_msg(status == c->status, "%s: %d\n%.2000s", c->name, status, err);
	ck_assert_msg(c->out ? strstr(out, c->out) != NULL : !*out, "%s:\n%.2000s",
		c->name, out);
	ck_assert_msg(c->err ? strstr(err, c->err) != NULL : !*err, "%s:\n%.2000s",
		c->name, err);
	/* one line for each plan that is right */
	ck_assert_msg(!c->out || strchr(out, '\n') == out + strlen(out) - 1, "%s:\n%s",
		c->name, out);
}
END_TEST

START_TEST(whole_folder)
{
	const char *operand = folder;
	char out[8192], err[8192];
	FILE *to = tmpfile(), *told = tmpfile();
	tenure_options options;

	ck_assert(to && told);
	tenure_options_init(&options);
	options.out = to;
	options.err = told;
	ck_assert_int_eq(tenure_check(&options, &operand, 1), TENURE_BAD_INPUT);
	read_all(to, out, sizeof(out));
	read_all(told, err, sizeof(err));
	ck_assert(strstr(out, "good.plan.json: right for") != NULL);
	ck_assert(strstr(err, "[plan/larger]") && strstr(err, "[plan/stale]"));
	ck_assert(!strstr(err, "alone.json") && !strstr(err, "package.json"));
}
END_TEST

/* Plans that were made with options: no default is held against them. */
static void ask_none(tenure_options *o)
{
	o->overlap = TENURE_OVERLAP_NONE;
}

static void ask_inplace(tenure_options *o)
{
	o->overlap = TENURE_OVERLAP_INPLACE;
}

static void ask_align(tenure_options *o)
{
	o->align = 4096;
}

static void ask_search(tenure_options *o)
{
	o->schedule = TENURE_SCHEDULE_SEARCH;
}

static void ask_stream(tenure_options *o)
{
	o->stream = TENURE_STREAM_AUTO;
}

static void ask_fed(tenure_options *o)
{
	o->stream_input = 1;
}

static void ask_no_rewrite(tenure_options *o)
{
	o->rewrite = "none";
}

static void ask_some_rewrites(tenure_options *o)
{
	o->rewrite = "canonical,dead-code";
}

static void ask_kernels(tenure_options *o)
{
	o->kernels = TENURE_KERNELS_DSP;
}

static void ask_much(tenure_options *o)
{
	ask_none(o);
	ask_align(o);
	ask_stream(o);
}

static const struct asked {
	const char *name;
	void (*ask)(tenure_options *o);
	const char *words; /* behind the name of the plan, in the hint */
} asked[] = {
	{ "nothing", NULL, "" },
	{ "no overlap", ask_none, " --overlap none" },
	{ "in place", ask_inplace, " --overlap inplace" },
	{ "alignment", ask_align, " --align 4096" },
	{ "order", ask_search, " --schedule search" },
	{ "chains", ask_stream, " --stream auto" },
	{ "a fed chain", ask_fed, " --stream-input" },
	{ "no rewriting", ask_no_rewrite, " --rewrite none" },
	{ "some rewriting", ask_some_rewrites, " --rewrite dead-code,canonical" },
	{ "kernels", ask_kernels, " --kernels dsp" },
	{ "several", ask_much, " --overlap none --align 4096 --stream auto" },
};

/* Copies a graph; a stale one has other constants. */
static void put_residual(bool stale)
{
	static const char data[] = "\"seed\": ";
	static char text[1 << 18];
	FILE *file = fopen(tn_test_path("fixtures/graphs/residual_f32.json"), "r");
	char *at;
	size_t n;

	ck_assert(file != NULL);
	n = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	ck_assert_uint_lt(n, sizeof(text) - 1);
	text[n] = '\0';
	if (stale) {
		at = strstr(text, data);
		ck_assert(at != NULL);
		at[sizeof(data) - 1] = '9';
	}
	put("asked.json", text);
}

static int check_asked(char *out, char *err, size_t size)
{
	char path[512];
	const char *operand = path;
	FILE *to = tmpfile(), *told = tmpfile();
	tenure_options options;
	int status;

	ck_assert(to && told);
	tenure_options_init(&options);
	options.out = to;
	options.err = told;
	path_of("asked.plan.json", path, sizeof(path));
	status = tenure_check(&options, &operand, 1);
	read_all(to, out, size);
	read_all(told, err, size);
	return status;
}

START_TEST(options_of_the_plan)
{
	const struct asked *a = &asked[_i];
	char from[512], to[512], out[8192], err[8192], hint[512];
	tenure_options options;
	FILE *nothing = tmpfile();

	ck_assert(nothing != NULL);
	put_residual(false);
	path_of("asked.json", from, sizeof(from));
	path_of("asked.plan.json", to, sizeof(to));
	tenure_options_init(&options);
	options.out = options.err = nothing;
	options.output = to;
	if (a->ask)
		a->ask(&options);
	ck_assert_int_eq(tenure_plan(&options, from), TENURE_OK);
	fclose(nothing);
	ck_assert_msg(check_asked(out, err, sizeof(out)) == TENURE_OK && !*err,
		"%s:\n%.2000s", a->name, err);
	put_residual(true);
	ck_assert_int_eq(check_asked(out, err, sizeof(out)), TENURE_FINDINGS);
	snprintf(hint, sizeof(hint), " B: tenure plan %.200s -o %.200s%s\n", from, to,
		a->words);
	ck_assert_msg(strstr(err, hint) != NULL, "%s:\n%.2000s", a->name, err);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("check");
	TCase *tc = tcase_create("check");

	tcase_add_checked_fixture(tc, make_files, remove_files);
	tcase_add_loop_test(tc, check, 0, (int)(sizeof(cases) / sizeof(*cases)));
	tcase_add_test(tc, whole_folder);
	tcase_add_loop_test(
		tc, options_of_the_plan, 0, (int)(sizeof(asked) / sizeof(*asked)));
	suite_add_tcase(s, tc);
	return s;
}
