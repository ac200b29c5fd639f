/* Ops between windows that work with channels first or last: what names a dimension names
 * another one, and constants have their dimensions exchanged. */
#include <string.h>

#include "rewrite/layout.h"

#include "base/banned.h"

/* Lists of one number for each dimension, or (paddings) two. */
static const struct {
	enum tn_op_kind kind;
	struct {
		const char *name;
		uint32_t operand, each;
	} list[3];
	const char *mask[2]; /* one bit for each dimension */
} listed[] = {
	{ OP_PAD, { { "paddings", 1, 2 } }, { NULL } },
	{ OP_PADV2, { { "paddings", 1, 2 } }, { NULL } },
	{ OP_MIRROR_PAD, { { "paddings", 1, 2 } }, { NULL } },
	{ OP_SLICE, { { "begin", 1, 1 }, { "size", 2, 1 } }, { NULL } },
	{ OP_STRIDED_SLICE, { { "begin", 1, 1 }, { "end", 2, 1 }, { "strides", 3, 1 } },
		{ "begin_mask", "end_mask" } },
};
#define N_LISTED (sizeof(listed) / sizeof(*listed))

static size_t row_of(enum tn_op_kind kind)
{
	size_t i = 0;

	while (i < N_LISTED && listed[i].kind != kind)
		i++;
	return i;
}

static bool takes_lists(struct tn_layout *l, const struct tn_op *op)
{
	const size_t row = row_of(op->kind);
	int64_t list[TN_RANK_MAX];
	uint32_t n;

	if (op->n_outputs != 1 || !tn_layout_may_change(l, op->outputs[0]) ||
		(op->kind == OP_PADV2 && !tn_edit_in(l->e, op, 1)) ||
		tn_op_int(op, "ellipsis_mask", 0) || tn_op_int(op, "new_axis_mask", 0) ||
		tn_op_int(op, "shrink_axis_mask", 0) || tn_op_int(op, "offset", 0))
		return false;
	for (int i = 0; i < 3 && listed[row].list[i].name; i++)
		if (!tn_edit_ints(l->e, op, listed[row].list[i].operand,
			    listed[row].list[i].name, list, &n) ||
			n != TN_LAYOUT_RANK * listed[row].list[i].each)
			return false;
	return true;
}

/* Operands are activations of four dimensions, or constants that broadcast. */
static bool takes_pointwise(struct tn_layout *l, const struct tn_op *op)
{
	if (op->n_outputs != 1 || !tn_layout_may_change(l, op->outputs[0]))
		return false;
	for (uint32_t k = 0; k < op->n_inputs; k++) {
		const struct tn_tensor *t = tn_edit_in(l->e, op, k);

		if (!t)
			continue;
		if (tn_layout_is_constant(t)
				? t->shape.rank > TN_LAYOUT_RANK || t->quant.n > 1 ||
					  tn_dtype_bits(t->dtype) < 8
				: !tn_layout_may_change(l, op->inputs[k]))
			return false;
	}
	return true;
}

static bool takes_concatenation(struct tn_layout *l, const struct tn_op *op)
{
	for (uint32_t k = 0; k < op->n_inputs; k++) {
		const struct tn_tensor *t = tn_edit_in(l->e, op, k);

		if (!t || t->shape.rank != TN_LAYOUT_RANK ||
			(tn_layout_is_constant(t)
					? t->quant.n > 1 || tn_dtype_bits(t->dtype) < 8
					: !tn_layout_may_change(l, op->inputs[k])))
			return false;
	}
	return op->n_outputs == 1 && tn_layout_may_change(l, op->outputs[0]);
}

static bool takes_split(struct tn_layout *l, const struct tn_op *op)
{
	if (op->kind != OP_SPLIT_V || op->n_inputs > 2 || !tn_op_attr(op, "axis"))
		return false;
	for (uint32_t k = 0; k < op->n_outputs; k++)
		if (op->outputs[k].i == TN_NONE ||
			!tn_layout_may_change(l, op->outputs[k]))
			return false;
	return op->n_outputs > 0;
}

