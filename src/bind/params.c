/* The parameter structs, field by field: what an emitter prints. Names may have dots: they
 * are designators. */
#include <stddef.h>

#include "bind/kernels.h"

#define FIELD(s, type, member)                                                           \
	{                                                                                \
#member, type, offsetof(struct s, member), 1, 0                          \
	}
#define DIMS(s, member)                                                                  \
	{                                                                                \
#member, FIELD_I32, offsetof(struct s, member), TN_DIMS_MAX, 0           \
	}
#define FOUR(s, member)                                                                  \
	{                                                                                \
#member, FIELD_I32, offsetof(struct s, member), 4, 0                     \
	}
#define TABLE(s, type, member, count)                                                    \
	{                                                                                \
#member, type, offsetof(struct s, member), 1, offsetof(struct s, count)  \
	}

#define ORDER(s) FIELD(s, FIELD_U8, order.descending), FIELD(s, FIELD_U8, order.hold)

#define I32(s, member) FIELD(s, FIELD_I32, member)
#define U32(s, member) FIELD(s, FIELD_U32, member)
#define F32(s, member) FIELD(s, FIELD_F32, member)

#define GEOMETRY(s)                                                                      \
	I32(s, g.batches), I32(s, g.in_h), I32(s, g.in_w), I32(s, g.in_c),               \
		I32(s, g.out_h), I32(s, g.out_w), I32(s, g.out_c), I32(s, g.k_h),        \
		I32(s, g.k_w), I32(s, g.stride_h), I32(s, g.stride_w),                   \
		I32(s, g.dilation_h), I32(s, g.dilation_w), I32(s, g.pad_top),           \
		I32(s, g.pad_left), I32(s, g.y_begin), I32(s, g.y_end),                  \
		I32(s, g.in_rows), I32(s, g.out_rows), I32(s, g.held)

#define BROADCAST(s)                                                                     \
	I32(s, shape.rank), DIMS(s, shape.dim), DIMS(s, shape.stride_a),                 \
		DIMS(s, shape.stride_b)

#define FOLD(s)                                                                          \
	I32(s, fold.out_rank), DIMS(s, fold.out_dim), DIMS(s, fold.out_stride),          \
		I32(s, fold.fold_rank), DIMS(s, fold.fold_dim),                          \
		DIMS(s, fold.fold_stride)

static const struct tn_field conv_fields[] = {
	ORDER(tn_conv_params),
	GEOMETRY(tn_conv_params),
	I32(tn_conv_params, groups),
	I32(tn_conv_params, in_offset),
	I32(tn_conv_params, out_offset),
	I32(tn_conv_params, act_min),
	I32(tn_conv_params, act_max),
	U32(tn_conv_params, n_channels),
	TABLE(tn_conv_params, FIELD_I32_TABLE, multiplier, n_channels),
	TABLE(tn_conv_params, FIELD_I8_TABLE, shift, n_channels),
};

static const struct tn_field window_f32_fields[] = {
	ORDER(tn_window_f32_params),
	GEOMETRY(tn_window_f32_params),
	I32(tn_window_f32_params, groups),
	F32(tn_window_f32_params, act_min),
	F32(tn_window_f32_params, act_max),
};

static const struct tn_field pool_fields[] = {
	ORDER(tn_pool_params),
	GEOMETRY(tn_pool_params),
	I32(tn_pool_params, act_min),
	I32(tn_pool_params, act_max),
};

#define PLANE(s)                                                                         \
	I32(s, plane.height), I32(s, plane.width), I32(s, plane.channels),               \
		I32(s, plane.y_begin), I32(s, plane.y_end), I32(s, plane.in_rows)

static const struct tn_field average_rows_fields[] = {
	ORDER(tn_average_rows_params),
	PLANE(tn_average_rows_params),
	I32(tn_average_rows_params, act_min),
	I32(tn_average_rows_params, act_max),
};

