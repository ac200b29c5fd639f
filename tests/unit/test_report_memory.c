/* Fails the n-th allocation of every writer and of every command, n = 0, 1, 2 ...: each must say
 * so, with its status and without half a file, and none may crash. Linked with malloc, calloc and realloc wrapped; jansson and libxml2 allocate
 * through the same door. cgraph ends the program when it gets no memory: its own
 * allocations are left alone. */
#define _POSIX_C_SOURCE 200809L
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <libxml/parser.h>
#include <libxml/xmlmemory.h>

#include <unistd.h>

#include "driver/figures.h"
#include "report/ascii.h"
#include "report/csv.h"
#include "report/dot.h"
#include "report/github.h"
#include "report/graph_svg.h"
#include "report/hops.h"
#include "report/html.h"
#include "report/json.h"
#include "report/json_explorer.h"
#include "report/junit.h"
#include "report/markdown.h"
#include "report/plan_view_json.h"
#include "report/sarif.h"
#include "report/svg.h"
#include "report/text.h"
#include "report/trace.h"
#include "report_sample.h"
#include "tenure/tenure.h"

static long left = -1; /* allocations until one fails; negative: none does */
static bool for_good; /* and all that come after it */
static bool failed;

static bool fails(void)
{
	if (left < 0 || (left > 0 && left--))
		return false;
	if (!for_good)
		left = -1;
	failed = true;
	return true;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return fails() ? NULL : __real_realloc(old, size);
}

static char *wrapped_strdup(const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = __wrap_malloc(size);

	return copy ? memcpy(copy, text, size) : NULL;
}

static enum tn_status text_findings(const struct tn_view *v, struct tn_strbuf *out)
{
	return tn_text_findings(v, 1, true, out);
}

static enum tn_status text_plan(const struct tn_view *v, struct tn_strbuf *out)
{
	return tn_text_plan(v, false, out);
}

static enum tn_status lint(const struct tn_view *v, struct tn_strbuf *out)
{
	return tn_json_lint(v, 1, out);
}

static enum tn_status sarif(const struct tn_view *v, struct tn_strbuf *out)
{
	return tn_sarif_write(v, 1, out);
}

static enum tn_status junit(const struct tn_view *v, struct tn_strbuf *out)
{
	return tn_junit_write(v, 1, out);
}

static enum tn_status github(const struct tn_view *v, struct tn_strbuf *out)
{
	return tn_github_write(v, 1, out);
}

static enum tn_status markdown(const struct tn_view *v, struct tn_strbuf *out)
{
	return tn_markdown_write(v, 1, out);
}

static enum tn_status dot(const struct tn_view *v, struct tn_strbuf *out)
{
	return tn_dot_write(v, NULL, out);
}

static enum tn_status ascii(const struct tn_view *v, struct tn_strbuf *out)
{
	return tn_ascii_write(v, TN_ASCII_COLUMNS, out);
}

static enum tn_status hops(const struct tn_view *v, struct tn_strbuf *out)
{
	return tn_hops_write(v, (tn_tensor_id){ S_M }, out);
}

static enum tn_status graph_svg(const struct tn_view *v, struct tn_strbuf *out)
{
	return tn_graph_svg_write(v, NULL, out);
}

static enum tn_status live(const struct tn_view *v, struct tn_strbuf *out)
{
	return tn_explorer_overlay_write(v, OVERLAY_LIVE, out);
}

static enum tn_status verdicts(const struct tn_view *v, struct tn_strbuf *out)
{
	return tn_explorer_overlay_write(v, OVERLAY_VERDICTS, out);
}

static const struct {
	const char *name;
	enum tn_status (*write)(const struct tn_view *v, struct tn_strbuf *out);
} writers[] = {
	{ "findings", text_findings },
	{ "plan", text_plan },
	{ "lint JSON", lint },
	{ "SARIF", sarif },
	{ "JUnit", junit },
	{ "workflow commands", github },
	{ "Markdown", markdown },
	{ "DOT", dot },
	{ "CSV", tn_csv_write },
	{ "trace", tn_trace_write },
	{ "terminal timeline", ascii },
	{ "hops", hops },
	{ "HTML", tn_html_write },
	{ "SVG", tn_svg_write },
	{ "graph SVG", graph_svg },
	{ "plan JSON", tn_plan_view_json },
	{ "Model Explorer graph", tn_explorer_graph_write },
	{ "live bytes for Model Explorer", live },
	{ "verdicts for Model Explorer", verdicts },
};

