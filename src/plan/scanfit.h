/* First fit for problems with too many couples to list, but not too many buffers: each
 * buffer is compared with all that are placed, from the lowest offset up, O(n^2) in the
 * worst case and linear memory. Pairs are kept disjoint. */
#ifndef TN_PLAN_SCANFIT_H
#define TN_PLAN_SCANFIT_H

#include "base/status.h"
#include "plan/problem.h"

/* Fixed buffers first, then in this order. offset is by buffer. Gives up with *out_height
 * = INT64_MAX when the height would reach `limit`, at the time `until` of tn_clock, or
 * when *work, the comparisons that are left, is used up. */
enum tn_status TN_MUST_CHECK tn_scanfit(const struct tn_problem *p, const uint32_t *order,
	int64_t limit, double until, int64_t *work, int64_t *offset, int64_t *out_height);

#endif
