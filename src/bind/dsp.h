/* The kernel set for processors with DSP instructions: a call of a portable kernel, bound,
 * becomes a call of a packed one where there is one that gives the same bytes for every
 * input. */
#ifndef TN_BIND_DSP_H
#define TN_BIND_DSP_H

#include "bind/binder.h"

/* Replaces b->call, or leaves it. False on lack of memory. */
bool tn_bind_dsp(struct tn_binder *b);

/* That of a depthwise convolution with a window of 3x3 alone. */
bool tn_bind_dsp_depthwise_3x3(struct tn_binder *b);

/* One channel's way from its sum to its output. */
struct tn_rescaling {
	int32_t multiplier, shift, zero_point; /* of the portable kernel */
	int64_t least, most; /* of the sum, bias included */
};

/* Constants of src/kernels/dsp/rescale.h for a sum that comes with `bits` fractional bits
 * (floor) or doubled (not floor). False when they would not give what the portable kernel
 * gives for every sum. */
bool tn_rescale_pack(const struct tn_rescaling *r, bool floor, int bits, int32_t out[3]);

/* Results below the zero point are cut off, those outside int8 as well, and nothing else:
 * one rounding will do. */
bool tn_rescale_has_floor(int32_t zero_point, int32_t act_min, int32_t act_max);

/* The weights of a layer. */
struct tn_packing {
	const int8_t *weights; /* channel by channel, each `rows` times `row` of them;
	                          depthwise: nine times all channels */
	const void *bias; /* int32, or NULL */
	int32_t channels, rows, row; /* row: not filled up */
	int32_t in_offset, zero_point;
	const int32_t *multiplier; /* by channel */
	const int8_t *shift;
	uint32_t n_scales; /* 1: one for all channels */
	bool floor;
	int32_t part_rows; /* see src/kernels/dsp/mac_s8.h */
};

/* Of a channel's n weights, `step` apart from w on. */
struct tn_channel {
	int64_t bias; /* with the input's zero point folded in */
	struct tn_rescaling rescaling;
};
struct tn_channel tn_packing_channel(
	const struct tn_packing *p, int32_t c, const int8_t *w, int64_t n, int64_t step);

/* Starts a call of a packed kernel in the place of the portable one, whose parameters and
 * operands stay where they are. */
void *tn_packed_replace(
	struct tn_binder *b, enum tn_kernel_id kernel, uint32_t n_in, uint32_t n_out);

/* Constants of a packed kernel. */
void tn_packed_give(struct tn_binder *b, uint32_t slot, const void *data, size_t n);

/* The kernel for any window with one output of each channel, which has the operands and
 * parameters of the portable one, when that still is the call's. */
void tn_packed_any_depthwise(struct tn_binder *b, enum tn_kernel_id kernel);

/* The kernel for a product with the operands and parameters of the portable one, when its
 * results take the whole range. */
void tn_packed_product(struct tn_binder *b, enum tn_kernel_id kernel);

/* The kernel for a table; the second one when the table only cuts off at both ends. */
void tn_packed_table(
	struct tn_binder *b, enum tn_kernel_id kernel, enum tn_kernel_id clamp);

/* The first pooling kernel instead of the portable one where windows have at most so many
 * taps, the second one where they have more, at most 2,048; all are dense, none is empty. */
bool tn_packed_pool(struct tn_binder *b, enum tn_kernel_id kernel, int64_t taps,
	enum tn_kernel_id other);

/* Is all of int8 a result? */
bool tn_packed_full_range(int32_t act_min, int32_t act_max);

/* What the convolutions pack (of so many weights), and a fully connected layer. False: it
 * cannot be packed. */
bool tn_packing_of_window(const struct tn_binder *b, const struct tn_conv_params *c,
	int64_t weights, struct tn_packing *out);
bool tn_packing_of_rows(
	const struct tn_binder *b, const struct tn_fc_params *c, struct tn_packing *out);

/* The stream of mac_s8.h; *out NULL when there is none that is exact. False on lack of
 * memory. */
bool tn_dsp_pack_pairs(struct tn_binder *b, const struct tn_packing *p, uint32_t **out,
	size_t *out_words);

/* The stream of dot_s8.h; the same. */
bool tn_dsp_pack_sixes(struct tn_binder *b, const struct tn_packing *p, uint32_t **out,
	size_t *out_words);

/* The one linear function (TN_DSP_ADD_BITS fractional bits) that is, saturated, the sum of
 * tn_add_s8 for all 65,536 pairs of values; `expected` has them, b fastest, from -128 on.
 * a_ratio and b_ratio: what a step of each adds to the output. False: none was found. */
struct tn_dsp_sum {
	int32_t a_factor, b_factor, constant;
};
bool tn_dsp_sum_of(
	const int8_t *expected, double a_ratio, double b_ratio, struct tn_dsp_sum *out);

/* The stream of depthwise_s8.h; the same. */
bool tn_dsp_pack_depthwise(struct tn_binder *b, const struct tn_packing *p,
	uint32_t **out, size_t *out_words);

#endif
