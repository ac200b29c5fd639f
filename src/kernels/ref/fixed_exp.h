/* exp, logistic and tanh in 32-bit fixed point, the recurrences that quantised networks
 * have standardised on. A "Qn" number has n integer bits: its value is raw * 2^(n - 31). */
#ifndef TENURE_KERNELS_FIXED_EXP_H
#define TENURE_KERNELS_FIXED_EXP_H

#include "fixed.h"

/* x * 2^shift, saturated; 1 <= shift <= 31. */
static inline int32_t tn_shl_sat(int32_t x, int32_t shift)
{
	int64_t wide = (int64_t)x * (INT64_C(1) << shift);

	return wide > INT32_MAX	  ? INT32_MAX
	       : wide < INT32_MIN ? INT32_MIN
				  : (int32_t)wide;
}

/* exp of a Q0 number in [-1/4, 0), as Q0: a Taylor polynomial around -1/8. */
static inline int32_t tn_exp_quarter(int32_t a)
{
	const int32_t exp_eighth = 1895147668, third = 715827883;
	int32_t x = tn_wrap_add(a, INT32_C(1) << 28);
	int32_t x2 = tn_mulh(x, x);
	int32_t x3 = tn_mulh(x2, x);
	int32_t x4 = tn_mulh(x2, x2);
	int32_t tail = tn_mulh(tn_wrap_add(tn_shr_round(x4, 2), x3), third);

	tail = tn_shr_round(tn_wrap_add(tail, x2), 1);
	return tn_wrap_add(exp_eighth, tn_mulh(exp_eighth, tn_wrap_add(x, tail)));
}

/* exp of a number <= 0 with `bits` (1 to 5) integer bits, as Q0. */
static inline int32_t tn_exp_negative(int32_t a, int32_t bits)
{
	/* exp(-2^k) in Q0 for k = -2 .. 4 */
	static const int32_t factors[] = { 1672461947, 1302514674, 790015084, 290630308,
		39332535, 720401, 242 };
	int32_t fraction = 31 - bits;
	int32_t quarter = INT32_C(1) << (fraction - 2);
	int32_t rest = (a & (quarter - 1)) - quarter;
	int32_t result = tn_exp_quarter(tn_shl_sat(rest, bits));
	int32_t remainder = tn_wrap_sub(rest, a);

	if (a == 0)
		return INT32_MAX;
	for (int32_t k = -2; k < bits; k++)
		if (remainder & (INT32_C(1) << (fraction + k)))
			result = tn_mulh(result, factors[k + 2]);
	return result;
}

/* 2 / (1 + a) as Q2, a in [0, 1) as Q0: three Newton steps. */
static inline int32_t tn_reciprocal_half(int32_t a)
{
	int64_t sum = (int64_t)a + INT32_MAX;
	int32_t half = (int32_t)((sum + (sum >= 0 ? 1 : -1)) / 2);
	int32_t x = tn_wrap_add(1515870810, tn_mulh(half, -1010580540));

	for (int k = 0; k < 3; k++) {
		int32_t error = tn_wrap_sub(INT32_C(1) << 29, tn_mulh(half, x));

		x = tn_wrap_add(x, tn_shl_sat(tn_mulh(x, error), 2));
	}
	return x;
}

/* 1 / (1 + a), a in [0, 1), Q0 to Q0. */
static inline int32_t tn_reciprocal_1p(int32_t a)
{
	return tn_shl_sat(tn_reciprocal_half(a), 1);
}

/* 1 / (1 + exp(-a)) of a Q4 number, as Q0. */
static inline int32_t tn_logistic_q4(int32_t a)
{
	int32_t magnitude = a < 0 ? a : tn_wrap_sub(0, a); /* the negative one */
	int32_t positive = tn_reciprocal_1p(tn_exp_negative(magnitude, 4));

	if (a == 0)
		return INT32_C(1) << 30;
	return a > 0 ? positive : INT32_MAX - positive;
}

/* tanh of a Q4 number, as Q0. Doubling the argument makes it Q5. */
static inline int32_t tn_tanh_q4(int32_t a)
{
	int32_t magnitude = a < 0 ? a : tn_wrap_sub(0, a);
	int32_t x = tn_reciprocal_half(tn_exp_negative(magnitude, 5));
	int32_t t = tn_shl_sat(tn_wrap_sub(x, INT32_C(1) << 29), 2);

	return a == 0 ? 0 : a > 0 ? t : tn_wrap_sub(0, t);
}

#endif
