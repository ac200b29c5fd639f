/* Rows of floats divided by their Euclidean length. */
#include "elements.h"
#include "float_math.h"

void tn_l2_norm_f32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_rows_params *p = params;

	(void)scratch;
	for (int32_t r = 0; r < p->rows; r++) {
		int32_t start = tn_step_index(p->order, r, p->rows) * p->n;
		const tn_f32 *x = (const tn_f32 *)in[0] + start;
		tn_f32 *y = (tn_f32 *)out[0] + start;
		float sum = 0.0f, length;

		for (int32_t i = 0; i < p->n; i++) {
			float value = tn_load_f32(x, i);

			sum += value * value;
		}
		length = tn_sqrt_f32_value(sum);
		length = length < 1e-6f ? 1e-6f : length;
		for (int32_t t = 0; t < p->n; t++) {
			int32_t i = tn_step_index(p->order, t, p->n);

			tn_store_f32(y, i, tn_load_f32(x, i) / length);
		}
	}
}