static void report_some(struct sample *s)
{
	static const char text[] = "{\"tensors\": [{}, {}]}";
	static const struct tn_source source = { "m.json", text, sizeof(text) - 1, true };

	tn_diag_at(&s->diags, SEVERITY_ERROR, "inplace/later-reader", &source,
		"/tensors/1", "y", "'y' is read after it was written over");
	tn_diag_note(&s->diags, "written by 'z'");
	tn_diag_at(&s->diags, SEVERITY_NOTE, "a/b", NULL, NULL, NULL, "nothing");
}

/* Every n up to a few hundred, then in growing steps: the page allocates often. */
START_TEST(nth_allocation_fails)
{
	struct sample s;
	struct tn_strbuf whole;
	bool more = true;

	sample_make(&s, NULL, NULL);
	report_some(&s);
	tn_strbuf_init(&whole);
	ck_assert_int_eq(writers[_i].write(&s.view, &whole), TN_OK);
	for (long n = 0; more; n += 1 + n / 64) {
		struct tn_strbuf out;
		enum tn_status status;

		tn_strbuf_init(&out);
		failed = false;
		left = n;
		status = writers[_i].write(&s.view, &out);
		left = -1;
		more = failed;
		/* a library may do without some memory, but never without telling */
		ck_assert_msg(status == TN_ERR_NOMEM ||
				      (status == TN_OK && out.len == whole.len &&
					      memcmp(out.text, whole.text, out.len) == 0),
			"%s: allocation %ld gave %d, %zu of %zu bytes", writers[_i].name,
			n, (int)status, out.len, whole.len);
		tn_strbuf_release(&out);
	}
	tn_strbuf_release(&whole);
	sample_release(&s);
}
END_TEST

/* ---- commands: what they write, and what they say ---- */

enum { FILES_MAX = 9 };

struct command {
	const char *name;
	int (*run)(tenure_options *o, char (*files)[64]);
	int files; /* that it writes */
};

static const char graph[] = "fixtures/graphs/residual_i8.json";
static const char *const targets[] = { "arena:64K", "slow:1M:16:4" };

static int run_lint_of(
	tenure_options *o, char (*files)[64], const char *format, const char *file)
{
	char name[512];
	const char *const names[] = { name };

	snprintf(name, sizeof(name), "%s", tn_test_path(file));
	o->output = files[0];
	o->format = format;
	o->write_baseline = files[1];
	return tenure_lint(o, names, 1);
}

static int run_lint(tenure_options *o, char (*files)[64], const char *format)
{
	return run_lint_of(o, files, format, graph);
}

/* What is claimed is rejected, with remedies; the baseline then knows of it. */
static int run_lint_claims(tenure_options *o, char (*files)[64])
{
	return run_lint_of(o, files, "json", "fixtures/repair/another_order.json");
}

static int run_lint_kernels(tenure_options *o, char (*files)[64])
{
	return run_lint_of(o, files, "json", "fixtures/repair/buffered_kernel.json");
}

static int run_lint_text(tenure_options *o, char (*files)[64])
{
	return run_lint(o, files, "text");
}

static int run_lint_json(tenure_options *o, char (*files)[64])
{
	return run_lint(o, files, "json");
}

static int run_lint_sarif(tenure_options *o, char (*files)[64])
{
	return run_lint(o, files, "sarif");
}

static int run_lint_junit(tenure_options *o, char (*files)[64])
{
	return run_lint(o, files, "junit");
}

static int run_lint_markdown(tenure_options *o, char (*files)[64])
{
	return run_lint(o, files, "markdown");
}

static int run_plan(tenure_options *o, char (*files)[64])
{
	o->output = files[0];
	o->write_csv = files[1];
	o->write_header = files[2];
	o->schedule = TENURE_SCHEDULE_SEARCH;
	return tenure_plan(o, tn_test_path(graph));
}

static int run_plan_regions(tenure_options *o, char (*files)[64])
{
	o->output = files[0];
	o->regions = (tenure_list){ targets, 2 };
	return tenure_plan(o, tn_test_path(graph));
}

static int run_plan_chains(tenure_options *o, char (*files)[64])
{
	o->output = files[0];
	o->stream = TENURE_STREAM_AUTO;
	return tenure_plan(o, tn_test_path("fixtures/graphs/kws_i8.json"));
}

static int run_plan_batch(tenure_options *o, char (*files)[64])
{
	(void)files;
	o->max_batch = 1;
	o->ram = 1 << 16;
	return tenure_plan(o, tn_test_path(graph));
}

