/* Natural logarithm and reciprocal square root in 32-bit fixed point; see fixed_exp.h. */
#ifndef TENURE_KERNELS_FIXED_LOG_H
#define TENURE_KERNELS_FIXED_LOG_H

#include "fixed_exp.h"

static inline int32_t tn_leading_zeros(uint32_t x)
{
	int32_t n = 0;

	while (n < 32 && !(x << n & 0x80000000u))
		n++;
	return n;
}

static inline int32_t tn_add_sat(int32_t a, int32_t b)
{
	int64_t sum = (int64_t)a + b;

	return sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : (int32_t)sum;
}

/* x * 2^shift saturated, 0 <= shift <= 31. */
static inline int32_t tn_shl_sat_any(int32_t x, int32_t shift)
{
	return shift == 0 ? x : tn_shl_sat(x, shift);
}

/* log of a Q12 number > 0, as Q5. The number is scaled by a power of two, in whole steps
 * and in steps from the middle, to a mantissa near 2^(-1/4), whose logarithm is a ratio
 * of polynomials. */
static inline int32_t tn_log_q12(int32_t x)
{
	const int32_t log_2 = 1488522236, root_root_half = 1805811301;
	const int32_t root_half = 1518500250;
	const int32_t alpha_n = 117049297, alpha_d = 127690142;
	const int32_t alpha_i = 1057819769, alpha_f = 638450708;
	const int32_t quarter = 536870912 >> 6; /* as Q6 */
	int32_t zeros = tn_leading_zeros((uint32_t)x);
	int32_t a = tn_shl_sat_any(x, zeros - 1), b, b_zeros, r, a_power, b_power, power;
	int32_t p, q, square, numerator, denominator;

	a = tn_shl_sat(tn_mulh(a, root_half), 1);
	a_power = tn_add_sat(tn_shl_sat(12 - zeros, 25), quarter);
	b_zeros = tn_leading_zeros((uint32_t)tn_mulh(x, root_half)) - 1;
	b = tn_shl_sat_any(x, b_zeros);
	b_power = tn_add_sat(tn_shl_sat(12 - b_zeros, 25), -quarter);
	r = a < b ? a : b;
	power = a_power > b_power ? a_power : b_power;
	p = (int32_t)(((int64_t)r + root_root_half + 1) / 2);
	q = tn_wrap_sub(r, root_root_half);
	q = tn_wrap_add(q, q);
	square = tn_mulh(q, q);
	numerator = tn_wrap_add(tn_mulh(q, r), tn_mulh(tn_mulh(q, square), alpha_n));
	denominator = tn_wrap_add(tn_wrap_add(alpha_i, q), tn_mulh(alpha_d, square));
	denominator = tn_wrap_add(tn_mulh(p, denominator), tn_mulh(alpha_f, q));
	numerator = tn_mulh(tn_shr_round(numerator, 6), tn_reciprocal_1p(denominator));
	return tn_shl_sat(tn_wrap_add(tn_mulh(power, log_2), numerator), 1);
}

/* 1 / sqrt(x) = multiplier * 2^(shift - 31), x >= 0; 0 counts as 1. */
static inline void tn_inverse_sqrt(int32_t x, int32_t *multiplier, int32_t *shift)
{
	const int32_t half_root_2 = 1518500250, three_halves = (1 << 28) + (1 << 27);
	int32_t right = 11, pairs, half, y = INT32_C(1) << 28; /* Q3 */

	*multiplier = INT32_MAX;
	*shift = 0;
	if (x <= 1)
		return;
	for (; x >= 1 << 29; right++)
		x /= 4;
	pairs = (tn_leading_zeros((uint32_t)x) - 1) / 2 - 1;
	right -= pairs;
	x <<= 2 * pairs;
	half = tn_shr_round(x >> 1, 1);
	for (int k = 0; k < 5; k++) {
		int32_t cube = tn_shl_sat(tn_mulh(tn_mulh(y, y), y), 6);

		y = tn_shl_sat(
			tn_wrap_sub(tn_mulh(three_halves, y), tn_mulh(half, cube)), 3);
	}
	y = tn_mulh(y, half_root_2);
	if (right < 0) {
		y = tn_wrap_shl(y, -right);
		right = 0;
	}
	*multiplier = y;
	*shift = -right;
}

#endif