static const struct tn_field sum_rows_fields[] = {
	ORDER(tn_sum_rows_params),
	PLANE(tn_sum_rows_params),
	I32(tn_sum_rows_params, in_bias),
	I32(tn_sum_rows_params, multiplier),
	I32(tn_sum_rows_params, shift),
	I32(tn_sum_rows_params, out_offset),
	I32(tn_sum_rows_params, out_min),
	I32(tn_sum_rows_params, out_max),
};

static const struct tn_field average_rows_f32_fields[] = {
	ORDER(tn_average_rows_f32_params),
	PLANE(tn_average_rows_f32_params),
	F32(tn_average_rows_f32_params, act_min),
	F32(tn_average_rows_f32_params, act_max),
};

static const struct tn_field sum_rows_f32_fields[] = {
	ORDER(tn_sum_rows_f32_params),
	PLANE(tn_sum_rows_f32_params),
	F32(tn_sum_rows_f32_params, divisor),
};

static const struct tn_field fc_fields[] = {
	ORDER(tn_fc_params),
	I32(tn_fc_params, rows),
	I32(tn_fc_params, in_n),
	I32(tn_fc_params, out_n),
	I32(tn_fc_params, in_offset),
	I32(tn_fc_params, w_offset),
	I32(tn_fc_params, out_offset),
	I32(tn_fc_params, act_min),
	I32(tn_fc_params, act_max),
	U32(tn_fc_params, n_scales),
	TABLE(tn_fc_params, FIELD_I32_TABLE, multiplier, n_scales),
	TABLE(tn_fc_params, FIELD_I8_TABLE, shift, n_scales),
};

static const struct tn_field fc_f32_fields[] = {
	ORDER(tn_fc_f32_params),
	I32(tn_fc_f32_params, rows),
	I32(tn_fc_f32_params, in_n),
	I32(tn_fc_f32_params, out_n),
	F32(tn_fc_f32_params, act_min),
	F32(tn_fc_f32_params, act_max),
};

static const struct tn_field add_fields[] = {
	ORDER(tn_add_params),
	BROADCAST(tn_add_params),
	I32(tn_add_params, left_shift),
	I32(tn_add_params, a_offset),
	I32(tn_add_params, a_multiplier),
	I32(tn_add_params, a_shift),
	I32(tn_add_params, b_offset),
	I32(tn_add_params, b_multiplier),
	I32(tn_add_params, b_shift),
	I32(tn_add_params, out_offset),
	I32(tn_add_params, out_multiplier),
	I32(tn_add_params, out_shift),
	I32(tn_add_params, act_min),
	I32(tn_add_params, act_max),
};

static const struct tn_field mul_fields[] = {
	ORDER(tn_mul_params),
	BROADCAST(tn_mul_params),
	I32(tn_mul_params, a_offset),
	I32(tn_mul_params, b_offset),
	I32(tn_mul_params, out_offset),
	I32(tn_mul_params, out_multiplier),
	I32(tn_mul_params, out_shift),
	I32(tn_mul_params, act_min),
	I32(tn_mul_params, act_max),
};

static const struct tn_field binary_f32_fields[] = {
	ORDER(tn_binary_f32_params),
	BROADCAST(tn_binary_f32_params),
	F32(tn_binary_f32_params, act_min),
	F32(tn_binary_f32_params, act_max),
};

static const struct tn_field lut_fields[] = {
	ORDER(tn_lut_params),
	I32(tn_lut_params, n),
	U32(tn_lut_params, n_table),
	TABLE(tn_lut_params, FIELD_I8_TABLE, table, n_table),
};

static const struct tn_field clamp_f32_fields[] = {
	ORDER(tn_clamp_f32_params),
	I32(tn_clamp_f32_params, n),
	F32(tn_clamp_f32_params, min),
	F32(tn_clamp_f32_params, max),
};

static const struct tn_field fake_quant_f32_fields[] = {
	ORDER(tn_fake_quant_f32_params),
	I32(tn_fake_quant_f32_params, n),
	F32(tn_fake_quant_f32_params, min),
	F32(tn_fake_quant_f32_params, max),
	F32(tn_fake_quant_f32_params, scale),
	F32(tn_fake_quant_f32_params, per_scale),
};

