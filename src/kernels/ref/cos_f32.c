#include "unary_f32.h"
#include "float_trig.h"

void tn_cos_f32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	(void)scratch;
	tn_unary_f32(params, in, out, tn_cos_f32_value);
}
