/* The kernel set for processors with MVE, as bind/dsp.h for DSP. Where it has no kernel,
 * that set is tried. */
#ifndef TN_BIND_MVE_H
#define TN_BIND_MVE_H

#include "bind/dsp.h"
#include "contract/mve.h"

/* Replaces b->call, or leaves it. False on lack of memory. */
bool tn_bind_mve(struct tn_binder *b);

/* Do the rules of src/kernels/mve/rescale.h give what the portable kernel gives, for every
 * sum and every channel? */
bool tn_mve_rescales(const struct tn_packing *p);

/* The stream of tile_s8.h. p->rows and p->row are the window's rows and elements of a row,
 * `depth` the channels of an input pixel. *out NULL when there is none that is exact. False
 * on lack of memory. */
bool tn_mve_pack_tile(struct tn_binder *b, const struct tn_packing *p, int32_t depth,
	uint32_t **out, size_t *out_words);

/* What a kernel's parameters have as its offset. */
int32_t tn_mve_offset(const struct tn_packing *p);

/* All parameters of a convolution but the order. */
void tn_mve_conv_set(struct tn_mve_conv_params *out, const struct tn_geometry *g,
	const struct tn_mve_conv *conv, const struct tn_packing *p);

/* The streams of row_s8.h, of TN_ROW_CHANNELS channels each, one after the other; the same. */
bool tn_mve_pack_rows(struct tn_binder *b, const struct tn_packing *p, uint32_t **out,
	size_t *out_words);

/* The stream of depth_s8.h, and constants; the same. */
bool tn_mve_pack_depthwise(struct tn_binder *b, const struct tn_packing *p,
	uint32_t **out, size_t *out_words);

#endif
