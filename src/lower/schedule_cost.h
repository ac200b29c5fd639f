/* Inside lower/: what an order costs, for the schedule problem. */
#ifndef TN_LOWER_SCHEDULE_COST_H
#define TN_LOWER_SCHEDULE_COST_H

#include "lower/lower.h"
#include "plan/schedule.h"

/* Fills buffers, and of each op touches, variants and pairs; the ops are there. */
enum tn_status TN_MUST_CHECK tn_schedule_cost(const struct tn_tables *tables,
	const struct tn_lower_options *options, struct tn_arena *arena,
	struct tn_diags *diags, struct tn_schedule_problem *out);

#endif