static const struct tn_field unary_fields[] = {
	ORDER(tn_unary_params),
	I32(tn_unary_params, n),
};

static const struct tn_field copy_fields[] = {
	ORDER(tn_copy_params),
	I32(tn_copy_params, n),
	I32(tn_copy_params, size),
};

static const struct tn_field softmax_s8_fields[] = {
	ORDER(tn_softmax_s8_params),
	I32(tn_softmax_s8_params, rows),
	I32(tn_softmax_s8_params, n),
	U32(tn_softmax_s8_params, n_table),
	TABLE(tn_softmax_s8_params, FIELD_I32_TABLE, exp_table, n_table),
};

static const struct tn_field softmax_f32_fields[] = {
	ORDER(tn_softmax_f32_params),
	I32(tn_softmax_f32_params, rows),
	I32(tn_softmax_f32_params, n),
	F32(tn_softmax_f32_params, beta),
};

static const struct tn_field pad_fields[] = {
	ORDER(tn_pad_params),
	I32(tn_pad_params, rank),
	DIMS(tn_pad_params, out_dim),
	DIMS(tn_pad_params, before),
	DIMS(tn_pad_params, in_dim),
	I32(tn_pad_params, size),
	U32(tn_pad_params, fill),
};

static const struct tn_field strided_fields[] = {
	ORDER(tn_strided_params),
	I32(tn_strided_params, rank),
	DIMS(tn_strided_params, dim),
	DIMS(tn_strided_params, stride),
	I32(tn_strided_params, base),
	I32(tn_strided_params, size),
};

static const struct tn_field mapped_fields[] = {
	ORDER(tn_mapped_params),
	I32(tn_mapped_params, rank),
	DIMS(tn_mapped_params, dim),
	I32(tn_mapped_params, run),
	I32(tn_mapped_params, size),
	U32(tn_mapped_params, n_table),
	TABLE(tn_mapped_params, FIELD_I32_TABLE, table, n_table),
};

static const struct tn_field chunks_fields[] = {
	ORDER(tn_chunks_params),
	I32(tn_chunks_params, outer),
	I32(tn_chunks_params, size),
	U32(tn_chunks_params, n_runs),
	TABLE(tn_chunks_params, FIELD_I32_TABLE, run, n_runs),
};

static const struct tn_field binary_fields[] = {
	ORDER(tn_binary_params),
	BROADCAST(tn_binary_params),
	I32(tn_binary_params, size),
};

static const struct tn_field binary_s32_fields[] = {
	ORDER(tn_binary_s32_params),
	BROADCAST(tn_binary_s32_params),
	I32(tn_binary_s32_params, act_min),
	I32(tn_binary_s32_params, act_max),
};

static const struct tn_field prelu_fields[] = {
	ORDER(tn_prelu_params),
	BROADCAST(tn_prelu_params),
	I32(tn_prelu_params, a_offset),
	I32(tn_prelu_params, b_offset),
	I32(tn_prelu_params, multiplier),
	I32(tn_prelu_params, shift),
	I32(tn_prelu_params, negative_multiplier),
	I32(tn_prelu_params, negative_shift),
	I32(tn_prelu_params, out_offset),
	I32(tn_prelu_params, out_min),
	I32(tn_prelu_params, out_max),
};

static const struct tn_field compare_fields[] = {
	ORDER(tn_compare_params),
	BROADCAST(tn_compare_params),
	I32(tn_compare_params, relation),
	I32(tn_compare_params, size),
};

static const struct tn_field compare_s8_fields[] = {
	ORDER(tn_compare_s8_params),
	BROADCAST(tn_compare_s8_params),
	I32(tn_compare_s8_params, relation),
	I32(tn_compare_s8_params, a_offset),
	I32(tn_compare_s8_params, a_multiplier),
	I32(tn_compare_s8_params, a_shift),
	I32(tn_compare_s8_params, b_offset),
	I32(tn_compare_s8_params, b_multiplier),
	I32(tn_compare_s8_params, b_shift),
};

