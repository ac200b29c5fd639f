/* Transposes: two in a row are one; one in front of an op on single elements moves behind
 * it, where it may meet its inverse. */
#include "rewrite/edit.h"

static bool permutation_of(
	struct tn_edit *e, const struct tn_op *op, int64_t perm[TN_RANK_MAX])
{
	const struct tn_tensor *in = tn_edit_in(e, op, 0);

	return in && op->n_outputs == 1 &&
	       tn_edit_permutation(e, op, in->shape.rank, perm);
}

/* The permutation becomes an attribute, so that no operand needs to be made for it. */
static void set_permutation(struct tn_edit *e, struct tn_op *op, tn_tensor_id in,
	const int64_t *perm, uint32_t n)
{
	tn_edit_set_inputs(e, op, &in, 1);
	tn_edit_drop_attrs(op);
	tn_edit_attr_ints(e, op, "perm", perm, n);
}

static void join(struct tn_edit *e, struct tn_op *op, struct tn_op *before)
{
	const uint32_t rank = tn_edit_in(e, op, 0)->shape.rank;
	int64_t first[TN_RANK_MAX], second[TN_RANK_MAX], both[TN_RANK_MAX];
	const struct tn_tensor *between = tn_edit_in(e, op, 0);
	struct tn_rewrite *done;

	if (!permutation_of(e, before, first) || !permutation_of(e, op, second) ||
		!tn_edit_same_type(between, tn_edit_in(e, before, 0)) ||
		!tn_edit_stable(e, before->inputs[0]))
		return;
	for (uint32_t i = 0; i < rank; i++)
		both[i] = first[second[i]];
	done = tn_edit_done(e, op, tn_edit_private(e, op->inputs[0]) ? before : NULL);
	done->tensor = between->name;
	done->ram_bytes = between->bytes;
	/* `before` stays for its other readers, or is dead code */
	set_permutation(e, op, before->inputs[0], both, rank);
}

/* Ops whose result at an index depends on the operand there and on nothing else. */
static bool does_not_care(const struct tn_op *op)
{
	return op->n_inputs == 1 && op->n_outputs == 1 && op->kind != OP_CAST &&
	       op->kind != OP_QUANTIZE && op->kind != OP_DEQUANTIZE &&
	       tn_op_info(op->kind)->access == ACCESS_POINTWISE;
}

/* Do only such ops lie between the tensor and another transpose? */
static bool meets_transpose(struct tn_edit *e, const tn_op_id *reader, tn_tensor_id id)
{
	for (int hops = 0; hops < 64 && tn_edit_private(e, id); hops++) {
		const struct tn_op *op = &e->g.ops[reader[id.i].i];

		if (op->kind == OP_TRANSPOSE)
			return true;
		if (!does_not_care(op))
			return false;
		id = op->outputs[0];
	}
	return false;
}

/* The two records change places, so that the schedule need not: what was done first is
 * now done second. Operand 0 and the output stay with the place. */
static void exchange(struct tn_edit *e, struct tn_op *a, struct tn_op *b)
{
	const tn_tensor_id a_in = a->inputs[0], a_out = a->outputs[0];
	const tn_tensor_id b_in = b->inputs[0], b_out = b->outputs[0];
	const struct tn_op saved = *a;

	*a = *b;
	*b = saved;
	a->inputs[0] = a_in;
	a->outputs[0] = a_out;
	b->inputs[0] = b_in;
	b->outputs[0] = b_out;
	e->changed = true;
}

/* transpose, op -> op, transpose: only where another transpose follows, so that the two
 * meet; alone it would gain nothing. */
static void move_behind(
	struct tn_edit *e, const tn_op_id *reader, struct tn_op *op, struct tn_op *before)
{
	const tn_tensor_id between = op->inputs[0], out = op->outputs[0];
	int64_t perm[TN_RANK_MAX];
	struct tn_tensor *t;

	if (!permutation_of(e, before, perm) || !tn_edit_private(e, between) ||
		e->pinned[out.i] || !meets_transpose(e, reader, out) ||
		!tn_edit_same_type(tn_edit_in(e, op, 0), tn_edit_in(e, before, 0)) ||
		e->g.tensors[between.i].quant.n > 1 || e->g.tensors[out.i].quant.n > 1)
		return;
	set_permutation(
		e, before, before->inputs[0], perm, e->g.tensors[between.i].shape.rank);
	tn_edit_done(e, before, NULL);
	t = &e->g.tensors[between.i];
	t->dtype = e->g.tensors[out.i].dtype;
	t->quant = e->g.tensors[out.i].quant;
	if (!tn_edit_reshape(t, &e->g.tensors[before->inputs[0].i].shape))
		e->failed = true;
	exchange(e, before, op);
}

void tn_rewrite_transposes(struct tn_edit *e)
{
	const tn_op_id *reader = tn_edit_readers(e);

	for (uint32_t i = 0; i < e->g.n_ops && !e->failed; i++) {
		struct tn_op *op = tn_edit_op(e, i), *before;

		if (!op || !tn_edit_in(e, op, 0) || !tn_edit_out(e, op, 0))
			continue;
		before = tn_edit_producer(e, op, 0);
		if (!before || before->kind != OP_TRANSPOSE)
			continue;
		if (op->kind == OP_TRANSPOSE)
			join(e, op, before);
		else if (does_not_care(op))
			move_behind(e, reader, op, before);
	}
}
