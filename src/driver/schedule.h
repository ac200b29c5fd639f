/* --schedule search: the order of the ops, weighed by the plans that it allows. */
#ifndef TN_DRIVER_SCHEDULE_H
#define TN_DRIVER_SCHEDULE_H

#include "driver/pipeline.h"

/* What depends on the order of the ops, and on how they were planned. */
struct tn_outcome {
	struct tn_order order;
	struct tn_aliases aliases; /* as the planner chose them */
	struct tn_liveness live;
	struct tn_hazards hazards;
	struct tn_inplace inplace;
	struct tn_lowered lowered;
	struct tn_solution solution;
	struct tn_placed placed;
	struct tn_plan plan;
};

struct tn_outcome tn_outcome_of(const struct tn_run *run);
void tn_outcome_restore(struct tn_run *run, const struct tn_outcome *to);

/* Makes run->plan from the run's tables; TN_ERR_REFUSED when it does not fit. */
typedef enum tn_status tn_plan_fn(struct tn_run *run);

/* After the plan for the given order, which had this status: looks for an order with a
 * smaller peak, repeats the analyses and the plan with it, and keeps whichever plan is
 * better; the given order when they are equal. Says in run->plan.schedule what was found.
 * The status is that of the plan that was kept. */
enum tn_status TN_MUST_CHECK tn_schedule_improve(
	struct tn_run *run, tn_plan_fn *plan, enum tn_status given);

/* Repeats the analyses for an order: op ids, a permutation. */
enum tn_status TN_MUST_CHECK tn_schedule_follow(
	struct tn_run *run, const uint32_t *order);

#endif
