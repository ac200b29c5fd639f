/* tenure emit: the graph as standalone C. */
#include <inttypes.h>
#include <string.h>

#include "driver/command.h"
#include "emit/emit.h"

int tenure_emit(const tenure_options *options, const char *graph)
{
	const struct tn_emit_options how = { options->cpu, options->debug != 0, false };
	struct tn_emit_summary summary;
	struct tn_emit_model model;
	struct tn_run run;
	enum tn_status status;

	if (!options->output) {
		fputs("tenure: emit needs a directory: -o DIR\n", options->err);
		return TENURE_BAD_INPUT;
	}
	if (strcmp(options->output, "-") == 0) {
		fputs("tenure: emit writes a folder of files, which is not for standard "
		      "output ('./-' is a folder of that name)\n",
			options->err);
		return TENURE_BAD_INPUT;
	}
	tn_run_init(&run, options);
	status = tn_command_plan(&run, graph);
	if (status == TN_OK) {
		model = (struct tn_emit_model){ &run.graph, &run.plan, NULL };
		status = tn_emit(&model, 1, &how, options->output, &run.arena, &run.diags,
			&summary);
	}
	if (status == TN_OK)
		fprintf(options->out,
			"%s: %u sources, arena %" PRId64 " B, constants %" PRId64 " B\n",
			options->output, summary.n_sources, summary.memory_bytes,
			summary.constant_bytes);
	return tn_command_end(&run, status);
}