static int run_plan_offline(tenure_options *o, char (*files)[64])
{
	o->write_offline = files[0];
	return tenure_plan(o, tn_test_path("fixtures/models/small_cnn.tflite"));
}

static int run_plan_repair(tenure_options *o, char (*files)[64])
{
	o->output = files[0];
	o->repair = 1;
	return tenure_plan(o, tn_test_path("fixtures/repair/inserted_copy.json"));
}

/* With a plan that is made, without a lack of anything, beside the files. */
static const char *made_plan(char (*files)[64])
{
	static char plan[80];
	const long n = left;
	tenure_options o;

	left = -1;
	tenure_options_init(&o);
	snprintf(plan, sizeof(plan), "%s.plan", files[0]);
	o.out = tmpfile();
	o.output = plan;
	ck_assert_int_eq(tenure_plan(&o, tn_test_path(graph)), TENURE_OK);
	fclose(o.out);
	left = n;
	failed = false;
	return plan;
}

static int run_verify(tenure_options *o, char (*files)[64])
{
	const char *plan = made_plan(files);
	int status = tenure_verify(o, tn_test_path(graph), plan);

	unlink(plan);
	return status;
}

static int run_run(tenure_options *o, char (*files)[64])
{
	const char *const names[] = { files[0] };
	const char *plan = made_plan(files);
	int status;

	o->plan = plan;
	o->outputs = (tenure_list){ names, 1 };
	status = tenure_run(o, tn_test_path(graph));
	unlink(plan);
	return status;
}

/* Each file of a project is as it is when there is memory, or not there. */
static int run_emit_for(tenure_options *o, char (*files)[64], enum tenure_kernels kernels)
{
	const long n = left;
	char whole[80], command[512];
	int status;

	left = -1;
	o->kernels = kernels;
	snprintf(whole, sizeof(whole), "%s.whole", files[0]);
	o->output = whole;
	ck_assert_int_eq(tenure_emit(o, tn_test_path(graph)), TENURE_OK);
	o->output = files[0];
	failed = false;
	left = n;
	status = tenure_emit(o, tn_test_path(graph));
	left = -1;
	snprintf(command, sizeof(command),
		"mkdir -p '%s' && cd '%s' && find . -type f | while read f; do "
		"cmp \"$f\" \"../0.whole/$f\" || exit 1; done && rm -r '%s' '%s'",
		files[0], files[0], files[0], whole);
	ck_assert_int_eq(system(command), 0);
	return status;
}

static int run_emit(tenure_options *o, char (*files)[64])
{
	return run_emit_for(o, files, TENURE_KERNELS_AUTO);
}

/* Weights are packed, and come with constants that are made. */
static int run_emit_dsp(tenure_options *o, char (*files)[64])
{
	return run_emit_for(o, files, TENURE_KERNELS_DSP);
}

static int run_emit_mve(tenure_options *o, char (*files)[64])
{
	return run_emit_for(o, files, TENURE_KERNELS_MVE);
}

static int run_check(tenure_options *o, char (*files)[64])
{
	const long n = left;
	char model[80], plan[80], command[1024];
	const char *const names[] = { model };
	int status;

	left = -1;
	snprintf(model, sizeof(model), "%s.json", files[0]);
	snprintf(plan, sizeof(plan), "%s.plan.json", files[0]);
	snprintf(command, sizeof(command), "cp '%s' '%s' && mv '%s' '%s'",
		tn_test_path(graph), model, made_plan(files), plan);
	ck_assert_int_eq(system(command), 0);
	failed = false;
	left = n;
	status = tenure_check(o, names, 1);
	left = -1;
	unlink(model);
	unlink(plan);
	return status;
}

static int run_offsets(tenure_options *o, char (*files)[64])
{
	o->output = files[0];
	return tenure_offsets(o, tn_test_path("fixtures/problems/above-load.csv"));
}

static int run_explain(tenure_options *o, char (*files)[64])
{
	(void)files;
	return tenure_explain(o, tn_test_path(graph), "0");
}

static int run_explain_rule(tenure_options *o, char (*files)[64])
{
	(void)files;
	return tenure_explain_rule(o, "plan/*");
}

static const char *const foreign[] = { "models/features.tflite",
	"models/features.nonstrict.json", "foreign/onnx_loop_snake.json",
	"foreign/onnx_function.onnx", "foreign/executorch.json",
	"foreign/torch_norm.json", "foreign/tvm.json", "foreign/mxnet_norm.json",
	"foreign/xla.json", "foreign/tensorrt.json", "foreign/st.json",
	"foreign/model_explorer.json", "foreign/openvino.xml", "graphs/flow.json" };
