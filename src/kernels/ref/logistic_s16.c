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

		tn_store_s16(out[0], i, tn_logistic_q15(p->table, x));
	}
}
