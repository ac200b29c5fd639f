/* Sum of two int8 tensors of different scales. */
#include "elements.h"
#include "fixed.h"

static int32_t common_scale(
	int32_t value, int32_t left_shift, int32_t multiplier, int32_t shift)
{
	return tn_requantize(tn_wrap_shl(value, left_shift), multiplier, shift);
}

static void add_row(
	const void *params, const void *const *in, void *out, const struct tn_row *row)
{
	const struct tn_add_params *p = params;
	const tn_s8 *a = (const tn_s8 *)in[0] + row->a,
		    *b = (const tn_s8 *)in[1] + row->b;
	tn_s8 *result = (tn_s8 *)out + row->out;

	for (int32_t t = 0; t < row->n; t++) {
		int32_t i = tn_step_index(p->order, t, row->n);
		int32_t x = tn_load_s8(a, i * row->step_a) + p->a_offset;
		int32_t y = tn_load_s8(b, i * row->step_b) + p->b_offset;
		int32_t sum;

		x = common_scale(x, p->left_shift, p->a_multiplier, p->a_shift);
		y = common_scale(y, p->left_shift, p->b_multiplier, p->b_shift);
		sum = tn_requantize(tn_wrap_add(x, y), p->out_multiplier, p->out_shift);
		sum = tn_wrap_add(sum, p->out_offset);
		tn_store_s8(result, i, tn_clamp_s32(sum, p->act_min, p->act_max));
	}
}

void tn_add_s8(const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_add_params *p = params;

	(void)scratch;
	tn_rows(&p->shape, p->order, add_row, p, in, out[0]);
}
