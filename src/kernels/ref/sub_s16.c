/* Difference of two int16 tensors of different scales. */
#include "rescaled.h"

static void sub_row(
	const void *params, const void *const *in, void *out, const struct tn_row *row)
{
	tn_rescaled_row(params, in, out, row, 2, tn_wrap_sub);
}

void tn_sub_s16(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_add_params *p = params;

	(void)scratch;
	tn_rows(&p->shape, p->order, sub_row, p, in, out[0]);
}
