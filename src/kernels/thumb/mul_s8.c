/* Product of two int8 tensors for processors without DSP instructions. */
#include "dsp/product_s8.h"

static void mul_row(
	const void *params, const void *const *in, void *out, const struct tn_row *row)
{
	const struct tn_mul_params *m = params;
	const struct tn_product p = tn_product_of(m);

	const tn_s8 *a = (const tn_s8 *)in[0] + row->a,
		    *b = (const tn_s8 *)in[1] + row->b;
	tn_s8 *y = (tn_s8 *)out + row->out;

	if (row->step_a && row->step_b && !m->order.descending)
		tn_product_elements(&p, a, 1, b, 1, y, row->n, 0);
	else
		tn_product_elements(&p, a, row->step_a, b, row->step_b, y, row->n,
			m->order.descending);
}

void tn_thumb_mul_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_mul_params *p = params;

	(void)scratch;
	tn_rows(&p->shape, p->order, mul_row, p, in, out[0]);
}
