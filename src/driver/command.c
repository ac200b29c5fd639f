#include "driver/command.h"

#include <string.h>

#include "base/file.h"
#include "bind/bind.h"
#include "driver/figures.h"
#include "driver/refusal.h"
#include "driver/schedule.h"
#include "import/plan_json.h"
#include "ir/digest.h"
#include "report/escape.h"
#include "report/text.h"

void tenure_options_init(tenure_options *options)
{
	*options = (tenure_options){ .out = stdout,
		.err = stderr,
		.overlap = TENURE_OVERLAP_FULL,
		.align = 16,
		.ram = -1,
		.capacity = -1,
		.flash = -1,
		.seed = 1,
		.radius = 2,
		.on = "host" };
}

const char *tenure_version(void)
{
	return TENURE_VERSION;
}

struct tn_view tn_command_view(const struct tn_run *run)
{
	bool proved = run->order.n > 0 || run->aliases.of != NULL;
	struct tn_view view = { .file = run->source ? run->source->name : NULL,
		.g = run->graph.source ? &run->graph : NULL,
		.order = proved ? &run->order : NULL,
		.aliases = proved ? &run->aliases : NULL,
		.live = run->live.tensor ? &run->live : NULL,
		.inplace = run->judged ? &run->inplace : NULL,
		.claims = run->claims.n || run->claims.n_graph ? &run->claims : NULL,
		.plan = run->planned ? &run->plan : NULL,
		.rewrites = run->rewrites.passes ? &run->rewrites : NULL,
		.diags = &run->diags,
		.fail_on = tn_fail_on(run->options),
		.suppressed = run->suppressed.items,
		.n_suppressed = run->suppressed.count,
		.verified = run->verified,
		.refusal = run->planned && !run->verified ? run->verdict.rule : NULL };

	return view;
}

bool tn_command_is_standard(const char *file)
{
	return file && strcmp(file, "-") == 0;
}

enum tn_status tn_command_write(
	struct tn_run *run, const char *file, const struct tn_strbuf *text)
{
	if (text->failed)
		return TN_ERR_NOMEM;
	return tn_file_write(&run->diags, file, text->text ? text->text : "", text->len);
}

enum tn_status tn_command_deliver(struct tn_run *run, const struct tn_strbuf *text)
{
	if (run->options->output)
		return tn_command_write(run, run->options->output, text);
	if (text->failed)
		return TN_ERR_NOMEM;
	if (text->len && fwrite(text->text, 1, text->len, run->options->out) != text->len)
		return TN_ERR_IO;
	return TN_OK;
}

bool tn_command_tell(const tenure_options *options, const struct tn_view *view)
{
	struct tn_strbuf text;
	bool ok;

	tn_strbuf_init(&text);
	ok = !view->diags->list.count ||
	     tn_text_findings(view, 1, options->color != 0, &text) == TN_OK;
	if (ok && text.len)
		fwrite(text.text, 1, text.len, options->err);
	tn_strbuf_release(&text);
	return ok;
}

void tn_command_nomem(const tenure_options *options)
{
	fputs("tenure: out of memory\n", options->err);
}

/* Names in dumps are those of the file, and a terminal does what they say. */
static bool print_dumps(const struct tn_run *run)
{
	struct tn_strbuf text;
	bool ok;

	tn_strbuf_init(&text);
	if (run->dumps.len)
		tn_escape_lines(&text, run->dumps.text);
	if (text.len)
		fwrite(text.text, 1, text.len, run->options->out);
	ok = !text.failed && !run->dumps.failed;
	tn_strbuf_release(&text);
	return ok;
}

int tn_command_end(struct tn_run *run, enum tn_status status)
{
	const tenure_options *o = run->options;
	struct tn_view view = tn_command_view(run);
	const bool dumped = print_dumps(run);
	int result;

	if (!tn_command_tell(o, &view) || status == TN_ERR_NOMEM || run->diags.failed ||
		!dumped) {
		tn_command_nomem(o);
		status = TN_ERR_NOMEM;
	}
	if (status == TN_ERR_INTERNAL && !run->diags.list.count)
		fputs("tenure: an error of our own; please report this\n", o->err);
	result = tn_exit_status(run, status);
	tn_run_release(run);
	return result;
}

