/* What the binders of the single ops share: operands, scales, refusals. */
#ifndef TN_BIND_BINDER_H
#define TN_BIND_BINDER_H

#include <stdbool.h>
#include <stdint.h>

#include "bind/bind.h"
#include "bind/kernels.h"
#include "bind/quant.h"

/* The work on one op. `status` keeps the first failure. */
struct tn_binder {
	const struct tn_graph *g;
	const struct tn_op *op;
	struct tn_variant variant;
	struct tn_arena *arena;
	struct tn_diags *diags;
	struct tn_call *call;
	enum tn_status status;
};

/* Fills b->call; false after a failure, which is in b->status. */
typedef bool tn_bind_fn(struct tn_binder *b);

#define TN_RULE_NO_KERNEL     "exec/no-kernel"
#define TN_RULE_DAMAGED_SCALE "exec/damaged-scale"
#define TN_RULE_MISSING	      "exec/missing-constant"

/* Reports why the op cannot be bound. The value is false, for a return. */
#define tn_binder_refuse(...) (tn_binder_report(__VA_ARGS__), false)
void tn_binder_report(struct tn_binder *b, const char *rule, const char *fmt, ...)
	TN_PRINTF(3, 4);

/* An operand's tensor; NULL when the operand is absent. */
const struct tn_tensor *tn_binder_in(const struct tn_binder *b, uint32_t k);
const struct tn_tensor *tn_binder_out(const struct tn_binder *b, uint32_t k);

/* Refuses unless both have this type ("input i8 and output i8"). */
bool tn_binder_types(struct tn_binder *b, enum tn_dtype in, enum tn_dtype out);

/* Refuses images in another order than NHWC. */
bool tn_binder_nhwc(struct tn_binder *b);

/* No kernel for these types: says which they are. Always false. */
bool tn_binder_no_types(struct tn_binder *b);

/* Scale and zero point of a tensor that is quantised as a whole. Refuses damaged scales,
 * scales that are not positive and finite, zero points outside the type. */
struct tn_scale {
	float scale;
	int32_t zero_point;
};
bool tn_binder_scale(
	struct tn_binder *b, const struct tn_tensor *t, struct tn_scale *out);

/* Refuses a multiplier that no shift reaches. */
bool tn_binder_multiplier(struct tn_binder *b, double real, struct tn_multiplier *out);

/* The op's fused activation, for integers with the output's scale, or for floats. */
bool tn_binder_activation(struct tn_binder *b, const struct tn_tensor *out,
	struct tn_scale scale, int32_t *out_min, int32_t *out_max);
bool tn_binder_activation_f32(struct tn_binder *b, float *out_min, float *out_max);

/* The kernels' number of the tensor's type; refuses types that none of them takes. */
bool tn_binder_type(struct tn_binder *b, const struct tn_tensor *t, int32_t *out);

/* A list of integers: the constant operand `k`, or when it is absent the attribute. At
 * most `max` of them. False without a report when there is neither. */
bool tn_binder_ints(struct tn_binder *b, uint32_t k, const char *attr, int64_t *out,
	uint32_t max, uint32_t *out_n);

/* Starts the call: its kernel, zeroed parameters with the order filled in, operand lists
 * of which every entry is absent. NULL on lack of memory. */
void *tn_binder_call(
	struct tn_binder *b, enum tn_kernel_id kernel, uint32_t n_in, uint32_t n_out);

/* Operand `slot` of the call is the op's input (output) `k`; absent stays absent. */
void tn_binder_use(struct tn_binder *b, uint32_t slot, uint32_t k);
void tn_binder_give(struct tn_binder *b, uint32_t slot, uint32_t k);

/* The common case: in 0 .. n_in-1 and output 0 in the op's order. */
void *tn_binder_simple(struct tn_binder *b, enum tn_kernel_id kernel, uint32_t n_in);

/* Zeroed memory of the call's arena; NULL is reported as lack of memory. */
void *tn_binder_array(struct tn_binder *b, size_t count, size_t size);

/* The bias (the op's input k), when there is one, has this type and `channels` values. */
bool tn_binder_bias(
	struct tn_binder *b, uint32_t k, enum tn_dtype dtype, int64_t channels);

/* Offsets, the activation and a multiplier for each output channel, from the filter's
 * scales (1, or one for each channel along `axis`). */
bool tn_binder_channels(struct tn_binder *b, const struct tn_tensor *x,
	const struct tn_tensor *filter, uint32_t axis, uint32_t channels,
	struct tn_conv_params *p);

/* int16 layers: are sums wide (64 bits, one rounding)? The bias says so, or when there is
 * none the attribute of the type that it would have. Refuses narrow sums unless `narrow`
 * says that there is a kernel for them. */
bool tn_binder_wide(struct tn_binder *b, bool narrow, bool *out);
/* Refuses shifts above 7, which wide sums do not have. */
bool tn_binder_wide_shifts(struct tn_binder *b, const int8_t *shift, uint32_t n);

/* A filter of 4-bit weights becomes bytes, as operand `slot` of the call. */
bool tn_binder_unpack(struct tn_binder *b, uint32_t slot, const struct tn_tensor *filter);

/* The binders, one for each op or family. */
tn_bind_fn tn_bind_conv, tn_bind_depthwise, tn_bind_pool, tn_bind_fully_connected,
	tn_bind_add, tn_bind_mul, tn_bind_unary, tn_bind_softmax, tn_bind_sum,
	tn_bind_pad, tn_bind_transpose, tn_bind_view, tn_bind_quantize,
	tn_bind_dequantize, tn_bind_slice, tn_bind_strided_slice, tn_bind_broadcast_to,
	tn_bind_reverse, tn_bind_space_to_depth, tn_bind_depth_to_space,
	tn_bind_mirror_pad, tn_bind_resize_nearest, tn_bind_concatenation, tn_bind_pack,
	tn_bind_unpack, tn_bind_split, tn_bind_sub, tn_bind_div, tn_bind_floor,
	tn_bind_squared_difference, tn_bind_minimum, tn_bind_prelu, tn_bind_compare,
	tn_bind_logical, tn_bind_select, tn_bind_add_n, tn_bind_reduce_extreme,
	tn_bind_reduce_bool, tn_bind_cast, tn_bind_log_softmax, tn_bind_l2_norm,
	tn_bind_batch_norm, tn_bind_layer_norm, tn_bind_arg, tn_bind_cumsum,
	tn_bind_transpose_conv, tn_bind_matmul, tn_bind_gather, tn_bind_gather_nd,
	tn_bind_embedding, tn_bind_update_slice, tn_bind_fill, tn_bind_zeros_like,
	tn_bind_shape, tn_bind_broadcast_args, tn_bind_space_to_batch,
	tn_bind_batch_to_space, tn_bind_resize_bilinear, tn_bind_svdf, tn_bind_lstm,
	tn_bind_clip, tn_bind_table, tn_bind_fake_quant;

#endif
