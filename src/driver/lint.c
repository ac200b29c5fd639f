/* tenure lint: judge every decision of one or many graphs. */
#include <inttypes.h>
#include <string.h>

#include "driver/command.h"
#include "driver/fit.h"
#include "report/github.h"
#include "report/json.h"
#include "report/junit.h"
#include "report/markdown.h"
#include "report/sarif.h"
#include "report/text.h"

static enum tn_status text_format(const struct tn_run *first, const struct tn_view *views,
	size_t n, struct tn_strbuf *out)
{
	enum tn_status status =
		tn_text_findings(views, n, first->options->color != 0, out);

	for (size_t i = 0; i < n && status == TN_OK; i++)
		status = tn_text_candidates(&views[i], first->options->color != 0, out);
	return status == TN_OK ? tn_text_totals(views, n, out) : status;
}

static enum tn_status format(const struct tn_run *first, const struct tn_view *views,
	size_t n, struct tn_strbuf *out)
{
	const char *name = first->options->format;

	if (strcmp(name, "json") == 0)
		return tn_json_lint(views, n, out);
	if (strcmp(name, "sarif") == 0)
		return tn_sarif_write(views, n, out);
	if (strcmp(name, "junit") == 0)
		return tn_junit_write(
			views, n, (enum tn_severity)first->options->fail_on, out);
	if (strcmp(name, "github") == 0)
		return tn_github_write(views, n, out);
	if (strcmp(name, "markdown") == 0)
		return tn_markdown_write(views, n, out);
	return text_format(first, views, n, out);
}

static bool known_format(const char *name)
{
	static const char *const names[] = { "text", "json", "sarif", "junit", "github",
		"markdown" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

/* Budgets: the arena and the constants against what the user has. */
static void check_budget(struct tn_run *run)
{
	const tenure_options *o = run->options;
	int64_t constants = 0;

	if (run->planned)
		(void)tn_fit_budget(run);
	for (uint32_t i = 0; i < run->graph.n_tensors; i++)
		if (run->graph.tensors[i].data_kind != DATA_NONE)
			constants += run->graph.tensors[i].bytes;
	if (o->flash >= 0 && constants > o->flash)
		tn_diag_at(&run->diags, SEVERITY_ERROR, "memory/flash-over-budget",
			run->source, "", NULL,
			"the constants need %" PRId64 " B, %" PRId64
			" B more than the %" PRId64
			" B of --flash; sharing memory cannot help",
			constants, constants - o->flash, o->flash);
}

/* What rewriting would gain, unless it has been done already. */
static enum tn_status look_for_rewrites(struct tn_run *run)
{
	struct tn_rewrites log;
	struct tn_graph rewritten;
	enum tn_status status;

	if (run->rewrites.passes != TN_PASSES_NONE)
		return TN_OK;
	status = tn_rewrite(&run->graph, tn_passes_every(), &run->arena, &run->strings,
		&rewritten, &log);
	if (status == TN_OK)
		tn_rewrites_report(&log, run->source, &run->diags);
	return status;
}

static int lint_all(const tenure_options *options, const char *const *graphs, size_t n,
	struct tn_run *runs, struct tn_view *views)
{
	/* which order is better only plans can tell */
	const enum tn_stage last =
		options->ram >= 0 || options->dump ||
				options->schedule == TENURE_SCHEDULE_SEARCH
			? STAGE_PLAN
			: STAGE_PROVE;
	struct tn_strbuf out;
	enum tn_status status;
	int worst = TENURE_OK;

	for (size_t i = 0; i < n; i++) {
		int exit_status;

		tn_run_init(&runs[i], options);
		status = tn_pipeline(&runs[i], graphs[i], last);
		status = tn_pipeline_claims(&runs[i], status);
		if (status == TN_OK)
			status = look_for_rewrites(&runs[i]);
		if (status == TN_OK)
			check_budget(&runs[i]);
		exit_status = tn_exit_status(&runs[i], status);
		worst = exit_status > worst ? exit_status : worst;
		views[i] = tn_command_view(&runs[i]);
		if (!views[i].file)
			views[i].file = graphs[i];
	}
	tn_strbuf_init(&out);
	for (size_t i = 0; i < n; i++)
		if (runs[i].dumps.len)
			tn_strbuf_add(&out, runs[i].dumps.text, runs[i].dumps.len);
	status = format(&runs[0], views, n, &out);
	if (status == TN_OK)
		status = tn_command_deliver(&runs[0], &out);
	if (status != TN_OK) {
		fprintf(options->err, "tenure: cannot write the findings\n");
		worst = TENURE_RESOURCES;
	}
	tn_strbuf_release(&out);
	for (size_t i = 0; i < n; i++)
		tn_run_release(&runs[i]);
	return worst;
}

int tenure_lint(const tenure_options *options, const char *const *graphs, size_t n)
{
	struct tn_arena arena;
	struct tn_run *runs;
	struct tn_view *views;
	int result = TENURE_RESOURCES;

	if (!known_format(options->format)) {
		fprintf(options->err,
			"tenure: --format must be text, json, sarif, junit, github or "
			"markdown, "
			"not '%s'\n",
			options->format);
		return TENURE_BAD_INPUT;
	}
	tn_arena_init(&arena);
	runs = TN_NEW_ARRAY(&arena, struct tn_run, n);
	views = TN_NEW_ARRAY(&arena, struct tn_view, n);
	if (runs && views)
		result = lint_all(options, graphs, n, runs, views);
	else
		fputs("tenure: out of memory\n", options->err);
	tn_arena_release(&arena);
	return result;
}
