/* What the float convolutions share. Sums run over filter rows, taps, channels, in this
 * order, and the bias comes last: another order rounds differently. */
#ifndef TENURE_KERNELS_CONV_F32_H
#define TENURE_KERNELS_CONV_F32_H

#include "float_math.h"
#include "held.h"

/* The sum of one output channel over the pixel's valid taps, without bias. */
typedef float tn_conv_f32_sum_fn(const struct tn_window_f32_params *p,
	const struct tn_pixel *px, const tn_f32 *in, const tn_f32 *filter,
	int32_t channel);

static inline void tn_conv_f32(const struct tn_window_f32_params *p,
	const void *const *in, tn_f32 *out, tn_f32 *held, tn_conv_f32_sum_fn *sum_of)
{
	const tn_f32 *bias = in[2];
	struct tn_loop_order order = p->order;
	struct tn_sweep s = tn_sweep_of(&p->g, order);
	struct tn_pixel px;

	for (int32_t i = 0; i < s.passes * s.pixels; i++) {
		int32_t pass = i / s.pixels, t = i - pass * s.pixels;
		int32_t slot = order.hold ? tn_pixel_slot(&p->g, &s, t) : 0;

		tn_pixel_at(&p->g, order, t, &px);
		for (int32_t k = 0; k < s.channels; k++) {
			int32_t c = tn_channel_at(&s, order, pass, k);
			float sum = sum_of(p, &px, in[0], in[1], c);

			sum = sum + (bias ? bias[c] : 0.0f);
			sum = tn_clamp_f32_value(sum, p->act_min, p->act_max);
			if (order.hold)
				held[slot + k] = sum;
			else
				tn_store_f32(out, px.out + c, sum);
		}
		if (order.hold)
			tn_leave_f32(&p->g, &s, order, pass, t, out, held);
	}
}

#endif
