#include "report/junit.h"

#include <string.h>

#include "report/escape.h"
#include "report/findings.h"
#include "report/html_node.h"
#include "report/rules.h"

#include "base/banned.h"

struct junit {
	struct tn_html h;
	xmlNodePtr suites; /* the root */
	const struct tn_findings *all;
	const struct tn_rules *rules;
};

/* What one rule found in one file. */
struct group {
	size_t found, failing; /* findings that count: all, those that fail */
	size_t excused; /* suppressed findings */
	const struct tn_finding *first;
};

/* The file's findings are neighbours: [begin, end). */
static size_t begin_of(const struct junit *j, const char *file)
{
	size_t lo = 0, hi = j->all->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (strcmp(j->all->list[mid].file, file) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static struct group group_of(const struct junit *j, const char *file, const char *rule)
{
	struct group g = { 0 };

	for (size_t i = begin_of(j, file); i < j->all->n; i++) {
		const struct tn_finding *f = &j->all->list[i];

		if (strcmp(f->file, file) != 0)
			break;
		if (strcmp(tn_finding_rule(f), rule) != 0)
			continue;
		g.found += !f->excuse;
		g.excused += f->excuse != NULL;
		g.failing += f->fails;
		if (!g.first)
			g.first = f;
	}
	return g;
}

static void add_line(struct tn_strbuf *out, const struct tn_finding *f)
{
	if (f->excuse) {
		tn_strbuf_puts(out, "suppressed, because: ");
		tn_escape_visible(out, f->excuse->reason);
		tn_strbuf_putc(out, '\n');
	}
	if (f->line)
		tn_strbuf_printf(out, "%zu:%zu: ", f->line, f->column);
	else if (f->diag->pointer && *f->diag->pointer) {
		tn_escape_visible(out, f->diag->pointer);
		tn_strbuf_puts(out, ": ");
	}
	tn_strbuf_printf(out, "%s: ", tn_severity_name(f->diag->severity));
	tn_escape_visible(out, f->diag->message);
	tn_strbuf_putc(out, '\n');
	for (size_t i = 0; i < f->diag->notes.count; i++) {
		tn_strbuf_puts(out, "    ");
		tn_escape_visible(out, f->diag->notes.items[i]);
		tn_strbuf_putc(out, '\n');
	}
}

/* The findings of a rule in a file, as the text of a node: those that count, or those that
 * are suppressed. */
static void details(struct junit *j, xmlNodePtr node, const char *file, const char *rule,
	bool suppressed)
{
	struct tn_strbuf text;

	tn_strbuf_init(&text);
	for (size_t i = begin_of(j, file); i < j->all->n; i++) {
		const struct tn_finding *f = &j->all->list[i];

		if (strcmp(f->file, file) != 0)
			break;
		if (strcmp(tn_finding_rule(f), rule) == 0 &&
			(f->excuse != NULL) == suppressed)
			add_line(&text, f);
	}
	j->h.failed = j->h.failed || text.failed;
	tn_text_verbatim(&j->h, node, text.text, text.len);
	tn_strbuf_release(&text);
}

/* A suppressed finding beside one that counts is told behind it. */
static void results(struct junit *j, xmlNodePtr parent, const char *file,
	const char *rule, const struct group *g)
{
	xmlNodePtr node;

	if (g->excused && !g->found) {
		node = tn_node(&j->h, parent, "skipped");
		tn_attr(&j->h, node, "message", "suppressed");
		details(j, node, file, rule, true);
		return;
	}
	if (g->failing) {
		node = tn_node(&j->h, parent, "failure");
		tn_attr(&j->h, node, "type", rule);
		details(j, node, file, rule, false);
	}
	if (g->excused || (g->found && !g->failing)) {
		node = tn_node(&j->h, parent, "system-out");
		if (!g->failing)
			details(j, node, file, rule, false);
		if (g->excused)
			details(j, node, file, rule, true);
	}
}

static void test_case(
	struct junit *j, xmlNodePtr parent, const char *file, const char *rule)
{
	struct group g = group_of(j, file, rule);
	xmlNodePtr node = tn_node(&j->h, parent, "testcase");

	tn_attr(&j->h, node, "classname", *file ? file : "tenure");
	tn_attr(&j->h, node, "name", rule);
	if (*file)
		tn_attr(&j->h, node, "file", file);
	if (g.first && g.first->line)
		tn_attr_int(&j->h, node, "line", (int64_t)g.first->line);
	results(j, node, file, rule, &g);
}

struct totals {
	size_t tests, failures, skipped;
};

/* Test cases of one file: those of the described rules, and of others that found
 * something. */
static struct totals count(const struct junit *j, const char *file)
{
	struct totals sum = { 0 };

	for (size_t r = 0; r < j->rules->n; r++) {
		struct group g = group_of(j, file, j->rules->list[r].id);

		sum.tests += g.found || g.excused || j->rules->list[r].summary;
		sum.failures += g.failing > 0;
		sum.skipped += g.excused && !g.found;
	}
	if (!sum.tests)
		sum.tests = 1;
	return sum;
}

static void counts(struct junit *j, xmlNodePtr node, struct totals sum)
{
	tn_attr_int(&j->h, node, "tests", (int64_t)sum.tests);
	tn_attr_int(&j->h, node, "failures", (int64_t)sum.failures);
	tn_attr(&j->h, node, "errors", "0");
	tn_attr_int(&j->h, node, "skipped", (int64_t)sum.skipped);
}

static void suite(struct junit *j, const char *file)
{
	xmlNodePtr node = tn_node(&j->h, j->suites, "testsuite");
	size_t cases = 0;

	tn_attr(&j->h, node, "name", *file ? file : "tenure");
	counts(j, node, count(j, file));
	for (size_t r = 0; r < j->rules->n; r++) {
		const struct tn_view_rule *rule = &j->rules->list[r];
		struct group g = group_of(j, file, rule->id);

		if (!rule->summary && !g.found && !g.excused)
			continue;
		test_case(j, node, file, rule->id);
		cases++;
	}
	if (!cases)
		test_case(j, node, file, "lint");
}

/* The files to report on: the views', then those that only findings name. */
typedef void file_fn(struct junit *j, const char *file, void *user);

static bool view_named(const struct tn_view *views, size_t n, const char *file)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(tn_view_file(&views[i]), file) == 0)
			return true;
	return false;
}

