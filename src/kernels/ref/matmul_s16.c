/* Batched matrix product of int16, wide sums. */
#include "fixed.h"
#include "matmul.h"

void tn_matmul_s16(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_matmul_params *p = params;
	const struct tn_matmul *m = &p->m;
	int32_t outputs = tn_matmul_outputs(m);

	(void)scratch;
	for (int32_t o = 0; o < outputs; o++) {
		struct tn_matmul_at at = tn_matmul_at(m, o);
		int64_t sum = 0;
		int32_t value;

		for (int32_t k = 0; k < m->depth; k++) {
			int64_t a =
				tn_load_s16(in[0], at.a + k * m->a_step) + p->a_offset;
			int64_t b =
				tn_load_s16(in[1], at.b + k * m->b_step) + p->b_offset;

			sum += a * b;
		}
		value = tn_requantize_wide(sum, p->multiplier, p->shift);
		value = tn_wrap_add(value, p->out_offset);
		tn_store_s16(out[0], o, tn_clamp_s32(value, INT16_MIN, INT16_MAX));
	}
}
