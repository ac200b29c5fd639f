/* Integers from one scale and type to another, clamped. */
#include "fixed.h"
#include "typed.h"

void tn_requantize_int(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_requantize_params *p = params;

	(void)scratch;
	for (int32_t t = 0; t < p->n; t++) {
		int32_t i = tn_step_index(p->order, t, p->n);
		int32_t x = tn_wrap_add(tn_load_typed(in[0], i, p->from), p->in_offset);
		int32_t y = tn_requantize(x, p->multiplier, p->shift);

		y = tn_wrap_add(y, p->out_offset);
		tn_store_typed(out[0], i, p->to, tn_clamp_s32(y, p->out_min, p->out_max));
	}
}
