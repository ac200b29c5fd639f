/* Depthwise convolution in single precision. */
#include "conv_f32.h"

static float depthwise_sum(const struct tn_window_f32_params *p,
	const struct tn_pixel *px, const tn_f32 *in, const tn_f32 *filter,
	int32_t channel)
{
	const struct tn_geometry *g = &p->g;
	int32_t source = p->groups == 1 ? channel : channel / p->groups;
	int32_t taps = px->kx_end - px->kx;
	int32_t step = g->dilation_w * g->in_c, w_step = g->out_c;
	float sum = 0.0f;

	for (int32_t ky = px->ky; ky < px->ky_end; ky++) {
		const tn_f32 *row = in + tn_tap_row(g, px, ky) + source;
		const tn_f32 *w = filter + (ky * g->k_w + px->kx) * w_step + channel;

		for (int32_t k = 0; k < taps; k++)
			sum += tn_load_f32(row, k * step) * w[k * w_step];
	}
	return sum;
}

void tn_depthwise_conv_2d_f32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	tn_conv_f32(params, in, out[0], scratch, depthwise_sum);
}
