/* The lesser of two integer tensors; raw values, whatever their scales. */
#include "select_int.h"

static void minimum_row(
	const void *params, const void *const *in, void *out, const struct tn_row *row)
{
	tn_select_int_any(params, in, out, row, 0);
}

void tn_minimum_int(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_binary_params *p = params;

	(void)scratch;
	tn_rows(&p->shape, p->order, minimum_row, p, in, out[0]);
}
