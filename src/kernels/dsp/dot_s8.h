/* The inner product of fully connected layers: one row of activations against six channels
 * at a time, or two where no more than four are left.
 *
 * The first places of the row are read as they are, once for each group of channels; those
 * of the strip lie there as halfwords: of every four, those of places 0 and 2 in one word,
 * those of 1 and 3 in the next. The stream holds for each group of channels (pairs u and v,
 * as in mac_s8.h):
 *   for each pair, the bias of u, and the bias of u + 256 times that of v
 *   for each four places, of each pair the word of places 0 and 2, then of places 1 and 3
 *   for each channel, multiplier, constant, shift
 * A group has three pairs, or one when no more than four channels are left. */
#ifndef TENURE_KERNELS_DSP_DOT_S8_H
#define TENURE_KERNELS_DSP_DOT_S8_H

#include "simd.h"

#define TN_STRIP_PLACES 112 /* at most, of a row that need not be read first */

/* Offsets are known to the assembly. */
struct tn_dot {
	int8_t *out;
	int32_t channels; /* at least 1 */
	const tn_s8 *row;
	int32_t direct; /* blocks of four places that are read in the row */
	const uint32_t *strip;
	int32_t blocks; /* those that follow, in the strip; at least 1 */
	const uint32_t *stream;
	int32_t floor; /* one rounding, or two: see rescale.h */
};

void tn_dot_s8(const struct tn_dot *d);

#endif
