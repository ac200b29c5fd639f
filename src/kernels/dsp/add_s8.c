/* Sum of two int8 tensors whose rescaling is one linear function, as binding has found for
 * all pairs of values. Element by element, in the order of the contract. */
#include "simd.h"
#include "tenure/kernels.h"

static inline int32_t sum(const struct tn_dsp_add_params *p, int32_t a, int32_t b)
{
	int32_t t = a * p->a_factor + (b * p->b_factor + p->constant);

#if TN_DSP
	__asm__("ssat %0, #8, %0, asr #22" : "+r"(t));
	return t;
#else
	return tn_saturate_s8(t >> TN_DSP_ADD_BITS);
#endif
}

static inline void element(
	const struct tn_dsp_add_params *p, const tn_s8 *a, const tn_s8 *b, tn_s8 *out)
{
	tn_store_s8(out, 0, sum(p, tn_load_s8(a, 0), tn_load_s8(b, 0)));
}

void tn_dsp_add_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_dsp_add_params p = *(const struct tn_dsp_add_params *)params;
	const tn_s8 *a = in[0], *b = in[1];
	int32_t step = p.order.descending ? -1 : 1;
	tn_s8 *y = out[0];

	(void)scratch;
	if (step < 0) {
		for (int32_t i = p.n - 1; i >= 0; i--)
			element(&p, a + i, b + i, y + i);
		return;
	}
	for (int32_t n = p.n / 4; n > 0; n--, a += 4, b += 4, y += 4) {
		element(&p, a, b, y);
		element(&p, a + 1, b + 1, y + 1);
		element(&p, a + 2, b + 2, y + 2);
		element(&p, a + 3, b + 3, y + 3);
	}
	for (int32_t n = p.n % 4; n > 0; n--)
		element(&p, a++, b++, y++);
}
