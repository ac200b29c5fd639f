/* tenure verify: is this plan right for this graph? */
#include <inttypes.h>

#include "driver/command.h"

int tenure_verify(const tenure_options *options, const char *graph, const char *plan)
{
	struct tn_run run;
	enum tn_status status;

	tn_run_init(&run, options);
	run.plan_file = plan;
	status = tn_pipeline(&run, graph, STAGE_IMPORT);
	if (status == TN_OK)
		status = tn_command_use_plan(&run);
	if (status == TN_OK)
		fprintf(options->out,
			"%s: verified: arena %" PRId64
			" B, %u of %u ops replayed step by step\n",
			plan, run.plan.arena_bytes, run.verdict.replayed,
			run.graph.n_ops);
	return tn_command_end(&run, status);
}
