/* tenure lint: judge every decision of one or many graphs. */
#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "driver/budget.h"
#include "driver/command.h"
#include "driver/files.h"
#include "driver/govern.h"
#include "driver/parallel.h"
#include "driver/streaming.h"
#include "import/ready.h"
#include "report/escape.h"
#include "report/github.h"
#include "report/json.h"
#include "report/junit.h"
#include "report/markdown.h"
#include "report/sarif.h"
#include "report/text.h"

/* ---- formats ---- */

/* File by file: its findings, then its candidates, unless only findings are wanted; the
 * totals of all at the end. */
static enum tn_status text_format(const tenure_options *o, const struct tn_view *views,
	size_t n, struct tn_strbuf *out)
{
	const bool color = o->color_out && !o->output;
	const size_t before = out->len;
	enum tn_status status = TN_OK;

	for (size_t i = 0; i < n && status == TN_OK; i++) {
		status = tn_text_findings(&views[i], 1, color, out);
		if (status == TN_OK && !o->only && !o->hook)
			status = tn_text_candidates(&views[i], color, out);
	}
	if (o->hook && out->len == before) /* nothing found, nothing to say */
		return status;
	return status == TN_OK ? tn_text_totals(views, n, out) : status;
}

static enum tn_status format(const tenure_options *o, const struct tn_view *views,
	size_t n, struct tn_strbuf *out)
{
	const char *name = o->format ? o->format : "text";

	if (strcmp(name, "json") == 0)
		return tn_json_lint(views, n, out);
	if (strcmp(name, "sarif") == 0)
		return tn_sarif_write(views, n, out);
	if (strcmp(name, "junit") == 0)
		return tn_junit_write(views, n, out);
	if (strcmp(name, "github") == 0)
		return tn_github_write(views, n, out);
	if (strcmp(name, "markdown") == 0)
		return tn_markdown_write(views, n, out);
	return text_format(o, views, n, out);
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

/* ---- one file ---- */

struct lint {
	const tenure_options *options;
	struct tn_arena arena; /* of the command: files, boards */
	struct tn_diags diags; /* that are about no file */
	struct tn_file_names files;
	struct tn_boards boards;
	struct tn_govern govern;
	struct tn_run *runs; /* by file, then by configuration */
	enum tn_status *states; /* how the run ended */
};

/* What rewriting gains, or would gain. */
static enum tn_status look_for_rewrites(struct tn_run *run)
{
	struct tn_arena scratch; /* names and places are the graph's */
	struct tn_rewrites log;
	enum tn_status status;

	if (run->rewrites.passes != TN_PASSES_NONE) { /* a budget is for what is left */
		if (!run->options->rewrite)
			tn_rewrites_report(&run->rewrites, run->source, &run->diags);
		return TN_OK;
	}
	tn_arena_init(&scratch);
	status = tn_rewrites_find(
		&run->graph, tn_passes_every(), &scratch, &run->strings, &log);
	if (status == TN_OK)
		tn_rewrites_report(&log, run->source, &run->diags);
	tn_arena_release(&scratch);
	return status;
}

/* --only: findings of other families are left out. A file that cannot be read is none. */
static bool wanted(const char *list, const char *rule)
{
	const size_t family = rule ? strcspn(rule, "/") : 0;

	for (const char *at = list; *at; at += *at == ',') {
		const size_t len = strcspn(at, ",");

		if (rule && ((len == family && strncmp(at, rule, len) == 0) ||
				    (strlen(rule) == len && strncmp(at, rule, len) == 0)))
			return true;
		at += len;
	}
	return false;
}

/* Each item of --only must be a family or a rule. */
static enum tn_status check_only(struct lint *l)
{
	const char *list = l->options->only;

	for (const char *at = list; at; at = *at ? at + 1 : NULL) {
		const size_t len = strcspn(at, ",");

		if (!tn_govern_knows(&l->govern, at, len)) {
			tn_diag_at(&l->diags, SEVERITY_ERROR, "command/only", NULL, NULL,
				NULL, "--only: there is no family '%.*s'", (int)len, at);
			return tn_govern_list_families(&l->govern) ? TN_ERR_INPUT
								   : TN_ERR_NOMEM;
		}
		at += len;
	}
	return TN_OK;
}

static void keep_only(struct tn_run *run, const char *list)
{
	struct tn_diags *d = &run->diags;
	size_t n = 0;

	for (size_t i = 0; i < d->list.count; i++)
		if (wanted(list, d->list.items[i].rule))
			d->list.items[n++] = d->list.items[i];
	d->list.count = n;
	d->errors = d->warnings = 0;
	for (size_t i = 0; i < n; i++) {
		d->errors += d->list.items[i].severity == SEVERITY_ERROR;
		d->warnings += d->list.items[i].severity == SEVERITY_WARNING;
	}
}

static void lint_file(void *user, size_t i)
{
	struct lint *l = user;
	const tenure_options *o = &l->govern.wards[i].options;
	struct tn_run *run = &l->runs[i];
	/* which order is better only plans can tell */
	const bool plans =
		tn_budget_asked(o) || o->dump || o->schedule == TENURE_SCHEDULE_SEARCH;
	enum tn_status status;

	tn_run_init(run, o);
	run->keep_claims = true;
	run->target_is_budget = true;
	run->ram_from = l->govern.wards[i].ram_from;
	run->flash_from = l->govern.wards[i].flash_from;
	run->only_graphs = (l->files.list[i].found || o->hook) &&
			   !tn_file_is_model(l->files.list[i].name);
	status =
		tn_pipeline(run, l->files.list[i].name, plans ? STAGE_PLAN : STAGE_PROVE);
	if (run->skipped)
		return;
	status = tn_pipeline_claims(run, status);
	if (status == TN_OK)
		status = look_for_rewrites(run);
	if (status == TN_OK && run->planned) {
		status = tn_budget_check(run, &l->boards);
		tn_streaming_look(run);
	}
	if (status == TN_OK)
		status = tn_govern_check(&l->govern, i, run);
	if (status == TN_OK && o->only)
		keep_only(run, o->only);
	l->states[i] = status;
}

/* ---- all ---- */

static size_t count_runs(const struct lint *l)
{
	return l->files.n + l->govern.n_configs;
}

/* A configuration is a file to report on when something is found in it. */
static bool is_shown(const struct lint *l, size_t i)
{
	const struct tn_run *run = &l->runs[i];

	return i < l->files.n ? !run->skipped
			      : run->diags.list.count || run->suppressed.count;
}

/* When all graphs have been. */
static void lint_config(struct lint *l, size_t i)
{
	const struct tn_ward *config = &l->govern.configs[i - l->files.n];
	struct tn_run *run = &l->runs[i];

	tn_run_init(run, &config->options);
	run->source = config->regime->config.source;
	tn_govern_judge(&l->govern, config, run);
	if (config->options.only)
		keep_only(run, config->options.only);
	l->states[i] = run->diags.failed ? TN_ERR_NOMEM : TN_OK;
}

/* What is left of a file's findings, and what that means. */
static int govern(struct lint *l, size_t i)
{
	const struct tn_ward *ward =
		i < l->files.n ? &l->govern.wards[i] : &l->govern.configs[i - l->files.n];
	struct tn_run *run = &l->runs[i];
	enum tn_status status;

	if (run->skipped)
		return TENURE_OK;
	status = tn_govern_apply(&l->govern, ward, run, l->states[i]);
	if (status == TN_OK)
		status = l->states[i];
	if (status == TN_ERR_NOMEM)
		tn_command_nomem(l->options);
	return tn_exit_status(run, status);
}

static enum tn_status write_all(struct lint *l, struct tn_run *first)
{
	const size_t n = count_runs(l);
	struct tn_view *views = TN_NEW_ARRAY(&l->arena, struct tn_view, n);
	size_t shown = 0;
	struct tn_strbuf out;
	enum tn_status status;

	if (!views)
		return TN_ERR_NOMEM;
	tn_strbuf_init(&out);
	for (size_t i = 0; i < n; i++) {
		struct tn_run *run = &l->runs[i];

		if (!is_shown(l, i))
			continue;
		views[shown] = tn_command_view(run);
		if (!views[shown].file)
			views[shown].file = l->files.list[i].name;
		shown++;
		if (run->dumps.len)
			tn_escape_lines(&out, run->dumps.text);
	}
	/* a hook that was given no graph has nothing to say */
	status = tn_govern_describe(&l->govern, views, shown);
	if (status == TN_OK && (shown || !l->options->hook))
		status = format(l->options, views, shown, &out);
	if (status == TN_OK)
		status = tn_command_deliver(first, &out);
	tn_strbuf_release(&out);
	return status;
}

/* Tells what is about no file. */
static int complain(const struct lint *l, enum tn_status status)
{
	const struct tn_view view = { .diags = &l->diags };

	if (!tn_command_tell(l->options, &view))
		status = TN_ERR_NOMEM;
	if (status == TN_OK)
		return TENURE_OK;
	if (status == TN_ERR_INPUT)
		return TENURE_BAD_INPUT;
	if (status == TN_ERR_NOMEM)
		tn_command_nomem(l->options);
	return TENURE_RESOURCES;
}

/* Seeds and types that libraries make at their first use: by one thread. */
static bool ready_for_threads(struct lint *l)
{
	struct tn_boards any = { 0 };

	tn_import_ready();
	return tn_boards_read(NULL, &l->arena, &l->diags, &any) == TN_OK;
}

static int lint_all(struct lint *l)
{
	const tenure_options *o = l->options;
	const size_t n = count_runs(l);
	struct tn_run whole; /* where the result is delivered */
	int worst = TENURE_OK, end;

	l->runs = TN_NEW_ARRAY(&l->arena, struct tn_run, n);
	l->states = TN_NEW_ARRAY(&l->arena, enum tn_status, n);
	if (!l->runs || !l->states || (o->jobs > 1 && !ready_for_threads(l))) {
		tn_command_nomem(o);
		return TENURE_RESOURCES;
	}
	tn_parallel((size_t)(o->jobs > 1 ? o->jobs : 1), l->files.n, lint_file, l);
	for (size_t i = 0; i < n; i++) {
		if (i >= l->files.n)
			lint_config(l, i);
		if ((end = govern(l, i)) > worst)
			worst = end;
	}
	tn_run_init(&whole, o);
	end = tn_command_end(&whole, write_all(l, &whole));
	worst = end > worst ? end : worst;
	for (size_t i = 0; i < n; i++)
		tn_run_release(&l->runs[i]);
	end = complain(l, tn_govern_close(&l->govern));
	return end > worst ? end : worst;
}

/* A report where a graph that a folder or a pattern holds is would be the graph's end. */
static enum tn_status spare_graphs(struct lint *l, const char *option, const char *output)
{
	for (size_t i = 0; output && i < l->files.n; i++) {
		const char *name = l->files.list[i].name;

		if (!tn_file_same(output, name))
			continue;
		fprintf(l->options->err,
			"tenure: --%s '%s' would overwrite the input '%s'\n", option,
			output, name);
		return TN_ERR_INPUT;
	}
	return TN_OK;
}

int tenure_lint(const tenure_options *options, const char *const *graphs, size_t n)
{
	struct lint l = { .options = options };
	enum tn_status status;
	int result;

	if (options->format && !known_format(options->format)) {
		fprintf(options->err,
			"tenure: --format must be text, json, sarif, junit, github or "
			"markdown, not '%s'\n",
			options->format);
		return TENURE_BAD_INPUT;
	}
	tn_arena_init(&l.arena);
	tn_diags_init(&l.diags, &l.arena);
	status = tn_files_find(graphs, n, &l.arena, &l.diags, &l.files);
	if (status == TN_OK)
		status = spare_graphs(&l, "output", options->output);
	if (status == TN_OK)
		status = spare_graphs(&l, "write-baseline", options->write_baseline);
	if (status == TN_OK)
		status = tn_govern_open(&l.govern, options, &l.files, &l.arena, &l.diags);
	if (status == TN_OK)
		status = tn_govern_spare(&l.govern);
	if (status == TN_OK)
		status = check_only(&l);
	if (status == TN_OK)
		status = tn_budget_boards(options, &l.arena, &l.diags, &l.boards);
	result = status == TN_OK ? lint_all(&l) : complain(&l, status);
	tn_arena_release(&l.arena);
	return result;
}
