/* Ops that give their input unchanged: same type, same shape, same elements. */
#include <string.h>

#include "ir/window.h"
#include "rewrite/edit.h"

#include "base/banned.h"

static bool all_ints_are(const struct tn_tensor *t, int64_t value)
{
	int64_t v;

	if (!tn_edit_is_constant(t))
		return false;
	for (int64_t i = 0; i < t->elements; i++)
		if (!tn_tensor_int(t, i, &v) || v != value)
			return false;
	return true;
}

static bool is_identity_permutation(struct tn_edit *e, const struct tn_op *op)
{
	const uint32_t rank = tn_edit_in(e, op, 0)->shape.rank;
	int64_t perm[TN_RANK_MAX];

	if (!tn_edit_permutation(e, op, rank, perm))
		return false;
	for (uint32_t i = 0; i < rank; i++)
		if (perm[i] != i)
			return false;
	return true;
}

/* Every step 1 and an output as large as the input leave no other choice. */
static bool takes_all(struct tn_edit *e, const struct tn_op *op)
{
	return op->n_inputs == 4 && all_ints_are(tn_edit_in(e, op, 3), 1) &&
	       !tn_op_int(op, "new_axis_mask", 0) && !tn_op_int(op, "ellipsis_mask", 0) &&
	       !tn_op_int(op, "shrink_axis_mask", 0);
}

static bool clamps(const struct tn_op *op)
{
	return strcmp(tn_op_string(op, "activation", "NONE"), "NONE") != 0;
}

/* No side may be negative, and the shape stays: then every side is 0. That of an operand
 * is checked when the graph is; an attribute may say anything. */
static bool pads_nothing(const struct tn_op *op)
{
	const struct tn_attr *a = tn_op_attr(op, "paddings");

	for (size_t i = 0; a && a->kind == ATTR_INTS && i < a->n; i++)
		if (a->v.ints[i] != 0)
			return false;
	return !a || a->kind == ATTR_INTS;
}

/* A pool of integers whose window is one element. (A float pool cuts infinities.) As
 * large as its input, a pool with strides may yet skip elements and read padding. */
static bool pools_one(const struct tn_edit *e, const struct tn_op *op)
{
	struct tn_window w;
	const char *why;

	return e->g.tensors[op->outputs[0].i].dtype != DTYPE_F32 && !clamps(op) &&
	       tn_window_of(&e->g, op, &w, &why) && w.k_h == 1 && w.k_w == 1 &&
	       w.pad_top == 0 && w.pad_left == 0 && (w.stride_h == 1 || w.out_h == 1) &&
	       (w.stride_w == 1 || w.out_w == 1);
}

/* Input and output are known to have the same type and shape. */
static bool is_identity(struct tn_edit *e, const struct tn_op *op)
{
	switch (op->kind) {
	case OP_RESHAPE:
	case OP_SQUEEZE:
	case OP_EXPAND_DIMS:
	case OP_CAST:
	case OP_BROADCAST_TO:
	case OP_SLICE:
		return true;
	case OP_QUANTIZE:
		return tn_edit_in(e, op, 0)->quant.n == 1;
	case OP_STRIDED_SLICE:
		return takes_all(e, op);
	case OP_PAD:
	case OP_PADV2:
	case OP_MIRROR_PAD:
		return pads_nothing(op);
	case OP_TRANSPOSE:
		return is_identity_permutation(e, op);
	case OP_AVERAGE_POOL_2D:
	case OP_MAX_POOL_2D:
		return pools_one(e, op);
	case OP_CONCATENATION: /* ADD_N of one rounds */
		return op->n_inputs == 1 && !clamps(op);
	case OP_SPLIT:
	case OP_SPLIT_V:
		return op->n_outputs == 1;
	default:
		return false;
	}
}

/* Which operand holds the data. */
static uint32_t data_operand(const struct tn_op *op)
{
	return op->kind == OP_SPLIT ? 1 : 0;
}

static void remove(struct tn_edit *e, struct tn_op *op, uint32_t k)
{
	const tn_tensor_id in = op->inputs[k], out = op->outputs[0];
	struct tn_op *producer = tn_edit_producer(e, op, k);
	const bool may_keep_out = producer && producer->n_outputs == 1 &&
				  tn_edit_private(e, in) && tn_edit_may_move(e, out);
	struct tn_rewrite *done;
	tn_tensor_id gone;

	/* a name of the file rather than one of ours */
	if (!e->pinned[out.i] && tn_edit_stable(e, in) &&
		!(may_keep_out && in.i >= e->n_file_tensors)) {
		gone = out;
		tn_edit_kill(e, op);
		tn_edit_redirect(e, out, in);
	} else if (may_keep_out) {
		gone = in;
		tn_edit_kill(e, op);
		tn_edit_set_output(e, producer, out);
	} else {
		return;
	}
	done = tn_edit_done(e, producer, op);
	done->tensor = e->g.tensors[gone.i].name;
	done->ram_bytes = e->g.tensors[gone.i].bytes;
}

void tn_rewrite_identity(struct tn_edit *e)
{
	for (uint32_t i = 0; i < e->g.n_ops; i++) {
		struct tn_op *op = tn_edit_op(e, i);
		const struct tn_tensor *in, *out;

		if (!op || op->n_outputs != 1)
			continue;
		in = tn_edit_in(e, op, data_operand(op));
		out = tn_edit_out(e, op, 0);
		if (in && out && tn_edit_same_type(in, out) &&
			tn_shape_equal(&in->shape, &out->shape) && is_identity(e, op))
			remove(e, op, data_operand(op));
	}
}
