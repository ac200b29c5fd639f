/* Softmax of int8 over the last dimension. */
#include "softmax_row.h"

void tn_softmax_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_softmax_s8_params *p = params;

	(void)scratch;
	for (int32_t r = 0; r < p->rows; r++) {
		int32_t start = tn_step_index(p->order, r, p->rows) * p->n;
		const tn_s8 *x = (const tn_s8 *)in[0] + start;
		tn_s8 *y = (tn_s8 *)out[0] + start;
		struct tn_softmax_row row = tn_softmax_row_of(x, p->n, p->exp_table);

		for (int32_t t = 0; t < p->n; t++) {
			int32_t i = tn_step_index(p->order, t, p->n);
			/* 8 bits: more only when something else has written there */
			tn_u8 below = (tn_u8)(row.max - tn_load_s8(x, i));
			int32_t exp = p->exp_table[below];
			int32_t value = tn_softmax_value(&row, exp, 8) + INT8_MIN;

			tn_store_s8(y, i, tn_clamp_s32(value, INT8_MIN, INT8_MAX));
		}
	}
}
