/* LEAKY_RELU of int16. */
#include "elements.h"
#include "fixed.h"

void tn_leaky_relu_s16(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_leaky_relu_params *p = params;

	(void)scratch;
	for (int32_t t = 0; t < p->n; t++) {
		int32_t i = tn_step_index(p->order, t, p->n);
		int32_t x = tn_load_s16(in[0], i) + p->in_offset;
		int32_t y = x >= 0 ? tn_requantize(x, p->multiplier, p->shift)
				   : tn_requantize(x, p->negative_multiplier,
					     p->negative_shift);

		y = tn_wrap_add(y, p->out_offset);
		tn_store_s16(out[0], i, tn_clamp_s32(y, INT16_MIN, INT16_MAX));
	}
}
