/* Convolution of int8 for processors with DSP instructions: the windows of three pixels are
 * expanded into a strip, then all channels of the three are computed and stored.
 *
 * So the windows of a pixel are read before anything of it is written, those of the next
 * two pixels as well: earlier than the steps of the contract ask for, never later. */
#include "expand_s8.h"
#include "mac_s8.h"
#include "tenure/kernels.h"

struct pixel {
	int32_t batch, y, x; /* of the output */
	int32_t top, left; /* of the window in the input */
};

struct work {
	const struct tn_dsp_conv_params *p;
	const struct tn_geometry *g;
	const tn_s8 *in;
	const tn_s8 *zeros; /* what lies outside: in_c * k_w bytes of the zero point */
	tn_s8 *out;
	int8_t *edges; /* room for three rows of a window */
	struct pixel at[TN_MAC_PIXELS];
	int inside; /* no window leaves the image to the left or right */
};

static void place(const struct tn_geometry *g, struct pixel *px)
{
	px->top = px->y * g->stride_h - g->pad_top;
	px->left = px->x * g->stride_w - g->pad_left;
}

/* The next pixel, in the order of memory. */
static void advance(const struct tn_geometry *g, struct pixel *px)
{
	if (++px->x == g->out_w) {
		px->x = 0;
		if (++px->y == g->y_end) {
			px->y = g->y_begin;
			px->batch++;
		}
	}
	place(g, px);
}

static void start(const struct tn_geometry *g, int32_t index, struct pixel *px)
{
	int32_t height = g->y_end - g->y_begin, row = index / g->out_w;

	px->x = index - row * g->out_w;
	px->batch = row / height;
	px->y = g->y_begin + row - px->batch * height;
	place(g, px);
}

#define OUTSIDE INT32_MIN

/* The input element at column 0 of row ky of the pixel's window, even when that column lies
 * outside; OUTSIDE: the whole row does. */
static int32_t window_row(const struct work *w, const struct pixel *px, int32_t ky)
{
	const struct tn_geometry *g = w->g;
	int32_t y = px->top + ky, row;

	if (y < 0 || y >= g->in_h)
		return OUTSIDE;
	row = px->batch * g->in_rows + (g->in_rows == g->in_h ? y : y % g->in_rows);
	return (row * g->in_w + px->left) * g->in_c;
}

/* Tap by tap: channels come in whole blocks. */
static uint32_t *expand_taps(const struct work *w, int32_t ky, uint32_t *strip)
{
	const struct tn_geometry *g = w->g;
	const tn_s8 *tap[TN_MAC_PIXELS];
	int32_t row[TN_MAC_PIXELS];

	for (int i = 0; i < TN_MAC_PIXELS; i++)
		row[i] = window_row(w, &w->at[i], ky);
	for (int32_t kx = 0; kx < g->k_w; kx++) {
		for (int i = 0; i < TN_MAC_PIXELS; i++) {
			int32_t x = w->at[i].left + kx;

			tap[i] = w->zeros;
			if (row[i] != OUTSIDE && x >= 0 && x < g->in_w)
				tap[i] = w->in + row[i] + kx * g->in_c;
		}
		strip = tn_expand_three(strip, tap[0], tap[1], tap[2], g->in_c);
	}
	return strip;
}

/* Copies a row that is partly outside. */
static const tn_s8 *edge_row(
	const struct work *w, const struct pixel *px, int32_t row, tn_s8 *copy)
{
	const struct tn_geometry *g = w->g;
	int32_t from = px->left < 0 ? -px->left : 0, to = g->in_w - px->left, n;

	if (px->left >= 0 && to >= g->k_w)
		return w->in + row;
	to = to < 0 ? 0 : to < g->k_w ? to : g->k_w;
	from = from < to ? from : to;
	n = g->in_c;
	for (int32_t i = 0; i < from * n; i++)
		copy[i] = w->zeros[0];
	for (int32_t i = from * n; i < to * n; i++)
		copy[i] = (int8_t)tn_load_s8(w->in, row + i);
	for (int32_t i = to * n; i < g->k_w * n; i++)
		copy[i] = w->zeros[0];
	return copy;
}

