/* What the page shows beside the plan: the plan without overlap, and what executing the
 * graph has shown. */
#ifndef TN_DRIVER_EXTRAS_H
#define TN_DRIVER_EXTRAS_H

#include "driver/trial.h"
#include "report/view.h"

struct tn_extras {
	struct tn_trial trial;
	struct tn_view disjoint; /* of the trial's plan, when has_disjoint */
	bool tried, has_disjoint;
	struct tn_view_run *runs; /* with --validate; in the run's arena */
	size_t n_runs;
	struct tn_view_digest *digests;
	size_t n_digests;
};

/* The run has a plan. A plan without overlap that does not fit, or that is not found, is
 * left out; so are runs when the graph cannot be executed, which is reported. The status
 * is that of the validation, if there was one. tn_extras_end in any case. */
enum tn_status TN_MUST_CHECK tn_extras_make(struct tn_run *run, struct tn_extras *x);
void tn_extras_end(struct tn_extras *x);

/* Puts them into the view of the same run. */
void tn_extras_show(const struct tn_extras *x, struct tn_view *view);

#endif
