/* Operations on two quantised tensors that are brought to a common scale first. */
#ifndef TENURE_KERNELS_RESCALED_H
#define TENURE_KERNELS_RESCALED_H

#include "elements.h"
#include "fixed.h"

typedef int32_t tn_rescaled_fn(int32_t a, int32_t b);

static inline void tn_rescaled_row(const struct tn_add_params *p, const void *const *in,
	void *out, const struct tn_row *row, int32_t size, tn_rescaled_fn *fn)
{
	const tn_u8 *a = (const tn_u8 *)in[0] + row->a * size;
	const tn_u8 *b = (const tn_u8 *)in[1] + row->b * size;
	tn_u8 *result = (tn_u8 *)out + row->out * size;

	for (int32_t t = 0; t < row->n; t++) {
		int32_t i = tn_step_index(p->order, t, row->n);
		int32_t x = tn_load_int(a, i * row->step_a, size) + p->a_offset;
		int32_t y = tn_load_int(b, i * row->step_b, size) + p->b_offset;
		int32_t value;

		x = tn_requantize(
			tn_wrap_shl(x, p->left_shift), p->a_multiplier, p->a_shift);
		y = tn_requantize(
			tn_wrap_shl(y, p->left_shift), p->b_multiplier, p->b_shift);
		value = tn_requantize(fn(x, y), p->out_multiplier, p->out_shift);
		value = tn_wrap_add(value, p->out_offset);
		tn_store_int(
			result, i, size, tn_clamp_s32(value, p->act_min, p->act_max));
	}
}

#endif
