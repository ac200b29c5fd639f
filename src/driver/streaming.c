#include "driver/streaming.h"

#include <inttypes.h>

#include "driver/trial.h"

/* Unless a budget that was missed has tried it. */
static void try_chains(struct tn_run *run)
{
	struct tn_trial t;

	if (run->chains_tried)
		return;
	if (tn_trial_start(&t, run)) {
		t.options.stream = TENURE_STREAM_AUTO;
		(void)tn_trial_solve(&t, run);
	} else {
		run->diags.failed = true;
	}
	tn_trial_end(&t);
}

void tn_streaming_look(struct tn_run *run)
{
	const tenure_options *o = run->options;
	const int64_t bytes = run->plan.arena_bytes;

	if (o->stream != TENURE_STREAM_NONE || o->plan || o->repair ||
		run->memories.n_regions || run->graph.n_ops > TN_TRIAL_OPS_MAX)
		return;
	try_chains(run);
	if (run->chains_tried && run->chains_bytes < bytes)
		tn_diag_at(&run->diags, SEVERITY_NOTE, "memory/streaming-would-save",
			run->source, "", NULL,
			"an arena of %" PRId64 " B would do, %" PRId64
			" B less, if chains of ops ran row by row (--stream auto)",
			run->chains_bytes, bytes - run->chains_bytes);
}
