/* PRELU of integers. */
#ifndef TENURE_KERNELS_PRELU_H
#define TENURE_KERNELS_PRELU_H

#include "elements.h"
#include "fixed.h"

static inline void tn_prelu_row(const struct tn_prelu_params *p, const void *const *in,
	void *out, const struct tn_row *row, int32_t size)
{
	const tn_u8 *a = (const tn_u8 *)in[0] + row->a * size;
	const tn_s8 *b = (const tn_s8 *)in[1] + row->b; /* int8 for both */
	tn_u8 *result = (tn_u8 *)out + row->out * size;

	for (int32_t t = 0; t < row->n; t++) {
		int32_t i = tn_step_index(p->order, t, row->n);
		int32_t x = tn_load_int(a, i * row->step_a, size) + p->a_offset;
		int32_t y = tn_load_s8(b, i * row->step_b) + p->b_offset;
		int32_t value;

		if (x >= 0)
			value = tn_requantize(x, p->multiplier, p->shift);
		else
			value = tn_requantize(tn_wrap_mul(x, y), p->negative_multiplier,
				p->negative_shift);
		value = tn_wrap_add(value, p->out_offset);
		tn_store_int(
			result, i, size, tn_clamp_s32(value, p->out_min, p->out_max));
	}
}

#endif
