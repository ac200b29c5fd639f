/* The problem of several memories, as a value: which buffer goes into which region, and
 * where in it. Each region's height must fit its capacity; of all answers that fit, the
 * one in which the accesses cost least:
 *
 *   cost = sum over buffers of (bytes accessed in a run * cost per byte of its region)
 *
 * Buffers of different regions are disjoint. Lifetimes, sizes, given offsets and allowed
 * overlaps are those of problem.h; a pair counts when both of its buffers are in one
 * region, and all pairs of a group still need one common variant. */
#ifndef TN_PLAN_REGIONS_H
#define TN_PLAN_REGIONS_H

#include "plan/problem.h"

#define TN_REGIONS_MAX 32 /* so that a set of them is 32 bits */

struct tn_region {
	int64_t capacity; /* bytes, >= 0 */
	int64_t align; /* > 0; every offset in it is a multiple */
	int64_t cost; /* per byte accessed, >= 0 */
};

struct tn_region_problem {
	const struct tn_problem *buffers; /* its capacity is not looked at */
	const int64_t *accessed; /* by buffer: bytes read and written in a run */
	const uint32_t
		*allowed; /* by buffer: bit r: it may lie in region r; a buffer with
	                            a given offset has one bit */
	const struct tn_region *regions;
	uint32_t n_regions;
};

struct tn_region_solution {
	bool fits; /* an answer was found; if not, only cost_bound, hopeless and nodes mean
	              anything */
	bool hopeless; /* proved: there is no answer */
	uint32_t *region; /* by buffer */
	int64_t *offset; /* by buffer: bytes from the region's start */
	uint32_t *variant; /* by group */
	int64_t *height; /* by region */
	int64_t cost;
	int64_t cost_bound; /* proved lower bound of any answer's cost */
	bool optimal; /* cost == cost_bound */
	int64_t nodes; /* effort spent, in the unit of tn_limits */
};

/* Is the problem well formed? On failure *out_why says what is wrong with which buffer,
 * pair or region. tn_regions_solve looks itself. */
bool tn_regions_valid(
	const struct tn_region_problem *p, const char **out_why, uint32_t *out_index);

/* Is this answer legal? Independent of the solver; reports the first offence. False with
 * *out_why NULL is a lack of memory. */
bool tn_regions_check(const struct tn_region_problem *p,
	const struct tn_region_solution *s, const char **out_why,
	uint32_t out_buffers[2]);

/* Are there two buffers with given offsets that cannot both be there? */
enum tn_status TN_MUST_CHECK tn_regions_clash(const struct tn_region_problem *p,
	struct tn_arena *scratch, bool *out_clash, uint32_t out_buffers[2]);

/* Lower bound of the cost; INT64_MAX: nothing can fit. */
enum tn_status TN_MUST_CHECK tn_regions_bound(
	const struct tn_region_problem *p, struct tn_arena *scratch, int64_t *out_bound);

/* Assigns and places. The limits are as for tn_solve. TN_OK also when nothing was found
 * that fits. Given offsets that contradict each other: TN_ERR_INPUT, reported. */
enum tn_status TN_MUST_CHECK tn_regions_solve(const struct tn_region_problem *p,
	const struct tn_limits *limits, struct tn_arena *arena, struct tn_diags *diags,
	struct tn_region_solution *out);

#endif