static bool axes_of(struct tn_layout *l, const struct tn_op *op,
	int64_t axes[TN_RANK_MAX], uint32_t *n)
{
	if (!tn_edit_ints(l->e, op, 1, "axes", axes, n))
		return false;
	for (uint32_t i = 0; i < *n; i++) {
		axes[i] += axes[i] < 0 ? TN_LAYOUT_RANK : 0;
		if (axes[i] < 0 || axes[i] >= TN_LAYOUT_RANK)
			return false;
	}
	return true;
}

bool tn_layout_keeps_rank(struct tn_layout *l, const struct tn_op *op)
{
	return tn_edit_out(l->e, op, 0)->shape.rank == TN_LAYOUT_RANK;
}

/* What is left must lie in one order in both layouts when its dimensions are dropped. */
static bool takes_reduction(struct tn_layout *l, const struct tn_op *op)
{
	const struct tn_shape *in = &tn_edit_in(l->e, op, 0)->shape;
	int64_t axes[TN_RANK_MAX], before = -1;
	uint32_t n, gone = 0;

	if (op->n_outputs != 1 || !tn_edit_out(l->e, op, 0) || !axes_of(l, op, axes, &n))
		return false;
	if (tn_layout_keeps_rank(l, op))
		return tn_layout_may_change(l, op->outputs[0]);
	for (uint32_t i = 0; i < n; i++)
		gone |= 1u << axes[i];
	for (int i = 0; i < TN_LAYOUT_RANK; i++) {
		const int64_t dim = tn_layout_last[i];

		if (gone >> dim & 1 || in->dim[dim] == 1)
			continue;
		if (dim < before)
			return false;
		before = dim;
	}
	return true;
}

bool tn_layout_takes_op(struct tn_layout *l, const struct tn_op *op)
{
	const struct tn_tensor *in = tn_edit_in(l->e, op, 0);

	if (!in || !tn_edit_out(l->e, op, 0))
		return false;
	if (op->kind == OP_CONCATENATION)
		return takes_concatenation(l, op);
	if (tn_op_info(op->kind)->access == ACCESS_POINTWISE)
		return takes_pointwise(l, op);
	if (tn_layout_is_constant(in) || !tn_layout_may_change(l, op->inputs[0]))
		return false;
	if (tn_op_info(op->kind)->access == ACCESS_REDUCE)
		return takes_reduction(l, op);
	return op->kind == OP_SPLIT_V	     ? takes_split(l, op)
	       : row_of(op->kind) < N_LISTED ? takes_lists(l, op)
					     : false;
}

static void set_int(
	struct tn_layout *l, struct tn_op *op, const char *name, int64_t value)
{
	tn_edit_attr_ints(l->e, op, name, &value, 1);
	for (uint32_t i = 0; i < op->n_attrs && !l->e->failed; i++)
		if (strcmp(op->attrs[i].name, name) == 0) {
			op->attrs[i].kind = ATTR_INT;
			op->attrs[i].v.i = value;
		}
}

static void change_paddings(
	struct tn_layout *l, struct tn_op *op, const int64_t moved[2 * TN_LAYOUT_RANK])
{
	struct tn_tensor like = *tn_edit_in(l->e, op, 1);
	const struct tn_shape pairs = { .rank = 2, .dim = { TN_LAYOUT_RANK, 2 } };
	uint8_t *data = tn_arena_array(l->e->arena, 2 * TN_LAYOUT_RANK, 4);
	tn_tensor_id id;

	if (!data) {
		l->e->failed = true;
		return;
	}
	like.dtype = DTYPE_I32;
	for (uint32_t i = 0; i < 4 * 2 * TN_LAYOUT_RANK; i++)
		data[i] = (uint8_t)((uint64_t)moved[i / 4] >> (8 * (i % 4)));
	id = tn_edit_constant(l->e, &like, &pairs, data);
	if (!l->e->failed)
		tn_edit_set_input(l->e, op, 1, id);
}

