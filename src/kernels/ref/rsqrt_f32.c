/* Reciprocal square roots of floats. */
#include "unary_f32.h"

static float rsqrt(float x)
{
	float root = tn_sqrt_f32_value(x);

	return 1.0f / root;
}

void tn_rsqrt_f32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	(void)scratch;
	tn_unary_f32(params, in, out, rsqrt);
}
