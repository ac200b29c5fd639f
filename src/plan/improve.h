/* Local search over the order of first fit. */
#ifndef TN_PLAN_IMPROVE_H
#define TN_PLAN_IMPROVE_H

#include "plan/firstfit.h"

struct tn_improve_limit {
	int64_t target; /* stop at this height */
	int64_t work; /* stop when the fit has looked at so many neighbours */
	double until; /* stop at this time of tn_clock; 0: never */
};

double tn_clock(void); /* seconds, monotonic */
bool tn_clock_passed(double until); /* 0: never */

/* order gives best->height; both are improved in place. */
enum tn_status TN_MUST_CHECK tn_improve(struct tn_fit *fit,
	const struct tn_improve_limit *limit, uint32_t *order, struct tn_solution *best);

#endif
