/* The logistic curve for int16: 256 points 1/24 apart, with 16 fractional bits. */
#ifndef TENURE_KERNELS_CURVE_S16_H
#define TENURE_KERNELS_CURVE_S16_H

#include "elements.h"

/* In units of 1/24 of a point's 512th part (tanh: 256th). */
static inline int32_t tn_curve_argument(const struct tn_curve_s16_params *p, int32_t x)
{
	int32_t half = p->shift > 0 ? INT32_C(1) << (p->shift - 1) : 0;

	return (x * p->multiplier + half) >> p->shift;
}

/* The curve at |x|, with `bits` more fractional bits; `top` beyond the table. */
static inline uint32_t tn_curve(
	const struct tn_curve_s16_params *p, int32_t x, int32_t bits, uint32_t top)
{
	uint32_t magnitude = (uint32_t)(x < 0 ? -x : x), point = magnitude >> bits;
	uint32_t a, b;

	if (point >= 255)
		return top;
	a = (uint16_t)p->table[point];
	b = (uint16_t)p->table[point + 1];
	return (a << bits) + (magnitude & ((1u << bits) - 1)) * (b - a);
}

#endif
