/* Sum of several int8 tensors of one scale. */
#include "elements.h"
#include "fixed.h"

void tn_add_n_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_add_n_s8_params *p = params;

	(void)scratch;
	for (int32_t t = 0; t < p->n; t++) {
		int32_t i = tn_step_index(p->order, t, p->n);
		/* the sum starts at the rescaled offset, not at 0 */
		int32_t sum = tn_requantize(tn_wrap_shl(p->in_offset, p->left_shift),
			p->in_multiplier, p->in_shift);

		for (int32_t k = 0; k < p->operands; k++) {
			int32_t x = tn_load_s8(in[k], i) + p->in_offset;

			x = tn_requantize(tn_wrap_shl(x, p->left_shift), p->in_multiplier,
				p->in_shift);
			sum = tn_wrap_add(sum, x);
		}
		sum = tn_requantize(sum, p->out_multiplier, p->out_shift);
		sum = tn_wrap_add(sum, p->out_offset);
		tn_store_s8(out[0], i, tn_clamp_s32(sum, INT8_MIN, INT8_MAX));
	}
}
