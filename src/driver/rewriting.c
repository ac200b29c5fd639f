/* Which rewrites a graph goes through: by option, or what its plan was made with. */
#include <string.h>

#include "base/file.h"
#include "driver/kernels.h"
#include "driver/pipeline.h"
#include "import/import.h"
#include "import/plan_json.h"
#include "ir/window.h"
#include "rewrite/insert.h"

#include "base/banned.h"

static void list_passes(struct tn_run *run, bool exact_too)
{
	for (int i = 0; i < PASS_COUNT; i++) {
		const bool exact = tn_pass_is_exact((enum tn_pass)i);

		if (!exact || exact_too)
			tn_diag_note(&run->diags, "%s%s: %s",
				tn_pass_name((enum tn_pass)i), exact ? "" : " (inexact)",
				tn_pass_what((enum tn_pass)i));
	}
}

static enum tn_status parse(struct tn_run *run, const char *list, tn_pass_set *passes)
{
	const char *bad;
	size_t bad_len;

	if (tn_passes_parse(list, passes, &bad, &bad_len))
		return TN_OK;
	tn_diag_at(&run->diags, SEVERITY_ERROR, "command/unknown-rewrite", NULL, NULL,
		NULL, "there is no rewrite '%.*s'", (int)bad_len, bad);
	list_passes(run, true);
	return TN_ERR_INPUT;
}

/* The passes of --allow-inexact: inexact ones, by name. */
static enum tn_status parse_allowed(struct tn_run *run, tn_pass_set *inexact)
{
	const char *list = run->options->allow_inexact;
	enum tn_status status;

	*inexact = TN_PASSES_NONE;
	if (!list)
		return TN_OK;
	status = parse(run, list, inexact);
	if (status != TN_OK || (*inexact && !(*inexact & tn_passes_exact())))
		return status;
	tn_diag_at(&run->diags, SEVERITY_ERROR, "command/inexact-rewrite", NULL, NULL,
		NULL, "--allow-inexact %s names more than inexact rewrites", list);
	list_passes(run, false);
	return TN_ERR_INPUT;
}

static const char *first_of(tn_pass_set set)
{
	int i = 0;

	while (!(set & 1u << i))
		i++;
	return tn_pass_name((enum tn_pass)i);
}

/* An inexact pass must be allowed by name, too; and what is allowed must not be left out
 * of a list that says which passes run. */
static enum tn_status check_exact(
	struct tn_run *run, tn_pass_set passes, tn_pass_set inexact)
{
	const tn_pass_set exact = tn_passes_exact();

	if (passes & ~inexact & ~exact) {
		const char *name = first_of(passes & ~inexact & ~exact);

		tn_diag_at(&run->diags, SEVERITY_ERROR, "command/inexact-rewrite", NULL,
			NULL, NULL,
			"the rewrite '%s' changes how floats are rounded; "
			"--allow-inexact %s allows it",
			name, name);
		return TN_ERR_INPUT;
	}
	if (run->options->rewrite && (passes & exact) != exact && (inexact & ~passes)) {
		tn_diag_at(&run->diags, SEVERITY_ERROR, "command/inexact-rewrite", NULL,
			NULL, NULL,
			"--allow-inexact allows the rewrite '%s', which "
			"--rewrite %s leaves out",
			first_of(inexact & ~passes), run->options->rewrite);
		return TN_ERR_INPUT;
	}
	return TN_OK;
}

/* The options may say again what the plan was made with, not something else. */
static enum tn_status check_plan(
	struct tn_run *run, const char *list, tn_pass_set passes, tn_pass_set inexact)
{
	tn_pass_set asked = passes;
	enum tn_status status = TN_OK;

	if (run->options->rewrite)
		status = parse(run, run->options->rewrite, &asked);
	if (status != TN_OK || ((asked | inexact) == passes))
		return status;
	tn_diag_at(&run->diags, SEVERITY_ERROR, "plan/stale", run->plan_source,
		"/rewrite", NULL, "the plan was made with --rewrite %s", list);
	return TN_ERR_INPUT;
}

static enum tn_status insert(struct tn_run *run, const struct tn_plan_changes *changes)
{
	uint32_t bad;
	enum tn_status status;

	if (!changes->n_copies)
		return TN_OK;
	status = tn_rewrite_insert_copies(&run->graph, changes->copies, changes->n_copies,
		&run->arena, &run->strings, &run->graph, &bad);
	if (status != TN_ERR_INPUT)
		return status;
	tn_diag_at(&run->diags, SEVERITY_ERROR, "plan/stale", run->plan_source, "/copies",
		NULL, "copy %u of the plan does not fit the graph", bad);
	return TN_ERR_REFUSED;
}

/* Is the op at this place a window whose geometry is known now? Ops are looked at from
 * *from on and all around: reports come in their order. */
static bool is_cured(const struct tn_graph *g, const char *pointer, uint32_t *from)
{
	struct tn_window window;
	const char *why;

	for (uint32_t n = 0; pointer && n < g->n_ops; n++) {
		const struct tn_op *op = &g->ops[(*from + n) % g->n_ops];

		if (op->pointer != pointer || !tn_window_of(g, op, &window, &why))
			continue;
		*from = (*from + n) % g->n_ops;
		return true;
	}
	return false;
}

/* What was said of the file's windows and holds no more of those that are planned. */
static void drop_cured(struct tn_run *run)
{
	size_t kept = 0;
	uint32_t from = 0;

	for (size_t i = 0; i < run->diags.list.count; i++) {
		const struct tn_diag *d = &run->diags.list.items[i];

		if (d->severity == SEVERITY_WARNING &&
			strcmp(d->rule, "graph/geometry") == 0 &&
			is_cured(&run->graph, d->pointer, &from))
			run->diags.warnings--;
		else
			run->diags.list.items[kept++] = *d;
	}
	run->diags.list.count = kept;
}

enum tn_status tn_pipeline_rewrite(struct tn_run *run, const char *list)
{
	struct tn_plan_changes changes = { 0 };
	tn_pass_set passes = TN_PASSES_NONE, inexact = TN_PASSES_NONE;
	enum tn_status status = TN_OK;

	run->read = run->graph;
	if (run->options->rewrite)
		list = run->options->rewrite;
	else if (run->options->repair || (run->keep_claims && run->graph.n_claims))
		list = "none"; /* claims speak of the file's ops */
	if (run->plan_file && !run->plan_source)
		status = tn_file_read(&run->arena, &run->diags, run->plan_file,
			tn_import_fits_plan, &run->plan_source);
	if (status == TN_OK && run->plan_file)
		status = tn_plan_file_open(
			run->plan_source, &run->arena, &run->diags, &run->plan_parsed);
	if (status == TN_OK && run->plan_file)
		status = tn_plan_file_changes(run->plan_parsed, &run->arena,
			&run->strings, &run->diags, &changes);
	if (status == TN_OK && changes.rewrite)
		list = changes.rewrite;
	if (status == TN_OK)
		status = parse(run, list, &passes);
	if (status == TN_OK)
		status = parse_allowed(run, &inexact);
	if (status == TN_OK)
		status = changes.rewrite ? check_plan(run, list, passes, inexact)
					 : check_exact(run, passes, inexact);
	if (status != TN_OK)
		return status;
	status = tn_rewrite(&run->read, passes | inexact, &run->arena, &run->strings,
		&run->graph, &run->rewrites);
	if (status == TN_OK)
		drop_cured(run);
	if (status == TN_OK)
		status = insert(run, &changes);
	return status == TN_OK ? tn_pipeline_kernels(run) : status;
}
