/* The kernel set for processors without DSP instructions: a call of a portable kernel, bound,
 * becomes a call of a kernel of the set where there is one. */
#ifndef TN_BIND_THUMB_H
#define TN_BIND_THUMB_H

#include "bind/dsp.h"

/* False, reported, on lack of memory only. */
bool tn_bind_thumb(struct tn_binder *b);

/* Its kernel for convolutions; the same. */
bool tn_bind_thumb_conv(struct tn_binder *b);

/* Words of a channel: constants, as in src/kernels/thumb/rescale.h, and with them the bytes of
 * nine weights, filled up. */
#define TN_THUMB_CONSTANTS 4
#define TN_THUMB_DEPTHWISE (TN_THUMB_CONSTANTS + 3)

/* Constants of all channels, whose weights follow each other; *out NULL when the kernels'
 * roundings are not those of one of them. False on lack of memory. */
bool tn_thumb_pack_constants(
	struct tn_binder *b, const struct tn_packing *p, uint32_t **out);

/* Constants and weights of each channel, column by column; the same. */
bool tn_thumb_pack_depthwise(
	struct tn_binder *b, const struct tn_packing *p, uint32_t **out);

#endif
