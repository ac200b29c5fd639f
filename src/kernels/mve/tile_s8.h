/* The inner product of the convolutions: two pixels at a time against four channels at a
 * time, sixteen products in one instruction; then the sums of all channels of the two are
 * rescaled and stored. So all that two pixels read is read before any of them is written.
 *
 * A window is `blocks` times sixteen bytes in a row, filled up with anything: weights are
 * zeros there. The stream holds for each vector of four channels (layout.h): four biases,
 * and for each block sixteen weights of each channel; behind the last vector the constants
 * of all. With no vectors the sums of one pair are there already, and the stream has constants
 * only. Of a convolution with more than 64 channels each 64 have a stream of their own, one
 * behind the other.
 * Sums: for each vector those of the first pixel, then those of the second. */
#ifndef TENURE_KERNELS_MVE_TILE_S8_H
#define TENURE_KERNELS_MVE_TILE_S8_H

#include "rescale.h"
#include "tenure/kernels.h"

/* Offsets are known to the assembly. */
struct tn_tile {
	const tn_s8 *a, *b; /* windows of the two pixels; both move on */
	uintptr_t entry, leave; /* set by the function */
	const uint32_t *stream;
	uint32_t *sums;
	struct tn_mve_tile layer; /* its offset: the zero point, or TN_FLOOR_OFFSET */
	tn_s8 *out_a, *out_b; /* channel 0; both move on */
	int32_t pairs; /* of pixels, at least 1, and 1 with no vectors; ends as 0 */
	uint32_t *sums_end; /* set by the function */
	int32_t bytes; /* the same: of a vector in the stream */
};

void tn_tile_s8(struct tn_tile *t);

#endif
