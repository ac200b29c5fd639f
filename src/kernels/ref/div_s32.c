/* Quotient of two int32 tensors, rounded towards zero. */
#include "binary_s32.h"

/* Defined where the machine is not: x / 0 saturates, the one overflow wraps. */
static int32_t quotient(int32_t a, int32_t b)
{
	if (b == 0)
		return a < 0 ? INT32_MIN : a > 0 ? INT32_MAX : 0;
	return b == -1 ? tn_wrap_sub(0, a) : a / b;
}

static void div_row(
	const void *params, const void *const *in, void *out, const struct tn_row *row)
{
	tn_binary_s32_row(params, in, out, row, quotient);
}

void tn_div_s32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_binary_s32_params *p = params;

	(void)scratch;
	tn_rows(&p->shape, p->order, div_row, p, in, out[0]);
}
