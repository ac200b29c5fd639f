/* tenure plan: a verified memory plan, as text or JSON. */
#include <inttypes.h>

#include "driver/batch.h"
#include "driver/budget.h"
#include "driver/command.h"
#include "driver/csv_variants.h"
#include "driver/offline.h"
#include "driver/repair.h"
#include "export/plan_files.h"
#include "report/plan_view_json.h"
#include "report/text.h"

/* Where the summary goes, or the JSON of --json. */
static FILE *summary_to(const tenure_options *o)
{
	const char *const files[] = { o->output, o->write_csv, o->write_header,
		o->write_offline, o->write_offsets };

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (tn_command_is_standard(files[i]))
			return o->err;
	return o->out;
}

static enum tn_status show(struct tn_run *run)
{
	FILE *const to = summary_to(run->options);
	struct tn_view view = tn_command_view(run);
	struct tn_strbuf json, text;
	enum tn_status status = TN_OK;

	tn_strbuf_init(&json);
	tn_strbuf_init(&text);
	if (run->options->json || run->options->output)
		status = tn_plan_view_json(&view, &json);
	if (status == TN_OK && run->options->output)
		status = tn_command_write(run, run->options->output, &json);
	if (status == TN_OK && !run->options->json)
		status = tn_text_plan(&view,
			to == run->options->err ? run->options->color != 0
						: run->options->color_out != 0,
			&text);
	if (status == TN_OK) {
		const struct tn_strbuf *out = run->options->json ? &json : &text;

		if (out->failed)
			status = TN_ERR_NOMEM;
		else if (out->len && fwrite(out->text, 1, out->len, to) != out->len)
			status = TN_ERR_IO;
	}
	tn_strbuf_release(&json);
	tn_strbuf_release(&text);
	return status;
}

/* A ring is no tensor at an offset: nothing but the plan itself can say that. */
static enum tn_status check_rings(struct tn_run *run)
{
	const tenure_options *o = run->options;

	if (!run->plan.n_streams || !(o->write_csv || o->write_header ||
					    o->write_offline || o->write_offsets))
		return TN_OK;
	tn_diag_at(&run->diags, SEVERITY_ERROR, "command/stream", NULL, NULL, NULL,
		"a plan with chains has rings, which no other format knows: plan without "
		"--stream to write one");
	return TN_ERR_INPUT;
}

/* Offsets of two memories are no plan of one. */
static enum tn_status check_memories(struct tn_run *run)
{
	const struct tn_plan *plan = &run->plan;
	uint32_t first = TN_REGION_NONE;

	for (uint32_t i = 0; run->options->write_csv && i < plan->n_tensors; i++) {
		const uint32_t region = plan->tensors[i].region;

		if (region == TN_REGION_NONE || region == first)
			continue;
		if (first == TN_REGION_NONE) {
			first = region;
			continue;
		}
		tn_diag_at(&run->diags, SEVERITY_ERROR, "command/region", NULL, NULL,
			NULL,
			"the plan has tensors in '%s' and in '%s', and a CSV knows one "
			"memory: --write-csv needs a plan in one region",
			plan->regions[first].name, plan->regions[region].name);
		return TN_ERR_INPUT;
	}
	return TN_OK;
}

/* For tools and firmware that have kernels of their own. */
static enum tn_status write_files(struct tn_run *run)
{
	const char *const *variants = NULL;
	const tn_tensor_id *roots = NULL;
	struct tn_strbuf text;
	enum tn_status status = TN_OK;

	tn_strbuf_init(&text);
	if (run->options->write_csv)
		status = tn_csv_variants(run, &variants);
	if (status == TN_OK && run->options->write_csv)
		status = tn_csv_roots(run, &roots);
	if (status == TN_OK && run->options->write_csv) {
		tn_export_plan_csv(&run->graph, &run->plan, roots, variants, &text);
		status = tn_command_write(run, run->options->write_csv, &text);
	}
	tn_strbuf_release(&text);
	tn_strbuf_init(&text);
	if (status == TN_OK && run->options->write_header) {
		tn_export_plan_header(&run->graph, &run->plan, &text);
		status = tn_command_write(run, run->options->write_header, &text);
	}
	tn_strbuf_release(&text);
	if (status == TN_OK && run->options->write_offline)
		status = tn_offline_write(run);
	if (status == TN_OK && run->options->write_offsets)
		status = tn_offsets_write(run);
	return status;
}

int tenure_plan(const tenure_options *options, const char *graph)
{
	struct tn_run run;
	enum tn_status status;

	tn_run_init(&run, options);
	if (options->repair)
		run.plan_file = options->plan; /* its rewrites are repeated */
	status = options->repair ? tn_pipeline(&run, graph, STAGE_PLAN)
				 : tn_command_plan(&run, graph);
	if (status == TN_OK && options->max_batch) {
		status = tn_batch_largest(&run);
		return tn_command_end(&run, status);
	}
	if (status == TN_OK && options->repair)
		status = tn_repair_run(&run);
	if (status == TN_OK)
		status = check_rings(&run);
	if (status == TN_OK)
		status = check_memories(&run);
	if (status == TN_OK)
		status = show(&run);
	if (status == TN_OK)
		status = write_files(&run);
	if (status == TN_OK && !tn_budget_arena(&run))
		status = TN_ERR_REFUSED;
	return tn_command_end(&run, status);
}
