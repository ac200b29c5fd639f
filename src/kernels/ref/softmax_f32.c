/* Softmax in single precision over the last dimension. The exponentials are computed
 * twice, because the output must not hold them in between. */
#include "elements.h"
#include "float_math.h"

static float scaled_exp(float x, float max, float beta)
{
	return tn_exp_f32_value((x - max) * beta);
}

void tn_softmax_f32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_softmax_f32_params *p = params;

	(void)scratch;
	for (int32_t r = 0; r < p->rows; r++) {
		int32_t start = tn_step_index(p->order, r, p->rows) * p->n;
		const tn_f32 *x = (const tn_f32 *)in[0] + start;
		tn_f32 *y = (tn_f32 *)out[0] + start;
		float max = -3.402823466e+38f, sum = 0.0f;

		for (int32_t i = 0; i < p->n; i++) {
			float value = tn_load_f32(x, i);

			max = max < value ? value : max;
		}
		for (int32_t i = 0; i < p->n; i++)
			sum += scaled_exp(tn_load_f32(x, i), max, p->beta);
		for (int32_t t = 0; t < p->n; t++) {
			int32_t i = tn_step_index(p->order, t, p->n);

			tn_store_f32(
				y, i, scaled_exp(tn_load_f32(x, i), max, p->beta) / sum);
		}
	}
}
