/* Hyperbolic tangent of int16: 2 logistic(2x) - 1, interpolated. */
#include "curve_s16.h"

void tn_tanh_s16(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_curve_s16_params *p = params;

	(void)scratch;
	for (int32_t t = 0; t < p->n; t++) {
		int32_t i = tn_step_index(p->order, t, p->n);
		int32_t x = tn_curve_argument(p, tn_load_s16(in[0], i));
		int32_t y = (int32_t)tn_curve(p, x, 8, UINT32_C(0xffff) << 8);

		y -= 1 << 23;
		y = x >= 0 ? y + 128 : -y + 127;
		tn_store_s16(out[0], i, y >> 8);
	}
}
