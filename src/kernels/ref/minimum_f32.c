/* The lesser of two float tensors. */
#include "binary_f32.h"

static float minimum(float a, float b)
{
	return a < b ? a : b;
}

static void minimum_row(
	const void *params, const void *const *in, void *out, const struct tn_row *row)
{
	tn_plain_f32_row(params, in, out, row, minimum);
}

void tn_minimum_f32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_binary_params *p = params;

	(void)scratch;
	tn_rows(&p->shape, p->order, minimum_row, p, in, out[0]);
}
