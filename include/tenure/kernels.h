/* The freestanding runtime: what an emitted model calls. C99, no heap, no libc beyond
 * memcpy and memset, no writable static data.
 *
 * Every kernel has one signature. `params` points to the kernel's parameter struct below,
 * `in` and `out` list the operands in the order that the kernel's comment names (a NULL
 * is an optional operand that is absent), `scratch` is memory that is the kernel's while
 * it runs (NULL when it needs none; 16-byte aligned).
 *
 * Operands may overlap where the plan proved it. So no kernel uses restrict, and loads
 * and stores of wider types go through the may_alias types of src/kernels/ref/access.h.
 *
 * Every parameter struct starts with `struct tn_loop_order`: which variant of the loop runs.
 * The order of loads and stores that each variant keeps is a contract
 * (src/contract/contract.h); changing it means changing the contract. */
#ifndef TENURE_KERNELS_H
#define TENURE_KERNELS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void tn_kernel_fn(
	const void *params, const void *const *in, void *const *out, void *scratch);

struct tn_loop_order {
	uint8_t descending; /* last step first */
	uint8_t hold; /* 0: write each element at once; 1: gather the channels of a
	                       pixel (or a row) in scratch, then write them together;
	                       windows: 2: keep a ring of pixels in scratch, 3: go
	                       channel by channel with a ring of elements */
};

#define TN_DIMS_MAX 8

/* A window that slides over NHWC. Row y of a tensor lies at row y % rows of its memory, so
 * that a ring of rows works as well as a whole tensor (rows = height). */
struct tn_geometry {
	int32_t batches, in_h, in_w, in_c, out_h, out_w, out_c;
	int32_t k_h, k_w, stride_h, stride_w, dilation_h, dilation_w;
	int32_t pad_top, pad_left;
	int32_t y_begin, y_end; /* output rows to compute, half-open */
	int32_t in_rows, out_rows; /* rows that the memory of each tensor holds */
	int32_t held; /* pixels that scratch holds (hold 3: of one channel); 1 if one */
};

/* Two operands read at the output's shape: strides in elements, 0 where one repeats. */
struct tn_broadcast {
	int32_t rank; /* at least 1 */
	int32_t dim[TN_DIMS_MAX];
	int32_t stride_a[TN_DIMS_MAX];
	int32_t stride_b[TN_DIMS_MAX];
};

/* tn_conv_2d_s8, tn_depthwise_conv_2d_s8. in: input, filter (OHWI; 1HWO for depthwise),
 * bias (s32) or NULL. Scratch with hold: out_c bytes.
 * tn_conv_2d_s16, tn_depthwise_conv_2d_s16: s16, filter s8, bias s64; tn_conv_2d_s16_b32:
 * bias s32 and sums of 32 bits. Scratch: 2 * out_c bytes. */
struct tn_conv_params {
	struct tn_loop_order order;
	struct tn_geometry g;
	int32_t groups; /* conv: channel groups; depthwise: outputs of an input channel */
	int32_t in_offset, out_offset, act_min, act_max;
	uint32_t n_channels; /* out_c */
	const int32_t *multiplier; /* of each output channel */
	const int8_t *shift;
};
tn_kernel_fn tn_conv_2d_s8, tn_depthwise_conv_2d_s8;
tn_kernel_fn tn_conv_2d_s16, tn_conv_2d_s16_b32, tn_depthwise_conv_2d_s16;
tn_kernel_fn tn_transpose_conv_s8, tn_transpose_conv_s16;

/* tn_conv_2d_f32, tn_depthwise_conv_2d_f32 (operands as above, all f32; scratch 4 * out_c
 * bytes), tn_average_pool_2d_f32, tn_max_pool_2d_f32. */
struct tn_window_f32_params {
	struct tn_loop_order order;
	struct tn_geometry g;
	int32_t groups;
	float act_min, act_max;
};
tn_kernel_fn tn_conv_2d_f32, tn_transpose_conv_f32;
tn_kernel_fn tn_depthwise_conv_2d_f32;
tn_kernel_fn tn_average_pool_2d_f32;
tn_kernel_fn tn_max_pool_2d_f32, tn_l2_pool_2d_f32;

