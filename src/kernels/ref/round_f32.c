/* Nearest integers, half to even. */
#include "unary_f32.h"

static float half_even(float x)
{
	float down = tn_floor_f32_value(x), rest = x - down;

	if (rest < 0.5f ||
		(rest == 0.5f && tn_floor_f32_value(down * 0.5f) * 2.0f == down))
		return down;
	return down + 1.0f;
}

void tn_round_f32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	(void)scratch;
	tn_unary_f32(params, in, out, half_even);
}
