#define _POSIX_C_SOURCE 200809L
#include "driver/pipeline.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/banned.h"
#include "base/checked.h"
#include "base/file.h"
#include "bind/bind.h"
#include "driver/fit.h"
#include "driver/judge.h"
#include "driver/memories.h"
#include "driver/refusal.h"
#include "driver/repair.h"
#include "driver/schedule.h"
#include "driver/sizes.h"
#include "driver/target.h"
#include "import/formats.h"
#include "import/import.h"
#include "import/plan_json.h"
#include "ir/digest.h"
#include "ir/print.h"
#include "lower/choose.h"
#include "plan/print.h"
#include "validate/synthetic.h"

void tn_run_init(struct tn_run *run, const tenure_options *options)
{
	memset(run, 0, sizeof(*run));
	run->options = options;
	tn_arena_init(&run->arena);
	tn_strings_init(&run->strings, &run->arena);
	tn_diags_init(&run->diags, &run->arena);
	tn_strbuf_init(&run->dumps);
}

void tn_run_release(struct tn_run *run)
{
	tn_plan_file_close(run->plan_parsed);
	tn_strbuf_release(&run->dumps);
	tn_arena_release(&run->arena);
}

static bool wants(const struct tn_run *run, const char *stage)
{
	const char *list = run->options->dump;
	size_t len = strlen(stage);

	for (const char *at = list; at && *at;
		at += strcspn(at, ",") + (strchr(at, ',') != NULL))
		if (strncmp(at, stage, len) == 0 && (at[len] == ',' || !at[len]))
			return true;
	return false;
}

/* A folder where one graph belongs: some models are folders, others are full of graphs. */
static void note_folder(struct tn_run *run, const char *folder)
{
	static const struct {
		const char *file, *format;
	} models[] = { { "saved_model.pb", "saved-model" },
		{ "Data/com.apple.CoreML", "core-ml" } };

	for (size_t i = 0; i < sizeof(models) / sizeof(*models); i++) {
		const struct tn_format *f = tn_format_named(models[i].format);
		const char *inside =
			tn_arena_printf(&run->arena, "%s/%s", folder, models[i].file);

		if (!inside || access(inside, F_OK) != 0)
			continue;
		tn_diag_note(&run->diags, "it is %s: %s", f->title, f->advice);
		return;
	}
	tn_diag_note(&run->diags,
		"name one graph; 'tenure lint %s' judges all that are there",
		tn_diag_file(&run->diags, folder));
}

enum tn_status tn_pipeline_source(struct tn_run *run, const char *file)
{
	const char *from = run->options->from;
	struct stat info;
	enum tn_status status = tn_file_read(&run->arena, &run->diags, file,
		from && strcmp(from, "onnx") == 0 ? tn_import_fits_onnx : tn_import_fits,
		&run->source);

	if (status == TN_ERR_INPUT && stat(file, &info) == 0 && S_ISDIR(info.st_mode))
		note_folder(run, file);
	return status;
}

static enum tn_status read_graph(struct tn_run *run, const char *file)
{
	struct tn_import im = { .arena = &run->arena,
		.strings = &run->strings,
		.diags = &run->diags,
		.from = run->options->from,
		.keep_inputs = run->options->keep_inputs != 0 };
	enum tn_status status = TN_OK;

	if (!run->source)
		status = tn_pipeline_source(run, file);
	if (status == TN_OK)
		status = tn_sizes_parse(run->options, &run->arena, &run->diags, &im);
	if (status != TN_OK)
		return status;
	im.source = run->source;
	if (run->only_graphs && !im.from && !tn_import_is_graph(run->source)) {
		run->skipped = true;
		return TN_ERR_INPUT;
	}
	status = tn_import(&im, &run->graph);
	run->excuses =
		(struct tn_excuses){ im.excuses.items, (uint32_t)im.excuses.count };
	return status;
}

