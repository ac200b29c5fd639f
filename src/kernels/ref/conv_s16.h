/* What the int16 convolutions share (weights are int8). */
#ifndef TENURE_KERNELS_CONV_S16_H
#define TENURE_KERNELS_CONV_S16_H

#include "fixed.h"
#include "held.h"

/* The sum of one output channel over the pixel's valid taps, without bias. */
typedef int64_t tn_conv_s16_sum_fn(const struct tn_conv_params *p,
	const struct tn_pixel *px, const tn_s16 *in, const tn_s8 *filter,
	int32_t channel);

/* `wide`: a bias of 64 bits and one rounding; else 32 bits and two. */
static inline int32_t tn_conv_s16_output(const struct tn_conv_params *p, int64_t sum,
	const void *bias, int32_t c, int wide)
{
	const tn_s64 *bias64 = bias;
	const tn_s32 *bias32 = bias;
	int32_t value;

	if (wide) {
		sum = tn_wrap_add_s64(sum, bias ? bias64[c] : 0);
		value = tn_requantize_wide(sum, p->multiplier[c], p->shift[c]);
	} else {
		value = tn_wrap_add((int32_t)sum, bias ? bias32[c] : 0);
		value = tn_requantize(value, p->multiplier[c], p->shift[c]);
	}
	value = tn_wrap_add(value, p->out_offset);
	return tn_clamp_s32(value, p->act_min, p->act_max);
}

static inline void tn_conv_s16(const struct tn_conv_params *p, const void *const *in,
	tn_s16 *out, tn_s16 *held, tn_conv_s16_sum_fn *sum_of, int wide)
{
	struct tn_loop_order order = p->order;
	struct tn_sweep s = tn_sweep_of(&p->g, order);
	struct tn_pixel px;

	for (int32_t i = 0; i < s.passes * s.pixels; i++) {
		int32_t pass = i / s.pixels, t = i - pass * s.pixels;
		int32_t slot = order.hold ? tn_pixel_slot(&p->g, &s, t) : 0;

		tn_pixel_at(&p->g, order, t, &px);
		for (int32_t k = 0; k < s.channels; k++) {
			int32_t c = tn_channel_at(&s, order, pass, k);
			int64_t sum = sum_of(p, &px, in[0], in[1], c);
			int32_t value = tn_conv_s16_output(p, sum, in[2], c, wide);

			if (order.hold)
				held[slot + k] = (int16_t)value;
			else
				tn_store_s16(out, px.out + c, value);
		}
		if (order.hold)
			tn_leave_s16(&p->g, &s, order, pass, t, out, held);
	}
}

#endif
