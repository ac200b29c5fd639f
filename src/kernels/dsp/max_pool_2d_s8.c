/* Max pooling of int8 for processors with DSP instructions, four channels at a time. */
#include "pool_s8.h"

/* All taps of four channels, at least one. */
static inline uint32_t greatest(
	const struct tn_pool_window *w, const tn_s8 *row, uint32_t max)
{
	const int32_t taps = w->taps, step = w->step;

	for (int32_t left = w->rows;;) {
		const tn_s8 *at = row;
		int32_t t = taps;

		do {
			max = tn_greater_bytes(max, tn_load_word(at));
			at += step;
		} while (--t);
		if (--left == 0)
			return max;
		row = tn_pool_next_row(w, row, left);
	}
}

/* Apart from the loop over pixels: there are registers for one of both. */
static __attribute__((noinline)) void pixel(
	const struct tn_pool_params *p, struct tn_pool_window *w, tn_s8 *out)
{
	const uint32_t low = tn_four_bytes(p->act_min), top = tn_four_bytes(p->act_max);
	const int32_t by = w->by;
	int32_t c = w->first;

	for (int32_t n = w->whole; n > 0; n -= 4, c += by)
		tn_store_word(
			out + c, tn_smaller_bytes(greatest(w, w->in + c, low), top));
	for (int32_t n = w->rest; n > 0; n--) {
		c = w->rest_at + (p->order.descending ? n - 1 : w->rest - n);
		tn_store_s8(out, c, tn_pool_greatest(p, w, c));
	}
}

void tn_dsp_max_pool_2d_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	(void)scratch;
	tn_pool_s8(params, in[0], out[0], 4, pixel);
}
