/* The sums of a depthwise 3x3 window: two outputs of a row, sixteen channels at a time. The
 * bytes of a tap for sixteen channels are a plane. Four planes at a time are transposed, so
 * that each channel has its twelve or fifteen taps, column by column, in four words, and one
 * gathered load brings them; the weights of both outputs are one record, read at two places.
 *
 * The stream holds for each group of sixteen channels, in the order of layout.h: biases,
 * and records of 24 bytes: six zeros, nine weights (column by column), zeros. */
#ifndef TENURE_KERNELS_MVE_DEPTH_S8_H
#define TENURE_KERNELS_MVE_DEPTH_S8_H

#include "rescale.h"

/* Offsets are known to the assembly. */
struct tn_depth {
	const tn_s8
		*plane[16]; /* all move on; those that are not used must be readable */
	uint32_t *sums; /* as a tile's */
	const uint32_t *stream;
	uint8_t *room; /* 256 bytes */
	int32_t sets; /* of four planes: 3 or 4 */
	int32_t second; /* 64 + where in a record the second output reads: 3 or 0 */
	int32_t groups; /* ends as 0 */
};

void tn_depth_s8(struct tn_depth *d);

#endif
