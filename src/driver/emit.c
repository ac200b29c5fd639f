/* tenure emit: graphs as standalone C. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "driver/command.h"
#include "emit/emit.h"
#include "validate/suite.h"

#include "base/banned.h"

static bool has_folder(const tenure_options *options)
{
	if (!options->output) {
		fputs("tenure: emit needs a directory: -o DIR\n", options->err);
		return false;
	}
	if (strcmp(options->output, "-") == 0) {
		fputs("tenure: emit writes a folder of files, which is not for standard "
		      "output ('./-' is a folder of that name)\n",
			options->err);
		return false;
	}
	return true;
}

static void print(const tenure_options *options, const struct tn_emit_summary *s,
	size_t n, int64_t shared)
{
	if (n == 1) {
		fprintf(options->out,
			"%s: %u sources, arena %" PRId64 " B, constants %" PRId64 " B\n",
			options->output, s->n_sources, s->memory_bytes,
			s->constant_bytes);
		return;
	}
	for (size_t m = 0; m < n; m++)
		fprintf(options->out,
			"%s: %s, arena %" PRId64 " B, constants %" PRId64 " B\n",
			options->output, s[m].ident, s[m].memory_bytes,
			s[m].constant_bytes);
	if (shared)
		fprintf(options->out,
			"%s: one arena of %" PRId64 " B for all (models.h)\n",
			options->output, shared);
}

/* The files that the graphs came from, and what is named beside them. */
static bool find_inputs(const tenure_options *options, struct tn_run *runs, size_t n,
	struct tn_emit_options *out)
{
	const tenure_list *boards = &options->boards;
	const char **list = TN_NEW_ARRAY(&runs[0].arena, const char *, n + boards->n + 1);

	if (!list)
		return false;
	out->inputs = list;
	for (size_t m = 0; m < n; m++)
		list[out->n_inputs++] = runs[m].source->name;
	for (size_t i = 0; i < boards->n; i++)
		list[out->n_inputs++] = boards->items[i];
	if (options->plan)
		list[out->n_inputs++] = options->plan;
	return true;
}

/* Emits the graphs that were planned; what is said of them goes to the first one's run. */
static enum tn_status emit(const tenure_options *options, struct tn_run *runs, size_t n)
{
	struct tn_emit_options how = { options->cpu, options->debug != 0,
		options->shared_arena != 0, options->test != 0, options->flat != 0, NULL,
		0 };
	struct tn_arena *arena = &runs[0].arena;
	struct tn_emit_model *models = TN_NEW_ARRAY(arena, struct tn_emit_model, n);
	struct tn_emit_summary *s = TN_NEW_ARRAY(arena, struct tn_emit_summary, n);
	int64_t most = 0;
	enum tn_status status;

	if (!models || !s || !find_inputs(options, runs, n, &how))
		return TN_ERR_NOMEM;
	for (size_t m = 0; m < n; m++)
		models[m] = (struct tn_emit_model){ &runs[m].graph, &runs[m].plan, NULL };
	status = tn_emit(
		models, (uint32_t)n, &how, options->output, arena, &runs[0].diags, s);
	if (status != TN_OK)
		return status;
	if (how.test)
		status = tn_suite_write(models->graph, s, options->output, options->cpu,
			options->seed, arena, &runs[0].diags);
	if (status != TN_OK)
		return status;
	for (size_t m = 0; how.shared_arena && m < n; m++)
		most = s[m].memory_bytes > most ? s[m].memory_bytes : most;
	print(options, s, n, most);
	return TN_OK;
}

int tenure_emit_all(const tenure_options *options, const char *const *graphs, size_t n)
{
	struct tn_run *runs;
	enum tn_status status = TN_OK;
	size_t planned = 0, failed = 0;
	int result = TENURE_OK;

	if (!has_folder(options))
		return TENURE_BAD_INPUT;
	if (n != 1 && options->plan) {
		fputs("tenure: --plan is for one graph\n", options->err);
		return TENURE_BAD_INPUT;
	}
	if (n != 1 && options->test) {
		fputs("tenure: --test is for one graph\n", options->err);
		return TENURE_BAD_INPUT;
	}
	runs = n && n <= UINT32_MAX ? calloc(n, sizeof(*runs)) : NULL;
	if (!runs) {
		tn_command_nomem(options);
		return TENURE_RESOURCES;
	}
	while (planned < n && status == TN_OK) {
		tn_run_init(&runs[planned], options);
		status = tn_command_plan(&runs[planned], graphs[planned]);
		planned++;
	}
	if (status != TN_OK)
		failed = planned - 1;
	else
		status = emit(options, runs, n);
	/* in order: the first one's reports may name what the others hold */
	for (size_t m = 0; m < planned; m++) {
		int one = tn_command_end(&runs[m], m == failed ? status : TN_OK);

		result = one > result ? one : result;
	}
	free(runs);
	return result;
}

int tenure_emit(const tenure_options *options, const char *graph)
{
	return tenure_emit_all(options, &graph, 1);
}
