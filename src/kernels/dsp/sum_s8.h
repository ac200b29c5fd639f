/* The sum of two bytes whose rescaling is one linear function. */
#ifndef TENURE_KERNELS_DSP_SUM_S8_H
#define TENURE_KERNELS_DSP_SUM_S8_H

#include "simd.h"
#include "tenure/kernels.h"

static inline int32_t tn_linear_sum_s8(
	const struct tn_dsp_add_params *p, int32_t a, int32_t b)
{
	int32_t t = a * p->a_factor + (b * p->b_factor + p->constant);

#if TN_DSP
	__asm__("ssat %0, #8, %0, asr #22" : "+r"(t));
	return t;
#else
	return tn_saturate_s8(t >> TN_DSP_ADD_BITS);
#endif
}

static inline void tn_add_element_s8(
	const struct tn_dsp_add_params *p, const tn_s8 *a, const tn_s8 *b, tn_s8 *out)
{
	tn_store_s8(out, 0, tn_linear_sum_s8(p, tn_load_s8(a, 0), tn_load_s8(b, 0)));
}

#endif
