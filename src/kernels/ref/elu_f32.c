/* ELU of floats. */
#include "unary_f32.h"

static float elu(float x)
{
	return x < 0.0f ? tn_expm1_f32_value(x) : x;
}

void tn_elu_f32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	(void)scratch;
	tn_unary_f32(params, in, out, elu);
}
