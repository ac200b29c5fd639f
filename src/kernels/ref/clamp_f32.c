/* RELU and relatives in single precision. */
#include "elements.h"
#include "float_math.h"

void tn_clamp_f32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_clamp_f32_params *p = params;
	float max = p->max >= p->min ? p->max : TN_F32_INF;

	(void)scratch;
	for (int32_t t = 0; t < p->n; t++) {
		int32_t i = tn_step_index(p->order, t, p->n);

		tn_store_f32(out[0], i,
			tn_clamp_f32_value(tn_load_f32(in[0], i), p->min, max));
	}
}