/* tn_average_pool_2d_s8, tn_max_pool_2d_s8 and the same in s16. in: input. */
struct tn_pool_params {
	struct tn_loop_order order;
	struct tn_geometry g;
	int32_t act_min, act_max;
};
tn_kernel_fn tn_average_pool_2d_s8, tn_max_pool_2d_s8;
tn_kernel_fn tn_average_pool_2d_s16, tn_max_pool_2d_s16;

/* Averages, sums and means over whole planes, some rows at a time: rows [y_begin, y_end) of
 * the input are added up in scratch, 4 * channels bytes that last from the first row to the
 * last one; with that one the output is written. Row y lies at row y % in_rows. */
struct tn_plane {
	int32_t height, width, channels;
	int32_t y_begin, y_end;
	int32_t in_rows;
};

/* tn_average_rows_s8, as tn_average_pool_2d_s8; tn_sum_rows_s8, as tn_sum_s8; the same in
 * f32. in: input. */
struct tn_average_rows_params {
	struct tn_loop_order order;
	struct tn_plane plane;
	int32_t act_min, act_max;
};
struct tn_sum_rows_params {
	struct tn_loop_order order;
	struct tn_plane plane;
	int32_t in_bias, multiplier, shift;
	int32_t out_offset, out_min, out_max;
};
struct tn_average_rows_f32_params {
	struct tn_loop_order order;
	struct tn_plane plane;
	float act_min, act_max;
};
struct tn_sum_rows_f32_params {
	struct tn_loop_order order;
	struct tn_plane plane;
	float divisor;
};
tn_kernel_fn tn_average_rows_s8, tn_sum_rows_s8, tn_average_rows_f32, tn_sum_rows_f32;

/* tn_fully_connected_s8. in: input [rows, in_n], filter [out_n, in_n], bias (s32) or NULL.
 * Scratch with hold: out_n bytes. tn_fully_connected_s16 and _s16_b32 as for convolutions. */
struct tn_fc_params {
	struct tn_loop_order order;
	int32_t rows, in_n, out_n;
	int32_t in_offset, w_offset, out_offset, act_min, act_max;
	uint32_t n_scales; /* 1, or out_n */
	const int32_t *multiplier;
	const int8_t *shift;
};
tn_kernel_fn tn_fully_connected_s8, tn_fully_connected_s16, tn_fully_connected_s16_b32;

/* tn_fully_connected_f32: the same in f32; scratch with hold: 4 * out_n bytes. */
struct tn_fc_f32_params {
	struct tn_loop_order order;
	int32_t rows, in_n, out_n;
	float act_min, act_max;
};
tn_kernel_fn tn_fully_connected_f32;

/* tn_add_s8, tn_sub_s8, tn_squared_difference_s8 and the same in s16. in: a, b. Both are
 * brought to a common scale, `left_shift` bits up. */
struct tn_add_params {
	struct tn_loop_order order;
	struct tn_broadcast shape;
	int32_t left_shift;
	int32_t a_offset, a_multiplier, a_shift;
	int32_t b_offset, b_multiplier, b_shift;
	int32_t out_offset, out_multiplier, out_shift;
	int32_t act_min, act_max;
};
tn_kernel_fn tn_add_s8, tn_sub_s8, tn_squared_difference_s8;
tn_kernel_fn tn_add_s16, tn_sub_s16, tn_squared_difference_s16;

/* tn_mul_s8, tn_mul_s16, tn_div_s8. in: a, b. */
struct tn_mul_params {
	struct tn_loop_order order;
	struct tn_broadcast shape;
	int32_t a_offset, b_offset;
	int32_t out_offset, out_multiplier, out_shift;
	int32_t act_min, act_max;
};
tn_kernel_fn tn_mul_s8, tn_mul_s16, tn_div_s8;

/* tn_add_f32 and so on. in: a, b. */
struct tn_binary_f32_params {
	struct tn_loop_order order;
	struct tn_broadcast shape;
	float act_min, act_max;
};
tn_kernel_fn tn_add_f32, tn_sub_f32, tn_mul_f32, tn_div_f32;

