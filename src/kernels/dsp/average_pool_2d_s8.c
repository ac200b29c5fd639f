/* Average pooling of int8 for processors with DSP instructions, four channels at a time. */
#include "pool_s8.h"
#include "taps_s8.h"

/* All taps of four channels, at least one. */
static inline struct tn_taps sums(const struct tn_pool_window *w, const tn_s8 *row)
{
	const int32_t taps = w->taps, step = w->step;
	struct tn_taps s = { 0, 0 };

	for (int32_t left = w->rows;;) {
		s = tn_taps_add(s, row, taps, step);
		if (--left == 0)
			return s;
		row = tn_pool_next_row(w, row, left);
	}
}

static inline uint32_t averages(const struct tn_pool_window *w, struct tn_taps s)
{
	uint32_t word = tn_pool_average(w, tn_low(s.even));

	word |= tn_pool_average(w, tn_low(s.odd)) << 8;
	word |= tn_pool_average(w, tn_high(s.even)) << 16;
	word |= tn_pool_average(w, tn_high(s.odd)) << 24;
	return word ^ tn_four_bytes(128);
}

/* Apart from the loop over pixels: there are registers for one of both. */
static __attribute__((noinline)) void pixel(
	const struct tn_pool_params *p, struct tn_pool_window *w, tn_s8 *out)
{
	const int32_t by = w->by;
	int32_t c = w->first;

	tn_pool_set_rule(w);
	for (int32_t n = w->whole; n > 0; n -= 4, c += by) {
		uint32_t word = averages(w, sums(w, w->in + c));

		word = tn_greater_bytes(word, tn_four_bytes(p->act_min));
		tn_store_word(out + c, tn_smaller_bytes(word, tn_four_bytes(p->act_max)));
	}
	for (int32_t n = w->rest; n > 0; n--) {
		c = w->rest_at + (p->order.descending ? n - 1 : w->rest - n);
		tn_store_s8(out, c, tn_pool_average_of(p, w, c));
	}
}

void tn_dsp_average_pool_2d_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	(void)scratch;
	tn_pool_s8(params, in[0], out[0], 4, pixel);
}
