/* Squared difference of two float tensors. */
#include "binary_f32.h"

static float squared_difference(float a, float b)
{
	float difference = a - b;

	return difference * difference;
}

static void squared_difference_row(
	const void *params, const void *const *in, void *out, const struct tn_row *row)
{
	tn_plain_f32_row(params, in, out, row, squared_difference);
}

void tn_squared_difference_f32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_binary_params *p = params;

	(void)scratch;
	tn_rows(&p->shape, p->order, squared_difference_row, p, in, out[0]);
}
