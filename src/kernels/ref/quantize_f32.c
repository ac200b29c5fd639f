/* float to quantised integers: half away from zero, saturated. */
#include "fixed.h"
#include "float_math.h"
#include "typed.h"

void tn_quantize_f32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_quantize_f32_params *p = params;

	(void)scratch;
	for (int32_t t = 0; t < p->n; t++) {
		int32_t i = tn_step_index(p->order, t, p->n);
		float scaled = tn_round_f32_value(tn_load_f32(in[0], i) / p->scale);
		int32_t value = tn_s32_of_f32(tn_clamp_f32_value(scaled, -1e6f, 1e6f));

		tn_store_typed(out[0], i, p->type,
			tn_clamp_s32(value + p->out_offset, p->out_min, p->out_max));
	}
}
