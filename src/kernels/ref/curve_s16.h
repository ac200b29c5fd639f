/* The logistic curve for int16: 256 points 1/24 apart, with 16 fractional bits. */
#ifndef TENURE_KERNELS_CURVE_S16_H
#define TENURE_KERNELS_CURVE_S16_H

#include "elements.h"

/* The curve at |x|, with `bits` more fractional bits; `top` beyond the table. */
static inline uint32_t tn_curve(
	const int16_t *table, int32_t x, int32_t bits, uint32_t top)
{
	uint32_t magnitude = (uint32_t)(x < 0 ? -x : x), point = magnitude >> bits;
	uint32_t a, b;

	if (point >= 255)
		return top;
	a = (uint16_t)table[point];
	b = (uint16_t)table[point + 1];
	return (a << bits) + (magnitude & ((1u << bits) - 1)) * (b - a);
}

/* The logistic function with 15 fractional bits; x in 1/24 of a point's 512th part. */
static inline int32_t tn_logistic_q15(const int16_t *table, int32_t x)
{
	uint32_t y = tn_curve(table, x, 9, UINT32_C(0x7fff) << 10);

	y = x >= 0 ? y + 512 : (UINT32_C(1) << 25) - y + 511;
	return (int16_t)(y >> 10);
}

/* tanh(x) = 2 logistic(2x) - 1 with 15 fractional bits. */
static inline int32_t tn_tanh_q15(const int16_t *table, int32_t x)
{
	int32_t y = (int32_t)tn_curve(table, x, 8, UINT32_C(0xffff) << 8) - (1 << 23);

	y = x >= 0 ? y + 128 : -y + 127;
	return (int16_t)(y >> 8);
}

/* The kernel's argument: an element rescaled to the curve's unit. */
static inline int32_t tn_curve_argument(const struct tn_curve_s16_params *p, int32_t x)
{
	int32_t half = p->shift > 0 ? INT32_C(1) << (p->shift - 1) : 0;

	return (x * p->multiplier + half) >> p->shift;
}

#endif
