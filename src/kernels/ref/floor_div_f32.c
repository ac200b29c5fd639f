/* Quotient of two float tensors, rounded down. */
#include "binary_f32.h"

static float floor_div(float a, float b)
{
	float q = a / b;

	return q != q ? TN_F32_NAN : tn_floor_f32_value(q);
}

static void floor_div_row(
	const void *params, const void *const *in, void *out, const struct tn_row *row)
{
	tn_plain_f32_row(params, in, out, row, floor_div);
}

void tn_floor_div_f32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_binary_params *p = params;

	(void)scratch;
	tn_rows(&p->shape, p->order, floor_div_row, p, in, out[0]);
}
