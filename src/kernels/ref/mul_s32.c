/* Product of two int32 tensors, modulo 2^32. */
#include "binary_s32.h"

static void mul_row(
	const void *params, const void *const *in, void *out, const struct tn_row *row)
{
	tn_binary_s32_row(params, in, out, row, tn_wrap_mul);
}

void tn_mul_s32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_binary_s32_params *p = params;

	(void)scratch;
	tn_rows(&p->shape, p->order, mul_row, p, in, out[0]);
}
