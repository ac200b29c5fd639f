/* Average pooling of int8 for processors with DSP instructions, four channels at a time: they
 * are read before any of them is written. */
#include "ref/window.h"
#include "taps_s8.h"

/* A window as runs of taps. */
struct runs {
	int32_t first; /* input element of the first tap's channel 0 */
	int32_t n, step; /* runs, and from one to the next */
	int32_t taps, tap_step;
};

/* Rows that are as wide as the image are one run; the memory may be a ring of rows. */
static struct runs runs_of(const struct tn_geometry *g, const struct tn_pixel *px)
{
	struct runs r = { tn_tap_row(g, px, px->ky), px->ky_end - px->ky,
		g->in_w * g->in_c, px->kx_end - px->kx, g->in_c };

	if (r.taps == g->in_w && g->in_rows == g->in_h) {
		r.taps *= r.n;
		r.n = 1;
	}
	return r;
}

static inline struct tn_taps sum_window(const struct tn_geometry *g,
	const struct tn_pixel *px, const struct runs *r, const tn_s8 *in)
{
	struct tn_taps s = { 0, 0 };
	int32_t at = r->first;

	for (int32_t i = 0; i < r->n; i++, at += r->step) {
		if (g->in_rows != g->in_h)
			at = tn_tap_row(g, px, px->ky + i);
		s = tn_taps_add(s, in + at, r->taps, r->tap_step);
	}
	return s;
}

struct rule {
	int32_t count, half, min, max;
};

/* Ties away from zero. */
static inline int32_t average(const struct rule *r, int32_t sum)
{
	int32_t x = (sum > 0 ? sum + r->half : sum - r->half) / r->count;

	x = x < r->min ? r->min : x;
	return x > r->max ? r->max : x;
}

void tn_dsp_average_pool_2d_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_pool_params *p = params;
	const struct tn_geometry *g = &p->g;
	int32_t pixels = tn_pixel_count(g);
	struct tn_pixel px;

	(void)scratch;
	for (int32_t t = 0; t < pixels; t++) {
		struct rule rule = { 0, 0, p->act_min, p->act_max };
		struct runs runs;

		tn_pixel_at(g, p->order, t, &px);
		runs = runs_of(g, &px);
		rule.count = (px.kx_end - px.kx) * (px.ky_end - px.ky);
		rule.half = rule.count / 2;
		for (int32_t k = 0; k < g->out_c; k += 4) {
			int32_t c = p->order.descending ? g->out_c - 4 - k : k;
			struct tn_taps s =
				sum_window(g, &px, &runs, (const tn_s8 *)in[0] + c);
			tn_s8 *y = (tn_s8 *)out[0] + px.out + c;

			tn_store_s8(y, 0, average(&rule, tn_low(s.even)));
			tn_store_s8(y, 1, average(&rule, tn_low(s.odd)));
			tn_store_s8(y, 2, average(&rule, tn_high(s.even)));
			tn_store_s8(y, 3, average(&rule, tn_high(s.odd)));
		}
	}
}
