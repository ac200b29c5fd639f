/* Sum of several float tensors, in their order. */
#include "elements.h"

void tn_add_n_f32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_add_n_f32_params *p = params;

	(void)scratch;
	for (int32_t t = 0; t < p->n; t++) {
		int32_t i = tn_step_index(p->order, t, p->n);
		float sum = 0.0f;

		for (int32_t k = 0; k < p->operands; k++)
			sum += tn_load_f32(in[k], i);
		tn_store_f32(out[0], i, sum);
	}
}
