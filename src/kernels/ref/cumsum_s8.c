/* Running sums of int8 along an axis. */
#include "elements.h"
#include "fixed.h"

static int32_t scaled(const struct tn_cumsum_params *p, int32_t x)
{
	return tn_requantize(
		tn_wrap_shl(x, p->left_shift), p->in_multiplier, p->in_shift);
}

static int32_t result(const struct tn_cumsum_params *p, int32_t sum)
{
	int32_t y = tn_requantize(sum, p->out_multiplier, p->out_shift);

	return tn_clamp_s32(tn_wrap_add(y, p->out_offset), INT8_MIN, INT8_MAX);
}

void tn_cumsum_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_cumsum_params *p = params;
	int32_t columns = p->outer * p->inner;

	(void)scratch;
	for (int32_t t = 0; t < columns; t++) {
		int32_t o = tn_step_index(p->order, t, columns);
		int32_t at = o / p->inner * p->n * p->inner + o % p->inner;
		/* the sum starts at the rescaled offset, not at 0 */
		int32_t sum = scaled(p, p->in_offset);

		for (int32_t k = 0; k < p->n; k++) {
			int32_t i = at + (p->reverse ? p->n - 1 - k : k) * p->inner;
			int32_t x = tn_load_s8(in[0], i) + p->in_offset, before = sum;

			sum = tn_wrap_add(sum, scaled(p, x));
			tn_store_s8(out[0], i, result(p, p->exclusive ? before : sum));
		}
	}
}
