/* Average pooling of int8 for processors without DSP instructions, four channels at a time:
 * all four are read before any of them is written. */
#include "dsp/pool_s8.h"

static inline void store(const struct tn_pool_params *p, const struct tn_pool_window *w,
	int32_t sum, tn_s8 *out)
{
	int32_t x = (int32_t)tn_pool_average(w, sum) - 128;

	x = x < p->act_min ? p->act_min : x;
	tn_store_s8(out, 0, x > p->act_max ? p->act_max : x);
}

static inline void four(const struct tn_pool_params *p, const struct tn_pool_window *w,
	const tn_s8 *row, tn_s8 *out)
{
	const int32_t taps = w->taps, step = w->step;
	int32_t a = 0, b = 0, c = 0, d = 0;

	for (int32_t left = w->rows; left > 0;) {
		const tn_s8 *at = row;
		int32_t t = taps;

		do {
			a += tn_load_s8(at, 0);
			b += tn_load_s8(at, 1);
			c += tn_load_s8(at, 2);
			d += tn_load_s8(at, 3);
			at += step;
		} while (--t);
		row = tn_pool_next_row(w, row, --left);
	}
	store(p, w, a, out);
	store(p, w, b, out + 1);
	store(p, w, c, out + 2);
	store(p, w, d, out + 3);
}

/* Apart from the loop over pixels: there are registers for one of both. */
static __attribute__((noinline)) void pixel(
	const struct tn_pool_params *p, struct tn_pool_window *w, tn_s8 *out)
{
	const int32_t by = w->by;
	int32_t c = w->first;

	tn_pool_set_rule(w);
	for (int32_t n = w->whole; n > 0; n -= 4, c += by)
		four(p, w, w->in + c, out + c);
	for (int32_t n = w->rest; n > 0; n--) {
		c = w->rest_at + (p->order.descending ? n - 1 : w->rest - n);
		tn_store_s8(out, c, tn_pool_average_of(p, w, c));
	}
}

void tn_thumb_average_pool_2d_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	(void)scratch;
	tn_pool_s8(params, in[0], out[0], 4, pixel);
}
