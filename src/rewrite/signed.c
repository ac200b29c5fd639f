/* Bytes without a sign that floats are quantised to, and that are only dequantised again:
 * signed bytes stand for the same numbers when the zero point moves along by 128, and
 * those are what the integer kernels take. */
#include "rewrite/edit.h"

#define MOVED 128

static bool may_move(struct tn_edit *e, const struct tn_op *op)
{
	const struct tn_tensor *in = tn_edit_in(e, op, 0), *out = tn_edit_out(e, op, 0);

	return op->kind == OP_QUANTIZE && op->n_outputs == 1 && in && out &&
	       in->dtype == DTYPE_F32 && out->dtype == DTYPE_U8 && out->quant.n == 1 &&
	       !out->quant.damaged && !e->pinned[op->outputs[0].i] &&
	       tn_edit_stable(e, op->outputs[0]);
}

/* By tensor: the signed one. */
static tn_tensor_id move(struct tn_edit *e, struct tn_op *op)
{
	struct tn_tensor like = *tn_edit_out(e, op, 0);
	int64_t *zero = TN_NEW_ARRAY(e->arena, int64_t, 1);
	tn_tensor_id id = op->outputs[0];

	if (!zero) {
		e->failed = true;
		return id;
	}
	*zero = like.quant.zero_point[0] - MOVED;
	like.quant.zero_point = zero;
	like.dtype = DTYPE_I8;
	id = tn_edit_activation(e, &like, &like.shape, op);
	if (!e->failed) {
		tn_edit_done(e, op, NULL);
		tn_edit_set_output(e, op, id);
	}
	return id;
}

void tn_rewrite_signed(struct tn_edit *e)
{
	const uint32_t n = e->g.n_tensors;
	bool *others = TN_NEW_ARRAY(e->scratch, bool, n);
	tn_tensor_id *moved = TN_NEW_ARRAY(e->scratch, tn_tensor_id, n);

	if (!others || !moved) {
		e->failed = true;
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		moved[i].i = TN_NONE;
	for (uint32_t i = 0; i < e->g.n_ops; i++) {
		const struct tn_op *op = tn_edit_op(e, i);

		for (uint32_t k = 0; op && k < op->n_inputs; k++)
			if (op->inputs[k].i != TN_NONE && op->kind != OP_DEQUANTIZE)
				others[op->inputs[k].i] = true;
	}
	for (uint32_t i = 0; i < e->g.n_ops && !e->failed; i++) {
		struct tn_op *op = tn_edit_op(e, i);

		if (op && may_move(e, op) && !others[op->outputs[0].i]) {
			const tn_tensor_id old = op->outputs[0];

			moved[old.i] = move(e, op);
		}
	}
	for (uint32_t i = 0; i < e->g.n_ops && !e->failed; i++) {
		struct tn_op *op = tn_edit_op(e, i);

		if (op && op->n_inputs && op->inputs[0].i < n &&
			moved[op->inputs[0].i].i != TN_NONE)
			tn_edit_set_input(e, op, 0, moved[op->inputs[0].i]);
	}
}