static void change_lists(struct tn_layout *l, struct tn_op *op)
{
	const size_t row = row_of(op->kind);
	int64_t list[TN_RANK_MAX], moved[TN_RANK_MAX] = { 0 };
	tn_tensor_id ids[1] = { op->inputs[0] };
	uint32_t n;

	for (int i = 0; i < 3 && listed[row].list[i].name; i++) {
		const uint32_t each = listed[row].list[i].each;

		if (!tn_edit_ints(l->e, op, listed[row].list[i].operand,
			    listed[row].list[i].name, list, &n))
			return; /* it was looked at */
		for (uint32_t k = 0; k < n; k++)
			moved[k] = list[tn_layout_last[k / each] * each + k % each];
		if (op->kind != OP_PADV2)
			tn_edit_attr_ints(l->e, op, listed[row].list[i].name, moved, n);
	}
	for (int i = 0; i < 2 && listed[row].mask[i]; i++) {
		const int64_t mask = tn_op_int(op, listed[row].mask[i], 0);
		int64_t bits = 0;

		for (int k = 0; k < TN_LAYOUT_RANK; k++)
			bits |= (mask >> tn_layout_last[k] & 1) << k;
		if (mask)
			set_int(l, op, listed[row].mask[i], bits);
	}
	if (op->kind == OP_PADV2) { /* it has its paddings as an operand */
		change_paddings(l, op, moved);
		return;
	}
	tn_edit_set_inputs(l->e, op, ids, 1);
}

static void change_axis(struct tn_layout *l, struct tn_op *op, int64_t otherwise)
{
	int64_t axis = tn_op_int(op, "axis", otherwise);

	axis += axis < 0 ? TN_LAYOUT_RANK : 0;
	if (axis >= 0 && axis < TN_LAYOUT_RANK)
		set_int(l, op, "axis", tn_layout_place[axis]);
}

static void change_axes(struct tn_layout *l, struct tn_op *op)
{
	int64_t axes[TN_RANK_MAX];
	tn_tensor_id in = op->inputs[0];
	uint32_t n;

	if (!axes_of(l, op, axes, &n))
		return; /* it was looked at */
	for (uint32_t i = 0; i < n; i++)
		axes[i] = tn_layout_place[axes[i]];
	tn_edit_set_inputs(l->e, op, &in, 1);
	tn_edit_attr_ints(l->e, op, "axes", axes, n);
}

/* A constant as if it had all four dimensions. */
static void change_constant(struct tn_layout *l, struct tn_op *op, uint32_t k)
{
	const struct tn_tensor *t = tn_edit_in(l->e, op, k);
	struct tn_shape whole = { .rank = TN_LAYOUT_RANK, .dim = { 1, 1, 1, 1 } };
	tn_tensor_id id;

	if (t->elements == 1 && t->shape.rank < TN_LAYOUT_RANK)
		return;
	for (uint32_t i = 0; i < t->shape.rank; i++)
		whole.dim[TN_LAYOUT_RANK - t->shape.rank + i] = t->shape.dim[i];
	id = tn_layout_permuted(l, op->inputs[k], &whole, tn_layout_last);
	if (!l->e->failed)
		tn_edit_set_input(l->e, op, k, id);
}

void tn_layout_change_op(struct tn_layout *l, struct tn_op *op)
{
	if (op->kind == OP_BATCH_NORM) {
		change_axis(l, op, -1);
		return;
	}
	if (op->kind == OP_CONCATENATION)
		change_axis(l, op, 0);
	if (op->kind == OP_CONCATENATION ||
		tn_op_info(op->kind)->access == ACCESS_POINTWISE) {
		for (uint32_t k = 0; k < op->n_inputs && !l->e->failed; k++)
			if (tn_edit_in(l->e, op, k) &&
				tn_layout_is_constant(tn_edit_in(l->e, op, k)))
				change_constant(l, op, k);
	} else if (op->kind == OP_SPLIT_V) {
		change_axis(l, op, 0);
	} else if (row_of(op->kind) < N_LISTED) {
		change_lists(l, op);
	} else {
		change_axes(l, op);
	}
}
