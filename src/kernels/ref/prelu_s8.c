/* PRELU of int8: negative values are multiplied with an operand. */
#include "prelu.h"

static void prelu_row(
	const void *params, const void *const *in, void *out, const struct tn_row *row)
{
	tn_prelu_row(params, in, out, row, 1);
}

void tn_prelu_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_prelu_params *p = params;

	(void)scratch;
	tn_rows(&p->shape, p->order, prelu_row, p, in, out[0]);
}