/* tn_lut_s8: out[i] = table[in[i] + 128]. */
struct tn_lut_params {
	struct tn_loop_order order;
	int32_t n;
	uint32_t n_table; /* 256 */
	const int8_t *table;
};
tn_kernel_fn tn_lut_s8;

/* tn_clamp_f32 (RELU and relatives). max < min: no upper bound. */
struct tn_clamp_f32_params {
	struct tn_loop_order order;
	int32_t n;
	float min, max;
};
tn_kernel_fn tn_clamp_f32;

/* tn_fake_quant_f32: clamped, and rounded to the steps of an integer type that has
 * `scale`; `per_scale` is 1 over it. */
struct tn_fake_quant_f32_params {
	struct tn_loop_order order;
	int32_t n;
	float min, max, scale, per_scale;
};
tn_kernel_fn tn_fake_quant_f32;

/* Functions of one f32 element; tn_logical_not: of one boolean, tn_abs_s16: of one
 * s16. */
struct tn_unary_params {
	struct tn_loop_order order;
	int32_t n;
};
tn_kernel_fn tn_logistic_f32, tn_tanh_f32, tn_exp_f32, tn_log_f32, tn_sin_f32, tn_cos_f32;
tn_kernel_fn tn_sqrt_f32, tn_rsqrt_f32, tn_square_f32, tn_abs_f32, tn_neg_f32;
tn_kernel_fn tn_floor_f32, tn_ceil_f32, tn_round_f32, tn_elu_f32;
tn_kernel_fn tn_hard_swish_f32, tn_logical_not, tn_abs_s16;

/* tn_copy: the same bytes elsewhere. tn_fill: n times the one element in[0]. */
struct tn_copy_params {
	struct tn_loop_order order;
	int32_t n; /* elements */
	int32_t size; /* bytes of one: 1, 2, 4, 8 */
};
tn_kernel_fn tn_copy, tn_fill;

/* tn_softmax_s8, tn_softmax_s8_s16: exp_table[d] is exp of a difference -d to the row's greatest element,
 * fixed point with 31 fractional bits. */
struct tn_softmax_s8_params {
	struct tn_loop_order order;
	int32_t rows, n;
	uint32_t n_table; /* 256 */
	const int32_t *exp_table;
};
tn_kernel_fn tn_softmax_s8, tn_softmax_s8_s16;

/* tn_softmax_f32; tn_log_softmax_f32 (without beta). */
struct tn_softmax_f32_params {
	struct tn_loop_order order;
	int32_t rows, n;
	float beta;
};
tn_kernel_fn tn_softmax_f32, tn_log_softmax_f32;

/* Which elements are folded into one: the output's dimensions, then the folded ones, with
 * strides in the input (elements). */
struct tn_fold {
	int32_t out_rank; /* at least 1 */
	int32_t out_dim[TN_DIMS_MAX];
	int32_t out_stride[TN_DIMS_MAX];
	int32_t fold_rank; /* at least 1 */
	int32_t fold_dim[TN_DIMS_MAX];
	int32_t fold_stride[TN_DIMS_MAX];
};

/* tn_sum_s8, tn_sum_s16: sums and means. in_bias is the zero point times the number of
 * folded elements. */
struct tn_sum_params {
	struct tn_loop_order order;
	struct tn_fold fold;
	int32_t in_bias, multiplier, shift;
	int32_t out_offset, out_min, out_max;
};
tn_kernel_fn tn_sum_s8, tn_sum_s16;

/* tn_sum_f32: the divisor of a sum is 1. */
struct tn_sum_f32_params {
	struct tn_loop_order order;
	struct tn_fold fold;
	float divisor;
};
tn_kernel_fn tn_sum_f32;

/* tn_reduce_max_int and tn_reduce_min_int (size 1, 2, 4), the same in f32, and of booleans
 * tn_reduce_all and tn_reduce_any. */
struct tn_fold_params {
	struct tn_loop_order order;
	struct tn_fold fold;
	int32_t size; /* bytes of an element */
};
tn_kernel_fn tn_reduce_max_int, tn_reduce_min_int, tn_reduce_max_f32, tn_reduce_min_f32;
tn_kernel_fn tn_reduce_all, tn_reduce_any;

