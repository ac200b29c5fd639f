/* Fixed-point arithmetic of quantised networks. Every function here is defined for all
 * arguments (sums wrap like two's complement hardware), so that a hostile model cannot
 * reach undefined behaviour and all machines agree. */
#ifndef TENURE_KERNELS_FIXED_H
#define TENURE_KERNELS_FIXED_H

#include <stdint.h>

static inline int32_t tn_wrap_add(int32_t a, int32_t b)
{
	return (int32_t)((uint32_t)a + (uint32_t)b);
}

static inline int64_t tn_wrap_add_s64(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static inline int32_t tn_wrap_sub(int32_t a, int32_t b)
{
	return (int32_t)((uint32_t)a - (uint32_t)b);
}

static inline int32_t tn_wrap_mul(int32_t a, int32_t b)
{
	return (int32_t)((uint32_t)a * (uint32_t)b);
}

/* 0 <= shift <= 31 */
static inline int32_t tn_wrap_shl(int32_t a, int32_t shift)
{
	return (int32_t)((uint32_t)a << shift);
}

static inline int32_t tn_clamp_s32(int32_t x, int32_t min, int32_t max)
{
	return x < min ? min : x > max ? max : x;
}

/* The high half of 2ab, ties up; the one product that does not fit saturates. */
static inline int32_t tn_mulh(int32_t a, int32_t b)
{
	if (a == INT32_MIN && b == INT32_MIN)
		return INT32_MAX;
	return (int32_t)(((int64_t)a * b + (INT64_C(1) << 30)) >> 31);
}

/* x / 2^shift, ties away from zero; 0 <= shift <= 31. */
static inline int32_t tn_shr_round(int32_t x, int32_t shift)
{
	int32_t mask = (int32_t)((UINT32_C(1) << shift) - 1);
	int32_t half = (mask >> 1) + (x < 0);

	return (x >> shift) + ((x & mask) > half);
}

/* x * multiplier / 2^31 * 2^shift, rounded twice: ties up after the product, ties away
 * from zero after a right shift. -31 <= shift <= 30. */
static inline int32_t tn_requantize(int32_t x, int32_t multiplier, int32_t shift)
{
	if (shift > 0)
		return tn_mulh(tn_wrap_shl(x, shift), multiplier);
	return tn_shr_round(tn_mulh(x, multiplier), -shift);
}

/* The same for a wide accumulator: the multiplier is first rounded to 16 bits, and the
 * result once, ties up. -31 <= shift <= 14. */
static inline int32_t tn_requantize_wide(int64_t x, int32_t multiplier, int32_t shift)
{
	int32_t m = multiplier < 0x7fff0000 ? (multiplier + (1 << 15)) >> 16 : 0x7fff;
	int32_t total = 15 - shift;
	uint64_t product = (uint64_t)x * (uint64_t)m + (UINT64_C(1) << (total - 1));

	return (int32_t)((int64_t)product >> total);
}

#endif
