/* Transposed convolution, gathered: which input pixels reach an output pixel. */
#ifndef TENURE_KERNELS_TRANSPOSE_CONV_H
#define TENURE_KERNELS_TRANSPOSE_CONV_H

#include "elements.h"

/* Input coordinates first .. last of one dimension; the tap of `first` is `tap`, and the
 * next one's is less by the stride. */
struct tn_reach {
	int32_t first, last, tap;
};

static inline struct tn_reach tn_reach_of(
	int32_t at, int32_t taps, int32_t stride, int32_t size)
{
	struct tn_reach r;

	r.first = at < taps ? 0 : (at - taps) / stride + 1;
	r.last = at / stride < size ? at / stride : size - 1;
	r.tap = at - r.first * stride;
	return r;
}

/* One product of an input element and a weight: elements of the two. */
typedef void tn_reach_fn(void *sum, const void *in, const void *filter, int32_t x,
	int32_t w, int32_t depth);

/* Calls fn for each pair of an input pixel and a filter tap that meet in the output
 * element; `depth` channels follow each. */
static inline void tn_transpose_conv_sum(const struct tn_geometry *g, const void *in,
	const void *filter, int32_t out, tn_reach_fn *fn, void *sum)
{
	int32_t c = out % g->out_c, pixel = out / g->out_c;
	int32_t x = pixel % g->out_w, row = pixel / g->out_w;
	int32_t y = row % g->out_h, batch = row / g->out_h;
	struct tn_reach v = tn_reach_of(y + g->pad_top, g->k_h, g->stride_h, g->in_h);
	struct tn_reach h = tn_reach_of(x + g->pad_left, g->k_w, g->stride_w, g->in_w);

	for (int32_t iy = v.first; iy <= v.last; iy++) {
		int32_t ky = v.tap - (iy - v.first) * g->stride_h;

		for (int32_t ix = h.first; ix <= h.last; ix++) {
			int32_t kx = h.tap - (ix - h.first) * g->stride_w;
			int32_t at = ((batch * g->in_h + iy) * g->in_w + ix) * g->in_c;
			int32_t w = ((c * g->k_h + ky) * g->k_w + kx) * g->in_c;

			fn(sum, in, filter, at, w, g->in_c);
		}
	}
}

static inline int32_t tn_transpose_conv_outputs(const struct tn_geometry *g)
{
	return g->batches * g->out_h * g->out_w * g->out_c;
}

#endif