/* tn_pad: output dimensions, and where the input lies in them. */
struct tn_pad_params {
	struct tn_loop_order order;
	int32_t rank; /* at least 1 */
	int32_t out_dim[TN_DIMS_MAX];
	int32_t before[TN_DIMS_MAX];
	int32_t in_dim[TN_DIMS_MAX];
	int32_t size; /* bytes of an element: 1, 2, 4, 8 */
	uint32_t fill; /* the element's bits; 8-byte elements: 0 only */
};
tn_kernel_fn tn_pad;

/* tn_strided: output element [i0, i1, ...] is input element base + sum of i * stride
 * (TRANSPOSE, SLICE, BROADCAST_TO and relatives). */
struct tn_strided_params {
	struct tn_loop_order order;
	int32_t rank; /* at least 1 */
	int32_t dim[TN_DIMS_MAX];
	int32_t stride[TN_DIMS_MAX];
	int32_t base;
	int32_t size; /* bytes of an element: 1, 2, 4, 8 */
};
tn_kernel_fn tn_strided;

/* tn_mapped: output element [i0, i1, ...] is a run of `run` input elements that starts at
 * table_0[i0] + table_1[i1] + ...; the tables follow each other (MIRROR_PAD,
 * RESIZE_NEAREST_NEIGHBOR). */
struct tn_mapped_params {
	struct tn_loop_order order;
	int32_t rank; /* at least 1 */
	int32_t dim[TN_DIMS_MAX];
	int32_t run; /* elements */
	int32_t size; /* bytes of an element: 1, 2, 4, 8 */
	uint32_t n_table; /* sum of the dimensions */
	const int32_t *table;
};
tn_kernel_fn tn_mapped;

/* tn_concat: in: n_runs tensors; the output is `outer` times one run of each.
 * tn_split: the same the other way round, in: one tensor, out: n_runs. */
struct tn_chunks_params {
	struct tn_loop_order order;
	int32_t outer;
	int32_t size; /* bytes of an element: 1, 2, 4, 8 */
	uint32_t n_runs;
	const int32_t *run; /* elements, by operand */
};
tn_kernel_fn tn_concat, tn_split;

/* Types of elements, where a kernel takes several. */
enum { TN_S8, TN_U8, TN_S16, TN_S32, TN_S64, TN_F32, TN_BOOL };

/* tn_quantize_f32. */
struct tn_quantize_f32_params {
	struct tn_loop_order order;
	int32_t n;
	int32_t type; /* of the output: TN_S8, TN_U8, TN_S16 */
	float scale;
	int32_t out_offset, out_min, out_max;
};
tn_kernel_fn tn_quantize_f32;

/* tn_dequantize. */
struct tn_dequantize_params {
	struct tn_loop_order order;
	int32_t n;
	int32_t type; /* of the input: TN_S8, TN_U8, TN_S16 */
	float scale;
	int32_t in_offset;
};
tn_kernel_fn tn_dequantize;

/* tn_requantize_int; tn_abs_q16 (s16 to s16). */
struct tn_requantize_params {
	struct tn_loop_order order;
	int32_t n;
	int32_t from, to; /* types: integers of up to 32 bits */
	int32_t in_offset, multiplier, shift;
	int32_t out_offset, out_min, out_max;
};
tn_kernel_fn tn_requantize_int, tn_abs_q16;

/* tn_cast. */
struct tn_cast_params {
	struct tn_loop_order order;
	int32_t n;
	int32_t from, to; /* types */
};
tn_kernel_fn tn_cast;

/* tn_leaky_relu_f32. */
struct tn_leaky_relu_f32_params {
	struct tn_loop_order order;
	int32_t n;
	float alpha;
};
tn_kernel_fn tn_leaky_relu_f32;

/* tn_leaky_relu_s16. */
struct tn_leaky_relu_params {
	struct tn_loop_order order;
	int32_t n;
	int32_t in_offset;
	int32_t multiplier, shift; /* for x >= 0 */
	int32_t negative_multiplier, negative_shift;
	int32_t out_offset;
};
tn_kernel_fn tn_leaky_relu_s16;

