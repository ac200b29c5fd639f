/* Pooling of int8 for processors with MVE: the pixels of the output in the order of the
 * contract, each with its window cut to the image. What computes a pixel reads some of its
 * channels before it writes them, and no channel that it has written is read again. */
#ifndef TENURE_KERNELS_MVE_POOL_S8_H
#define TENURE_KERNELS_MVE_POOL_S8_H

#include "mve.h"
#include "tenure/kernels.h"

/* How sums are divided: average_pool_2d_s8.c. */
struct tn_pool_rule {
	int32_t count; /* of the taps that this is for; 0 at first */
	int32_t half; /* of them */
	int32_t factor, shift; /* m and -s */
};

struct tn_pool_window {
	const tn_s8 *in; /* channel 0 of the first tap */
	int32_t y, rows; /* the first row, and how many */
	int32_t wrapped; /* rows of these from the memory's row 0 on, behind its last one */
	int32_t in_rows; /* of the memory */
	int32_t row_bytes, back; /* of a row, and of all of them */
	int32_t taps, step; /* columns, and bytes from one to the next */
	/* channels in blocks, the first of them and the distance of the next one; those of
	 * part of a block come last in any case, downwards they are the first channels */
	int32_t whole, first, by, rest;
	struct tn_pool_rule rule;
};

/* Cuts `taps` from `origin` on to [0, size): how many are left, and the first of them. */
static inline int32_t tn_pool_cut(
	int32_t origin, int32_t taps, int32_t size, int32_t *first)
{
	int32_t end = origin + taps < size ? origin + taps : size;

	*first = origin < 0 ? 0 : origin;
	return end - *first;
}

#if TN_MVE

/* Loads and folds the window's taps from %[base] on, with the lanes that VCTP has set. At
 * the end of the memory the row goes back to its start. */
#define TN_POOL_TAPS(load, fold)                                                         \
	"mov %[row], %[base]\n\t"                                                        \
	"ldr %[n], %[rows]\n"                                                            \
	"2:\n\t"                                                                         \
	"mov %[at], %[row]\n\t"                                                          \
	"dls lr, %[taps]\n"                                                              \
	"1:\n\t"                                                                         \
	"vpst\n\t" load " q0, [%[at]]\n\t"                                               \
	"add %[at], %[step]\n\t" fold ", q0\n\t"                                         \
	"le lr, 1b\n\t"                                                                  \
	"subs %[n], #1\n\t"                                                              \
	"beq 3f\n\t"                                                                     \
	"add %[row], %[bytes]\n\t"                                                       \
	"cmp %[n], %[wrapped]\n\t"                                                       \
	"bne 2b\n\t"                                                                     \
	"ldr %[at], %[back]\n\t"                                                         \
	"sub %[row], %[at]\n\t"                                                          \
	"b 2b\n"                                                                         \
	"3:\n\t"

#define TN_POOL_OPERANDS(w)                                                              \
	[taps] "r"((w)->taps), [step] "r"((w)->step), [bytes] "r"((w)->row_bytes),       \
		[wrapped] "r"((w)->wrapped), [rows] "m"((w)->rows),                      \
		[back] "m"((w)->back)

#endif

/* The first tap of the window's row i. */
static inline const tn_s8 *tn_pool_row_at(const struct tn_pool_window *w, int32_t i)
{
	return w->in + i * w->row_bytes - (i < w->rows - w->wrapped ? 0 : w->back);
}

/* All channels of a pixel, from the last one when the order descends. */
typedef void tn_pool_pixel_fn(
	const struct tn_pool_params *p, struct tn_pool_window *w, tn_s8 *out);

static inline void tn_pool_row(const struct tn_pool_params *p, struct tn_pool_window *w,
	const tn_s8 *in, tn_s8 *out, tn_pool_pixel_fn *pixel)
{
	const struct tn_geometry *g = &p->g;
	const int32_t rows = w->rows, last = p->order.descending ? g->out_w - 1 : 0;
	const int32_t stride = p->order.descending ? -g->stride_w : g->stride_w;
	const int32_t next = p->order.descending ? -g->out_c : g->out_c;
	int32_t x = last * g->stride_w - g->pad_left;

	in += w->y * w->row_bytes;
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
	struct tn_pool_window w = { .in_rows = g->in_rows,
		.row_bytes = g->in_w * g->in_c,
		.back = g->in_rows * g->in_w * g->in_c,
		.step = g->in_c,
		.whole = g->out_c,
		.by = block };

	if (p->order.descending) {
		w.rest = g->out_c % block;
		w.whole = g->out_c - w.rest;
		w.first = g->out_c - block;
		w.by = -block;
	}
	for (int32_t t = 0; t < rows; t++) {
		int32_t i = p->order.descending ? rows - 1 - t : t, batch = i / height;
		int32_t y = g->y_begin + i - batch * height;

		w.rows = tn_pool_cut(y * g->stride_h - g->pad_top, g->k_h, g->in_h, &w.y);
		if (g->in_rows != g->in_h)
			w.y %= g->in_rows;
		w.wrapped = w.y + w.rows - g->in_rows;
		if (w.wrapped < 0)
			w.wrapped = 0;
		if (g->out_rows != g->out_h)
			y %= g->out_rows;
		tn_pool_row(p, &w, in + batch * w.back,
			out + (batch * g->out_rows + y) * g->out_w * g->out_c, pixel);
	}
}

#endif