static const struct tn_field select_fields[] = {
	ORDER(tn_select_params),
	I32(tn_select_params, rank),
	DIMS(tn_select_params, dim),
	DIMS(tn_select_params, stride_c),
	DIMS(tn_select_params, stride_a),
	DIMS(tn_select_params, stride_b),
	I32(tn_select_params, size),
};

static const struct tn_field add_n_f32_fields[] = {
	ORDER(tn_add_n_f32_params),
	I32(tn_add_n_f32_params, n),
	I32(tn_add_n_f32_params, operands),
};

static const struct tn_field add_n_s8_fields[] = {
	ORDER(tn_add_n_s8_params),
	I32(tn_add_n_s8_params, n),
	I32(tn_add_n_s8_params, operands),
	I32(tn_add_n_s8_params, left_shift),
	I32(tn_add_n_s8_params, in_offset),
	I32(tn_add_n_s8_params, in_multiplier),
	I32(tn_add_n_s8_params, in_shift),
	I32(tn_add_n_s8_params, out_offset),
	I32(tn_add_n_s8_params, out_multiplier),
	I32(tn_add_n_s8_params, out_shift),
};

static const struct tn_field sum_fields[] = {
	ORDER(tn_sum_params),
	FOLD(tn_sum_params),
	I32(tn_sum_params, in_bias),
	I32(tn_sum_params, multiplier),
	I32(tn_sum_params, shift),
	I32(tn_sum_params, out_offset),
	I32(tn_sum_params, out_min),
	I32(tn_sum_params, out_max),
};

static const struct tn_field sum_f32_fields[] = {
	ORDER(tn_sum_f32_params),
	FOLD(tn_sum_f32_params),
	F32(tn_sum_f32_params, divisor),
};

static const struct tn_field fold_fields[] = {
	ORDER(tn_fold_params),
	FOLD(tn_fold_params),
	I32(tn_fold_params, size),
};

static const struct tn_field quantize_f32_fields[] = {
	ORDER(tn_quantize_f32_params),
	I32(tn_quantize_f32_params, n),
	I32(tn_quantize_f32_params, type),
	F32(tn_quantize_f32_params, scale),
	I32(tn_quantize_f32_params, out_offset),
	I32(tn_quantize_f32_params, out_min),
	I32(tn_quantize_f32_params, out_max),
};

static const struct tn_field dequantize_fields[] = {
	ORDER(tn_dequantize_params),
	I32(tn_dequantize_params, n),
	I32(tn_dequantize_params, type),
	F32(tn_dequantize_params, scale),
	I32(tn_dequantize_params, in_offset),
};

static const struct tn_field requantize_fields[] = {
	ORDER(tn_requantize_params),
	I32(tn_requantize_params, n),
	I32(tn_requantize_params, from),
	I32(tn_requantize_params, to),
	I32(tn_requantize_params, in_offset),
	I32(tn_requantize_params, multiplier),
	I32(tn_requantize_params, shift),
	I32(tn_requantize_params, out_offset),
	I32(tn_requantize_params, out_min),
	I32(tn_requantize_params, out_max),
};

static const struct tn_field cast_fields[] = {
	ORDER(tn_cast_params),
	I32(tn_cast_params, n),
	I32(tn_cast_params, from),
	I32(tn_cast_params, to),
};

static const struct tn_field leaky_relu_f32_fields[] = {
	ORDER(tn_leaky_relu_f32_params),
	I32(tn_leaky_relu_f32_params, n),
	F32(tn_leaky_relu_f32_params, alpha),
};

static const struct tn_field leaky_relu_fields[] = {
	ORDER(tn_leaky_relu_params),
	I32(tn_leaky_relu_params, n),
	I32(tn_leaky_relu_params, in_offset),
	I32(tn_leaky_relu_params, multiplier),
	I32(tn_leaky_relu_params, shift),
	I32(tn_leaky_relu_params, negative_multiplier),
	I32(tn_leaky_relu_params, negative_shift),
	I32(tn_leaky_relu_params, out_offset),
};

