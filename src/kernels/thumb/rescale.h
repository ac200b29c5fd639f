/* From sums to outputs of int8 for processors without DSP instructions: the reference's two
 * roundings, with what of them depends on the channel alone computed by binding, which has also
 * proved that nothing leaves 32 bits. The shift is at least 1. */
#ifndef TENURE_KERNELS_THUMB_RESCALE_H
#define TENURE_KERNELS_THUMB_RESCALE_H

#include "ref/access.h"
#include "ref/fixed.h"

/* Armv7-M without DSP instructions: their assembly would have too few registers elsewhere. */
#if defined(__ARM_ARCH_ISA_THUMB) && __ARM_ARCH_ISA_THUMB >= 2 &&                        \
	!defined(__ARM_FEATURE_DSP) && !defined(TN_RECORD)
#define TN_THUMB2 1
#else
#define TN_THUMB2 0
#endif

/* Bias (with the input's zero point folded in); multiplier; half of 2^shift and the output's
 * zero point times 2^shift; shift. */
#define TN_CONSTANTS 4

static inline int32_t tn_thumb_rescale(int32_t sum, const int32_t *k)
{
	/* where twice the sum is no 32 bits the multiplier is 0; rounded by the bit below */
	const int64_t product = (int64_t)tn_wrap_shl(sum, 1) * k[1];
	int32_t x = (int32_t)((uint32_t)(product >> 32) + ((uint32_t)product >> 31));

	x = (x + (x >> 31) + k[2]) >> k[3];
#if TN_THUMB2
	__asm__("ssat %0, #8, %0" : "+r"(x));
	return x;
#else
	return tn_clamp_s32(x, INT8_MIN, INT8_MAX);
#endif
}

#endif
