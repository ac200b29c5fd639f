/* a, or a times b where a is negative. */
#include "binary_f32.h"

static float prelu(float a, float b)
{
	return a >= 0.0f ? a : a * b;
}

static void prelu_row(
	const void *params, const void *const *in, void *out, const struct tn_row *row)
{
	tn_plain_f32_row(params, in, out, row, prelu);
}

void tn_prelu_f32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_binary_params *p = params;

	(void)scratch;
	tn_rows(&p->shape, p->order, prelu_row, p, in, out[0]);
}
