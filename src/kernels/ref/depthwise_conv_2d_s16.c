/* Depthwise convolution of int16 with int8 weights. */
#include "conv_s16.h"

static int64_t depthwise_sum(const struct tn_conv_params *p, const struct tn_pixel *px,
	const tn_s16 *in, const tn_s8 *filter, int32_t channel)
{
	const struct tn_geometry *g = &p->g;
	int32_t source = p->groups == 1 ? channel : channel / p->groups;
	int32_t taps = px->kx_end - px->kx;
	int32_t step = g->dilation_w * g->in_c, w_step = g->out_c;
	int64_t sum = 0;

	for (int32_t ky = px->ky; ky < px->ky_end; ky++) {
		const tn_s16 *row = in + tn_tap_row(g, px, ky) + source;
		const tn_s8 *w = filter + (ky * g->k_w + px->kx) * w_step + channel;

		for (int32_t k = 0; k < taps; k++)
			sum += (tn_load_s16(row, k * step) + p->in_offset) *
			       w[k * w_step];
	}
	return sum;
}

void tn_depthwise_conv_2d_s16(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	tn_conv_s16(params, in, out[0], scratch, depthwise_sum, 1);
}