#define N_FOREIGN ((int)(sizeof(foreign) / sizeof(*foreign)))
static int which; /* of them */
static const char *const sizes[] = { "data=1x4x8x8" };

static int run_convert(tenure_options *o, char (*files)[64])
{
	char path[128];

	snprintf(path, sizeof(path), "fixtures/%s", foreign[which]);
	o->output = files[0];
	if (strstr(path, "mxnet"))
		o->shapes = (tenure_list){ sizes, 1 };
	return tenure_convert(o, tn_test_path(path));
}

static int run_report(tenure_options *o, char (*files)[64])
{
	o->output = files[0];
	o->svg = files[1];
	o->dot = files[2];
	o->trace = files[3];
	o->explorer = files[4];
	o->overlay = files[5];
	o->overlay_verdicts = files[6];
	o->csv = files[7];
	o->target = "stm32f746";
	return tenure_report(o, tn_test_path(graph));
}

static int run_diff(tenure_options *o, char (*files)[64], const char *format)
{
	char before[512];

	snprintf(before, sizeof(before), "%s", tn_test_path(graph));
	o->output = files[0];
	o->format = format;
	return tenure_diff(o, before, tn_test_path("fixtures/graphs/kws_i8.json"));
}

static int run_diff_page(tenure_options *o, char (*files)[64])
{
	return run_diff(o, files, "html");
}

static int run_diff_text(tenure_options *o, char (*files)[64])
{
	return run_diff(o, files, "text");
}

static int run_diff_json(tenure_options *o, char (*files)[64])
{
	return run_diff(o, files, "json");
}

static int run_diff_markdown(tenure_options *o, char (*files)[64])
{
	return run_diff(o, files, "markdown");
}

static const struct command commands[] = {
	{ "report", run_report, 8 },
	{ "diff, page", run_diff_page, 1 },
	{ "diff, text", run_diff_text, 1 },
	{ "diff, JSON", run_diff_json, 1 },
	{ "diff, Markdown", run_diff_markdown, 1 },
	{ "lint, text", run_lint_text, 2 },
	{ "lint, JSON", run_lint_json, 2 },
	{ "lint, SARIF", run_lint_sarif, 2 },
	{ "lint, JUnit", run_lint_junit, 2 },
	{ "lint, Markdown", run_lint_markdown, 2 },
	{ "lint, claims", run_lint_claims, 2 },
	{ "lint, claims of kernels", run_lint_kernels, 2 },
	{ "plan", run_plan, 3 },
	{ "plan, two memories", run_plan_regions, 1 },
	{ "plan, chains", run_plan_chains, 1 },
	{ "plan, batch", run_plan_batch, 0 },
	{ "plan, TFLite", run_plan_offline, 1 },
	{ "plan, repaired", run_plan_repair, 1 },
	{ "verify", run_verify, 0 },
	{ "run", run_run, 1 },
	{ "emit", run_emit, 0 },
	{ "emit, DSP", run_emit_dsp, 0 },
	{ "emit, MVE", run_emit_mve, 0 },
	{ "check", run_check, 0 },
	{ "offsets", run_offsets, 1 },
	{ "explain, tensor", run_explain, 0 },
	{ "explain, rules", run_explain_rule, 0 },
};
static const struct command convert = { "convert", run_convert, 1 };

static char *contents(const char *file, size_t *out_len)
{
	FILE *f = fopen(file, "rb");
	char *text = NULL;

	*out_len = 0;
	if (!f)
		return NULL;
	ck_assert_int_eq(fseek(f, 0, SEEK_END), 0);
	*out_len = (size_t)ftell(f);
	rewind(f);
	text = malloc(*out_len + 1);
	ck_assert(text && fread(text, 1, *out_len, f) == *out_len);
	fclose(f);
	return text;
}

static int run_command(const struct command *c, char (*files)[64], long n, FILE *err)
{
	tenure_options o;
	int status;

	tenure_options_init(&o);
	o.out = o.err = err;
	o.config = "none";
	left = n;
	for_good =
		true; /* readers ask for memory again to tell a wrong file from a lack */
	failed = false;
	status = c->run(&o, files);
	left = -1;
	return status;
}

/* The command tells, and what it has written is whole: each file is there as it is when
 * there is memory, or not at all. */
