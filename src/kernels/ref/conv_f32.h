/* What the float convolutions share. Sums run over filter rows, taps, channels, in this
 * order, and the bias comes last: another order rounds differently. */
#ifndef TENURE_KERNELS_CONV_F32_H
#define TENURE_KERNELS_CONV_F32_H

#include "float_math.h"
#include "window.h"

/* The sum of one output channel over the pixel's valid taps, without bias. */
typedef float tn_conv_f32_sum_fn(const struct tn_window_f32_params *p,
	const struct tn_pixel *px, const tn_f32 *in, const tn_f32 *filter,
	int32_t channel);

static inline void tn_conv_f32(const struct tn_window_f32_params *p,
	const void *const *in, tn_f32 *out, tn_f32 *held, tn_conv_f32_sum_fn *sum_of)
{
	const tn_f32 *bias = in[2];
	int32_t pixels = tn_pixel_count(&p->g), channels = p->g.out_c;
	struct tn_loop_order order = p->order;
	struct tn_pixel px;

	for (int32_t t = 0; t < pixels; t++) {
		tn_pixel_at(&p->g, order, t, &px);
		for (int32_t k = 0; k < channels; k++) {
			int32_t c = tn_channel_at(order, k, channels);
			float sum = sum_of(p, &px, in[0], in[1], c);

			sum = sum + (bias ? bias[c] : 0.0f);
			sum = tn_clamp_f32_value(sum, p->act_min, p->act_max);
			if (order.hold)
				held[c] = sum;
			else
				tn_store_f32(out, px.out + c, sum);
		}
		if (order.hold)
			for (int32_t c = 0; c < channels; c++)
				tn_store_f32(out, px.out + c, held[c]);
	}
}

#endif
