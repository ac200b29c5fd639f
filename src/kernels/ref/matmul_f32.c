/* Batched matrix product in single precision. */
#include "matmul.h"

void tn_matmul_f32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_matmul_f32_params *p = params;
	const struct tn_matmul *m = &p->m;
	int32_t outputs = tn_matmul_outputs(m);

	(void)scratch;
	for (int32_t o = 0; o < outputs; o++) {
		struct tn_matmul_at at = tn_matmul_at(m, o);
		float sum = 0.0f;

		for (int32_t k = 0; k < m->depth; k++)
			sum += tn_load_f32(in[0], at.a + k * m->a_step) *
			       tn_load_f32(in[1], at.b + k * m->b_step);
		tn_store_f32(out[0], o, sum);
	}
}
