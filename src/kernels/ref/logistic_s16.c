/* Logistic function of int16, interpolated. */
#include "curve_s16.h"

void tn_logistic_s16(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_curve_s16_params *p = params;

	(void)scratch;
	for (int32_t t = 0; t < p->n; t++) {
		int32_t i = tn_step_index(p->order, t, p->n);
		int32_t x = tn_curve_argument(p, tn_load_s16(in[0], i));
		uint32_t y = tn_curve(p, x, 9, UINT32_C(0x7fff) << 10);

		y = x >= 0 ? y + 512 : (UINT32_C(1) << 25) - y + 511;
		tn_store_s16(out[0], i, (int32_t)(y >> 10));
	}
}
