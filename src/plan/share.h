/* What a pair can save: the most bytes that its two buffers can have in common. */
#ifndef TN_PLAN_SHARE_H
#define TN_PLAN_SHARE_H

#include "plan/pairs.h"

/* Greatest common divisor of two numbers from 0 on; of two zeros it is 0. */
int64_t tn_gcd(int64_t a, int64_t b);

/* In any variant; counted in cells (all offsets are multiples of `cell`), each buffer
 * rounded up to whole ones. */
int64_t tn_pair_share(
	const struct tn_problem *p, const struct tn_pair *pair, int64_t cell);

#endif