static const struct tn_field curve_s16_fields[] = {
	ORDER(tn_curve_s16_params),
	I32(tn_curve_s16_params, n),
	I32(tn_curve_s16_params, multiplier),
	I32(tn_curve_s16_params, shift),
	U32(tn_curve_s16_params, n_table),
	TABLE(tn_curve_s16_params, FIELD_I16_TABLE, table, n_table),
};

static const struct tn_field softmax_s16_fields[] = {
	ORDER(tn_softmax_s16_params),
	I32(tn_softmax_s16_params, rows),
	I32(tn_softmax_s16_params, n),
	I32(tn_softmax_s16_params, multiplier),
	I32(tn_softmax_s16_params, shift),
	U32(tn_softmax_s16_params, n_table),
	TABLE(tn_softmax_s16_params, FIELD_I16_TABLE, exp_table, n_table),
	TABLE(tn_softmax_s16_params, FIELD_I16_TABLE, reciprocal_table, n_table),
};

static const struct tn_field log_softmax_s8_fields[] = {
	ORDER(tn_log_softmax_s8_params),
	I32(tn_log_softmax_s8_params, rows),
	I32(tn_log_softmax_s8_params, n),
	I32(tn_log_softmax_s8_params, multiplier),
	I32(tn_log_softmax_s8_params, shift),
	I32(tn_log_softmax_s8_params, reverse_multiplier),
	I32(tn_log_softmax_s8_params, reverse_shift),
	I32(tn_log_softmax_s8_params, diff_min),
	U32(tn_log_softmax_s8_params, n_table),
	TABLE(tn_log_softmax_s8_params, FIELD_I32_TABLE, exp_table, n_table),
};

static const struct tn_field rows_fields[] = {
	ORDER(tn_rows_params),
	I32(tn_rows_params, rows),
	I32(tn_rows_params, n),
	I32(tn_rows_params, in_offset),
};

static const struct tn_field batch_norm_f32_fields[] = {
	ORDER(tn_batch_norm_f32_params),
	I32(tn_batch_norm_f32_params, outer),
	I32(tn_batch_norm_f32_params, channels),
	I32(tn_batch_norm_f32_params, inner),
};

static const struct tn_field layer_norm_f32_fields[] = {
	ORDER(tn_layer_norm_f32_params),
	I32(tn_layer_norm_f32_params, rows),
	I32(tn_layer_norm_f32_params, n),
	I32(tn_layer_norm_f32_params, facts),
	F32(tn_layer_norm_f32_params, epsilon),
};

static const struct tn_field arg_fields[] = {
	ORDER(tn_arg_params),
	I32(tn_arg_params, outer),
	I32(tn_arg_params, n),
	I32(tn_arg_params, inner),
	I32(tn_arg_params, least),
	I32(tn_arg_params, type),
};

static const struct tn_field cumsum_fields[] = {
	ORDER(tn_cumsum_params),
	I32(tn_cumsum_params, outer),
	I32(tn_cumsum_params, n),
	I32(tn_cumsum_params, inner),
	I32(tn_cumsum_params, exclusive),
	I32(tn_cumsum_params, reverse),
	I32(tn_cumsum_params, left_shift),
	I32(tn_cumsum_params, in_offset),
	I32(tn_cumsum_params, in_multiplier),
	I32(tn_cumsum_params, in_shift),
	I32(tn_cumsum_params, out_offset),
	I32(tn_cumsum_params, out_multiplier),
	I32(tn_cumsum_params, out_shift),
};

