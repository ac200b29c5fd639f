/* Negation of floats. */
#include "unary_f32.h"

static float neg(float x)
{
	return -x;
}

void tn_neg_f32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	(void)scratch;
	tn_unary_f32(params, in, out, neg);
}
