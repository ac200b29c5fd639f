/* Pooling of int8 for processors with MVE: the pixels of the output in the order of the
 * contract, each with its window cut to the image. What computes a pixel reads some of its
 * channels before it writes them, and no channel that it has written is read again. */
#ifndef TENURE_KERNELS_MVE_POOL_S8_H
#define TENURE_KERNELS_MVE_POOL_S8_H

#include "mve.h"
#include "tenure/kernels.h"

struct tn_pool_window {
	const tn_s8 *in; /* channel 0 of the first column, in row 0 of the memory */
	int32_t y, rows; /* the first row, and how many */
	int32_t in_rows; /* of the memory; behind its last row is row 0 */
	int32_t row_bytes;
	int32_t taps, step; /* columns, and bytes from one to the next */
	int32_t channels;
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

/* Loads and folds the window's taps from channel c on, with the lanes that VCTP has set: rows
 * up to the end of the ring, then those from its start. */
#define TN_POOL_TAPS(w, c, result, load, fold)                                           \
	for (int32_t left = (w)->rows, y = (w)->y; left > 0; y = 0) {                    \
		const tn_s8 *row = (w)->in + (c) + y * (w)->row_bytes, *at;              \
		int32_t n = left < (w)->in_rows - y ? left : (w)->in_rows - y;           \
                                                                                         \
		left -= n;                                                               \
		__asm__ volatile("2:\n\t"                                                \
				 "mov %[at], %[row]\n\t"                                 \
				 "dls lr, %[taps]\n"                                     \
				 "1:\n\t"                                                \
				 "vpst\n\t" load " q0, [%[at]]\n\t"                      \
				 "add %[at], %[step]\n\t" fold " %q[to], %q[to], q0\n\t" \
				 "le lr, 1b\n\t"                                         \
				 "add %[row], %[bytes]\n\t"                              \
				 "subs %[n], #1\n\t"                                     \
				 "bne 2b"                                                \
				 : [to] "+w"(result), [row] "+r"(row), [at] "=&l"(at),   \
				 [n] "+r"(n)                                             \
				 : [taps] "r"((w)->taps), [step] "r"((w)->step),         \
				 [bytes] "r"((w)->row_bytes)                             \
				 : "q0", "lr", "cc", "memory");                          \
	}

#endif

/* All channels of a pixel, from the last one when the order descends. */
typedef void tn_pool_pixel_fn(
	const struct tn_pool_params *p, const struct tn_pool_window *w, tn_s8 *out);

static inline void tn_pool_row(const struct tn_pool_params *p, struct tn_pool_window *w,
	const tn_s8 *in, tn_s8 *out, tn_pool_pixel_fn *pixel)
{
	const struct tn_geometry *g = &p->g;

	for (int32_t t = 0; t < g->out_w; t++) {
		int32_t x = p->order.descending ? g->out_w - 1 - t : t, first;

		w->taps = tn_pool_cut(
			x * g->stride_w - g->pad_left, g->k_w, g->in_w, &first);
		w->in = in + first * g->in_c;
		pixel(p, w, out + x * g->out_c);
	}
}

static inline void tn_pool_s8(const struct tn_pool_params *p, const tn_s8 *in, tn_s8 *out,
	tn_pool_pixel_fn *pixel)
{
	const struct tn_geometry *g = &p->g;
	const int32_t height = g->y_end - g->y_begin, rows = g->batches * height;
	struct tn_pool_window w = { .in_rows = g->in_rows,
		.row_bytes = g->in_w * g->in_c,
		.step = g->in_c,
		.channels = g->out_c };

	for (int32_t t = 0; t < rows; t++) {
		int32_t i = p->order.descending ? rows - 1 - t : t, batch = i / height;
		int32_t y = g->y_begin + i - batch * height;

		w.rows = tn_pool_cut(y * g->stride_h - g->pad_top, g->k_h, g->in_h, &w.y);
		if (g->in_rows != g->in_h)
			w.y %= g->in_rows;
		if (g->out_rows != g->out_h)
			y %= g->out_rows;
		tn_pool_row(p, &w, in + batch * g->in_rows * w.row_bytes,
			out + (batch * g->out_rows + y) * g->out_w * g->out_c, pixel);
	}
}

#endif
