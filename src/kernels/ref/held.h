/* What a window kernel holds in scratch, and how it leaves. */
#ifndef TENURE_KERNELS_HELD_H
#define TENURE_KERNELS_HELD_H

#include "window.h"

/* Writes the pixels that leave the scratch after pixel t. */
static inline void tn_leave_s8(const struct tn_geometry *g, const struct tn_sweep *s,
	struct tn_loop_order order, int32_t pass, int32_t t, tn_s8 *out,
	const tn_s8 *held)
{
	struct tn_leaving l = tn_leaving(g, s, t);

	for (; l.t < l.end; l.t++) {
		int32_t at = tn_pixel_out(g, s, order, pass, l.t);
		int32_t slot = tn_pixel_slot(g, s, l.t);

		for (int32_t k = 0; k < s->channels; k++)
			tn_store_s8(out, at + k, held[slot + k]);
	}
}

static inline void tn_leave_s16(const struct tn_geometry *g, const struct tn_sweep *s,
	struct tn_loop_order order, int32_t pass, int32_t t, tn_s16 *out,
	const tn_s16 *held)
{
	struct tn_leaving l = tn_leaving(g, s, t);

	for (; l.t < l.end; l.t++) {
		int32_t at = tn_pixel_out(g, s, order, pass, l.t);
		int32_t slot = tn_pixel_slot(g, s, l.t);

		for (int32_t k = 0; k < s->channels; k++)
			tn_store_s16(out, at + k, held[slot + k]);
	}
}

static inline void tn_leave_f32(const struct tn_geometry *g, const struct tn_sweep *s,
	struct tn_loop_order order, int32_t pass, int32_t t, tn_f32 *out,
	const tn_f32 *held)
{
	struct tn_leaving l = tn_leaving(g, s, t);

	for (; l.t < l.end; l.t++) {
		int32_t at = tn_pixel_out(g, s, order, pass, l.t);
		int32_t slot = tn_pixel_slot(g, s, l.t);

		for (int32_t k = 0; k < s->channels; k++)
			tn_store_f32(out, at + k, held[slot + k]);
	}
}

#endif