/* tn_logistic_s16, tn_tanh_s16: the curve's points are unsigned, 16 fractional bits. */
struct tn_curve_s16_params {
	struct tn_loop_order order;
	int32_t n;
	int32_t multiplier, shift; /* to 1/24 of a point's 512th (256th) part */
	uint32_t n_table; /* 256 */
	const int16_t *table;
};
tn_kernel_fn tn_logistic_s16, tn_tanh_s16;

/* tn_softmax_s16: tables of 512 steps and the end of the last. */
struct tn_softmax_s16_params {
	struct tn_loop_order order;
	int32_t rows, n;
	int32_t multiplier, shift; /* of differences, to 10 / 65535 */
	uint32_t n_table; /* 513 */
	const int16_t *exp_table; /* exp(x), x in [-10, 0] */
	const int16_t *reciprocal_table; /* 1 / (1 + x), x in [0, 1] */
};
tn_kernel_fn tn_softmax_s16;

/* tn_log_softmax_s8: exp_table as for tn_softmax_s8. */
struct tn_log_softmax_s8_params {
	struct tn_loop_order order;
	int32_t rows, n;
	int32_t multiplier, shift; /* of differences, to 5 integer bits */
	int32_t reverse_multiplier, reverse_shift; /* back */
	int32_t diff_min; /* differences below it count as infinite */
	uint32_t n_table; /* 256 */
	const int32_t *exp_table;
};
tn_kernel_fn tn_log_softmax_s8;

/* tn_l2_norm_f32, tn_l2_norm_s8. */
struct tn_rows_params {
	struct tn_loop_order order;
	int32_t rows, n;
	int32_t in_offset;
};
tn_kernel_fn tn_l2_norm_f32, tn_l2_norm_s8;

/* tn_batch_norm_f32. in: outer x channels x inner elements; of each channel the mean, the
 * scale by the deviation, the offset (constants). */
struct tn_batch_norm_f32_params {
	struct tn_loop_order order;
	int32_t outer, channels, inner;
};
tn_kernel_fn tn_batch_norm_f32;

/* tn_layer_norm_f32. in: rows of n elements; a scale and an offset for each element of a
 * row (constants), or NULL. out: the rows; with facts > 0 the mean of each, with facts > 1
 * also 1 / its deviation. */
struct tn_layer_norm_f32_params {
	struct tn_loop_order order;
	int32_t rows, n;
	int32_t facts;
	float epsilon;
};
tn_kernel_fn tn_layer_norm_f32;

/* tn_arg_f32, tn_arg_int: along the middle of outer x n x inner; out: s32. */
struct tn_arg_params {
	struct tn_loop_order order;
	int32_t outer, n, inner;
	int32_t least; /* 1: ARG_MIN */
	int32_t type; /* of the input: an integer of up to 32 bits */
};
tn_kernel_fn tn_arg_f32, tn_arg_int;

/* tn_cumsum_f32 (without the scales), tn_cumsum_s8: along the middle of outer x n x
 * inner. */
struct tn_cumsum_params {
	struct tn_loop_order order;
	int32_t outer, n, inner;
	int32_t exclusive, reverse;
	int32_t left_shift, in_offset, in_multiplier, in_shift;
	int32_t out_offset, out_multiplier, out_shift;
};
tn_kernel_fn tn_cumsum_f32, tn_cumsum_s8;

/* Two operands of one type, no constants; tn_minimum_int and tn_maximum_int read integers
 * of 1, 2 or 4 bytes. */
struct tn_binary_params {
	struct tn_loop_order order;
	struct tn_broadcast shape;
	int32_t size; /* bytes of an element */
};
tn_kernel_fn tn_minimum_f32, tn_maximum_f32, tn_prelu_f32, tn_squared_difference_f32;
tn_kernel_fn tn_floor_div_f32, tn_floor_mod_f32;
tn_kernel_fn tn_minimum_int, tn_maximum_int, tn_logical_and, tn_logical_or;

/* tn_add_s32, tn_sub_s32, tn_mul_s32, tn_div_s32. */
struct tn_binary_s32_params {
	struct tn_loop_order order;
	struct tn_broadcast shape;
	int32_t act_min, act_max;
};
tn_kernel_fn tn_add_s32, tn_sub_s32, tn_mul_s32, tn_div_s32;

