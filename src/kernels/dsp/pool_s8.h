/* Pooling of int8 for processors with DSP instructions, four channels at a time: they are
 * read before any of them is written. */
#ifndef TENURE_KERNELS_DSP_POOL_S8_H
#define TENURE_KERNELS_DSP_POOL_S8_H

#include "ref/window.h"
#include "simd.h"

/* A window as runs of taps. */
struct tn_runs {
	int32_t first; /* input element of the first tap's channel 0 */
	int32_t n, step; /* runs, and from one to the next */
	int32_t taps, tap_step;
};

/* Rows that are as wide as the image are one run; the memory may be a ring of rows. */
static inline struct tn_runs tn_runs_of(
	const struct tn_geometry *g, const struct tn_pixel *px)
{
	struct tn_runs r = { tn_tap_row(g, px, px->ky), px->ky_end - px->ky,
		g->in_w * g->in_c, px->kx_end - px->kx, g->in_c };

	if (r.taps == g->in_w && g->in_rows == g->in_h) {
		r.taps *= r.n;
		r.n = 1;
	}
	return r;
}

/* Where run i starts. */
static inline int32_t tn_run_at(const struct tn_geometry *g, const struct tn_pixel *px,
	const struct tn_runs *r, int32_t i)
{
	return g->in_rows == g->in_h ? r->first + i * r->step
				     : tn_tap_row(g, px, px->ky + i);
}

/* Channels c .. c + 3 of a pixel, from the input's channel c to the output's. */
typedef void tn_pool_four_fn(const struct tn_pool_params *p, const struct tn_pixel *px,
	const struct tn_runs *r, const tn_s8 *in, tn_s8 *out);

static inline void tn_pool_fours(const struct tn_pool_params *p, const tn_s8 *in,
	tn_s8 *out, tn_pool_four_fn *four)
{
	const struct tn_geometry *g = &p->g;
	const int32_t pixels = tn_pixel_count(g);
	struct tn_pixel px;

	for (int32_t t = 0; t < pixels; t++) {
		struct tn_runs runs;

		tn_pixel_at(g, p->order, t, &px);
		runs = tn_runs_of(g, &px);
		for (int32_t k = 0; k < g->out_c; k += 4) {
			int32_t c = p->order.descending ? g->out_c - 4 - k : k;

			four(p, &px, &runs, in + c, out + px.out + c);
		}
	}
}

#endif
