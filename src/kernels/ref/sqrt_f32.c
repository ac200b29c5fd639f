#include "unary_f32.h"

void tn_sqrt_f32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	(void)scratch;
	tn_unary_f32(params, in, out, tn_sqrt_f32_value);
}
