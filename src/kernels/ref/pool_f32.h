/* What the float poolings share. */
#ifndef TENURE_KERNELS_POOL_F32_H
#define TENURE_KERNELS_POOL_F32_H

#include "float_math.h"
#include "held.h"

/* The pooled value of one channel over the pixel's valid taps. */
typedef float tn_pool_f32_fn(const struct tn_geometry *g, const struct tn_pixel *px,
	const tn_f32 *in, int32_t channel);

static inline void tn_pool_f32(const struct tn_window_f32_params *p, const tn_f32 *in,
	tn_f32 *out, tn_f32 *held, tn_pool_f32_fn *pool)
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
			float value = pool(&p->g, &px, in, c);

			value = tn_clamp_f32_value(value, p->act_min, p->act_max);
			if (order.hold)
				held[slot + k] = value;
			else
				tn_store_f32(out, px.out + c, value);
		}
		if (order.hold)
			tn_leave_f32(&p->g, &s, order, pass, t, out, held);
	}
}

#endif
