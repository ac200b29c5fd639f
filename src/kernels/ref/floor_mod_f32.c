/* Remainder of two float tensors with the divisor's sign. */
#include "binary_f32.h"

/* Exact remainder of |a| by |b|, both finite, b not 0: long division of mantissas. */
static float remainder_of(float a, float b)
{
	float rest = tn_abs_f32_value(a), divisor = tn_abs_f32_value(b), scaled = divisor;

	while (scaled <= rest * 0.5f)
		scaled += scaled;
	for (; scaled >= divisor && rest >= divisor; scaled *= 0.5f)
		if (rest >= scaled)
			rest -= scaled;
	return rest;
}

static float floor_mod(float a, float b)
{
	float rest;

	if (b == 0.0f || !(tn_abs_f32_value(a) < TN_F32_INF) || b != b)
		return TN_F32_NAN;
	rest = tn_abs_f32_value(b) < TN_F32_INF ? remainder_of(a, b)
						: tn_abs_f32_value(a);
	rest = tn_sign_of_f32(rest, a);
	if (rest != 0.0f && (b < 0.0f) != (rest < 0.0f))
		rest += b;
	return rest;
}

static void floor_mod_row(
	const void *params, const void *const *in, void *out, const struct tn_row *row)
{
	tn_plain_f32_row(params, in, out, row, floor_mod);
}

void tn_floor_mod_f32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_binary_params *p = params;

	(void)scratch;
	tn_rows(&p->shape, p->order, floor_mod_row, p, in, out[0]);
}
