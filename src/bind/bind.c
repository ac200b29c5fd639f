#include "bind/bind.h"

#include "base/checked.h"
#include "base/fnv.h"
#include "bind/binder.h"
#include "bind/dsp.h"
#include "bind/mve.h"
#include "bind/thumb.h"

/* Raised when a kernel's results or the order of its accesses change. */
#define KERNELS_VERSION	      4
#define KERNELS_THUMB_VERSION 1
#define KERNELS_DSP_VERSION   1
#define KERNELS_MVE_VERSION   1

static tn_bind_fn *const binders[OP_COUNT] = {
	[OP_CONV_2D] = tn_bind_conv,
	[OP_DEPTHWISE_CONV_2D] = tn_bind_depthwise,
	[OP_AVERAGE_POOL_2D] = tn_bind_pool,
	[OP_MAX_POOL_2D] = tn_bind_pool,
	[OP_FULLY_CONNECTED] = tn_bind_fully_connected,
	[OP_ADD] = tn_bind_add,
	[OP_MUL] = tn_bind_mul,
	[OP_RELU] = tn_bind_unary,
	[OP_RELU6] = tn_bind_unary,
	[OP_LOGISTIC] = tn_bind_unary,
	[OP_TANH] = tn_bind_unary,
	[OP_SOFTMAX] = tn_bind_softmax,
	[OP_MEAN] = tn_bind_sum,
	[OP_PAD] = tn_bind_pad,
	[OP_TRANSPOSE] = tn_bind_transpose,
	[OP_RESHAPE] = tn_bind_view,
	[OP_SQUEEZE] = tn_bind_view,
	[OP_EXPAND_DIMS] = tn_bind_view,
	[OP_SLICE] = tn_bind_slice,
	[OP_STRIDED_SLICE] = tn_bind_strided_slice,
	[OP_BROADCAST_TO] = tn_bind_broadcast_to,
	[OP_REVERSE_V2] = tn_bind_reverse,
	[OP_SPACE_TO_DEPTH] = tn_bind_space_to_depth,
	[OP_DEPTH_TO_SPACE] = tn_bind_depth_to_space,
	[OP_MIRROR_PAD] = tn_bind_mirror_pad,
	[OP_RESIZE_NEAREST_NEIGHBOR] = tn_bind_resize_nearest,
	[OP_CONCATENATION] = tn_bind_concatenation,
	[OP_PACK] = tn_bind_pack,
	[OP_UNPACK] = tn_bind_unpack,
	[OP_SPLIT] = tn_bind_split,
	[OP_SPLIT_V] = tn_bind_split,
	[OP_PADV2] = tn_bind_pad,
	[OP_QUANTIZE] = tn_bind_quantize,
	[OP_DEQUANTIZE] = tn_bind_dequantize,
	[OP_SVDF] = tn_bind_svdf,
	[OP_UNIDIRECTIONAL_SEQUENCE_LSTM] = tn_bind_lstm,
	[OP_TRANSPOSE_CONV] = tn_bind_transpose_conv,
	[OP_BATCH_MATMUL] = tn_bind_matmul,
	[OP_GATHER] = tn_bind_gather,
	[OP_GATHER_ND] = tn_bind_gather_nd,
	[OP_EMBEDDING_LOOKUP] = tn_bind_embedding,
	[OP_DYNAMIC_UPDATE_SLICE] = tn_bind_update_slice,
	[OP_FILL] = tn_bind_fill,
	[OP_ZEROS_LIKE] = tn_bind_zeros_like,
	[OP_SHAPE] = tn_bind_shape,
	[OP_BROADCAST_ARGS] = tn_bind_broadcast_args,
	[OP_SPACE_TO_BATCH_ND] = tn_bind_space_to_batch,
	[OP_BATCH_TO_SPACE_ND] = tn_bind_batch_to_space,
	[OP_RESIZE_BILINEAR] = tn_bind_resize_bilinear,
	[OP_CLIP] = tn_bind_clip,
	[OP_TABLE] = tn_bind_table,
	[OP_FAKE_QUANT] = tn_bind_fake_quant,
	[OP_RELU_N1_TO_1] = tn_bind_unary,
	[OP_LEAKY_RELU] = tn_bind_unary,
	[OP_HARD_SWISH] = tn_bind_unary,
	[OP_ELU] = tn_bind_unary,
	[OP_ABS] = tn_bind_unary,
	[OP_RSQRT] = tn_bind_unary,
	[OP_NEG] = tn_bind_unary,
	[OP_EXP] = tn_bind_unary,
	[OP_LOG] = tn_bind_unary,
	[OP_SIN] = tn_bind_unary,
	[OP_COS] = tn_bind_unary,
	[OP_SQRT] = tn_bind_unary,
	[OP_SQUARE] = tn_bind_unary,
	[OP_FLOOR] = tn_bind_unary,
	[OP_CEIL] = tn_bind_unary,
	[OP_ROUND] = tn_bind_unary,
	[OP_CAST] = tn_bind_cast,
	[OP_LOG_SOFTMAX] = tn_bind_log_softmax,
	[OP_L2_NORMALIZATION] = tn_bind_l2_norm,
	[OP_BATCH_NORM] = tn_bind_batch_norm,
	[OP_LAYER_NORM] = tn_bind_layer_norm,
	[OP_ARG_MAX] = tn_bind_arg,
	[OP_ARG_MIN] = tn_bind_arg,
	[OP_CUMSUM] = tn_bind_cumsum,
	[OP_SUM] = tn_bind_sum,
	[OP_REDUCE_MAX] = tn_bind_reduce_extreme,
	[OP_REDUCE_MIN] = tn_bind_reduce_extreme,
	[OP_REDUCE_ALL] = tn_bind_reduce_bool,
	[OP_REDUCE_ANY] = tn_bind_reduce_bool,
	[OP_L2_POOL_2D] = tn_bind_pool,
	[OP_SUB] = tn_bind_sub,
	[OP_DIV] = tn_bind_div,
	[OP_FLOOR_DIV] = tn_bind_floor,
	[OP_FLOOR_MOD] = tn_bind_floor,
	[OP_SQUARED_DIFFERENCE] = tn_bind_squared_difference,
	[OP_MINIMUM] = tn_bind_minimum,
	[OP_MAXIMUM] = tn_bind_minimum,
	[OP_PRELU] = tn_bind_prelu,
	[OP_EQUAL] = tn_bind_compare,
	[OP_NOT_EQUAL] = tn_bind_compare,
	[OP_GREATER] = tn_bind_compare,
	[OP_GREATER_EQUAL] = tn_bind_compare,
	[OP_LESS] = tn_bind_compare,
	[OP_LESS_EQUAL] = tn_bind_compare,
	[OP_LOGICAL_AND] = tn_bind_logical,
	[OP_LOGICAL_OR] = tn_bind_logical,
	[OP_LOGICAL_NOT] = tn_bind_logical,
	[OP_SELECT_V2] = tn_bind_select,
	[OP_ADD_N] = tn_bind_add_n,
};