/* --synthetic: seeded values where the file has none, or damaged ones. */
static enum tn_status invent(struct tn_run *run)
{
	struct tn_graph invented;
	enum tn_status status;

	if (!run->options->synthetic)
		return TN_OK;
	status = tn_synthetic(&run->graph, run->options->seed, &run->arena, &run->strings,
		&invented, &run->synthetic);
	if (status == TN_OK && run->synthetic)
		run->graph = invented;
	return status;
}

/* --dump: each word must be a stage. */
static enum tn_status check_dump(struct tn_run *run)
{
	static const char *const stages[] = { "graph", "order", "alias", "live",
		"hazards", "inplace", "problem", "plan", "claims" };
	const char *at = run->options->dump;

	while (at && *at) {
		size_t len = strcspn(at, ","), i = 0,
		       n = sizeof(stages) / sizeof(*stages);

		while (i < n &&
			(strlen(stages[i]) != len || strncmp(stages[i], at, len) != 0))
			i++;
		if (i == n) {
			tn_diag_at(&run->diags, SEVERITY_ERROR, "command/unknown-stage",
				NULL, NULL, NULL, "--dump knows no stage '%.*s'",
				(int)len, at);
			tn_diag_note(&run->diags,
				"stages: "
				"graph,order,alias,live,hazards,inplace,problem,plan,"
				"claims");
			return TN_ERR_INPUT;
		}
		at += len + (at[len] == ',');
	}
	return TN_OK;
}

/* --keep: the named tensors must hold their values to the end. */
static enum tn_status keep_tensors(struct tn_run *run)
{
	const tenure_list *keep = &run->options->keep;
	enum tn_status status = TN_OK;

	for (size_t i = 0; i < keep->n; i++) {
		bool found = false;

		for (uint32_t t = 0; t < run->graph.n_tensors; t++) {
			if (strcmp(run->graph.tensors[t].name, keep->items[i]) == 0) {
				run->graph.tensors[t].observed = true;
				found = true;
			}
		}
		if (!found) {
			tn_diag_at(&run->diags, SEVERITY_ERROR, "command/unknown-tensor",
				run->source, NULL, keep->items[i],
				"--keep names '%s', but the graph has no such tensor",
				keep->items[i]);
			status = TN_ERR_INPUT;
		}
	}
	return status;
}

/* Ops whose shapes are too large to walk share no memory; say so, it costs bytes. */
static void note_limits(struct tn_run *run)
{
	for (uint32_t i = 0; i < run->graph.n_ops; i++) {
		const struct tn_op *op = &run->graph.ops[i];

		if (tn_contract_gives_up(&run->graph, (tn_op_id){ i }))
			tn_diag_at(&run->diags, SEVERITY_NOTE, "plan/step-limit",
				run->source, op->pointer, op->name,
				"'%s' has too many steps to walk: it shares no memory",
				op->name);
	}
}

static enum tn_status read_memories(struct tn_run *run)
{
	tenure_options options = *run->options;
	enum tn_status status = tn_target_regions(run, &options);

	if (status != TN_OK)
		return status;
	if (run->target_is_budget && options.ram >= 0)
		options.ram = INT64_MAX; /* what is over it is a finding */
	return tn_memories_read(&options, &run->graph, &run->arena, &run->strings,
		&run->diags, &run->memories);
}

static bool streams(const struct tn_run *run)
{
	return run->options->stream == TENURE_STREAM_AUTO || run->options->stream_input;
}

/* Chains are for one memory, and no claim or plan is kept to by making some. */
static enum tn_status check_stream(struct tn_run *run)
{
	if (streams(run) && run->options->repair) {
		tn_diag_at(&run->diags, SEVERITY_ERROR, "command/stream", NULL, NULL,
			NULL, "--stream does not go with --repair");
		return TN_ERR_INPUT;
	}
	if (!streams(run) || !run->memories.n_regions)
		return TN_OK;
	tn_diag_at(&run->diags, SEVERITY_ERROR, "command/stream", NULL, NULL, NULL,
		"--stream does not go with several memories: --region, --pin, --target");
	return TN_ERR_INPUT;
}

