/* Which rewrites a graph goes through: by option, or what its plan was made with. */
#include "base/file.h"
#include "driver/pipeline.h"
#include "import/plan_json.h"

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

enum tn_status tn_pipeline_rewrite(struct tn_run *run, const char *list)
{
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
		status = tn_import_plan_rewrite(
			run->plan_source, &run->arena, &run->strings, &run->diags, &list);
	if (status == TN_OK)
		status = parse(run, list, &passes, &inexact);
	if (status == TN_OK && !run->plan_file)
		status = check_exact(run, passes, inexact);
	if (status != TN_OK)
		return status;
	return tn_rewrite(&run->read, passes | inexact, &run->arena, &run->strings,
		&run->graph, &run->rewrites);
}
