/* The load of a region over time: bytes that are alive at each birth. A tree of sums and
 * maxima, so that a range is changed or asked in O(log n). */
#ifndef TN_PLAN_REGIONS_LOAD_H
#define TN_PLAN_REGIONS_LOAD_H

#include "plan/problem.h"

struct tn_births {
	int64_t *at; /* moments of birth, ascending, each once */
	uint32_t n;
};

struct tn_load {
	const struct tn_births *births;
	int64_t *sum, *max; /* by node */
};

enum tn_status TN_MUST_CHECK tn_births_find(
	const struct tn_problem *p, struct tn_arena *arena, struct tn_births *out);

enum tn_status TN_MUST_CHECK tn_load_init(
	struct tn_load *load, const struct tn_births *births, struct tn_arena *arena);

/* To all moments in [begin, end). */
void tn_load_add(struct tn_load *load, int64_t begin, int64_t end, int64_t bytes);

/* The most in [begin, end). */
int64_t tn_load_max(const struct tn_load *load, int64_t begin, int64_t end);

#endif
