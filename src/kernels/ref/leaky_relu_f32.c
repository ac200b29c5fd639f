/* LEAKY_RELU of floats. */
#include "elements.h"

void tn_leaky_relu_f32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_leaky_relu_f32_params *p = params;

	(void)scratch;
	for (int32_t t = 0; t < p->n; t++) {
		int32_t i = tn_step_index(p->order, t, p->n);
		float x = tn_load_f32(in[0], i);

		tn_store_f32(out[0], i, x > 0.0f ? x : x * p->alpha);
	}
}
