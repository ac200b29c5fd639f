/* Squares of floats. */
#include "unary_f32.h"

static float square(float x)
{
	return x * x;
}

void tn_square_f32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	(void)scratch;
	tn_unary_f32(params, in, out, square);
}
