/* Quotient of two float tensors. */
#include "binary_f32.h"

/* Which NaN an invalid division makes depends on the machine. */
static float quotient(float a, float b)
{
	float q = a / b;

	return q != q ? TN_F32_NAN : q;
}

static void div_row(
	const void *params, const void *const *in, void *out, const struct tn_row *row)
{
	tn_binary_f32_row(params, in, out, row, quotient);
}

void tn_div_f32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_binary_f32_params *p = params;

	(void)scratch;
	tn_rows(&p->shape, p->order, div_row, p, in, out[0]);
}