enum tn_status tn_pipeline_alias(struct tn_run *run)
{
	struct tn_alias_options views = { .align = run->options->align,
		.order = &run->order };
	enum tn_status status =
		tn_pins_views(&run->memories, &run->graph, &run->arena, &views);

	return status == TN_OK ? tn_aliases_choose(
					 &run->graph, &views, &run->arena, &run->aliases)
			       : status;
}

/* That of the graph; a repair begins with one in which ops destroy what nobody needs. */
static enum tn_status first_order(struct tn_run *run)
{
	const struct tn_graph *g = &run->graph;
	uint32_t *list;

	if (!run->options->repair)
		return tn_order_given(g, &run->arena, &run->order);
	list = TN_NEW_ARRAY(&run->arena, uint32_t, g->n_ops);
	if (!list)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < g->n_ops; i++)
		list[i] = g->schedule[i].i;
	(void)tn_repair_order(g, list);
	return tn_order_from(g, list, &run->arena, &run->order);
}

static enum tn_status analyse(struct tn_run *run)
{
	const struct tn_graph *g = &run->graph;
	struct tn_arena *arena = &run->arena;
	enum tn_status status = first_order(run);

	note_limits(run);
	if (status == TN_OK)
		status = tn_pipeline_alias(run);
	if (status == TN_OK)
		status = tn_liveness_find(
			g, &run->order, &run->aliases, arena, &run->live);
	if (status == TN_OK)
		status = tn_hazards_find(
			g, &run->order, &run->aliases, arena, &run->hazards);
	return status;
}

static enum tn_status judge(struct tn_run *run)
{
	enum tn_status status = tn_inplace_judge(&run->graph, &run->order, &run->aliases,
		&run->live, &run->arena, &run->inplace);

	run->judged = status == TN_OK;
	return status;
}

static struct tn_tables tables_of(const struct tn_run *run)
{
	return (struct tn_tables){ &run->graph, &run->order, &run->aliases, &run->live,
		&run->inplace };
}

/* One memory without limit. */
static enum tn_status solve_single(struct tn_run *run,
	const struct tn_lower_options *options, const struct tn_limits *limits)
{
	const struct tn_tables tables = tables_of(run);
	const struct tn_streaming streaming = {
		(uint32_t)tn_min_i64(run->options->stream_max_ops, UINT32_MAX),
		run->options->stream_input != 0
	};
	struct tn_choice choice;
	struct tn_made made = { 0 };
	enum tn_status status;

	status = tn_choose(&run->graph, &run->order, options, limits, &run->arena,
		&run->diags, &choice);
	if (status == TN_OK) { /* what was proved is what was chosen */
		run->aliases = choice.aliases;
		run->live = choice.live;
		run->inplace = choice.inplace;
		status = tn_hazards_find(&run->graph, &run->order, &run->aliases,
			&run->arena, &run->hazards);
	}
	if (status == TN_OK)
		status = tn_make_plan(&tables, options, limits, &choice.lowered,
			&choice.solution,
			run->options->objective == TENURE_OBJECTIVE_ARENA, &run->arena,
			&run->diags, &made);
	if (status == TN_OK && streams(run))
		status = tn_make_streamed(&tables, options, limits, &streaming,
			run->options->objective == TENURE_OBJECTIVE_ARENA, &run->arena,
			&run->diags, &made);
	if (status == TN_OK) {
		run->lowered = made.lowered;
		run->solution = made.solution;
		run->plan = made.plan;
	}
	return status;
}

