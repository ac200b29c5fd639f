/* Relations of int8 tensors: each side is first rounded to its scale times 256. */
#include "relation.h"

static void compare_row(
	const void *params, const void *const *in, void *out, const struct tn_row *row)
{
	const struct tn_compare_s8_params *p = params;
	const tn_s8 *a = (const tn_s8 *)in[0] + row->a,
		    *b = (const tn_s8 *)in[1] + row->b;
	tn_s8 *result = (tn_s8 *)out + row->out;

	for (int32_t t = 0; t < row->n; t++) {
		int32_t i = tn_step_index(p->order, t, row->n);
		int32_t x = tn_load_s8(a, i * row->step_a) + p->a_offset;
		int32_t y = tn_load_s8(b, i * row->step_b) + p->b_offset;

		x = tn_requantize(x * 256, p->a_multiplier, p->a_shift);
		y = tn_requantize(y * 256, p->b_multiplier, p->b_shift);
		tn_store_s8(result, i, tn_relation(p->relation, x<y, x == y, x> y));
	}
}

void tn_compare_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_compare_s8_params *p = params;

	(void)scratch;
	tn_rows(&p->shape, p->order, compare_row, p, in, out[0]);
}