static void each_file(
	struct junit *j, const struct tn_view *views, size_t n, file_fn *fn, void *user)
{
	for (size_t i = 0; i < n; i++)
		if (!view_named(views, i, tn_view_file(&views[i])))
			fn(j, tn_view_file(&views[i]), user);
	for (size_t i = 0; i < j->all->n; i++) {
		const char *file = j->all->list[i].file;

		if (i && strcmp(file, j->all->list[i - 1].file) == 0)
			continue;
		if (!view_named(views, n, file))
			fn(j, file, user);
	}
}

static void add_totals(struct junit *j, const char *file, void *user)
{
	struct totals *sum = user, one = count(j, file);

	sum->tests += one.tests;
	sum->failures += one.failures;
	sum->skipped += one.skipped;
}

static void write_suite(struct junit *j, const char *file, void *user)
{
	(void)user;
	suite(j, file);
}

static void document(struct junit *j, const struct tn_view *views, size_t n)
{
	struct totals sum = { 0 };

	each_file(j, views, n, add_totals, &sum);
	j->suites = tn_html_root(&j->h, "testsuites");
	tn_attr(&j->h, j->suites, "name", "tenure");
	counts(j, j->suites, sum);
	each_file(j, views, n, write_suite, NULL);
}

enum tn_status tn_junit_write(
	const struct tn_view *views, size_t n, struct tn_strbuf *out)
{
	struct tn_findings all;
	struct tn_rules rules;
	struct junit j = { .all = &all, .rules = &rules };
	struct tn_arena scratch;
	enum tn_status status;

	tn_arena_init(&scratch);
	status = tn_findings_suppressed(views, n, true, &scratch, &all);
	if (status == TN_OK)
		status = tn_rules_collect(views, n, &all, &scratch, &rules);
	if (status == TN_OK) {
		status = TN_ERR_NOMEM;
		if (tn_html_init(&j.h, NULL, 0)) {
			document(&j, views, n);
			status = tn_html_save(&j.h, TN_SAVE_XML_INDENTED, out);
		}
		tn_html_release(&j.h);
	}
	tn_arena_release(&scratch);
	return status;
}
