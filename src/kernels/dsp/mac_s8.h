/* The inner product of the convolutions: three pixels at a time against two channels at a
 * time, from expanded activations and packed weights.
 *
 * The strip holds the activations of three pixels as halfwords. Every four of them make a
 * block of six words: those of places 0 and 2 for each pixel, then those of places 1 and 3.
 * With TN_MAC_TWO it holds two pixels, in blocks of four words.
 *
 * The stream holds, for each pair of channels u and v:
 *   first part   the bias of u, and the bias of u + 256 times that of v (wrapping)
 *   each part    for each block two words: of places 0 and 2, then of places 1 and 3;
 *                a halfword is u + 256 v
 *   last part    for u, then for v: multiplier, constant, shift
 * Long windows come in parts: all pairs of the first, then all of the second; sums wait in
 * `sums`, six words for a pair.
 *
 * One multiplication adds both channels: T = sum of (u + 256 v) a, with the low bytes alone
 * L = sum of u a, and then 256 H = T - L without rounding, as long as H fits 24 bits. */
#ifndef TENURE_KERNELS_DSP_MAC_S8_H
#define TENURE_KERNELS_DSP_MAC_S8_H

#include "simd.h"

enum {
	TN_MAC_FIRST = 1, /* the stream starts the sums */
	TN_MAC_LAST = 2, /* the sums are complete: rescale and store */
	TN_MAC_FLOOR = 4, /* one rounding for the usual two: see rescale.h */
	TN_MAC_TWO = 8, /* the third pixel stands for a missing one: step_2 is 0 */
};

#define TN_MAC_PIXELS 3
#define TN_MAC_END    ((int32_t)INT32_MIN) /* in a shift: this pair is the last one */
#define TN_MAC_SINGLE (1 << 30) /* with it: and has no second channel */

struct tn_mac {
	int8_t *out; /* channel 0 of the first pixel; 0 .. 2 more pixels follow: */
	int32_t step_1, step_2; /* from each to the next, in bytes */
	const uint32_t *strip;
	const uint32_t *stream;
	uint32_t *sums;
	int32_t blocks; /* at least 1 */
	int32_t pairs;
	uint32_t flags;
};

/* Where the stream goes on. Two pixels that are one are computed twice; the first of them
 * is stored last. */
const uint32_t *tn_mac_s8(const struct tn_mac *m);

#endif
