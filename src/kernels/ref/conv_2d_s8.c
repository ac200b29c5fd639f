/* Convolution of int8 with int8 weights, a multiplier for each output channel. */
#include "conv_s8.h"

static int32_t dot(const tn_s8 *in, const tn_s8 *w, int32_t n, int32_t offset)
{
	uint32_t sum = 0;

	for (int32_t i = 0; i < n; i++)
		sum += (uint32_t)((tn_load_s8(in, i) + offset) * w[i]);
	return (int32_t)sum;
}

/* The taps of a filter row are one run of memory when they touch and see all channels. */
static int32_t conv_sum(const struct tn_conv_params *p, const struct tn_pixel *px,
	const tn_s8 *in, const tn_s8 *filter, int32_t channel)
{
	const struct tn_geometry *g = &p->g;
	int32_t depth = g->in_c / p->groups;
	int32_t first = channel / (g->out_c / p->groups) * depth;
	int32_t taps = px->kx_end - px->kx;
	int whole = p->groups == 1 && g->dilation_w == 1;
	int32_t runs = whole ? 1 : taps;
	int32_t length = whole ? taps * depth : depth;
	int32_t step = g->dilation_w * g->in_c;
	int32_t sum = 0;

	for (int32_t ky = px->ky; ky < px->ky_end; ky++) {
		const tn_s8 *row = in + tn_tap_row(g, px, ky) + first;
		const tn_s8 *w =
			filter + ((channel * g->k_h + ky) * g->k_w + px->kx) * depth;

		for (int32_t r = 0; r < runs; r++)
			sum = tn_wrap_add(sum,
				dot(row + r * step, w + r * depth, length, p->in_offset));
	}
	return sum;
}

void tn_conv_2d_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	tn_conv_s8(params, in, out[0], scratch, conv_sum);
}
