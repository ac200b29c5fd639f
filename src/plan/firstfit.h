/* First fit: buffers one after the other, each at the lowest legal offset given those
 * that are placed. Knows pairs: it keeps, by group, the variants that are still possible,
 * so that no variant is chosen before it must be. */
#ifndef TN_PLAN_FIRSTFIT_H
#define TN_PLAN_FIRSTFIT_H

#include "plan/conflict.h"
#include "plan/pairs.h"
#include "plan/problem.h"

struct tn_fit {
	const struct tn_problem *p;
	const struct tn_pairs *pairs;
	const struct tn_conflicts *conflicts;
	int64_t *offset; /* by buffer; -1: not placed */
	uint8_t *variants; /* by group; bit v: variant v is still possible */
	struct tn_gap *gaps; /* scratch */
	int64_t work; /* neighbours looked at */
};

enum tn_status TN_MUST_CHECK tn_fit_init(struct tn_fit *fit, const struct tn_problem *p,
	const struct tn_pairs *pairs, const struct tn_conflicts *conflicts,
	struct tn_arena *arena);

/* Nothing is placed. */
void tn_fit_reset(struct tn_fit *fit);

/* The lowest legal offset of x at or above `from`. */
int64_t tn_fit_lowest(struct tn_fit *fit, uint32_t x, int64_t from);

/* Puts x there; the offset must be legal. */
void tn_fit_put(struct tn_fit *fit, uint32_t x, int64_t offset);

/* Places the fixed buffers; false when one is in conflict with an earlier one. */
bool tn_fit_fixed(struct tn_fit *fit, uint32_t *out_x);

/* Resets, places the fixed buffers and then the others in this order. Gives up and
 * returns INT64_MAX when the height would reach `limit`, else returns the height. */
int64_t tn_fit_order(
	struct tn_fit *fit, const uint32_t *order, uint32_t n, int64_t limit);

/* Copies offsets and the least possible variant of each group; sets the height. */
void tn_fit_solution(const struct tn_fit *fit, struct tn_solution *out);

#endif
