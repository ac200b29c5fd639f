/* Given offsets: do they contradict each other? */
#ifndef TN_PLAN_FIXED_H
#define TN_PLAN_FIXED_H

#include <stdbool.h>

#include "plan/pairs.h"
#include "plan/problem.h"

/* Looks at the fixed buffers only. *out_clash says whether two of them (out_buffers)
 * cannot be where they are. */
enum tn_status TN_MUST_CHECK tn_fixed_clash(const struct tn_problem *p,
	const struct tn_pairs *pairs, bool *out_clash, uint32_t out_buffers[2]);

/* For each group the least variant that all of its pairs allow at these offsets (a
 * negative one is not known and allows everything). False when a group has none; then
 * *out_pair is a pair of it. */
bool tn_variants_choose(const struct tn_problem *p, const int64_t *offset,
	uint32_t *variant, uint32_t *out_pair, uint8_t *scratch_by_group);

#endif
