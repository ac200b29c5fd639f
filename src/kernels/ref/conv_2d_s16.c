/* Convolution of int16 with int8 weights. */
#include "conv_s16.h"

static int64_t conv_sum(const struct tn_conv_params *p, const struct tn_pixel *px,
	const tn_s16 *in, const tn_s8 *filter, int32_t channel)
{
	const struct tn_geometry *g = &p->g;
	int32_t depth = g->in_c / p->groups;
	int32_t first = channel / (g->out_c / p->groups) * depth;
	int32_t taps = px->kx_end - px->kx;
	int32_t step = g->dilation_w * g->in_c;
	int64_t sum = 0;

	for (int32_t ky = px->ky; ky < px->ky_end; ky++) {
		const tn_s16 *row = in + tn_tap_row(g, px, ky) + first;
		const tn_s8 *w =
			filter + ((channel * g->k_h + ky) * g->k_w + px->kx) * depth;

		for (int32_t r = 0; r < taps; r++, row += step, w += depth)
			for (int32_t i = 0; i < depth; i++)
				sum += (tn_load_s16(row, i) + p->in_offset) * w[i];
	}
	return sum;
}

void tn_conv_2d_s16(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	tn_conv_s16(params, in, out[0], scratch, conv_sum, 1);
}

void tn_conv_2d_s16_b32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	tn_conv_s16(params, in, out[0], scratch, conv_sum, 0);
}
