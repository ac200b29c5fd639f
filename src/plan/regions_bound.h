/* The lower bound of a region problem's cost, for partial assignments too.
 *
 * Sort the regions by cost. What a buffer in region r pays is its bytes times the first
 * cost, plus its bytes times each step of cost below r. For each step: buffers that stay
 * below it must fit the capacities below it at every moment, each with its size less what
 * pairs let it share with older (or younger) ones. Which to push above the step is a
 * knapsack; its fraction is solved moment by moment, and what one moment has charged is
 * not charged again at the next. */
#ifndef TN_PLAN_REGIONS_BOUND_H
#define TN_PLAN_REGIONS_BOUND_H

#include "plan/regions.h"
#include "plan/regions_pack.h"

struct tn_bound_entry {
	uint32_t buffer;
	int64_t weight; /* bytes that it needs at least, beside the others */
};

struct tn_regions_bound {
	const struct tn_region_problem *p;
	int64_t cell; /* all offsets are multiples */
	uint32_t by_cost[TN_REGIONS_MAX]; /* regions, the cheapest first */
	struct tn_bound_entry *entries;
	size_t *first; /* by moment; n_moments + 1 of them; index into entries */
	uint32_t n_moments;
	int64_t *left; /* scratch: bytes that are not charged yet */
	struct tn_bound_choice *choices; /* scratch */
};

enum tn_status TN_MUST_CHECK tn_regions_bound_init(struct tn_regions_bound *b,
	const struct tn_region_problem *p, struct tn_arena *arena);

/* Bound of the cost when buffers are in `region` (TN_UNASSIGNED: free); INT64_MAX: some
 * moment does not fit. */
int64_t tn_regions_bound_of(struct tn_regions_bound *b, const uint32_t *region);

#endif