/* One memory without limit, or those that the user has. */
static enum tn_status solve_with(struct tn_run *run, enum tenure_overlap overlap)
{
	const struct tn_tables tables = tables_of(run);
	const struct tn_lower_options options = {
		.overlap = (enum tn_overlap_mode)overlap,
		.align = run->options->align,
	};
	const struct tn_limits limits = { run->options->nodes, run->options->time_limit };
	enum tn_status status;

	if (run->memories.n_regions) {
		status = tn_place(&tables, &options, &run->memories, &limits, &run->arena,
			&run->diags, &run->placed, &run->plan);
		run->lowered = run->placed.lowered;
		return status;
	}
	return solve_single(run, &options, &limits);
}

/* In place is what may be, not what must: which copies are left out is chosen for it, and a
 * copy may cost less than what it would hold. No overlap at all is tried, too. */
static enum tn_status solve(struct tn_run *run)
{
	const struct tn_outcome start = tn_outcome_of(run);
	struct tn_outcome first;
	enum tn_status status = solve_with(run, run->options->overlap);

	if (run->options->overlap != TENURE_OVERLAP_INPLACE || run->memories.n_regions ||
		status != TN_OK)
		return status;
	first = tn_outcome_of(run);
	tn_outcome_restore(run, &start);
	status = solve_with(run, TENURE_OVERLAP_NONE);
	if (status != TN_OK || run->plan.arena_bytes >= first.plan.arena_bytes)
		tn_outcome_restore(run, &first);
	return status;
}

/* --schedule search: for the given order, and for a better one if there is one. */
static enum tn_status solve_orders(struct tn_run *run)
{
	enum tn_status status = solve(run);

	if (run->options->schedule == TENURE_SCHEDULE_SEARCH)
		status = tn_schedule_improve(run, solve, status);
	return status;
}

static enum tn_status make_plan(struct tn_run *run)
{
	enum tn_status status = solve_orders(run);

	if (status == TN_OK) {
		run->plan.overlap = (enum tn_overlap_mode)run->options->overlap;
		run->plan.align = run->options->align;
		run->plan.digests =
			(struct tn_plan_digests){ tn_digest_graph(&run->graph),
				tn_digest_constants(&run->graph),
				tn_kernels_digest(&run->graph), tn_contract_digest() };
		run->planned = true;
	}
	return status;
}

enum tn_status tn_pipeline_solve(struct tn_run *run)
{
	enum tn_status status = analyse(run);

	if (status == TN_OK)
		status = judge(run);
	return status == TN_OK ? solve_orders(run) : status;
}

/* Our own plan is nothing before the verifier has accepted it: a refusal is our error,
 * unless the graph asks for what cannot be. */
static enum tn_status check_plan(struct tn_run *run)
{
	struct tn_arena scratch;
	enum tn_status status;

	tn_arena_init(&scratch);
	status = tn_verify(&run->graph, &run->plan, &scratch, &run->diags, &run->verdict);
	tn_arena_release(&scratch);
	run->verified = status == TN_OK;
	if (status == TN_ERR_REFUSED && !tn_refusal_is_graphs(run)) {
		tn_diag_at(&run->diags, SEVERITY_ERROR, "plan/internal", run->source,
			NULL, NULL,
			"the verifier refused our own plan; please report this");
		status = TN_ERR_INTERNAL;
	}
	return status == TN_OK ? tn_refusal_own_word(run) : status;
}

static void dump(struct tn_run *run, enum tn_stage reached)
{
	const struct tn_graph *g = &run->graph;
	struct tn_strbuf *out = &run->dumps;

	if (wants(run, "graph"))
		tn_graph_print(g, out);
	if (reached < STAGE_PROVE)
		return;
	if (wants(run, "order"))
		tn_order_print(g, &run->order, out);
	if (wants(run, "alias"))
		tn_aliases_print(g, &run->aliases, out);
	if (wants(run, "live"))
		tn_liveness_print(g, &run->live, out);
	if (wants(run, "hazards"))
		tn_hazards_print(g, &run->hazards, out);
	if (wants(run, "inplace"))
		tn_inplace_print(g, &run->inplace, out);
	if (reached < STAGE_PLAN)
		return;
	if (wants(run, "problem"))
		tn_problem_print(&run->lowered, out);
	if (wants(run, "plan"))
		tn_plan_print(&run->plan, out);
}

