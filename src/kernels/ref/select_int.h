/* The lesser or greater of two integers of any size. */
#ifndef TENURE_KERNELS_SELECT_INT_H
#define TENURE_KERNELS_SELECT_INT_H

#include "elements.h"

static inline void tn_select_int_row(const struct tn_binary_params *p,
	const void *const *in, void *out, const struct tn_row *row, int32_t size,
	int greater)
{
	const tn_u8 *a = (const tn_u8 *)in[0] + row->a * size;
	const tn_u8 *b = (const tn_u8 *)in[1] + row->b * size;
	tn_u8 *result = (tn_u8 *)out + row->out * size;

	for (int32_t t = 0; t < row->n; t++) {
		int32_t i = tn_step_index(p->order, t, row->n);
		int32_t x = tn_load_int(a, i * row->step_a, size);
		int32_t y = tn_load_int(b, i * row->step_b, size);

		tn_store_int(result, i, size, (x < y) == greater ? y : x);
	}
}

static inline void tn_select_int_any(const void *params, const void *const *in, void *out,
	const struct tn_row *row, int greater)
{
	const struct tn_binary_params *p = params;

	if (p->size == 1)
		tn_select_int_row(p, in, out, row, 1, greater);
	else if (p->size == 2)
		tn_select_int_row(p, in, out, row, 2, greater);
	else
		tn_select_int_row(p, in, out, row, 4, greater);
}

#endif
