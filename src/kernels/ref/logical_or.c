/* Logical or of booleans. */
#include "elements.h"

static void or_row(
	const void *params, const void *const *in, void *out, const struct tn_row *row)
{
	const struct tn_binary_params *p = params;
	const tn_s8 *a = (const tn_s8 *)in[0] + row->a,
		    *b = (const tn_s8 *)in[1] + row->b;
	tn_s8 *result = (tn_s8 *)out + row->out;

	for (int32_t t = 0; t < row->n; t++) {
		int32_t i = tn_step_index(p->order, t, row->n);
		int32_t x = tn_load_s8(a, i * row->step_a);
		int32_t y = tn_load_s8(b, i * row->step_b);

		tn_store_s8(result, i, x || y);
	}
}

void tn_logical_or(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_binary_params *p = params;

	(void)scratch;
	tn_rows(&p->shape, p->order, or_row, p, in, out[0]);
}
