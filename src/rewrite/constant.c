/* Ops on constants, replaced by what the reference kernels give for them. */
#include "rewrite/edit.h"

/* Bytes of an operand that the result would replace: each once, and none that others read
 * as well or somebody wants to see. So large constants never become more bytes. */
static int64_t replaced_bytes(struct tn_edit *e, const struct tn_op *op, uint32_t k)
{
	const tn_tensor_id id = op->inputs[k];
	uint32_t times = 0;

	for (uint32_t i = 0; i < op->n_inputs; i++) {
		times += op->inputs[i].i == id.i;
		if (i < k && op->inputs[i].i == id.i)
			return 0;
	}
	return e->pinned[id.i] || e->reads[id.i] != times ? 0 : e->g.tensors[id.i].bytes;
}

static bool may_fold(struct tn_edit *e, const struct tn_op *op)
{
	int64_t in_bytes = 0, out_bytes = 0;

	if (!op->n_outputs || tn_op_info(op->kind)->access == ACCESS_OPAQUE)
		return false;
	for (uint32_t k = 0; k < op->n_inputs; k++) {
		const struct tn_tensor *t = tn_edit_in(e, op, k);

		if (t && !tn_edit_is_constant(t))
			return false;
		in_bytes += t ? replaced_bytes(e, op, k) : 0;
	}
	for (uint32_t k = 0; k < op->n_outputs; k++) {
		const struct tn_tensor *t = tn_edit_out(e, op, k);

		if (!t || e->pinned[op->outputs[k].i] || t->dtype == DTYPE_INVALID)
			return false;
		out_bytes += t->bytes;
	}
	if (out_bytes > TN_FOLD_BYTES_MAX && out_bytes > in_bytes) {
		tn_edit_left(e, op, "its result would be too large a constant", NULL);
		return false;
	}
	return true;
}

static bool has_inputs(struct tn_edit *e, const struct tn_op *op)
{
	for (uint32_t k = 0; k < op->n_inputs; k++)
		if (tn_edit_in(e, op, k))
			return true;
	return false;
}

/* SHAPE reads no element: what it gives is known whatever its operand holds. */
static bool fold_shape(struct tn_edit *e, struct tn_op *op)
{
	const struct tn_tensor *in = tn_edit_in(e, op, 0), *out = tn_edit_out(e, op, 0);
	struct tn_rewrite *done;
	int64_t width;
	uint8_t *data;

	if (op->kind != OP_SHAPE || !in || !out || e->pinned[op->outputs[0].i] ||
		(out->dtype != DTYPE_I32 && out->dtype != DTYPE_I64) ||
		out->elements != in->shape.rank || in->elements < 0)
		return false;
	width = out->dtype == DTYPE_I32 ? 4 : 8;
	data = tn_arena_alloc(e->arena, (size_t)out->bytes);
	for (uint32_t d = 0; data && d < in->shape.rank; d++) {
		if (in->shape.dim[d] > INT32_MAX && width == 4)
			return false;
		for (int64_t b = 0; b < width; b++)
			data[d * width + b] = (uint8_t)(in->shape.dim[d] >> (8 * b));
	}
	if (!data) {
		e->failed = true;
		return false;
	}
	done = tn_edit_done(e, NULL, op);
	done->tensor = out->name;
	done->ram_bytes = out->bytes;
	done->flash_bytes = -out->bytes;
	tn_edit_make_constant(e, op->outputs[0], data);
	tn_edit_kill(e, op);
	return true;
}

void tn_rewrite_constants(struct tn_edit *e)
{
	for (uint32_t i = 0; i < e->g.n_ops; i++) {
		struct tn_op *op = tn_edit_op(e, i);
		const uint8_t **results;
		tn_op_id id;

		if (!op || !has_inputs(e, op) || fold_shape(e, op) || !may_fold(e, op))
			continue;
		id = tn_edit_id(e, op);
		results = tn_edit_run(e, &id, 1, NULL, 0);
		if (!results) {
			tn_edit_left(e, op, "no kernel can compute it", NULL);
			continue;
		}
		for (uint32_t k = 0; k < op->n_outputs; k++) {
			struct tn_rewrite *done = tn_edit_done(e, NULL, op);

			done->tensor = tn_edit_out(e, op, k)->name;
			done->ram_bytes = tn_edit_out(e, op, k)->bytes;
			done->flash_bytes = -tn_edit_out(e, op, k)->bytes;
			tn_edit_make_constant(e, op->outputs[k], results[k]);
		}
		tn_edit_kill(e, op);
	}
}
