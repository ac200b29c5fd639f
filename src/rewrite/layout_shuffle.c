/* A shuffle of channels between windows: a reshape that parts the channels in groups, a
 * transpose of the two dimensions, a reshape back. With channels last it is the same on the
 * last two dimensions, and nothing else is moved. */
#include "rewrite/layout.h"

#define SPLIT_RANK (TN_LAYOUT_RANK + 1)

struct shuffle {
	struct tn_op *transpose, *back;
};

/* The one reader of the tensor, when it is of this kind and has it as its first operand. */
static struct tn_op *only_reader(
	struct tn_layout *l, tn_tensor_id id, enum tn_op_kind kind)
{
	struct tn_op *op;

	if (id.i >= l->n_tensors || !tn_edit_private(l->e, id) ||
		l->e->g.tensors[id.i].quant.n > 1)
		return NULL;
	op = &l->e->g.ops[l->reader[id.i].i];
	return op->kind == kind && op->n_outputs == 1 && op->inputs[0].i == id.i ? op
										 : NULL;
}

static bool find(struct tn_layout *l, const struct tn_op *op, struct shuffle *s)
{
	static const int64_t swap[SPLIT_RANK] = { 0, 2, 1, 3, 4 };
	const struct tn_tensor *in, *split, *out;
	int64_t perm[TN_RANK_MAX];

	if (op->kind != OP_RESHAPE || op->n_outputs != 1 || !tn_edit_in(l->e, op, 0) ||
		!tn_layout_may_change(l, op->inputs[0]))
		return false;
	s->transpose = only_reader(l, op->outputs[0], OP_TRANSPOSE);
	if (!s->transpose || !tn_edit_permutation(l->e, s->transpose, SPLIT_RANK, perm))
		return false;
	for (int i = 0; i < SPLIT_RANK; i++)
		if (perm[i] != swap[i])
			return false;
	s->back = only_reader(l, s->transpose->outputs[0], OP_RESHAPE);
	if (!s->back || !tn_layout_may_change(l, s->back->outputs[0]) ||
		l->e->pinned[s->back->outputs[0].i])
		return false;
	in = tn_edit_in(l->e, op, 0);
	split = tn_edit_out(l->e, op, 0);
	out = tn_edit_out(l->e, s->back, 0);
	/* the products cannot overflow: both have as many elements */
	return split->shape.rank == SPLIT_RANK &&
	       split->shape.dim[0] == in->shape.dim[0] &&
	       split->shape.dim[3] == in->shape.dim[2] &&
	       split->shape.dim[4] == in->shape.dim[3] && in->quant.n <= 1 &&
	       out->quant.n <= 1 && tn_shape_equal(&in->shape, &out->shape);
}

bool tn_layout_is_shuffle(
	struct tn_layout *l, const struct tn_op *op, tn_tensor_id *out_result)
{
	struct shuffle s;

	if (!find(l, op, &s))
		return false;
	*out_result = s.back->outputs[0];
	return true;
}

/* The op reads `from` alone and writes a new tensor. */
static tn_tensor_id write_new(struct tn_layout *l, struct tn_op *op, tn_tensor_id from,
	const struct tn_shape *shape, const int64_t *perm)
{
	const struct tn_tensor like = *tn_edit_out(l->e, op, 0);
	tn_tensor_id id = tn_edit_activation(l->e, &like, shape, op);

	if (l->e->failed)
		return id;
	tn_edit_set_inputs(l->e, op, &from, 1);
	tn_edit_set_output(l->e, op, id);
	tn_edit_drop_attrs(op);
	if (perm)
		tn_edit_attr_ints(l->e, op, "perm", perm, SPLIT_RANK);
	return id;
}

void tn_layout_change_shuffle(struct tn_layout *l, struct tn_op *op)
{
	static const int64_t swap[SPLIT_RANK] = { 0, 1, 2, 4, 3 };
	struct tn_shape first, split, swapped, whole;
	struct shuffle s;
	tn_tensor_id id, result;

	if (!find(l, op, &s))
		return; /* it was looked at */
	first = tn_edit_out(l->e, op, 0)->shape;
	result = s.back->outputs[0];
	tn_layout_shape(&tn_edit_out(l->e, s.back, 0)->shape, &whole);
	split = (struct tn_shape){ .rank = SPLIT_RANK,
		.dim = { first.dim[0], first.dim[3], first.dim[4], first.dim[1],
			first.dim[2] } };
	swapped = split;
	swapped.dim[3] = split.dim[4];
	swapped.dim[4] = split.dim[3];
	id = write_new(l, op, l->last[op->inputs[0].i], &split, NULL);
	if (!l->e->failed)
		id = write_new(l, s.transpose, id, &swapped, swap);
	if (!l->e->failed)
		id = write_new(l, s.back, id, &whole, NULL);
	l->last[result.i] = id;
}