/* tn_prelu_s8, tn_prelu_s16. in: x, alpha (s8). */
struct tn_prelu_params {
	struct tn_loop_order order;
	struct tn_broadcast shape;
	int32_t a_offset, b_offset;
	int32_t multiplier, shift; /* for x >= 0 */
	int32_t negative_multiplier, negative_shift; /* for the product */
	int32_t out_offset, out_min, out_max;
};
tn_kernel_fn tn_prelu_s8, tn_prelu_s16;

enum { TN_EQUAL, TN_NOT_EQUAL, TN_GREATER, TN_GREATER_EQUAL, TN_LESS, TN_LESS_EQUAL };

/* tn_compare_f32, tn_compare_int (size 1, 2, 4, 8). out: booleans. */
struct tn_compare_params {
	struct tn_loop_order order;
	struct tn_broadcast shape;
	int32_t relation;
	int32_t size; /* bytes of an operand's element */
};
tn_kernel_fn tn_compare_f32, tn_compare_int;

/* tn_compare_s8: of quantised operands. */
struct tn_compare_s8_params {
	struct tn_loop_order order;
	struct tn_broadcast shape;
	int32_t relation;
	int32_t a_offset, a_multiplier, a_shift;
	int32_t b_offset, b_multiplier, b_shift;
};
tn_kernel_fn tn_compare_s8;

/* tn_select. in: condition (booleans), a, b. */
struct tn_select_params {
	struct tn_loop_order order;
	int32_t rank; /* at least 1 */
	int32_t dim[TN_DIMS_MAX];
	int32_t stride_c[TN_DIMS_MAX];
	int32_t stride_a[TN_DIMS_MAX];
	int32_t stride_b[TN_DIMS_MAX];
	int32_t size; /* bytes of an element: 1, 2, 4, 8 */
};
tn_kernel_fn tn_select;

/* tn_add_n_f32. in: `operands` tensors. */
struct tn_add_n_f32_params {
	struct tn_loop_order order;
	int32_t n, operands;
};
tn_kernel_fn tn_add_n_f32;

/* tn_add_n_s8: all inputs are quantised alike. */
struct tn_add_n_s8_params {
	struct tn_loop_order order;
	int32_t n, operands;
	int32_t left_shift, in_offset, in_multiplier, in_shift;
	int32_t out_offset, out_multiplier, out_shift;
};
tn_kernel_fn tn_add_n_s8;

/* tn_resize_bilinear_s8: scales have 10 fractional bits. */
struct tn_resize_params {
	struct tn_loop_order order;
	int32_t batches, in_h, in_w, out_h, out_w, depth;
	int32_t half_pixel;
	int32_t scale_y, scale_x;
};
tn_kernel_fn tn_resize_bilinear_s8;

/* tn_resize_bilinear_f32. */
struct tn_resize_f32_params {
	struct tn_loop_order order;
	int32_t batches, in_h, in_w, out_h, out_w, depth;
	int32_t half_pixel;
	float scale_y, scale_x;
};
tn_kernel_fn tn_resize_bilinear_f32;

/* tn_gather. in: [batches, outer, n, inner] elements, [batches, indices] s32. */
struct tn_gather_params {
	struct tn_loop_order order;
	int32_t batches, outer, indices, n, inner;
	int32_t size; /* bytes of an element: 1, 2, 4, 8 */
};
tn_kernel_fn tn_gather;

/* tn_gather_nd. in: elements, [tuples, rank] s32. */
struct tn_gather_nd_params {
	struct tn_loop_order order;
	int32_t tuples, rank;
	int32_t dim[TN_DIMS_MAX];
	int32_t stride[TN_DIMS_MAX];
	int32_t inner; /* elements of a run */
	int32_t size; /* bytes of an element: 1, 2, 4, 8 */
};
tn_kernel_fn tn_gather_nd;

/* tn_embedding_s8_f32. in: [n, inner] s8, [indices] s32. */
struct tn_embedding_params {
	struct tn_loop_order order;
	int32_t indices, n, inner;
	float scale;
};
tn_kernel_fn tn_embedding_s8_f32;

/* Matrices that the batch dimensions choose; strides in elements. */
struct tn_matmul {
	struct tn_broadcast batch;
	int32_t rows, columns, depth;
	int32_t a_row, a_step; /* to the next row, along the depth */
	int32_t b_column, b_step;
};

