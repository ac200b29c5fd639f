/* Pairs in the solver's form: each pair and variant forbids one open interval of the
 * displacement off(a) - off(b); outside of it the placement is legal. */
#ifndef TN_PLAN_PAIRS_H
#define TN_PLAN_PAIRS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"
#include "plan/problem.h"

/* Forbidden displacements lo < x < hi; empty when lo >= hi. */
struct tn_gap {
	int64_t lo, hi;
};

/* Forbidden values of off(a) - off(b) for variant v. */
struct tn_gap tn_pair_gap(
	const struct tn_problem *p, const struct tn_pair *pair, uint32_t v);

/* The pairs that matter (their buffers meet in time and are not empty), by buffer. */
struct tn_pairs {
	uint32_t *first; /* by buffer; n_buffers + 1 of them; index into of */
	uint32_t *of; /* pair indices, by group within a buffer; each pair is there
	                    twice, once for each end */
};

bool tn_buffers_meet(const struct tn_buffer *a, const struct tn_buffer *b);

enum tn_status TN_MUST_CHECK tn_pairs_build(
	const struct tn_problem *p, struct tn_arena *arena, struct tn_pairs *out);

/* Do the two buffers share a pair? */
bool tn_pairs_linked(
	const struct tn_problem *p, const struct tn_pairs *pairs, uint32_t x, uint32_t y);

#endif
