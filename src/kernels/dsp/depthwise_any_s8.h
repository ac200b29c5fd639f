/* Depthwise convolution of int8 with any window, one output of each channel, from the operands
 * of the portable kernel: its pixels in the order of the contract, some channels of a pixel at
 * a time. All that these read is read before one of them is written. */
#ifndef TENURE_KERNELS_DSP_DEPTHWISE_ANY_S8_H
#define TENURE_KERNELS_DSP_DEPTHWISE_ANY_S8_H

#include "ref/fixed.h"
#include "ref/window.h"
#include "simd.h"

/* A pixel's window, cut to the image. */
struct tn_any_window {
	const tn_s8 *x; /* channel 0 of the first tap */
	const tn_s8 *end; /* of the memory, behind which comes its start */
	const int8_t *w; /* the first tap's weights */
	int32_t rows, taps; /* both 0: none */
	int32_t x_step, w_step; /* from tap to tap */
	int32_t x_row, w_row; /* from row to row */
	int32_t back; /* from the end to the start */
};

/* All channels of a pixel, from the last one when the order descends. */
typedef void tn_any_pixel_fn(const struct tn_conv_params *p,
	const struct tn_any_window *w, const tn_s32 *bias, tn_s8 *out);

static inline void tn_any_row(const struct tn_conv_params *p, struct tn_any_window *w,
	const tn_s8 *row, const void *const *in, tn_s8 *out, tn_any_pixel_fn *pixel)
{
	const struct tn_geometry *g = &p->g;
	const int8_t *weights = w->w;
	const int32_t rows = w->rows;

	for (int32_t t = 0; t < g->out_w; t++) {
		const int32_t x = p->order.descending ? g->out_w - 1 - t : t;
		const int32_t left = x * g->stride_w - g->pad_left;
		int32_t first, end;

		tn_clip_taps(left, g->k_w, g->dilation_w, g->in_w, &first, &end);
		w->taps = end - first;
		w->rows = w->taps ? rows : 0;
		w->x = row + (left + first * g->dilation_w) * g->in_c;
		w->w = weights + first * w->w_step;
		pixel(p, w, in[2], out + x * g->out_c);
	}
	w->rows = rows;
}

static inline void tn_any_s8(const struct tn_conv_params *p, const void *const *in,
	tn_s8 *out, tn_any_pixel_fn *pixel)
{
	const struct tn_geometry *g = &p->g;
	const int32_t height = g->y_end - g->y_begin, rows = g->batches * height;
	const int32_t row_bytes = g->in_w * g->in_c;
	struct tn_any_window w;

	w.x_step = g->dilation_w * g->in_c;
	w.w_step = g->out_c;
	w.x_row = g->dilation_h * row_bytes;
	w.w_row = g->k_w * g->out_c;
	w.back = g->in_rows * row_bytes;
	for (int32_t t = 0; t < rows; t++) {
		const int32_t i = p->order.descending ? rows - 1 - t : t;
		const int32_t batch = i / height, y = g->y_begin + i - batch * height;
		const int32_t top = y * g->stride_h - g->pad_top;
		const tn_s8 *image = (const tn_s8 *)in[0] + batch * w.back;
		int32_t first, end;

		tn_clip_taps(top, g->k_h, g->dilation_h, g->in_h, &first, &end);
		w.rows = end - first;
		w.w = (const int8_t *)in[1] + first * w.w_row;
		w.end = image + w.back;
		if (w.rows)
			image += (top + first * g->dilation_h) % g->in_rows * row_bytes;
		tn_any_row(p, &w, image, in,
			out + (batch * g->out_rows + y % g->out_rows) * g->out_w *
					g->out_c,
			pixel);
	}
}

/* From a row of taps to the next one. */
static inline const tn_s8 *tn_any_next_row(const struct tn_any_window *w, const tn_s8 *x)
{
	x += w->x_row;
	return x >= w->end ? x - w->back : x;
}

/* Sums have less than 29 bits, shifts go 1 to 31 to the right: rounded half up after the
 * multiplication, half away from zero after the shift. */
static inline int32_t tn_any_rescale(
	const struct tn_conv_params *p, const tn_s32 *bias, int32_t c, int32_t sum)
{
	const int32_t shift = -p->shift[c];
	int32_t x;

	if (bias)
		sum += bias[c];
	x = tn_smmulr(2 * sum, p->multiplier[c]);
	x = (x + (x >> 31) + (1 << (shift - 1))) >> shift;
	return tn_clamp_s32(x + p->out_offset, p->act_min, p->act_max);
}

static inline int32_t tn_any_sum(const struct tn_any_window *w, int32_t offset, int32_t c)
{
	const int8_t *weights = w->w + c;
	const tn_s8 *x = w->x + c;
	uint32_t sum = 0;

	for (int32_t n = w->rows; n > 0; n--, weights += w->w_row) {
		const int8_t *at = weights;

		for (int32_t t = 0; t < w->taps; t++, at += w->w_step)
			sum += (uint32_t)((tn_load_s8(x, t * w->x_step) + offset) * *at);
		if (n > 1)
			x = tn_any_next_row(w, x);
	}
	return (int32_t)sum;
}

/* ---- four channels at a time ---- */

/* The sums of channels c .. c + 3. */
typedef void tn_any_four_fn(
	const struct tn_any_window *w, int32_t offset, int32_t c, int32_t sum[4]);

static inline void tn_any_pixel(const struct tn_conv_params *p,
	const struct tn_any_window *w, const tn_s32 *bias, tn_s8 *out,
	tn_any_four_fn *four)
{
	const int32_t down = p->order.descending, rest = p->g.out_c % 4;
	int32_t c = down ? p->g.out_c - 4 : 0;

	for (int32_t n = p->g.out_c / 4; n > 0; n--, c += down ? -4 : 4) {
		int32_t sum[4];

		four(w, p->in_offset, c, sum);
		for (int32_t i = 0; i < 4; i++)
			tn_store_s8(out, c + i, tn_any_rescale(p, bias, c + i, sum[i]));
	}
	c = down ? rest - 1 : p->g.out_c - rest;
	for (int32_t n = rest; n > 0; n--, c += down ? -1 : 1)
		tn_store_s8(out, c,
			tn_any_rescale(p, bias, c, tn_any_sum(w, p->in_offset, c)));
}

#endif
