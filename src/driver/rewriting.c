/* Which rewrites a graph goes through: by option, or what its plan was made with. */
#include "base/file.h"
#include "driver/kernels.h"
#include "driver/pipeline.h"
#include "import/plan_json.h"
#include "rewrite/insert.h"

static enum tn_status parse(
	struct tn_run *run, const char *list, tn_pass_set *passes, tn_pass_set *inexact)
{
	const char *allowed = run->options->allow_inexact;
	const char *bad;
	size_t bad_len;

	*inexact = TN_PASSES_NONE;
	if (tn_passes_parse(list, passes, &bad, &bad_len) &&
		(!allowed || tn_passes_parse(allowed, inexact, &bad, &bad_len)))
		return TN_OK;
	tn_diag_at(&run->diags, SEVERITY_ERROR, "command/unknown-rewrite", NULL, NULL,
		NULL, "there is no rewrite '%.*s'", (int)bad_len, bad);
	for (int i = 0; i < PASS_COUNT; i++)
		tn_diag_note(&run->diags, "%s%s: %s", tn_pass_name((enum tn_pass)i),
			tn_pass_is_exact((enum tn_pass)i) ? "" : " (inexact)",
			tn_pass_what((enum tn_pass)i));
	return TN_ERR_INPUT;
}

/* An inexact pass must be allowed by name, too. */
static enum tn_status check_exact(
	struct tn_run *run, tn_pass_set passes, tn_pass_set inexact)
{
	for (int i = 0; i < PASS_COUNT; i++) {
		const char *name = tn_pass_name((enum tn_pass)i);

		if (tn_pass_is_exact((enum tn_pass)i) || !(passes & ~inexact & 1u << i))
			continue;
		tn_diag_at(&run->diags, SEVERITY_ERROR, "command/inexact-rewrite", NULL,
			NULL, NULL,
			"the rewrite '%s' changes how floats are rounded; "
			"--allow-inexact %s allows it",
			name, name);
		return TN_ERR_INPUT;
	}
	return TN_OK;
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

enum tn_status tn_pipeline_rewrite(struct tn_run *run, const char *list)
{
	struct tn_plan_changes changes = { 0 };
	tn_pass_set passes, inexact;
	enum tn_status status = TN_OK;

	run->read = run->graph;
	if (run->options->rewrite)
		list = run->options->rewrite;
	else if (run->options->repair || (run->keep_claims && run->graph.n_claims))
		list = "none"; /* claims speak of the file's ops */
	if (run->plan_file)
		status = tn_file_read(
			&run->arena, &run->diags, run->plan_file, &run->plan_source);
	if (status == TN_OK && run->plan_file)
		status = tn_import_plan_changes(run->plan_source, &run->arena,
			&run->strings, &run->diags, &changes);
	if (status == TN_OK && changes.rewrite)
		list = changes.rewrite;
	if (status == TN_OK)
		status = parse(run, list, &passes, &inexact);
	if (status == TN_OK && !run->plan_file)
		status = check_exact(run, passes, inexact);
	if (status != TN_OK)
		return status;
	status = tn_rewrite(&run->read, passes | inexact, &run->arena, &run->strings,
		&run->graph, &run->rewrites);
	if (status == TN_OK)
		status = insert(run, &changes);
	return status == TN_OK ? tn_pipeline_kernels(run) : status;
}
