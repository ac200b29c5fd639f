/* The pixels of a sliding window in the order that the contract declares, and where their
 * taps lie. Bounds are cut here, once a pixel, so that the loops over taps have none. */
#ifndef TENURE_KERNELS_WINDOW_H
#define TENURE_KERNELS_WINDOW_H

#include "access.h"
#include "tenure/kernels.h"

struct tn_pixel {
	int32_t out; /* output element of the pixel's first channel */
	int32_t batch;
	int32_t ky, ky_end; /* valid taps, half-open */
	int32_t kx, kx_end;
	int32_t in_y, in_x; /* input row and column of the first valid tap */
};

enum { TN_HOLD_CHANNEL = 3 };

static inline int32_t tn_pixel_count(const struct tn_geometry *g)
{
	return g->batches * (g->y_end - g->y_begin) * g->out_w;
}

/* Taps of one dimension that fall inside [0, size), when tap 0 is at `origin`. */
static inline void tn_clip_taps(int32_t origin, int32_t taps, int32_t dilation,
	int32_t size, int32_t *begin, int32_t *end)
{
	int32_t first = origin < 0 ? (-origin + dilation - 1) / dilation : 0;
	int32_t last = origin < size ? (size - origin + dilation - 1) / dilation : 0;

	*end = last < taps ? last : taps;
	*begin = first < *end ? first : *end;
}

/* The t-th pixel in ascending order, or from the end. */
static inline void tn_pixel_at(const struct tn_geometry *g, struct tn_loop_order order,
	int32_t t, struct tn_pixel *p)
{
	int32_t height = g->y_end - g->y_begin;
	int32_t i = order.descending ? tn_pixel_count(g) - 1 - t : t;
	int32_t row = i / g->out_w;
	int32_t x = i - row * g->out_w;
	int32_t y = g->y_begin + row % height;
	int32_t top = y * g->stride_h - g->pad_top;
	int32_t left = x * g->stride_w - g->pad_left;

	p->batch = row / height;
	tn_clip_taps(top, g->k_h, g->dilation_h, g->in_h, &p->ky, &p->ky_end);
	tn_clip_taps(left, g->k_w, g->dilation_w, g->in_w, &p->kx, &p->kx_end);
	p->in_y = top + p->ky * g->dilation_h;
	p->in_x = left + p->kx * g->dilation_w;
	p->out = ((p->batch * g->out_rows + y % g->out_rows) * g->out_w + x) * g->out_c;
}

/* Input element of the first channel of the pixel's first valid tap in filter row ky. */
static inline int32_t tn_tap_row(
	const struct tn_geometry *g, const struct tn_pixel *p, int32_t ky)
{
	int32_t y = p->in_y + (ky - p->ky) * g->dilation_h;

	return ((p->batch * g->in_rows + y % g->in_rows) * g->in_w + p->in_x) * g->in_c;
}

/* How a kernel goes over its output: all channels of a pixel before the next pixel, in one
 * pass; or one pass for each channel. */
struct tn_sweep {
	int32_t passes, pixels;
	int32_t channels; /* of a pixel in a pass */
};

static inline struct tn_sweep tn_sweep_of(
	const struct tn_geometry *g, struct tn_loop_order order)
{
	int by_channel = order.hold == TN_HOLD_CHANNEL;
	struct tn_sweep s;

	s.passes = by_channel ? g->out_c : 1;
	s.channels = by_channel ? 1 : g->out_c;
	s.pixels = tn_pixel_count(g);
	return s;
}

/* The k-th channel of a pass: held pixels are always gathered upwards. */
static inline int32_t tn_channel_at(
	const struct tn_sweep *s, struct tn_loop_order order, int32_t pass, int32_t k)
{
	if (s->passes > 1)
		return order.descending ? s->passes - 1 - pass : pass;
	return order.descending && !order.hold ? s->channels - 1 - k : k;
}

/* Held pixels leave `held - 1` pixels later, the last ones when the pass ends: the first
 * and the end of those that leave after pixel t. */
struct tn_leaving {
	int32_t t, end;
};

static inline struct tn_leaving tn_leaving(
	const struct tn_geometry *g, const struct tn_sweep *s, int32_t t)
{
	struct tn_leaving l;

	l.t = t - g->held + 1;
	l.end = t + 1 == s->pixels ? s->pixels : l.t + 1;
	if (l.t < 0)
		l.t = 0;
	return l;
}

/* Where the first channel of pixel t lies: in the output, and in scratch. */
static inline int32_t tn_pixel_out(const struct tn_geometry *g, const struct tn_sweep *s,
	struct tn_loop_order order, int32_t pass, int32_t t)
{
	int32_t height = g->y_end - g->y_begin;
	int32_t i = order.descending ? s->pixels - 1 - t : t;
	int32_t row = i / g->out_w;
	int32_t y = g->y_begin + row % height;

	return ((row / height * g->out_rows + y % g->out_rows) * g->out_w + i -
		       row * g->out_w) *
		       g->out_c +
	       tn_channel_at(s, order, pass, 0);
}

static inline int32_t tn_pixel_slot(
	const struct tn_geometry *g, const struct tn_sweep *s, int32_t t)
{
	return t % g->held * s->channels;
}

#endif