/* Lives and proofs are those of the plan's order, unless that is what was refused. */
static enum tn_status follow_plan(struct tn_run *run, enum tn_status status)
{
	bool same = true;

	if (status != TN_OK && (status != TN_ERR_REFUSED || !run->verdict.rule ||
				       strcmp(run->verdict.rule, "plan/order") == 0))
		return status;
	for (uint32_t i = 0; i < run->graph.n_ops; i++)
		same = same && run->plan.order[i] == run->order.at[i].i;
	if (!same && tn_schedule_follow(run, run->plan.order) != TN_OK)
		return TN_ERR_NOMEM;
	return status;
}

enum tn_status tn_command_use_plan(struct tn_run *run)
{
	const struct tn_plan_digests want = { tn_digest_graph(&run->graph),
		tn_digest_constants(&run->graph), tn_kernels_digest(&run->graph),
		tn_contract_digest() };
	struct tn_arena scratch;
	enum tn_status status = tn_plan_file_read(run->plan_parsed, &run->graph, &want,
		&run->arena, &run->strings, &run->diags, &run->plan);

	tn_plan_file_close(run->plan_parsed); /* ten times as large as the plan */

	if (status != TN_OK)
		return status;
	run->planned = true;
	tn_arena_init(&scratch);
	status = tn_verify(&run->graph, &run->plan, &scratch, &run->diags, &run->verdict);
	tn_arena_release(&scratch);
	run->verified = status == TN_OK;
	if (run->verified)
		status = tn_refusal_own_word(run);
	if (run->verified)
		status = tn_figures_compare(run);
	else if (tn_figures_take(run) != TN_OK)
		status = TN_ERR_NOMEM;
	if (run->judged)
		status = follow_plan(run, status);
	return status == TN_OK && run->verified && run->judged ? tn_figures_bound(run)
							       : status;
}

/* What says how to plan says nothing of a plan that is there. */
static enum tn_status check_options(struct tn_run *run)
{
	const tenure_options *o = run->options;
	const struct {
		const char *name;
		bool given;
	} rows[] = {
		{ "overlap", o->overlap != TENURE_OVERLAP_FULL },
		{ "objective", o->objective != TENURE_OBJECTIVE_ACTIVATIONS },
		{ "stream", o->stream != TENURE_STREAM_NONE },
		{ "stream-max-ops", o->stream_max_ops != 0 },
		{ "stream-input", o->stream_input != 0 },
		{ "schedule", o->schedule != TENURE_SCHEDULE_GIVEN },
		{ "align", o->align != 16 },
		{ "region", o->regions.n > 0 },
		{ "reserve", o->reserves.n > 0 },
		{ "owned", o->owned.n > 0 },
		{ "pin", o->pins.n > 0 },
		{ "nodes", o->nodes > 0 },
		{ "time-limit", o->time_limit > 0 },
		{ "max-batch", o->max_batch != 0 },
	};
	enum tn_status status = TN_OK;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (!rows[i].given)
			continue;
		tn_diag_at(&run->diags, SEVERITY_ERROR, "command/plan", NULL, NULL, NULL,
			"--%s does not go with --plan, which says where everything is",
			rows[i].name);
		status = TN_ERR_INPUT;
	}
	return status;
}

enum tn_status tn_command_plan(struct tn_run *run, const char *graph)
{
	enum tn_status status;

	if (!run->options->plan)
		return tn_pipeline(run, graph, STAGE_PLAN);
	status = check_options(run);
	if (status != TN_OK)
		return status;
	run->plan_file = run->options->plan;
	status = tn_pipeline(run, graph, STAGE_PROVE);
	if (status == TN_OK)
		status = tn_command_use_plan(run);
	/* there is nothing to show of a file that contradicts itself */
	return status == TN_ERR_REFUSED && run->verdict.accepted ? TN_ERR_INPUT : status;
}
