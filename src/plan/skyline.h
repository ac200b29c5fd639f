/* The greedy solver for problems with too many couples to list: every buffer goes on top
 * of all that was placed in its lifetime, in O(n log n). Holes are never filled and pairs
 * are kept disjoint. */
#ifndef TN_PLAN_SKYLINE_H
#define TN_PLAN_SKYLINE_H

#include "base/arena.h"
#include "base/status.h"
#include "plan/problem.h"

/* Fixed buffers first, then in this order. offset is by buffer. */
enum tn_status TN_MUST_CHECK tn_skyline(
	const struct tn_problem *p, const uint32_t *order, int64_t *offset);

#endif
