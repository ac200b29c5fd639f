/* A copy of a run that may be changed and planned again, in silence: what if? */
#ifndef TN_DRIVER_TRIAL_H
#define TN_DRIVER_TRIAL_H

#include "driver/pipeline.h"

#define TN_TRIAL_OPS_MAX 20000 /* of graphs that are planned again and again */

struct tn_trial {
	tenure_options options;
	struct tn_run run; /* its tensors, regions and pins are its own */
};

/* A copy of what tn_pipeline_solve needs, with a small limit of nodes. False: out of
 * memory. tn_trial_end in any case. */
bool tn_trial_start(struct tn_trial *t, const struct tn_run *run);
void tn_trial_end(struct tn_trial *t);

/* Plans the copy; the bytes of its arena, INT64_MAX when there is no plan. What chains
 * give is kept in the run, so that nobody need ask twice. */
int64_t tn_trial_solve(struct tn_trial *t, struct tn_run *run);

#endif
