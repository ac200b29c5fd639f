/* Quantised integers to float. */
#include "typed.h"

void tn_dequantize(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_dequantize_params *p = params;

	(void)scratch;
	for (int32_t t = 0; t < p->n; t++) {
		int32_t i = tn_step_index(p->order, t, p->n);

		tn_store_f32(out[0], i,
			p->scale *
				(float)(tn_load_typed(in[0], i, p->type) + p->in_offset));
	}
}
