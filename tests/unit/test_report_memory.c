/* Fails the n-th allocation of every writer, n = 0, 1, 2 ...: each must say so, and none
 * may crash. Linked with malloc, calloc and realloc wrapped; jansson and libxml2 allocate
 * through the same door. cgraph ends the program when it gets no memory: its own
 * allocations are left alone. */
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <libxml/parser.h>
#include <libxml/xmlmemory.h>

#include "report/ascii.h"
#include "report/csv.h"
#include "report/dot.h"
#include "report/github.h"
#include "report/hops.h"
#include "report/html.h"
#include "report/json.h"
#include "report/junit.h"
#include "report/markdown.h"
#include "report/sarif.h"
#include "report/svg.h"
#include "report/text.h"
#include "report/trace.h"
#include "report_sample.h"

static long left = -1; /* allocations until one fails; negative: none does */
static bool failed;

static bool fails(void)
{
	if (left < 0 || left-- > 0)
		return false;
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
	return tn_junit_write(v, 1, SEVERITY_ERROR, out);
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

Suite *tn_test_suite(void)
{
	Suite *suite = suite_create("report_memory");
	TCase *tc = tcase_create("memory");

	json_set_alloc_funcs(__wrap_malloc, free);
	xmlMemSetup(free, __wrap_malloc, __wrap_realloc, wrapped_strdup);
	xmlInitParser();
	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(
		tc, nth_allocation_fails, 0, (int)(sizeof(writers) / sizeof(*writers)));
	suite_add_tcase(suite, tc);
	return suite;
}
