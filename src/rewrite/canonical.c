/* One spelling: operands of commutative ops in the order of their ids, constants last;
 * whatever only renames dimensions is a RESHAPE without a shape operand. */
#include <string.h>

#include "rewrite/edit.h"

#include "base/banned.h"

/* Ops whose kernels give the same bits when the operands swap, scales included. (What a
 * float op gives for two NaNs may differ in the bits that no comparison can tell.) */
static bool is_commutative(enum tn_op_kind kind, bool is_integer)
{
	switch (kind) {
	case OP_ADD:
	case OP_MUL:
	case OP_EQUAL:
	case OP_NOT_EQUAL:
	case OP_LOGICAL_AND:
	case OP_LOGICAL_OR:
		return true;
	case OP_MINIMUM: /* of floats: the second operand wins a NaN, or another zero */
	case OP_MAXIMUM:
		return is_integer;
	default:
		return false;
	}
}

static bool comes_first(const struct tn_edit *e, tn_tensor_id a, tn_tensor_id b)
{
	const bool a_constant = tn_edit_is_constant(&e->g.tensors[a.i]);
	const bool b_constant = tn_edit_is_constant(&e->g.tensors[b.i]);

	return a_constant != b_constant ? b_constant : a.i < b.i;
}

static void order_operands(struct tn_edit *e, struct tn_op *op)
{
	const tn_tensor_id a = op->inputs[0], b = op->inputs[1];

	if (a.i == TN_NONE || b.i == TN_NONE || a.i == b.i || comes_first(e, a, b))
		return;
	op->inputs[0] = b;
	op->inputs[1] = a;
	tn_edit_done(e, op, NULL);
}

/* Does the permutation keep the dimensions larger than 1 in their order? */
static bool moves_nothing(struct tn_edit *e, const struct tn_op *op)
{
	const struct tn_tensor *in = tn_edit_in(e, op, 0);
	int64_t perm[TN_RANK_MAX], last = -1;

	if (!tn_edit_permutation(e, op, in->shape.rank, perm))
		return false;
	for (uint32_t i = 0; i < in->shape.rank; i++) {
		if (in->shape.dim[perm[i]] == 1)
			continue;
		if (perm[i] < last)
			return false;
		last = perm[i];
	}
	return true;
}

static bool only_renames(struct tn_edit *e, const struct tn_op *op)
{
	switch (op->kind) {
	case OP_RESHAPE:
		return op->n_inputs > 1 || op->n_attrs > 0;
	case OP_SQUEEZE:
	case OP_EXPAND_DIMS:
		return true;
	case OP_PACK:
		return op->n_inputs == 1;
	case OP_UNPACK:
		return op->n_outputs == 1;
	case OP_TRANSPOSE:
		return moves_nothing(e, op);
	default:
		return false;
	}
}

static void make_reshape(struct tn_edit *e, struct tn_op *op)
{
	const tn_tensor_id in = op->inputs[0];

	op->kind = OP_RESHAPE;
	op->type = tn_str_intern(e->strings, "RESHAPE", strlen("RESHAPE"));
	if (!op->type)
		e->failed = true;
	tn_edit_drop_attrs(op);
	if (op->n_inputs > 1)
		tn_edit_set_inputs(e, op, &in, 1);
	tn_edit_done(e, op, NULL);
}

/* A reshape of a reshape needs only the first one's input. */
static void skip_reshape(struct tn_edit *e, struct tn_op *op)
{
	struct tn_op *before = tn_edit_producer(e, op, 0);
	struct tn_rewrite *done;
	const struct tn_tensor *between;

	if (!before || before->kind != OP_RESHAPE || !tn_edit_in(e, before, 0) ||
		!tn_edit_private(e, op->inputs[0]) ||
		!tn_edit_stable(e, before->inputs[0]))
		return;
	between = tn_edit_in(e, op, 0);
	if (!tn_edit_same_quant(between, tn_edit_in(e, before, 0)))
		return;
	done = tn_edit_done(e, op, before);
	done->tensor = between->name;
	tn_edit_set_input(e, op, 0, before->inputs[0]);
	tn_edit_kill(e, before);
}

void tn_rewrite_canonical(struct tn_edit *e)
{
	for (uint32_t i = 0; i < e->g.n_ops; i++) {
		struct tn_op *op = tn_edit_op(e, i);
		const struct tn_tensor *in, *out;

		if (!op)
			continue;
		out = tn_edit_out(e, op, 0);
		if (op->n_inputs == 2 &&
			is_commutative(op->kind, out && out->dtype != DTYPE_F32))
			order_operands(e, op);
		in = tn_edit_in(e, op, 0);
		if (!in || !out || op->n_outputs != 1)
			continue;
		if (in->dtype == out->dtype && in->elements == out->elements &&
			only_renames(e, op))
			make_reshape(e, op);
		if (op->kind == OP_RESHAPE)
			skip_reshape(e, op);
	}
}
