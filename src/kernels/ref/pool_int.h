/* What the integer poolings share; `size`: bytes of an element, 1 or 2. */
#ifndef TENURE_KERNELS_POOL_INT_H
#define TENURE_KERNELS_POOL_INT_H

#include "fixed.h"
#include "held.h"

/* Raw values, valid taps only, ties away from zero. */
static inline int32_t tn_average_int(const struct tn_geometry *g,
	const struct tn_pixel *px, const void *in, int32_t channel, int32_t size)
{
	int32_t taps = px->kx_end - px->kx;
	int32_t count = taps * (px->ky_end - px->ky);
	int32_t sum = 0;

	for (int32_t ky = px->ky; ky < px->ky_end; ky++) {
		int32_t at = tn_tap_row(g, px, ky) + channel;

		for (int32_t k = 0; k < taps; k++)
			sum = tn_wrap_add(sum, tn_load_int(in, at + k * g->in_c, size));
	}
	if (count == 0)
		return 0;
	return (sum > 0 ? tn_wrap_add(sum, count / 2) : tn_wrap_sub(sum, count / 2)) /
	       count;
}

static inline int32_t tn_greatest_int(const struct tn_geometry *g,
	const struct tn_pixel *px, const void *in, int32_t channel, int32_t size)
{
	int32_t taps = px->kx_end - px->kx;
	int32_t max = size == 1 ? INT8_MIN : INT16_MIN;

	for (int32_t ky = px->ky; ky < px->ky_end; ky++) {
		int32_t at = tn_tap_row(g, px, ky) + channel;

		for (int32_t k = 0; k < taps; k++) {
			int32_t value = tn_load_int(in, at + k * g->in_c, size);

			max = value > max ? value : max;
		}
	}
	return max;
}

/* The pooled value of one channel over the pixel's valid taps. */
typedef int32_t tn_pool_int_fn(const struct tn_geometry *g, const struct tn_pixel *px,
	const void *in, int32_t channel, int32_t size);

static inline void tn_pool_int(const struct tn_pool_params *p, const void *in, void *out,
	tn_s16 *held, int32_t size, tn_pool_int_fn *pool)
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
			int32_t value = pool(&p->g, &px, in, c, size);

			value = tn_clamp_s32(value, p->act_min, p->act_max);
			if (order.hold && size == 1)
				((tn_s8 *)held)[slot + k] = (tn_s8)value;
			else if (order.hold)
				held[slot + k] = (int16_t)value;
			else
				tn_store_int(out, px.out + c, size, value);
		}
		if (order.hold && size == 1)
			tn_leave_s8(&p->g, &s, order, pass, t, out, (tn_s8 *)held);
		else if (order.hold)
			tn_leave_s16(&p->g, &s, order, pass, t, out, held);
	}
}

#endif