static const struct tn_field resize_fields[] = {
	ORDER(tn_resize_params),
	I32(tn_resize_params, batches),
	I32(tn_resize_params, in_h),
	I32(tn_resize_params, in_w),
	I32(tn_resize_params, out_h),
	I32(tn_resize_params, out_w),
	I32(tn_resize_params, depth),
	I32(tn_resize_params, half_pixel),
	I32(tn_resize_params, scale_y),
	I32(tn_resize_params, scale_x),
};

static const struct tn_field resize_f32_fields[] = {
	ORDER(tn_resize_f32_params),
	I32(tn_resize_f32_params, batches),
	I32(tn_resize_f32_params, in_h),
	I32(tn_resize_f32_params, in_w),
	I32(tn_resize_f32_params, out_h),
	I32(tn_resize_f32_params, out_w),
	I32(tn_resize_f32_params, depth),
	I32(tn_resize_f32_params, half_pixel),
	F32(tn_resize_f32_params, scale_y),
	F32(tn_resize_f32_params, scale_x),
};

static const struct tn_field gather_fields[] = {
	ORDER(tn_gather_params),
	I32(tn_gather_params, batches),
	I32(tn_gather_params, outer),
	I32(tn_gather_params, indices),
	I32(tn_gather_params, n),
	I32(tn_gather_params, inner),
	I32(tn_gather_params, size),
};

static const struct tn_field gather_nd_fields[] = {
	ORDER(tn_gather_nd_params),
	I32(tn_gather_nd_params, tuples),
	I32(tn_gather_nd_params, rank),
	DIMS(tn_gather_nd_params, dim),
	DIMS(tn_gather_nd_params, stride),
	I32(tn_gather_nd_params, inner),
	I32(tn_gather_nd_params, size),
};

static const struct tn_field embedding_fields[] = {
	ORDER(tn_embedding_params),
	I32(tn_embedding_params, indices),
	I32(tn_embedding_params, n),
	I32(tn_embedding_params, inner),
	F32(tn_embedding_params, scale),
};

static const struct tn_field matmul_f32_fields[] = {
	ORDER(tn_matmul_f32_params),
	I32(tn_matmul_f32_params, m.batch.rank),
	DIMS(tn_matmul_f32_params, m.batch.dim),
	DIMS(tn_matmul_f32_params, m.batch.stride_a),
	DIMS(tn_matmul_f32_params, m.batch.stride_b),
	I32(tn_matmul_f32_params, m.rows),
	I32(tn_matmul_f32_params, m.columns),
	I32(tn_matmul_f32_params, m.depth),
	I32(tn_matmul_f32_params, m.a_row),
	I32(tn_matmul_f32_params, m.a_step),
	I32(tn_matmul_f32_params, m.b_column),
	I32(tn_matmul_f32_params, m.b_step),
};

static const struct tn_field matmul_fields[] = {
	ORDER(tn_matmul_params),
	I32(tn_matmul_params, m.batch.rank),
	DIMS(tn_matmul_params, m.batch.dim),
	DIMS(tn_matmul_params, m.batch.stride_a),
	DIMS(tn_matmul_params, m.batch.stride_b),
	I32(tn_matmul_params, m.rows),
	I32(tn_matmul_params, m.columns),
	I32(tn_matmul_params, m.depth),
	I32(tn_matmul_params, m.a_row),
	I32(tn_matmul_params, m.a_step),
	I32(tn_matmul_params, m.b_column),
	I32(tn_matmul_params, m.b_step),
	I32(tn_matmul_params, a_offset),
	I32(tn_matmul_params, b_offset),
	I32(tn_matmul_params, multiplier),
	I32(tn_matmul_params, shift),
	I32(tn_matmul_params, out_offset),
};

static const struct tn_field space_to_batch_fields[] = {
	ORDER(tn_space_to_batch_params),
	I32(tn_space_to_batch_params, in_batches),
	I32(tn_space_to_batch_params, in_h),
	I32(tn_space_to_batch_params, in_w),
	I32(tn_space_to_batch_params, out_h),
	I32(tn_space_to_batch_params, out_w),
	I32(tn_space_to_batch_params, depth),
	I32(tn_space_to_batch_params, block_h),
	I32(tn_space_to_batch_params, block_w),
	I32(tn_space_to_batch_params, pad_top),
	I32(tn_space_to_batch_params, pad_left),
	I32(tn_space_to_batch_params, size),
	U32(tn_space_to_batch_params, fill),
};

