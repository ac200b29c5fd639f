/* From sums to outputs of int8 for channels in vectors of four: the multiplication with
 * rounding that the reference has, then a shift that rounds half up. Where results below
 * the zero point are cut off anyway (floor), ties of negative numbers do not matter;
 * otherwise one is taken off negative numbers before the shift, which is at least 1 then.
 */
#ifndef TENURE_KERNELS_MVE_RESCALE_H
#define TENURE_KERNELS_MVE_RESCALE_H

#include "layout.h"
#include "mve.h"
#include "ref/fixed.h"

static inline int32_t tn_rescale_lane(
	int32_t sum, int32_t multiplier, int32_t shift, int32_t offset, int floor)
{
	int32_t x = tn_mulh(sum, multiplier), e = -shift;

	if (!floor && x < 0)
		x--;
	if (e)
		x = (int32_t)(((int64_t)x + (INT64_C(1) << (e - 1))) >> e);
	if (floor)
		return tn_clamp_s32(x, 0, UINT8_MAX) - 128;
	return tn_clamp_s32(
		tn_clamp_s32(x, INT16_MIN, INT16_MAX) + offset, INT8_MIN, INT8_MAX);
}

#endif
