/* What the int8 poolings share. */
#ifndef TENURE_KERNELS_POOL_S8_H
#define TENURE_KERNELS_POOL_S8_H

#include "fixed.h"
#include "window.h"

/* The pooled value of one channel over the pixel's valid taps. */
typedef int32_t tn_pool_s8_fn(const struct tn_geometry *g, const struct tn_pixel *px,
	const tn_s8 *in, int32_t channel);

static inline void tn_pool_s8(const struct tn_pool_params *p, const tn_s8 *in, tn_s8 *out,
	tn_s8 *held, tn_pool_s8_fn *pool)
{
	int32_t pixels = tn_pixel_count(&p->g), channels = p->g.out_c;
	struct tn_loop_order order = p->order;
	struct tn_pixel px;

	for (int32_t t = 0; t < pixels; t++) {
		tn_pixel_at(&p->g, order, t, &px);
		for (int32_t k = 0; k < channels; k++) {
			int32_t c = tn_channel_at(order, k, channels);
			int32_t value = pool(&p->g, &px, in, c);

			value = tn_clamp_s32(value, p->act_min, p->act_max);
			if (order.hold)
				held[c] = (tn_s8)value;
			else
				tn_store_s8(out, px.out + c, value);
		}
		if (order.hold)
			for (int32_t c = 0; c < channels; c++)
				tn_store_s8(out, px.out + c, held[c]);
	}
}

#endif
