/* Depthwise 3x3 windows, two outputs of a row at a time: where each of their taps lies for all
 * channels. */
#ifndef TENURE_KERNELS_DSP_LINES_S8_H
#define TENURE_KERNELS_DSP_LINES_S8_H

#include "ref/access.h"
#include "tenure/kernels.h"

/* The rows of a window: zeros with a step of 0 where they lie outside. */
struct tn_lines {
	const tn_s8 *row[3], *zeros;
	int32_t step[3]; /* from column to column */
	int32_t in_w;
};

static inline void tn_lines_set(struct tn_lines *l, const struct tn_geometry *g,
	int32_t batch, int32_t y, const tn_s8 *in, const tn_s8 *zeros)
{
	const int32_t top = y * g->stride_h - g->pad_top;

	l->zeros = zeros;
	l->in_w = g->in_w;
	for (int32_t ky = 0; ky < 3; ky++) {
		int32_t in_y = top + ky;
		const int inside = in_y >= 0 && in_y < g->in_h;

		in_y = batch * g->in_rows + in_y % g->in_rows;
		l->row[ky] = inside ? in + in_y * g->in_w * g->in_c : zeros;
		l->step[ky] = inside ? g->in_c : 0;
	}
}

/* n columns, the first at x: three taps each. */
static inline void tn_lines_taps(
	const struct tn_lines *l, int32_t x, int32_t n, const tn_s8 **tap)
{
	for (; n > 0; n--, x++, tap += 3) {
		if ((uint32_t)x < (uint32_t)l->in_w) {
			tap[0] = l->row[0] + x * l->step[0];
			tap[1] = l->row[1] + x * l->step[1];
			tap[2] = l->row[2] + x * l->step[2];
		} else {
			tap[0] = tap[1] = tap[2] = l->zeros;
		}
	}
}

/* Outputs x and, if there are two, x + 1 of a row that starts at `out`. */
typedef void tn_lines_pair_fn(
	void *work, const struct tn_lines *l, int32_t x, int two, tn_s8 *out);

/* All pairs of all rows, in the order of the contract. */
static inline void tn_lines_s8(const struct tn_geometry *g, struct tn_loop_order order,
	const tn_s8 *in, const tn_s8 *zeros, tn_s8 *out, tn_lines_pair_fn *pair,
	void *work)
{
	const int32_t height = g->y_end - g->y_begin, rows = g->batches * height;
	const int32_t pairs = (g->out_w + 1) / 2;
	struct tn_lines l;

	for (int32_t i = 0; i < rows; i++) {
		const int32_t row = order.descending ? rows - 1 - i : i;
		const int32_t batch = row / height, y = g->y_begin + row - batch * height;
		tn_s8 *at = out +
			    (batch * g->out_rows + y % g->out_rows) * g->out_w * g->out_c;

		tn_lines_set(&l, g, batch, y, in, zeros);
		for (int32_t t = 0; t < pairs; t++) {
			int32_t x = 2 * (order.descending ? pairs - 1 - t : t);

			pair(work, &l, x, x + 1 < g->out_w, at);
		}
	}
}

#endif
