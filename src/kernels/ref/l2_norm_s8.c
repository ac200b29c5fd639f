/* Rows of int8 divided by their Euclidean length; the output's scale is 1/128. */
#include "elements.h"
#include "fixed_log.h"

void tn_l2_norm_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_rows_params *p = params;

	(void)scratch;
	for (int32_t r = 0; r < p->rows; r++) {
		int32_t start = tn_step_index(p->order, r, p->rows) * p->n;
		const tn_s8 *x = (const tn_s8 *)in[0] + start;
		tn_s8 *y = (tn_s8 *)out[0] + start;
		int32_t sum = 0, multiplier, shift;

		for (int32_t i = 0; i < p->n; i++) {
			int32_t value = tn_load_s8(x, i) + p->in_offset;

			sum = tn_wrap_add(sum, value * value);
		}
		tn_inverse_sqrt(sum, &multiplier, &shift);
		for (int32_t t = 0; t < p->n; t++) {
			int32_t i = tn_step_index(p->order, t, p->n);
			int32_t value = tn_load_s8(x, i) + p->in_offset;

			value = tn_requantize(value, multiplier, shift + 7);
			tn_store_s8(y, i, tn_clamp_s32(value, INT8_MIN, INT8_MAX));
		}
	}
}
