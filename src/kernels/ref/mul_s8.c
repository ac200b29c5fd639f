/* Product of two int8 tensors. */
#include "elements.h"
#include "fixed.h"

static void mul_row(
	const void *params, const void *const *in, void *out, const struct tn_row *row)
{
	const struct tn_mul_params *p = params;
	const tn_s8 *a = (const tn_s8 *)in[0] + row->a,
		    *b = (const tn_s8 *)in[1] + row->b;
	tn_s8 *result = (tn_s8 *)out + row->out;

	for (int32_t t = 0; t < row->n; t++) {
		int32_t i = tn_step_index(p->order, t, row->n);
		int32_t x = tn_load_s8(a, i * row->step_a) + p->a_offset;
		int32_t y = tn_load_s8(b, i * row->step_b) + p->b_offset;
		int32_t value = tn_requantize(x * y, p->out_multiplier, p->out_shift);

		value = tn_wrap_add(value, p->out_offset);
		tn_store_s8(result, i, tn_clamp_s32(value, p->act_min, p->act_max));
	}
}

void tn_mul_s8(const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_mul_params *p = params;

	(void)scratch;
	tn_rows(&p->shape, p->order, mul_row, p, in, out[0]);
}
