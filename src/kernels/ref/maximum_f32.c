/* The greater of two float tensors. */
#include "binary_f32.h"

static float maximum(float a, float b)
{
	return a > b ? a : b;
}

static void maximum_row(
	const void *params, const void *const *in, void *out, const struct tn_row *row)
{
	tn_plain_f32_row(params, in, out, row, maximum);
}

void tn_maximum_f32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_binary_params *p = params;

	(void)scratch;
	tn_rows(&p->shape, p->order, maximum_row, p, in, out[0]);
}
