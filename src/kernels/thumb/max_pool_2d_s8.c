/* Max pooling of int8 for processors without DSP instructions, four channels at a time: all
 * four are read before any of them is written. */
#include "dsp/pool_s8.h"

static inline int32_t greater(int32_t a, int32_t b)
{
	return a > b ? a : b;
}

static inline int32_t smaller(int32_t a, int32_t b)
{
	return a < b ? a : b;
}

static inline void four(const struct tn_pool_params *p, const struct tn_pool_window *w,
	const tn_s8 *row, tn_s8 *out)
{
	const int32_t taps = w->taps, step = w->step, top = p->act_max;
	int32_t a = p->act_min, b = a, c = a, d = a;

	for (int32_t left = w->rows; left > 0;) {
		const tn_s8 *at = row;
		int32_t t = taps;

		do {
			a = greater(a, tn_load_s8(at, 0));
			b = greater(b, tn_load_s8(at, 1));
			c = greater(c, tn_load_s8(at, 2));
			d = greater(d, tn_load_s8(at, 3));
			at += step;
		} while (--t);
		row = tn_pool_next_row(w, row, --left);
	}
	tn_store_s8(out, 0, smaller(a, top));
	tn_store_s8(out, 1, smaller(b, top));
	tn_store_s8(out, 2, smaller(c, top));
	tn_store_s8(out, 3, smaller(d, top));
}

/* Apart from the loop over pixels: there are registers for one of both. */
static __attribute__((noinline)) void pixel(
	const struct tn_pool_params *p, struct tn_pool_window *w, tn_s8 *out)
{
	const int32_t by = w->by;
	int32_t c = w->first;

	for (int32_t n = w->whole; n > 0; n -= 4, c += by)
		four(p, w, w->in + c, out + c);
	for (int32_t n = w->rest; n > 0; n--) {
		c = w->rest_at + (p->order.descending ? n - 1 : w->rest - n);
		tn_store_s8(out, c, tn_pool_greatest(p, w, c));
	}
}

void tn_thumb_max_pool_2d_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	(void)scratch;
	tn_pool_s8(params, in[0], out[0], 4, pixel);
}