/* tn_matmul_f32. in: a, b. Scratch with hold: a row of the output. */
struct tn_matmul_f32_params {
	struct tn_loop_order order;
	struct tn_matmul m;
};
tn_kernel_fn tn_matmul_f32;

/* tn_matmul_s8, tn_matmul_s16: the same. */
struct tn_matmul_params {
	struct tn_loop_order order;
	struct tn_matmul m;
	int32_t a_offset, b_offset, multiplier, shift, out_offset;
};
tn_kernel_fn tn_matmul_s8, tn_matmul_s16;

/* tn_space_to_batch. */
struct tn_space_to_batch_params {
	struct tn_loop_order order;
	int32_t in_batches, in_h, in_w, out_h, out_w, depth;
	int32_t block_h, block_w, pad_top, pad_left;
	int32_t size; /* bytes of an element: 1, 2, 4, 8 */
	uint32_t fill; /* the element's bits */
};
tn_kernel_fn tn_space_to_batch;

/* tn_broadcast_args. in: shapes of n_a and n_b dimensions (s32). */
struct tn_broadcast_args_params {
	struct tn_loop_order order;
	int32_t n_a, n_b, n;
};
tn_kernel_fn tn_broadcast_args;

/* tn_update_slice. in: elements, the part, where it starts (s32). */
struct tn_update_slice_params {
	struct tn_loop_order order;
	int32_t rank;
	int32_t dim[TN_DIMS_MAX];
	int32_t update_dim[TN_DIMS_MAX];
	int32_t size; /* bytes of an element: 1, 2, 4, 8 */
};
tn_kernel_fn tn_update_slice;

/* tn_svdf_s8, tn_svdf_s8_s16 (state and time weights s16). in: input, feature weights
 * [filters, n_in], time weights [filters, memory], bias (s32) or NULL; out: output
 * [batches, units], state [batches, filters, memory]. */
struct tn_svdf_params {
	struct tn_loop_order order;
	int32_t batches, n_in, filters, units, rank, memory;
	int32_t in_offset, state_offset, out_offset;
	int32_t feature_multiplier, feature_shift; /* to the state */
	int32_t time_multiplier, time_shift; /* to the output */
};
tn_kernel_fn tn_svdf_s8, tn_svdf_s8_s16;

/* tn_svdf_f32. */
struct tn_svdf_f32_params {
	struct tn_loop_order order;
	int32_t batches, n_in, filters, units, rank, memory;
	float act_min, act_max;
};
tn_kernel_fn tn_svdf_f32;

/* tn_lstm_s8, tn_lstm_s16. Gates: input, forget, cell, output. in: input, 4 weights of
 * it, 4 weights of the hidden state, 4 biases (s32; s64 for s16); out: output, hidden
 * state, cell (s16). */
struct tn_lstm_params {
	struct tn_loop_order order;
	int32_t batches, steps, n_in, n_units;
	int32_t batch_stride, step_stride; /* rows of input and output */
	int32_t in_offset, hidden_offset, out_offset;
	int32_t x_multiplier[4], x_shift[4]; /* by gate, to 2^-12 */
	int32_t h_multiplier[4], h_shift[4];
	int32_t forget_multiplier, forget_shift; /* gate times cell */
	int32_t input_multiplier, input_shift; /* gate times gate, to the cell */
	int32_t out_multiplier, out_shift;
	int32_t cell_clip; /* 0: none */
	int32_t tanh_multiplier, tanh_shift; /* of the cell */
	uint32_t n_table; /* 256: the logistic curve, as in tn_curve_s16_params */
	const int16_t *table;
};
tn_kernel_fn tn_lstm_s8, tn_lstm_s16;

/* tn_lstm_f32. */
struct tn_lstm_f32_params {
	struct tn_loop_order order;
	int32_t batches, steps, n_in, n_units;
	int32_t batch_stride, step_stride;
	float cell_clip; /* 0: none */
};
tn_kernel_fn tn_lstm_f32;

#ifdef __cplusplus
}
#endif

#include "tenure/kernel_sets.h"

#endif
