/* The inner product of fully connected layers: one row of activations against four channels
 * at a time, or two at the end.
 *
 * The strip holds the row as halfwords: of every four, those of places 0 and 2 in one word,
 * those of 1 and 3 in the next. The stream holds for each group of channels (pairs u and v,
 * as in mac_s8.h):
 *   for each pair, the bias of u, and the bias of u + 256 times that of v
 *   for each four places, of each pair the word of places 0 and 2, then of places 1 and 3
 *   for each channel, multiplier, constant, shift
 * A group has two pairs, the last one a single pair when no more than two channels are left. */
#ifndef TENURE_KERNELS_DSP_DOT_S8_H
#define TENURE_KERNELS_DSP_DOT_S8_H

#include "simd.h"

struct tn_dot {
	int8_t *out;
	int32_t channels; /* at least 1 */
	const uint32_t *strip;
	const uint32_t *stream;
	int32_t blocks; /* of four places, at least 1 */
	int32_t floor; /* one rounding, or two: see rescale.h */
};

void tn_dot_s8(const struct tn_dot *d);

#endif
