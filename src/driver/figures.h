/* What a plan file says of its sizes, against what follows from the graph and its places. */
#ifndef TN_DRIVER_FIGURES_H
#define TN_DRIVER_FIGURES_H

#include "driver/pipeline.h"

/* After tn_verify has accepted the plan that was read. TN_ERR_REFUSED, each contradiction
 * reported (plan/figures), and the run is no longer verified; else TN_OK or TN_ERR_NOMEM. */
enum tn_status TN_MUST_CHECK tn_figures_compare(struct tn_run *run);

/* Every placed tensor in memory of its own, with what ops write behind it. */
enum tn_status TN_MUST_CHECK tn_figures_no_reuse(struct tn_run *run, int64_t *out_bytes);

/* After it has refused the plan: what its places come to, in place of what it says. */
enum tn_status TN_MUST_CHECK tn_figures_take(struct tn_run *run);

/* Computes the bounds of a verified plan again, for a run whose tables are of the plan's
 * order. Where they cannot be had they stay as the file gives them (plan->said). */
enum tn_status TN_MUST_CHECK tn_figures_bound(struct tn_run *run);

#endif
