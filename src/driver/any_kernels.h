/* A plan for kernels that are not tenure's: nothing is known of how they read and write. */
#ifndef TN_DRIVER_ANY_KERNELS_H
#define TN_DRIVER_ANY_KERNELS_H

#include "driver/trial.h"

struct tn_any_kernels {
	bool reshapes_stay; /* a RESHAPE may write where it reads */
	bool views; /* an ExecuTorch et_view does nothing: its output is its input */
	const struct tn_claim *memory; /* only its tensors take bytes; NULL: all do */
};

/* Plans the graph as it is in the file, in its order, in one memory without limit, so that
 * nothing that is alive overlaps whatever the ops do; aligned to 16 at least. The plan is
 * verified. TN_ERR_REFUSED, reported, when there is none. tn_trial_end in any case. */
enum tn_status TN_MUST_CHECK tn_any_kernels_plan(
	struct tn_trial *t, struct tn_run *run, const struct tn_any_kernels *how);

/* Tells what the plan in `file` costs beside run->plan. */
void tn_any_kernels_tell(
	struct tn_run *run, const char *rule, const char *file, int64_t bytes);

#endif
