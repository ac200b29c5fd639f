/* The plan without any reuse, for comparison: every tensor in memory of its own, one above
 * the other in the order in which they are first used, for as long as they live. */
#ifndef TN_REPORT_APART_H
#define TN_REPORT_APART_H

#include "base/status.h"
#include "report/view.h"

/* From the plan of v: *out_view looks at *out_plan, with no aliases. Its memory ends at
 * no_reuse_bytes. Nobody has verified it, nor needs to: nothing is shared. Needs graph
 * and plan. */
enum tn_status TN_MUST_CHECK tn_apart_make(const struct tn_view *v,
	struct tn_arena *arena, struct tn_plan *out_plan, struct tn_view *out_view);

#endif
