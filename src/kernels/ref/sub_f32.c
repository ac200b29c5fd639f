/* Difference of two float tensors. */
#include "binary_f32.h"

static float sub(float a, float b)
{
	return a - b;
}

static void sub_row(
	const void *params, const void *const *in, void *out, const struct tn_row *row)
{
	tn_binary_f32_row(params, in, out, row, sub);
}

void tn_sub_f32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_binary_f32_params *p = params;

	(void)scratch;
	tn_rows(&p->shape, p->order, sub_row, p, in, out[0]);
}
