/* A depthwise 3x3 window over a stretch of one row of outputs, from pairs of activations and
 * packed weights, four channels at a time.
 *
 * The strip holds, for each column of the window's three input rows, for each of the four
 * channels two words: V, the first row's activation and the second's; P, the third row's
 * at the column before and at this one. So an output takes five multiplications: V of its
 * three columns, P of the second, and the upper half of P of the third. Columns outside the
 * image are the caller's, and stay; the others are filled anew for each four channels.
 *
 * The stream holds eight words a channel: weights for V of the three columns; for P; the last
 * weight in the upper half and the shift in the lowest byte; bias, multiplier, constant.
 * Weights and bias come scaled as rescale.h asks for.
 *
 * Results are bytes of cells, one word for each output: channel c is byte c. */
#ifndef TENURE_KERNELS_DSP_DEPTHWISE_S8_H
#define TENURE_KERNELS_DSP_DEPTHWISE_S8_H

#include "simd.h"

#define TN_COLUMN_WORDS	 8 /* of a strip */
#define TN_CHANNEL_WORDS 8 /* of a stream */

struct tn_depthwise {
	uint32_t *columns; /* in the strip: those inside the image */
	const tn_s8 *top; /* the first of them, channel 0 */
	int32_t middle, bottom; /* bytes from top to the other two rows */
	int32_t step; /* bytes from column to column */
	int32_t n_columns; /* inside the image, at least 1 */
	uint32_t zero; /* four times what lies outside */
	const uint32_t *strip;
	uint8_t *cells;
	const uint32_t *stream;
	int32_t n; /* outputs, at least 1 */
	int32_t stride; /* 1 or 2 */
	int32_t floor; /* one rounding, or two */
	int32_t groups; /* of four channels */
	int32_t room; /* bytes of cells for each of them */
	int32_t outside; /* rows that are: 1 the top, 2 the bottom */
};

void tn_depthwise_s8(const struct tn_depthwise *d);

#endif