static const struct tn_field broadcast_args_fields[] = {
	ORDER(tn_broadcast_args_params),
	I32(tn_broadcast_args_params, n_a),
	I32(tn_broadcast_args_params, n_b),
	I32(tn_broadcast_args_params, n),
};

static const struct tn_field update_slice_fields[] = {
	ORDER(tn_update_slice_params),
	I32(tn_update_slice_params, rank),
	DIMS(tn_update_slice_params, dim),
	DIMS(tn_update_slice_params, update_dim),
	I32(tn_update_slice_params, size),
};

static const struct tn_field svdf_fields[] = {
	ORDER(tn_svdf_params),
	I32(tn_svdf_params, batches),
	I32(tn_svdf_params, n_in),
	I32(tn_svdf_params, filters),
	I32(tn_svdf_params, units),
	I32(tn_svdf_params, rank),
	I32(tn_svdf_params, memory),
	I32(tn_svdf_params, in_offset),
	I32(tn_svdf_params, state_offset),
	I32(tn_svdf_params, out_offset),
	I32(tn_svdf_params, feature_multiplier),
	I32(tn_svdf_params, feature_shift),
	I32(tn_svdf_params, time_multiplier),
	I32(tn_svdf_params, time_shift),
};

static const struct tn_field svdf_f32_fields[] = {
	ORDER(tn_svdf_f32_params),
	I32(tn_svdf_f32_params, batches),
	I32(tn_svdf_f32_params, n_in),
	I32(tn_svdf_f32_params, filters),
	I32(tn_svdf_f32_params, units),
	I32(tn_svdf_f32_params, rank),
	I32(tn_svdf_f32_params, memory),
	F32(tn_svdf_f32_params, act_min),
	F32(tn_svdf_f32_params, act_max),
};

static const struct tn_field lstm_fields[] = {
	ORDER(tn_lstm_params),
	I32(tn_lstm_params, batches),
	I32(tn_lstm_params, steps),
	I32(tn_lstm_params, n_in),
	I32(tn_lstm_params, n_units),
	I32(tn_lstm_params, batch_stride),
	I32(tn_lstm_params, step_stride),
	I32(tn_lstm_params, in_offset),
	I32(tn_lstm_params, hidden_offset),
	I32(tn_lstm_params, out_offset),
	FOUR(tn_lstm_params, x_multiplier),
	FOUR(tn_lstm_params, x_shift),
	FOUR(tn_lstm_params, h_multiplier),
	FOUR(tn_lstm_params, h_shift),
	I32(tn_lstm_params, forget_multiplier),
	I32(tn_lstm_params, forget_shift),
	I32(tn_lstm_params, input_multiplier),
	I32(tn_lstm_params, input_shift),
	I32(tn_lstm_params, out_multiplier),
	I32(tn_lstm_params, out_shift),
	I32(tn_lstm_params, cell_clip),
	I32(tn_lstm_params, tanh_multiplier),
	I32(tn_lstm_params, tanh_shift),
	U32(tn_lstm_params, n_table),
	TABLE(tn_lstm_params, FIELD_I16_TABLE, table, n_table),
};

static const struct tn_field lstm_f32_fields[] = {
	ORDER(tn_lstm_f32_params),
	I32(tn_lstm_f32_params, batches),
	I32(tn_lstm_f32_params, steps),
	I32(tn_lstm_f32_params, n_in),
	I32(tn_lstm_f32_params, n_units),
	I32(tn_lstm_f32_params, batch_stride),
	I32(tn_lstm_f32_params, step_stride),
	F32(tn_lstm_f32_params, cell_clip),
};

