/* Relations of float tensors. */
#include "relation.h"

static void compare_row(
	const void *params, const void *const *in, void *out, const struct tn_row *row)
{
	const struct tn_compare_params *p = params;
	const tn_f32 *a = (const tn_f32 *)in[0] + row->a;
	const tn_f32 *b = (const tn_f32 *)in[1] + row->b;
	tn_s8 *result = (tn_s8 *)out + row->out;

	for (int32_t t = 0; t < row->n; t++) {
		int32_t i = tn_step_index(p->order, t, row->n);
		float x = tn_load_f32(a, i * row->step_a);
		float y = tn_load_f32(b, i * row->step_b);

		tn_store_s8(result, i, tn_relation(p->relation, x<y, x == y, x> y));
	}
}

void tn_compare_f32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_compare_params *p = params;

	(void)scratch;
	tn_rows(&p->shape, p->order, compare_row, p, in, out[0]);
}
