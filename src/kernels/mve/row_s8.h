/* The inner product of a fully connected layer: one row of activations against eight
 * channels at a time, and four at the end where an odd number of vectors is left; then all
 * sums are rescaled and stored. So the row is read before anything of its output is written.
 *
 * The row is `blocks` times sixteen bytes, filled up with anything. The stream holds for
 * eight channels (two vectors, layout.h): eight biases, and for each block sixteen weights
 * of each channel; the same for the last four; then the constants of all vectors. */
#ifndef TENURE_KERNELS_MVE_ROW_S8_H
#define TENURE_KERNELS_MVE_ROW_S8_H

#include "rescale.h"

/* Offsets are known to the assembly. */
struct tn_row {
	const tn_s8 *in;
	uint32_t *sums; /* one for each lane */
	const uint32_t *stream;
	int32_t vectors; /* of four channels, all */
	int32_t blocks; /* at least 1 */
	tn_s8 *out;
	int32_t groups, rest; /* whole groups of channels, and channels behind them */
	int32_t offset; /* the zero point, or TN_FLOOR_OFFSET */
	int32_t floor;
	int32_t skip, rounds; /* as tn_row_rounds sets them, by `blocks` */
};

/* The loop has eight blocks, of so many bytes each; its first round begins behind those that
 * are too many. An address of code is odd. */
static inline void tn_row_rounds(struct tn_row *r)
{
	r->skip = 68 * (int32_t)(-(uint32_t)r->blocks & 7) + 1;
	r->rounds = (int32_t)(((uint32_t)r->blocks + 7) / 8);
}

void tn_row_s8(const struct tn_row *r);

#endif
