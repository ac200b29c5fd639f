/* What the phases of the region solver share. Each looks for cheaper assignments and
 * gives them to tn_search_take. */
#ifndef TN_PLAN_REGIONS_SEARCH_H
#define TN_PLAN_REGIONS_SEARCH_H

#include "plan/regions_bound.h"
#include "plan/regions_pack.h"

struct tn_region_search {
	const struct tn_region_problem *p;
	struct tn_regions_bound bound;
	struct tn_arena *arena;
	int64_t left; /* effort that may still be spent */
	double until; /* of tn_clock; 0: no limit */
	bool found;
	uint32_t *best; /* by buffer: its region in the cheapest answer so far */
	uint32_t *best_variant; /* by group: forced, or TN_ANY_VARIANT */
	int64_t best_cost;
	uint32_t *variant, *at; /* scratch, by group */
};

/* Scratch and bound for s->p; nothing is found yet. */
enum tn_status TN_MUST_CHECK tn_search_start(
	struct tn_region_search *s, struct tn_arena *scratch);

bool tn_search_over(const struct tn_region_search *s);

/* Packs region r of the assignment with the variants in `variant` (NULL: any), and pays
 * for it. `offset` (by buffer) may be NULL. */
enum tn_status TN_MUST_CHECK tn_search_pack(struct tn_region_search *s,
	const uint32_t *region, const uint32_t *variant, uint32_t r, int64_t *offset,
	enum tn_packing *out);

/* Does a complete assignment fit? Groups that are split between regions run their first
 * variant. `touched` is the set of regions that are not known to fit. */
enum tn_status TN_MUST_CHECK tn_search_fits(
	struct tn_region_search *s, const uint32_t *region, uint32_t touched, bool *out);

int64_t tn_search_cost(const struct tn_region_problem *p, const uint32_t *region);

/* Makes it the best if it is cheaper; it must fit. */
void tn_search_take(
	struct tn_region_search *s, const uint32_t *region, const uint32_t *variant);

/* Several greedy assignments, repaired until they fit. */
enum tn_status TN_MUST_CHECK tn_regions_greedy(struct tn_region_search *s);

/* Moves and swaps that make the best one cheaper. */
enum tn_status TN_MUST_CHECK tn_regions_improve(struct tn_region_search *s);

/* The same by small trees over windows in time. */
enum tn_status TN_MUST_CHECK tn_regions_windows(struct tn_region_search *s);

/* Raises the bound by the sum of the windows' own. */
enum tn_status TN_MUST_CHECK tn_regions_window_bound(
	struct tn_region_search *s, int64_t *bound);

/* Branch and bound. *out_bound is a proved lower bound of the cost; INT64_MAX: there is
 * no answer. Nothing but the bound of the root for a problem that is too large. */
enum tn_status TN_MUST_CHECK tn_regions_exact(
	struct tn_region_search *s, int64_t *out_bound);

#endif
