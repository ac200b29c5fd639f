#include "driver/streaming.h"

#include <inttypes.h>

#include "driver/trial.h"

void tn_streaming_look(struct tn_run *run)
{
	const tenure_options *o = run->options;
	const struct tn_plan *found;
	struct tn_trial t;

	if (o->stream != TENURE_STREAM_NONE || o->plan || o->repair ||
		run->memories.n_regions || run->graph.n_ops > TN_TRIAL_OPS_MAX)
		return;
	if (tn_trial_start(&t, run)) {
		t.options.stream = TENURE_STREAM_AUTO;
		found = &t.run.plan;
		if (tn_pipeline_solve(&t.run) == TN_OK &&
			found->arena_bytes < run->plan.arena_bytes)
			tn_diag_at(&run->diags, SEVERITY_NOTE,
				"memory/streaming-would-save", run->source, "", NULL,
				"an arena of %" PRId64 " B would do, %" PRId64
				" B less, if chains of ops ran row by row (--stream auto)",
				found->arena_bytes,
				run->plan.arena_bytes - found->arena_bytes);
	} else {
		run->diags.failed = true;
	}
	tn_trial_end(&t);
}
