/* Couples of buffers that meet in time and in offset, found by a sweep over time with a
 * tree over offsets: O((n + found) log n). For checks; the solvers do not use it. */
#ifndef TN_PLAN_OVERLAP_H
#define TN_PLAN_OVERLAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "plan/problem.h"

/* Called for each couple, x was born after y; false ends the sweep. */
typedef bool tn_overlap_fn(void *ctx, uint32_t x, uint32_t y);

/* Over the buffers with offset >= 0; offset + size must not overflow. TN_OK also when
 * the callback ended it. */
enum tn_status TN_MUST_CHECK tn_overlaps(
	const struct tn_problem *p, const int64_t *offset, tn_overlap_fn *fn, void *ctx);

#endif
