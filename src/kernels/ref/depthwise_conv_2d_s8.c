/* Depthwise convolution of int8: an output channel sees one input channel. */
#include "conv_s8.h"

static int32_t depthwise_sum(const struct tn_conv_params *p, const struct tn_pixel *px,
	const tn_s8 *in, const tn_s8 *filter, int32_t channel)
{
	const struct tn_geometry *g = &p->g;
	int32_t source = p->groups == 1 ? channel : channel / p->groups;
	int32_t taps = px->kx_end - px->kx;
	int32_t step = g->dilation_w * g->in_c, w_step = g->out_c;
	int32_t offset = p->in_offset;
	uint32_t sum = 0;

	for (int32_t ky = px->ky; ky < px->ky_end; ky++) {
		const tn_s8 *row = in + tn_tap_row(g, px, ky) + source;
		const tn_s8 *w = filter + (ky * g->k_w + px->kx) * w_step + channel;

		for (int32_t k = 0; k < taps; k++)
			sum += (uint32_t)((tn_load_s8(row, k * step) + offset) *
					  w[k * w_step]);
	}
	return (int32_t)sum;
}

void tn_depthwise_conv_2d_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	tn_conv_s8(params, in, out[0], scratch, depthwise_sum);
}
