/* DEQUANTIZE and then QUANTIZE to the same scale: nothing has happened. The real value of
 * an integer q is (q - z) * s, rounded once; what comes back is that over s, rounded, and
 * is q again because the error is far below one half: at most 2^17 * 2^-23. */
#include "rewrite/edit.h"

static bool is_small_integer(enum tn_dtype dtype)
{
	return dtype == DTYPE_I8 || dtype == DTYPE_U8 || dtype == DTYPE_I16;
}

static void undo(struct tn_edit *e, struct tn_op *op, const struct tn_op *before)
{
	const tn_tensor_id from = before->inputs[0], to = op->outputs[0];
	const struct tn_tensor *in = tn_edit_in(e, before, 0);
	struct tn_rewrite *done;

	if (in->quant.n != 1 || !is_small_integer(in->dtype) ||
		!(in->quant.scale[0] >= 1e-30f && in->quant.scale[0] <= 1e30f))
		return;
	if (!tn_edit_same_type(in, &e->g.tensors[to.i])) {
		tn_edit_left(e, op, "the two scales differ", before);
		return;
	}
	if (e->pinned[to.i] || !tn_edit_stable(e, from)) {
		tn_edit_left(e, op, "its result must stay apart", before);
		return;
	}
	done = tn_edit_done(e, NULL, op);
	done->tensor = e->g.tensors[to.i].name;
	done->ram_bytes = e->g.tensors[to.i].bytes;
	tn_edit_kill(e, op);
	tn_edit_redirect(e, to, from);
}

void tn_rewrite_quantize(struct tn_edit *e)
{
	for (uint32_t i = 0; i < e->g.n_ops; i++) {
		struct tn_op *op = tn_edit_op(e, i), *before;

		if (!op || op->kind != OP_QUANTIZE || !tn_edit_out(e, op, 0))
			continue;
		before = tn_edit_producer(e, op, 0);
		if (before && before->kind == OP_DEQUANTIZE && tn_edit_in(e, before, 0))
			undo(e, op, before);
	}
}
