/* Product of two int16 tensors. */
#include "product.h"

static void mul_row(
	const void *params, const void *const *in, void *out, const struct tn_row *row)
{
	tn_product_row(params, in, out, row, 2);
}

void tn_mul_s16(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_mul_params *p = params;

	(void)scratch;
	tn_rows(&p->shape, p->order, mul_row, p, in, out[0]);
}
