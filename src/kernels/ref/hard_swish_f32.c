/* HARD_SWISH of floats. */
#include "unary_f32.h"

static float hard_swish(float x)
{
	float gate = tn_clamp_f32_value(x + 3.0f, 0.0f, 6.0f);

	return x * gate / 6.0f;
}

void tn_hard_swish_f32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	(void)scratch;
	tn_unary_f32(params, in, out, hard_swish);
}
