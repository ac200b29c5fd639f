/* Relations of unquantised integer tensors, booleans included. */
#include "relation.h"

static void compare_row(
	const void *params, const void *const *in, void *out, const struct tn_row *row)
{
	const struct tn_compare_params *p = params;
	const tn_u8 *a = (const tn_u8 *)in[0] + row->a * p->size;
	const tn_u8 *b = (const tn_u8 *)in[1] + row->b * p->size;
	tn_s8 *result = (tn_s8 *)out + row->out;

	for (int32_t t = 0; t < row->n; t++) {
		int32_t i = tn_step_index(p->order, t, row->n);
		int64_t x = p->size == 8 ? tn_load_s64((const tn_s64 *)(const void *)a,
						   i * row->step_a)
					 : tn_load_int(a, i * row->step_a, p->size);
		int64_t y = p->size == 8 ? tn_load_s64((const tn_s64 *)(const void *)b,
						   i * row->step_b)
					 : tn_load_int(b, i * row->step_b, p->size);

		tn_store_s8(result, i, tn_relation(p->relation, x<y, x == y, x> y));
	}
}

void tn_compare_int(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_compare_params *p = params;

	(void)scratch;
	tn_rows(&p->shape, p->order, compare_row, p, in, out[0]);
}
