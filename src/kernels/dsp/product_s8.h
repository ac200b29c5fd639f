/* The product of two bytes: rounded half up after the multiplication, half away from zero after
 * the shift, which is at least 1; its half and the output's zero point are one constant. Results
 * take the whole range of int8. */
#ifndef TENURE_KERNELS_DSP_PRODUCT_S8_H
#define TENURE_KERNELS_DSP_PRODUCT_S8_H

#include "ref/elements.h"
#include "simd.h"

struct tn_product {
	int32_t a_offset, b_offset;
	int32_t multiplier, constant, shift;
};

static inline struct tn_product tn_product_of(const struct tn_mul_params *p)
{
	const int32_t shift = -p->out_shift;

	return (struct tn_product){ p->a_offset, p->b_offset, p->out_multiplier,
		(1 << (shift - 1)) + p->out_offset * (1 << shift), shift };
}

/* Of twice the product. */
static inline int32_t tn_product_rescale(const struct tn_product *p, int32_t twice)
{
	int32_t x = tn_smmulr(twice, p->multiplier);

	x += x >> 31;
	return tn_saturate_s8((x + p->constant) >> p->shift);
}

static inline void tn_product_element(
	const struct tn_product *p, const tn_s8 *a, const tn_s8 *b, tn_s8 *out)
{
	const int32_t x = tn_load_s8(a, 0) + p->a_offset;

	tn_store_s8(
		out, 0, tn_product_rescale(p, 2 * x * (tn_load_s8(b, 0) + p->b_offset)));
}

/* n elements one after the other, an operand's `step` apart: 1, or 0 where it repeats. */
static inline void tn_product_elements(const struct tn_product *p, const tn_s8 *a,
	int32_t step_a, const tn_s8 *b, int32_t step_b, tn_s8 *out, int32_t n, int down)
{
	int32_t d = 1;

	if (down) {
		a += (n - 1) * step_a;
		b += (n - 1) * step_b;
		out += n - 1;
		step_a = -step_a;
		step_b = -step_b;
		d = -1;
	}
	for (; n > 0; n--, a += step_a, b += step_b, out += d)
		tn_product_element(p, a, b, out);
}

#endif