enum tn_status tn_pipeline(struct tn_run *run, const char *file, enum tn_stage last)
{
	enum tn_status status = check_dump(run);

	if (status == TN_OK)
		status = read_graph(run, file);
	if (status == TN_OK && last >= STAGE_PROVE)
		status = invent(run);
	if (status == TN_OK)
		status = keep_tensors(run);
	if (status == TN_OK)
		status = tn_pipeline_rewrite(run, last >= STAGE_PLAN ? "all" : "none");
	if (status == TN_OK && last >= STAGE_PLAN && run->options->repair)
		status = tn_repair_spare(run);
	if (status == TN_OK && last >= STAGE_PROVE)
		status = read_memories(run);
	if (status == TN_OK && last >= STAGE_PLAN)
		status = check_stream(run);
	if (status == TN_OK && last >= STAGE_PROVE)
		status = analyse(run);
	if (status == TN_OK && last >= STAGE_PROVE)
		status = judge(run);
	if (status == TN_OK && last >= STAGE_PLAN) {
		status = make_plan(run);
		if (status == TN_ERR_REFUSED)
			tn_fit_explain(run);
	}
	if (status == TN_OK && last >= STAGE_PLAN)
		status = check_plan(run);
	if (status == TN_OK)
		dump(run, last);
	return run->diags.failed ? TN_ERR_NOMEM : status;
}

static bool rejects_input(const struct tn_claims *claims)
{
	for (uint32_t i = 0; i < claims->n; i++)
		if (claims->each[i].peril == PERIL_UNKNOWN_SIZE)
			return true;
	return false;
}

enum tn_status tn_pipeline_tables(struct tn_run *run)
{
	enum tn_status status = analyse(run);

	return status == TN_OK ? judge(run) : status;
}

enum tn_status tn_pipeline_claims(struct tn_run *run, enum tn_status status)
{
	struct tn_claim_options options;
	enum tn_status judged;

	if ((status != TN_OK && status != TN_ERR_INPUT) ||
		(!run->graph.n_claims &&
			((run->options->profile != TENURE_PROFILE_TRAINING &&
				 status != TN_OK) ||
				!run->graph.n_ops)))
		return status;
	judged = tn_judge_options(run, &options);
	if (judged == TN_OK)
		judged = tn_claims_judge_all(
			&run->graph, &options, &run->arena, &run->diags, &run->claims);
	if (judged == TN_OK)
		tn_claims_report(&run->graph, &run->claims, &run->diags);
	if (judged == TN_OK && wants(run, "claims"))
		tn_claims_print(&run->graph, &run->claims, &run->dumps);
	/* what is wrong with the input is then what a claim was rejected for */
	return status == TN_OK || rejects_input(&run->claims) ? judged : status;
}

enum tn_severity tn_fail_on(const tenure_options *options)
{
	switch (options->fail_on) {
	case TENURE_LEVEL_NOTE:
		return SEVERITY_NOTE;
	case TENURE_LEVEL_WARNING:
		return SEVERITY_WARNING;
	default:
		return SEVERITY_ERROR;
	}
}

int tn_exit_status(const struct tn_run *run, enum tn_status status)
{
	switch (status) {
	case TN_OK:
		break;
	case TN_ERR_REFUSED:
		return TENURE_FINDINGS;
	case TN_ERR_INPUT:
		return TENURE_BAD_INPUT;
	default:
		return TENURE_RESOURCES;
	}
	for (size_t i = 0; i < run->diags.list.count; i++)
		if (run->diags.list.items[i].severity >= tn_fail_on(run->options))
			return TENURE_FINDINGS;
	return TENURE_OK;
}
