/* The order in which packed constants lie, for those who pack and those who read.
 *
 * Sixteen channels make a group of four vectors, ordered so that narrowing twice puts them
 * in order: 0 4 8 12, 2 6 10 14, 1 5 9 13, 3 7 11 15. Channels behind the groups come in
 * fours, in order. Constants of a vector: four multipliers, four shifts (0 or negative). */
#ifndef TENURE_KERNELS_MVE_LAYOUT_H
#define TENURE_KERNELS_MVE_LAYOUT_H

#include <stdint.h>

#define TN_BLOCK	  16 /* products of one instruction */
#define TN_VECTOR	  4
#define TN_VECTOR_WORDS	  8 /* of constants */
#define TN_GROUP	  16
#define TN_GROUP_VECTORS  4
#define TN_CONSTANT_WORDS 32 /* of a group */
#define TN_DEPTH_WORDS	  112 /* of a group: depth_s8.h */
#define TN_PART_CHANNELS  64 /* of a convolution at a time */
#define TN_DEPTH_GROUPS	  8 /* of a depthwise layer at a time */
#define TN_DEPTH_CHANNELS 128
#define TN_ROW_CHANNELS	  48 /* of a fully connected layer at a time */

/* The byte that is added to an output that is rounded once: its zero point is -128. */
#define TN_FLOOR_OFFSET 0x80

/* Of a whole part of a convolution with so many blocks, in the stream. */
#define TN_PART_WORDS(blocks)                                                            \
	(TN_PART_CHANNELS / TN_VECTOR *                                                  \
		(TN_VECTOR + TN_VECTOR_WORDS + TN_BLOCK * (blocks)))

/* The channel of lane `lane` of a vector, when the layer has `groups` whole groups. */
static inline int32_t tn_lane_channel(int32_t vector, int32_t lane, int32_t groups)
{
	int32_t group = vector / TN_GROUP_VECTORS, place = vector % TN_GROUP_VECTORS;

	if (group >= groups)
		return TN_VECTOR * vector + lane;
	return TN_GROUP * group + TN_VECTOR * lane + (place >> 1) + 2 * (place & 1);
}

#endif