static const struct tn_field dsp_depthwise_fields[] = {
	ORDER(tn_dsp_depthwise_params),
	GEOMETRY(tn_dsp_depthwise_params),
	I32(tn_dsp_depthwise_params, zero_point),
	I32(tn_dsp_depthwise_params, room),
	I32(tn_dsp_depthwise_params, floor),
};

static const struct tn_field dsp_fc_fields[] = {
	ORDER(tn_dsp_fc_params),
	I32(tn_dsp_fc_params, rows),
	I32(tn_dsp_fc_params, in_n),
	I32(tn_dsp_fc_params, out_n),
	I32(tn_dsp_fc_params, floor),
};

static const struct tn_field dsp_add_fields[] = {
	ORDER(tn_dsp_add_params),
	I32(tn_dsp_add_params, n),
	I32(tn_dsp_add_params, a_factor),
	I32(tn_dsp_add_params, b_factor),
	I32(tn_dsp_add_params, constant),
};

static const struct tn_field dsp_conv_fields[] = {
	ORDER(tn_dsp_conv_params),
	GEOMETRY(tn_dsp_conv_params),
	I32(tn_dsp_conv_params, part_rows),
	I32(tn_dsp_conv_params, sums),
	I32(tn_dsp_conv_params, edges),
	I32(tn_dsp_conv_params, floor),
};

static const struct tn_field mve_depthwise_fields[] = {
	ORDER(tn_mve_depthwise_params),
	GEOMETRY(tn_mve_depthwise_params),
	I32(tn_mve_depthwise_params, offset),
	I32(tn_mve_depthwise_params, floor),
};

static const struct tn_field mve_fc_fields[] = {
	ORDER(tn_mve_fc_params),
	I32(tn_mve_fc_params, rows),
	I32(tn_mve_fc_params, in_n),
	I32(tn_mve_fc_params, out_n),
	I32(tn_mve_fc_params, blocks),
	I32(tn_mve_fc_params, copy),
	I32(tn_mve_fc_params, offset),
	I32(tn_mve_fc_params, floor),
};

static const struct tn_field mve_conv_fields[] = {
	ORDER(tn_mve_conv_params),
	GEOMETRY(tn_mve_conv_params),
	I32(tn_mve_conv_params, tile.vectors),
	I32(tn_mve_conv_params, tile.blocks),
	I32(tn_mve_conv_params, tile.groups),
	I32(tn_mve_conv_params, tile.rest),
	I32(tn_mve_conv_params, tile.offset),
	I32(tn_mve_conv_params, tile.floor),
	I32(tn_mve_conv_params, tile.in_step),
	I32(tn_mve_conv_params, tile.out_step),
	I32(tn_mve_conv_params, direct),
	I32(tn_mve_conv_params, whole),
	I32(tn_mve_conv_params, room),
	I32(tn_mve_conv_params, sums),
};

static const struct tn_field thumb_conv_fields[] = {
	ORDER(tn_thumb_conv_params),
	GEOMETRY(tn_thumb_conv_params),
	I32(tn_thumb_conv_params, in_zero),
};

static const struct tn_field thumb_depthwise_fields[] = {
	ORDER(tn_thumb_depthwise_params),
	GEOMETRY(tn_thumb_depthwise_params),
};

static const struct tn_field thumb_fc_fields[] = {
	ORDER(tn_thumb_fc_params),
	I32(tn_thumb_fc_params, rows),
	I32(tn_thumb_fc_params, in_n),
	I32(tn_thumb_fc_params, out_n),
};

const struct tn_params_info tn_params[PARAMS_COUNT] = {
#define PARAMS(id, tag, fields)                                                          \
	[id] = { #tag, sizeof(struct tag), fields, sizeof(fields) / sizeof(*(fields)) },
#include "bind/params.def"
#undef PARAMS
};

const struct tn_kernel_info tn_kernels[KERNEL_COUNT] = {
#define KERNEL(id, symbol, file, params)                                                 \
	[id] = { #symbol, file, symbol, &tn_params[params] },
#include "bind/kernels.def"
#undef KERNEL
};
