/* tenure verify: is this plan right for this graph? Without a plan: is the one that the
 * file carries? */
#include <inttypes.h>

#include "base/file.h"
#include "driver/command.h"
#include "driver/judge.h"
#include "driver/verify_csv.h"
#include "import/import.h"

/* Right one by one, and not wrong together. */
static bool all_proved(const struct tn_claims *claims)
{
	for (uint32_t i = 0; i < claims->n; i++)
		if (claims->each[i].result != CLAIM_PROVED)
			return false;
	return !claims->n_sets ||
	       claims->sets[claims->n_sets - 1].verdict.result != CLAIM_REJECTED;
}

/* The claims of one graph of the file. */
static enum tn_status judge_graph(struct tn_run *run, const struct tn_graph *g,
	const struct tn_claim_options *options, bool *proved)
{
	struct tn_claims claims;
	enum tn_status status =
		tn_claims_judge_all(g, options, &run->arena, &run->diags, &claims);

	if (status != TN_OK || !claims.n)
		return status;
	tn_claims_report(g, &claims, &run->diags);
	tn_strbuf_printf(&run->dumps, "%s: %s\n", run->source->name,
		all_proved(&claims) ? "verified" : "not verified");
	tn_claims_print(g, &claims, &run->dumps);
	*proved = *proved && all_proved(&claims);
	return TN_OK;
}

static enum tn_status judge_carried(
	struct tn_run *run, const struct tn_said_variant *said)
{
	struct tn_graph *g = &run->graph;
	struct tn_claim_options options;
	enum tn_status status = tn_judge_options(run, &options);
	uint32_t n = g->n_claims;
	bool proved = true;

	for (uint32_t i = 0; i < g->n_subgraphs; i++)
		n += g->subgraphs[i].n_claims;
	if (status == TN_OK && !n) {
		tn_diag_at(&run->diags, SEVERITY_ERROR, "plan/none", run->source, NULL,
			NULL, "the file carries no plan: name one to be verified");
		return TN_ERR_INPUT;
	}
	options.said = said;
	if (status == TN_OK)
		status = judge_graph(run, g, &options, &proved);
	options.said = NULL;
	for (uint32_t i = 0; i < g->n_subgraphs && status == TN_OK; i++)
		status = judge_graph(run, &g->subgraphs[i], &options, &proved);
	return status == TN_OK && !proved ? TN_ERR_REFUSED : status;
}

/* What was read is not read again: a pipe would be empty. */
static enum tn_status verify_plan(
	struct tn_run *run, const char *graph, struct tn_source *plan)
{
	enum tn_status status;

	run->plan_file = plan->name;
	run->plan_source = plan;
	status = tn_pipeline(run, graph, STAGE_IMPORT);
	if (status == TN_OK)
		status = tn_command_use_plan(run);
	if (status == TN_OK)
		tn_strbuf_printf(&run->dumps,
			"%s: verified: arena %" PRId64
			" B, %u of %u ops replayed step by step\n",
			plan->name, run->plan.arena_bytes, run->verdict.replayed,
			run->graph.n_ops);
	return status;
}

/* By the plan of another tool's file. */
static enum tn_status judge_csv(
	struct tn_run *run, const char *graph, const struct tn_source *csv)
{
	const struct tn_said_variant *said = NULL;
	enum tn_status status = tn_pipeline(run, graph, STAGE_IMPORT);

	if (status == TN_OK)
		status = tn_verify_csv_claim(run, csv, &said);
	return status == TN_OK ? judge_carried(run, said) : status;
}

static enum tn_status judge_alone(struct tn_run *run, const char *file)
{
	enum tn_status status = tn_pipeline_source(run, file);

	if (status != TN_OK || tn_verify_is_csv(run->source))
		return status == TN_OK ? tn_verify_csv(run) : status;
	status = tn_pipeline(run, file, STAGE_IMPORT);
	return status == TN_OK ? judge_carried(run, NULL) : status;
}

int tenure_verify(const tenure_options *options, const char *graph, const char *plan)
{
	struct tn_source *read = NULL;
	enum tn_status status = TN_OK;
	struct tn_run run;

	tn_run_init(&run, options);
	if (plan)
		status = tn_file_read(
			&run.arena, &run.diags, plan, tn_import_fits_plan, &read);
	if (status == TN_OK && !read)
		status = judge_alone(&run, graph);
	else if (status == TN_OK)
		status = tn_verify_is_csv(read) ? judge_csv(&run, graph, read)
						: verify_plan(&run, graph, read);
	return tn_command_end(&run, status);
}
