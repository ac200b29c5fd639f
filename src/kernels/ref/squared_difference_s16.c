/* Squared difference of two int16 tensors of different scales. */
#include "rescaled.h"

static int32_t squared(int32_t a, int32_t b)
{
	int32_t difference = tn_wrap_sub(a, b);

	return tn_wrap_mul(difference, difference);
}

static void squared_difference_row(
	const void *params, const void *const *in, void *out, const struct tn_row *row)
{
	tn_rescaled_row(params, in, out, row, 2, squared);
}

void tn_squared_difference_s16(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_add_params *p = params;

	(void)scratch;
	tn_rows(&p->shape, p->order, squared_difference_row, p, in, out[0]);
}
