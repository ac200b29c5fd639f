/* Pooling of int8: the pixels of the output in the order of the contract, each with its window
 * cut to the image. What computes a pixel reads some of its channels before it writes them,
 * and no channel that it has written is read again. */
#ifndef TENURE_KERNELS_DSP_POOL_S8_H
#define TENURE_KERNELS_DSP_POOL_S8_H

#include "simd.h"
#include "tenure/kernels.h"

struct tn_pool_window {
	const tn_s8 *in; /* channel 0 of the first tap */
	int32_t rows;
	int32_t wrapped; /* rows of these from the memory's row 0 on, behind its last one */
	int32_t row_bytes, back; /* of a row, and of all of them */
	int32_t taps, step; /* columns, and bytes from one to the next */
	/* channels in whole blocks: how many, the first block's, from a block to the next;
	 * those that are left come last in any case */
	int32_t whole, first, by;
	int32_t rest, rest_at;
	/* how an average divides, and by what; 0 at first */
	int32_t count;
	int32_t rule[3];
};

/* Cuts `taps` from `origin` on to [0, size): how many are left, and the first of them. */
static inline int32_t tn_pool_cut(
	int32_t origin, int32_t taps, int32_t size, int32_t *first)
{
	int32_t end = origin + taps < size ? origin + taps : size;

	*first = origin < 0 ? 0 : origin;
	return end - *first;
}

/* Goes from row to row of a window, of which `left` are still to come. */
static inline const tn_s8 *tn_pool_next_row(
	const struct tn_pool_window *w, const tn_s8 *row, int32_t left)
{
	return row + w->row_bytes - (left == w->wrapped ? w->back : 0);
}

/* All channels of a pixel, from the last one when the order descends. */
typedef void tn_pool_pixel_fn(
	const struct tn_pool_params *p, struct tn_pool_window *w, tn_s8 *out);

static inline void tn_pool_row(const struct tn_pool_params *p, struct tn_pool_window *w,
	int32_t y, const tn_s8 *in, tn_s8 *out, tn_pool_pixel_fn *pixel)
{
	const struct tn_geometry *g = &p->g;
	const int32_t rows = w->rows, last = p->order.descending ? g->out_w - 1 : 0;
	const int32_t stride = p->order.descending ? -g->stride_w : g->stride_w;
	const int32_t next = p->order.descending ? -g->out_c : g->out_c;
	int32_t x = last * g->stride_w - g->pad_left;

	in += y * w->row_bytes;
	out += last * g->out_c;
	for (int32_t n = g->out_w; n > 0; n--, x += stride, out += next) {
		int32_t first;

		w->rows = rows;
		w->taps = tn_pool_cut(x, g->k_w, g->in_w, &first);
		w->in = in + first * w->step;
		if (w->taps == g->in_w && !w->wrapped) {
			w->taps *= rows;
			w->rows = 1;
		}
		pixel(p, w, out);
	}
}

static inline void tn_pool_s8(const struct tn_pool_params *p, const tn_s8 *in, tn_s8 *out,
	int32_t block, tn_pool_pixel_fn *pixel)
{
	const struct tn_geometry *g = &p->g;
	const int32_t height = g->y_end - g->y_begin, rows = g->batches * height;
	const int32_t rest = g->out_c % block, down = p->order.descending;
	struct tn_pool_window w = { .row_bytes = g->in_w * g->in_c,
		.back = g->in_rows * g->in_w * g->in_c,
		.step = g->in_c,
		.whole = g->out_c - rest,
		.first = down ? g->out_c - block : 0,
		.by = down ? -block : block,
		.rest = rest,
		.rest_at = down ? 0 : g->out_c - rest };

	for (int32_t t = 0; t < rows; t++) {
		int32_t i = down ? rows - 1 - t : t, batch = i / height, first;
		int32_t y = g->y_begin + i - batch * height;

		w.rows = tn_pool_cut(
			y * g->stride_h - g->pad_top, g->k_h, g->in_h, &first);
		if (g->in_rows != g->in_h)
			first %= g->in_rows;
		w.wrapped = first + w.rows - g->in_rows;
		if (w.wrapped < 0)
			w.wrapped = 0;
		if (g->out_rows != g->out_h)
			y %= g->out_rows;
		tn_pool_row(p, &w, first, in + batch * w.back,
			out + (batch * g->out_rows + y) * g->out_w * g->out_c, pixel);
	}
}

/* ---- one channel ---- */

static inline int32_t tn_pool_greatest(
	const struct tn_pool_params *p, const struct tn_pool_window *w, int32_t c)
{
	const tn_s8 *row = w->in + c;
	int32_t max = p->act_min;

	for (int32_t n = w->rows - 1; n >= 0; row = tn_pool_next_row(w, row, n), n--) {
		const tn_s8 *at = row;

		for (int32_t t = w->taps; t > 0; t--, at += w->step) {
			int32_t x = tn_load_s8(at, 0);

			max = x > max ? x : max;
		}
	}
	return max < p->act_max ? max : p->act_max;
}

static inline int32_t tn_pool_sum(const struct tn_pool_window *w, int32_t c)
{
	const tn_s8 *row = w->in + c;
	int32_t sum = 0;

	for (int32_t n = w->rows - 1; n >= 0; row = tn_pool_next_row(w, row, n), n--) {
		const tn_s8 *at = row;

		for (int32_t t = w->taps; t > 0; t--, at += w->step)
			sum += tn_load_s8(at, 0);
	}
	return sum;
}

/* ---- averages ----
 * Ties go away from zero: for d taps, (s + d / 2) / d rounded down, and of negative sums one
 * less before the division where d is even. With 128 d more nothing is negative, and the
 * quotient, n / d of n < 256 d, is the upper word of 2n times 2^31 / d, rounded up, as long as
 * n d does not exceed 2^31. */

enum { TN_POOL_START, TN_POOL_EVEN, TN_POOL_FACTOR };

static inline void tn_pool_set_rule(struct tn_pool_window *w)
{
	const int32_t d = w->rows * w->taps;

	if (d == w->count)
		return;
	w->count = d;
	w->rule[TN_POOL_START] = 256 * d + 2 * (d / 2);
	w->rule[TN_POOL_EVEN] = d % 2 ? 0 : -1;
	w->rule[TN_POOL_FACTOR] =
		(int32_t)((0x80000000u + (uint32_t)d - 1) / (uint32_t)d);
}

/* 128 more than the average. */
static inline uint32_t tn_pool_average(const struct tn_pool_window *w, int32_t sum)
{
	const uint32_t n = (uint32_t)(w->rule[TN_POOL_START] +
				      2 * (sum + (sum >> 31 & w->rule[TN_POOL_EVEN])));

	return (uint32_t)((uint64_t)n * (uint32_t)w->rule[TN_POOL_FACTOR] >> 32);
}

static inline int32_t tn_pool_average_of(
	const struct tn_pool_params *p, const struct tn_pool_window *w, int32_t c)
{
	int32_t x = (int32_t)tn_pool_average(w, tn_pool_sum(w, c)) - 128;

	x = x < p->act_min ? p->act_min : x;
	return x > p->act_max ? p->act_max : x;
}

#endif
