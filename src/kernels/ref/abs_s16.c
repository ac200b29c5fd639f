/* Magnitudes of unquantised int16; the least has none and stays. */
#include "elements.h"

void tn_abs_s16(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_unary_params *p = params;

	(void)scratch;
	for (int32_t t = 0; t < p->n; t++) {
		int32_t i = tn_step_index(p->order, t, p->n);
		int32_t x = tn_load_s16(in[0], i);

		tn_store_s16(out[0], i, x < 0 ? -x : x);
	}
}
