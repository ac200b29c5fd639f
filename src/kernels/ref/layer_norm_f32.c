/* Rows of floats brought to a mean of 0 and a deviation of 1: a pass for the mean, one for
 * the deviation, one that writes. */
#include "elements.h"
#include "float_math.h"

void tn_layer_norm_f32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_layer_norm_f32_params *p = params;
	const float *scale = in[1], *offset = in[2];

	(void)scratch;
	for (int32_t r = 0; r < p->rows; r++) {
		int32_t row = tn_step_index(p->order, r, p->rows);
		const tn_f32 *x = (const tn_f32 *)in[0] + row * p->n;
		tn_f32 *y = (tn_f32 *)out[0] + row * p->n;
		float mean = 0.0f, squares = 0.0f, inverse;

		for (int32_t i = 0; i < p->n; i++)
			mean += tn_load_f32(x, i);
		mean /= (float)p->n;
		for (int32_t i = 0; i < p->n; i++) {
			float value = tn_load_f32(x, i) - mean;

			squares += value * value;
		}
		inverse = 1.0f / tn_sqrt_f32_value(squares / (float)p->n + p->epsilon);
		if (p->facts > 0)
			tn_store_f32(out[1], row, mean);
		if (p->facts > 1)
			tn_store_f32(out[2], row, inverse);
		for (int32_t t = 0; t < p->n; t++) {
			int32_t i = tn_step_index(p->order, t, p->n);
			float value = (tn_load_f32(x, i) - mean) * inverse;

			if (scale)
				value *= scale[i];
			if (offset)
				value += offset[i];
			tn_store_f32(y, i, value);
		}
	}
}
