/* Batched matrix product of int8. */
#include "fixed.h"
#include "matmul.h"

void tn_matmul_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_matmul_params *p = params;
	const struct tn_matmul *m = &p->m;
	int32_t outputs = tn_matmul_outputs(m);

	(void)scratch;
	for (int32_t o = 0; o < outputs; o++) {
		struct tn_matmul_at at = tn_matmul_at(m, o);
		int32_t sum = 0;

		for (int32_t k = 0; k < m->depth; k++) {
			int32_t a = tn_load_s8(in[0], at.a + k * m->a_step) + p->a_offset;
			int32_t b = tn_load_s8(in[1], at.b + k * m->b_step) + p->b_offset;

			sum = tn_wrap_add(sum, a * b);
		}
		sum = tn_requantize(sum, p->multiplier, p->shift);
		sum = tn_wrap_add(sum, p->out_offset);
		tn_store_s8(out[0], o, tn_clamp_s32(sum, INT8_MIN, INT8_MAX));
	}
}