static bool is_dense(const struct tn_tensor *t)
{
	int64_t dense[TN_RANK_MAX];

	if (!t->has_strides)
		return true;
	tn_shape_strides(&t->shape, dense);
	for (uint32_t i = 0; i < t->shape.rank; i++)
		if (t->shape.dim[i] > 1 && t->stride[i] != dense[i])
			return false;
	return true;
}

/* Strides and runs are products of the other dimensions, also where one is 0. */
static bool is_countable(const struct tn_shape *s)
{
	int64_t n = 1;

	for (uint32_t d = 0; d < s->rank; d++)
		if (s->dim[d] > 0 && (!tn_mul_i64(n, s->dim[d], &n) || n > INT32_MAX))
			return false;
	return true;
}

/* What holds for every kernel: sizes that its 32-bit indices reach, dense operands,
 * constants that are there. */
static bool check_tensor(struct tn_binder *b, const struct tn_tensor *t)
{
	if (t->elements < 0 || t->bytes < 0 || t->elements > INT32_MAX ||
		t->bytes > INT32_MAX || !is_countable(&t->shape))
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"cannot run: tensor '%s' has no known size or more than 2^31 "
			"bytes",
			t->name);
	if (!is_dense(t))
		return tn_binder_refuse(b, TN_RULE_NO_KERNEL,
			"cannot run: tensor '%s' has strides", t->name);
	if (t->data_kind == DATA_MISSING)
		return tn_binder_refuse(b, TN_RULE_MISSING,
			"cannot run: the values of '%s' are not in the file", t->name);
	return true;
}

static bool check_operands(struct tn_binder *b)
{
	const struct tn_tensor *t;

	for (uint32_t k = 0; k < b->op->n_inputs; k++) {
		t = tn_binder_in(b, k);
		if (t && !check_tensor(b, t))
			return false;
	}
	for (uint32_t k = 0; k < b->op->n_outputs; k++) {
		t = tn_binder_out(b, k);
		if (!t)
			return tn_binder_refuse(
				b, TN_RULE_NO_KERNEL, "cannot run: an output is absent");
		if (!check_tensor(b, t))
			return false;
	}
	return true;
}

enum tn_status tn_bind(const struct tn_graph *g, tn_op_id op, struct tn_variant variant,
	struct tn_arena *arena, struct tn_diags *diags, struct tn_call *out)
{
	const struct tn_op *o = &g->ops[op.i];
	struct tn_binder b = { g, o, variant, arena, diags, out, TN_OK };
	bool ok;

	*out = (struct tn_call){ 0 };
	if (binders[o->kind]) {
		ok = check_operands(&b) && binders[o->kind](&b);
	} else {
		ok = tn_binder_refuse(&b, TN_RULE_NO_KERNEL, "has no kernel");
		tn_diag_note(diags, "lint, plan, verify and report need none; "
				    "docs/KERNELS.md lists the ops that have one");
	}
	if (ok && g->kernels == KERNELS_THUMB && !tn_variant_is_buffered(variant))
		ok = tn_bind_thumb(&b);
	if (ok && g->kernels == KERNELS_DSP && !tn_variant_is_buffered(variant))
		ok = tn_bind_dsp(&b);
	if (ok && g->kernels == KERNELS_MVE && !tn_variant_is_buffered(variant))
		ok = tn_bind_mve(&b);
	/* a helper may fail without a report of its own when an operand is absent */
	if (!ok && b.status == TN_OK)
		tn_binder_report(
			&b, TN_RULE_NO_KERNEL, "lacks an operand that its kernel needs");
	return b.status;
}

uint64_t tn_kernels_digest(const struct tn_graph *g)
{
	uint64_t digest = tn_fnv_u64(TN_FNV_INIT, KERNELS_VERSION);

	if (g->kernels == KERNELS_THUMB)
		digest = tn_fnv_u64(digest, UINT64_C(0x200) + KERNELS_THUMB_VERSION);
	if (g->kernels != KERNELS_PORTABLE)
		digest = tn_fnv_u64(digest, KERNELS_DSP_VERSION);
	if (g->kernels == KERNELS_MVE)
		digest = tn_fnv_u64(digest, UINT64_C(0x100) + KERNELS_MVE_VERSION);
	return digest;
}
