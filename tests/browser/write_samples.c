/* Writes the reports of the sample net into a folder, once as it is and once with hostile
 * names everywhere: formats.py and browser.py then read them with other programs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/csv.h"
#include "report/dot.h"
#include "report/html.h"
#include "report/json.h"
#include "report/junit.h"
#include "report/sarif.h"
#include "report/svg.h"
#include "report/trace.h"
#include "report_sample.h"

static const char hostile[] =
	"</script></style></title><img src=x onerror=alert(1)>]]>--> \"'`|*_[a](b) ${x}"
	"\x1b[31m\r\n\t\x01 \xff\xc0\xaf \xe2\x80\xae \xed\xa0\x80 {\\N\\l} \\\" &amp; "
	"<b>";

static enum tn_status junit(const struct tn_view *v, struct tn_strbuf *out)
{
	return tn_junit_write(v, 1, out);
}

static enum tn_status sarif(const struct tn_view *v, struct tn_strbuf *out)
{
	return tn_sarif_write(v, 1, out);
}

static enum tn_status lint(const struct tn_view *v, struct tn_strbuf *out)
{
	return tn_json_lint(v, 1, out);
}

static enum tn_status dot(const struct tn_view *v, struct tn_strbuf *out)
{
	return tn_dot_write(v, NULL, out);
}

static const struct {
	const char *suffix;
	enum tn_status (*write)(const struct tn_view *v, struct tn_strbuf *out);
} writers[] = {
	{ "lint.json", lint },
	{ "sarif.json", sarif },
	{ "junit.xml", junit },
	{ "graph.dot", dot },
	{ "report.html", tn_html_write },
	{ "timeline.svg", tn_svg_write },
	{ "plan.csv", tn_csv_write },
	{ "trace.json", tn_trace_write },
};

static void fail(const char *what)
{
	fprintf(stderr, "write_samples: %s\n", what);
	exit(1);
}

static void write_all(const char *folder, const char *prefix, const struct tn_view *v)
{
	for (size_t i = 0; i < sizeof(writers) / sizeof(*writers); i++) {
		struct tn_strbuf out;
		char path[4096];
		FILE *f;

		tn_strbuf_init(&out);
		if (writers[i].write(v, &out) != TN_OK)
			fail(writers[i].suffix);
		snprintf(path, sizeof(path), "%s/%s.%s", folder, prefix,
			writers[i].suffix);
		f = fopen(path, "wb");
		if (!f || fwrite(out.text, 1, out.len, f) != out.len || fclose(f) != 0)
			fail(path);
		tn_strbuf_release(&out);
	}
}

static void report_some(
	struct sample *s, const struct tn_source *source, const char *name)
{
	tn_diag_at(&s->diags, SEVERITY_ERROR, "inplace/later-reader", source,
		"/tensors/1", name, "'%s' is read after it was written over", name);
	tn_diag_note(&s->diags, "written by '%s'", name);
	tn_diag_at(&s->diags, SEVERITY_WARNING, "memory/missed-reuse", source, "/nowhere",
		name, "'%s' could go", name);
	tn_diag_at(&s->diags, SEVERITY_NOTE, name, NULL, NULL, NULL, "%s", name);
}

/* The preserved input in a second, slower memory. */
static void split_regions(struct sample *s)
{
	static struct tn_plan_region regions[2] = {
		{ .name = "sram",
			.capacity = 2048,
			.used = 1024,
			.align = 16,
			.cost = 1 },
		{ .name = "psram", .capacity = -1, .used = 512, .align = 16, .cost = 8 },
	};

	s->plan.regions = regions;
	s->plan.n_regions = 2;
	s->plan.tensors[S_GAIN].region = 1;
	s->plan.tensors[S_GAIN].offset = 0;
}

int main(int argc, char **argv)
{
	static const char text[] = "{\n  \"tensors\": [\n    {}, {}\n  ]\n}\n";
	struct tn_source usual = { "models/sample.json", text, sizeof(text) - 1, true };
	struct tn_source strange = { hostile, text, sizeof(text) - 1, true };
	struct sample s;

	if (argc != 2)
		fail("give a folder");
	sample_make(&s, NULL, NULL);
	report_some(&s, &usual, "conv1/out");
	write_all(argv[1], "usual", &s.view);
	sample_release(&s);
	sample_make(&s, hostile, hostile);
	report_some(&s, &strange, hostile);
	s.view.file = hostile;
	s.view.verified = false;
	s.view.refusal = hostile;
	write_all(argv[1], "hostile", &s.view);
	sample_release(&s);
	sample_make(&s, NULL, NULL);
	split_regions(&s);
	s.view.verified = false;
	write_all(argv[1], "regions", &s.view);
	sample_release(&s);
	return 0;
}
