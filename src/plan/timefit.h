/* First fit as memory is handed out at run time: buffers in the order of their birth, each
 * in the lowest gap between those that are alive. For problems of any size. */
#ifndef TN_PLAN_TIMEFIT_H
#define TN_PLAN_TIMEFIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "plan/problem.h"

/* Writes offset[] of all buffers, none of which may have a given offset, and the height;
 * `backwards` hands memory out from the last death to the first birth. Pairs are not
 * looked at: all that are alive together are disjoint. INT64_MAX in *out_height when
 * the height would reach `limit`. */
enum tn_status TN_MUST_CHECK tn_timefit(const struct tn_problem *p, bool backwards,
	int64_t limit, int64_t *offset, int64_t *out_height);

#endif
