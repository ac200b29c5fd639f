/* Convolution in single precision. */
#include "conv_f32.h"

static float conv_sum(const struct tn_window_f32_params *p, const struct tn_pixel *px,
	const tn_f32 *in, const tn_f32 *filter, int32_t channel)
{
	const struct tn_geometry *g = &p->g;
	int32_t depth = g->in_c / p->groups;
	int32_t first = channel / (g->out_c / p->groups) * depth;
	int32_t taps = px->kx_end - px->kx;
	int whole = p->groups == 1 && g->dilation_w == 1;
	int32_t runs = whole ? 1 : taps;
	int32_t length = whole ? taps * depth : depth;
	int32_t step = g->dilation_w * g->in_c;
	float sum = 0.0f;

	for (int32_t ky = px->ky; ky < px->ky_end; ky++) {
		const tn_f32 *row = in + tn_tap_row(g, px, ky) + first;
		const tn_f32 *w =
			filter + ((channel * g->k_h + ky) * g->k_w + px->kx) * depth;

		for (int32_t r = 0; r < runs; r++, row += step, w += depth)
			for (int32_t i = 0; i < length; i++)
				sum += tn_load_f32(row, i) * w[i];
	}
	return sum;
}

void tn_conv_2d_f32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	tn_conv_f32(params, in, out[0], scratch, conv_sum);
}
