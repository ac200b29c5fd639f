/* What the int8 convolutions share: pixels, channels, rescaling, holding. */
#ifndef TENURE_KERNELS_CONV_S8_H
#define TENURE_KERNELS_CONV_S8_H

#include "fixed.h"
#include "held.h"

/* The sum of one output channel over the pixel's valid taps, without bias. */
typedef int32_t tn_conv_sum_fn(const struct tn_conv_params *p, const struct tn_pixel *px,
	const tn_s8 *in, const tn_s8 *filter, int32_t channel);

static inline void tn_conv_s8(const struct tn_conv_params *p, const void *const *in,
	tn_s8 *out, tn_s8 *held, tn_conv_sum_fn *sum_of)
{
	const tn_s32 *bias = in[2];
	struct tn_loop_order order = p->order;
	struct tn_sweep s = tn_sweep_of(&p->g, order);
	struct tn_pixel px;

	for (int32_t i = 0; i < s.passes * s.pixels; i++) {
		int32_t pass = i / s.pixels, t = i - pass * s.pixels;
		int32_t slot = order.hold ? tn_pixel_slot(&p->g, &s, t) : 0;

		tn_pixel_at(&p->g, order, t, &px);
		for (int32_t k = 0; k < s.channels; k++) {
			int32_t c = tn_channel_at(&s, order, pass, k);
			int32_t sum = sum_of(p, &px, in[0], in[1], c);

			if (bias)
				sum = tn_wrap_add(sum, bias[c]);
			sum = tn_requantize(sum, p->multiplier[c], p->shift[c]);
			sum = tn_wrap_add(sum, p->out_offset);
			sum = tn_clamp_s32(sum, p->act_min, p->act_max);
			if (order.hold)
				held[slot + k] = (tn_s8)sum;
			else
				tn_store_s8(out, px.out + c, sum);
		}
		if (order.hold)
			tn_leave_s8(&p->g, &s, order, pass, t, out, held);
	}
}

#endif
