/* What the int32 operations on two operands share. */
#ifndef TENURE_KERNELS_BINARY_S32_H
#define TENURE_KERNELS_BINARY_S32_H

#include "elements.h"
#include "fixed.h"

typedef int32_t tn_binary_s32_fn(int32_t a, int32_t b);

static inline void tn_binary_s32_row(const struct tn_binary_s32_params *p,
	const void *const *in, void *out, const struct tn_row *row, tn_binary_s32_fn *fn)
{
	const tn_s32 *a = (const tn_s32 *)in[0] + row->a;
	const tn_s32 *b = (const tn_s32 *)in[1] + row->b;
	tn_s32 *result = (tn_s32 *)out + row->out;

	for (int32_t t = 0; t < row->n; t++) {
		int32_t i = tn_step_index(p->order, t, row->n);
		int32_t value = fn(
			tn_load_s32(a, i * row->step_a), tn_load_s32(b, i * row->step_b));

		tn_store_s32(result, i, tn_clamp_s32(value, p->act_min, p->act_max));
	}
}

#endif