static void check_command(const struct command *c, char (*files)[64], char *const *whole,
	const size_t *len, long n)
{
	FILE *err = tmpfile();
	int status = run_command(c, files, n, err);
	char said[128] = "";

	rewind(err);
	(void)!fgets(said, sizeof(said), err);

	ck_assert_msg(status == TENURE_RESOURCES || status == TENURE_OK,
		"%s, allocation %ld: exit status %d, %s", c->name, n, status, said);
	ck_assert_msg(status == TENURE_OK || *said,
		"%s, allocation %ld: status %d, not a word", c->name, n, status);
	for (int i = 0; i < c->files; i++) {
		size_t got_len;
		char *got = contents(files[i], &got_len);

		ck_assert_msg(got || status != TENURE_OK, "%s, allocation %ld: no file",
			c->name, n);
		ck_assert_msg(!got || (got_len == len[i] &&
					      memcmp(got, whole[i], got_len) == 0),
			"%s, allocation %ld: part of file %d", c->name, n, i);
		free(got);
		unlink(files[i]);
	}
	fclose(err);
}

static void sweep(const struct command *c)
{
	char folder[] = "/tmp/tenure-XXXXXX", files[FILES_MAX][64];
	char *whole[FILES_MAX];
	size_t len[FILES_MAX];
	bool more = true;

	ck_assert(mkdtemp(folder));
	for (int i = 0; i < FILES_MAX; i++)
		snprintf(files[i], sizeof(files[i]), "%s/%d", folder, i);
	ck_assert_int_eq(run_command(c, files, -1, stderr), TENURE_OK);
	for (int i = 0; i < c->files; i++) {
		whole[i] = contents(files[i], &len[i]);
		ck_assert_msg(whole[i] && len[i] > 0, "%s: file %d", c->name, i);
		unlink(files[i]);
	}
	for (long n = 0; more; n += 1 + n / 12) {
		check_command(c, files, whole, len, n);
		more = failed;
	}
	for (int i = 0; i < c->files; i++)
		free(whole[i]);
	ck_assert_int_eq(rmdir(folder), 0);
}

START_TEST(commands_tell)
{
	sweep(&commands[_i]);
}
END_TEST

START_TEST(readers_tell)
{
	which = _i;
	sweep(&convert);
}
END_TEST

/* Room for a message is left, none for tables: the plan is not wrong for that. */
START_TEST(sizes_of_a_plan_without_memory)
{
	struct tn_arena tables, messages;
	struct tn_run run;
	tenure_options o;
	int64_t bytes;

	tenure_options_init(&o);
	tn_run_init(&run, &o);
	ck_assert_int_eq(tn_pipeline(&run, tn_test_path(graph), STAGE_PLAN), TN_OK);
	bytes = run.plan.no_reuse_bytes;
	tables = run.arena;
	tn_arena_init(&run.arena);
	tn_arena_init(&messages);
	ck_assert_ptr_nonnull(tn_arena_alloc(&messages, 1));
	run.diags.arena = &messages;

	left = 0;
	for_good = true;
	ck_assert_int_eq(tn_figures_compare(&run), TN_ERR_NOMEM);
	ck_assert_int_eq(tn_figures_take(&run), TN_ERR_NOMEM);
	left = -1;
	ck_assert_uint_eq(run.diags.errors, 0);
	ck_assert_int_eq(tn_figures_compare(&run), TN_OK);
	ck_assert_int_eq(tn_figures_take(&run), TN_OK);
	ck_assert_int_eq(run.plan.no_reuse_bytes, bytes);

	tn_arena_release(&run.arena);
	tn_arena_release(&messages);
	run.arena = tables;
	tn_run_release(&run);
}
END_TEST

/* libxml2 would print a line for each. */
static void silent(void *user, const char *format, ...)
{
	(void)user;
	(void)format;
}

Suite *tn_test_suite(void)
{
	Suite *suite = suite_create("report_memory");
	TCase *tc = tcase_create("memory");

	json_set_alloc_funcs(__wrap_malloc, free);
	xmlMemSetup(free, __wrap_malloc, __wrap_realloc, wrapped_strdup);
	xmlInitParser();
	xmlSetGenericErrorFunc(NULL, silent);
	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(
		tc, nth_allocation_fails, 0, (int)(sizeof(writers) / sizeof(*writers)));
	tcase_add_loop_test(
		tc, commands_tell, 0, (int)(sizeof(commands) / sizeof(*commands)));
	tcase_add_test(tc, sizes_of_a_plan_without_memory);
	tcase_add_loop_test(tc, readers_tell, 0, N_FOREIGN);
	suite_add_tcase(suite, tc);
	return suite;
}
