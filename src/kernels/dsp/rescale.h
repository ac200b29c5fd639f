/* From a sum to an output of int8 in few instructions. Binding proves for every channel that
 * these give what tn_requantize, the zero point and the full range of int8 give.
 *
 * With floor: the sum comes scaled by 2^k. When results below the zero point are cut off
 * anyway, ties of negative numbers do not matter, and both roundings are the one floor of
 * (sum * multiplier + 2^30 + 2^(30 + e)) / 2^(31 + e); the constant holds what is added,
 * and the zero point, in units of 2^32.
 *
 * Without: the sum comes doubled; the first rounding is the multiplication's, the second
 * moves ties of negative numbers away from zero. The shift is at least 1. */
#ifndef TENURE_KERNELS_DSP_RESCALE_H
#define TENURE_KERNELS_DSP_RESCALE_H

#include "simd.h"

static inline int32_t tn_rescale_floor(
	int32_t sum, int32_t multiplier, int32_t constant, int32_t shift)
{
	return tn_saturate_s8(tn_smmla(sum, multiplier, constant) >> (shift & 31));
}

static inline int32_t tn_rescale_twice(
	int32_t sum, int32_t multiplier, int32_t constant, int32_t shift)
{
	int32_t x = tn_smmulr(sum, multiplier);

	return tn_saturate_s8((x + (x >> 31) + constant) >> (shift & 31));
}

#endif
