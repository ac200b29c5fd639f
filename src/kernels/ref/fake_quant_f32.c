/* Floats as a quantised type would hold them: clamped, then rounded to its steps. */
#include "elements.h"
#include "float_math.h"

void tn_fake_quant_f32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_fake_quant_f32_params *p = params;

	(void)scratch;
	for (int32_t t = 0; t < p->n; t++) {
		int32_t i = tn_step_index(p->order, t, p->n);
		float x = tn_clamp_f32_value(tn_load_f32(in[0], i), p->min, p->max);
		float steps = tn_round_f32_value((x - p->min) * p->per_scale);

		tn_store_f32(out[0], i, steps * p->scale + p->min);
	}
}
