/* Rows of planes that are added up, channel by channel, in the order of the whole op: by
 * rows, then by columns. */
#ifndef TENURE_KERNELS_PLANE_H
#define TENURE_KERNELS_PLANE_H

#include "ref/access.h"
#include "ref/fixed.h"
#include "ref/float_math.h"
#include "tenure/kernels.h"

static inline void tn_plane_add_s8(
	const struct tn_plane *p, const tn_s8 *in, tn_s32 *sums)
{
	for (int32_t c = 0; p->y_begin == 0 && c < p->channels; c++)
		sums[c] = 0;
	for (int32_t y = p->y_begin; y < p->y_end; y++) {
		const tn_s8 *row = in + y % p->in_rows * p->width * p->channels;

		for (int32_t x = 0; x < p->width; x++, row += p->channels)
			for (int32_t c = 0; c < p->channels; c++)
				sums[c] = tn_wrap_add(sums[c], tn_load_s8(row, c));
	}
}

static inline void tn_plane_add_f32(
	const struct tn_plane *p, const tn_f32 *in, tn_f32 *sums)
{
	for (int32_t c = 0; p->y_begin == 0 && c < p->channels; c++)
		sums[c] = 0.0f;
	for (int32_t y = p->y_begin; y < p->y_end; y++) {
		const tn_f32 *row = in + y % p->in_rows * p->width * p->channels;

		for (int32_t x = 0; x < p->width; x++, row += p->channels)
			for (int32_t c = 0; c < p->channels; c++)
				sums[c] += tn_load_f32(row, c);
	}
}

#endif