static uint32_t *expand_row(const struct work *w, int32_t ky, uint32_t *strip)
{
	const struct tn_geometry *g = w->g;
	const tn_s8 *row[TN_MAC_PIXELS];
	int32_t n = g->k_w * g->in_c;

	if (!w->inside && g->in_c % 4 == 0)
		return expand_taps(w, ky, strip);
	for (int i = 0; i < TN_MAC_PIXELS; i++) {
		int32_t first = window_row(w, &w->at[i], ky);

		if (first == OUTSIDE)
			row[i] = w->zeros;
		else if (w->inside)
			row[i] = w->in + first;
		else
			row[i] = edge_row(w, &w->at[i], first, w->edges + i * n);
	}
	return tn_expand_three(strip, row[0], row[1], row[2], n);
}

static int is_inside(const struct work *w)
{
	for (int i = 0; i < TN_MAC_PIXELS; i++)
		if (w->at[i].left < 0 || w->at[i].left + w->g->k_w > w->g->in_w)
			return 0;
	return 1;
}

static int8_t *output(const struct work *w, const struct pixel *px)
{
	const struct tn_geometry *g = w->g;
	int32_t y = g->out_rows == g->out_h ? px->y : px->y % g->out_rows;

	return w->out + ((px->batch * g->out_rows + y) * g->out_w + px->x) * g->out_c;
}

/* The pixels w->at, part after part of their windows. */
static void three_pixels(struct work *w, struct tn_mac *m, uint32_t *strip)
{
	const struct tn_dsp_conv_params *p = w->p;
	int8_t *out[TN_MAC_PIXELS];

	for (int i = 0; i < TN_MAC_PIXELS; i++)
		out[i] = output(w, &w->at[i]);
	m->out = out[0];
	m->step_1 = (int32_t)(out[1] - out[0]);
	m->step_2 = (int32_t)(out[2] - out[1]);
	w->inside = is_inside(w);
	for (int32_t ky = 0; ky < w->g->k_h;) {
		const uint32_t *stream = m->stream;
		int32_t end = ky + p->part_rows;
		uint32_t *at = strip;

		m->flags = (uint32_t)p->floor | (ky ? 0u : (uint32_t)TN_MAC_FIRST);
		if (end >= w->g->k_h) {
			end = w->g->k_h;
			m->flags |= TN_MAC_LAST;
		}
		for (; ky < end; ky++)
			at = expand_row(w, ky, at);
		m->blocks = (int32_t)(at - strip) / 6;
		stream = tn_mac_s8(m);
		m->stream = stream;
	}
}

void tn_dsp_conv_2d_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_dsp_conv_params *p = params;
	const struct tn_geometry *g = &p->g;
	struct work w = { .p = p,
		.g = g,
		.in = in[0],
		.zeros = in[2],
		.out = out[0],
		.edges = (int8_t *)scratch + p->edges };
	struct tn_mac m = { .strip = scratch,
		.sums = (uint32_t *)(void *)((int8_t *)scratch + p->sums),
		.pairs = (g->out_c + 1) / 2 };
	int32_t pixels = g->batches * (g->y_end - g->y_begin) * g->out_w;

	for (int32_t t = 0; t < pixels; t += TN_MAC_PIXELS) {
		int32_t n = pixels - t < TN_MAC_PIXELS ? pixels - t : TN_MAC_PIXELS;

		if (p->order.descending)
			start(g, pixels - t - n, &w.at[0]);
		else if (t)
			w.at[0] = w.at[2];
		else
			start(g, 0, &w.at[0]);
		if (t && !p->order.descending)
			advance(g, &w.at[0]);
		for (int i = 1; i < TN_MAC_PIXELS; i++) {
			w.at[i] = w.at[i - 1];
			if (i < n)
				advance(g, &w.at[i]);
		}
		m.stream = in[1];
		three_pixels(&w, &m, scratch);
	}
}
