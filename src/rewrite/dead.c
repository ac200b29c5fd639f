/* Ops whose results nobody sees. */
#include "rewrite/edit.h"

static bool has_side_effects(const struct tn_op *op)
{
	switch (op->kind) {
	case OP_UNKNOWN:
	case OP_IF:
	case OP_WHILE:
	case OP_CALL_ONCE:
	case OP_VAR_HANDLE:
	case OP_ASSIGN_VARIABLE:
		return true;
	default:
		return op->n_outputs == 0;
	}
}

static bool is_dead(struct tn_edit *e, const struct tn_op *op)
{
	if (has_side_effects(op))
		return false;
	for (uint32_t k = 0; k < op->n_inputs; k++) {
		const struct tn_tensor *t = tn_edit_in(e, op, k);

		if (t && t->role == ROLE_VARIABLE)
			return false; /* it may update the state */
	}
	for (uint32_t k = 0; k < op->n_outputs; k++) {
		const tn_tensor_id id = op->outputs[k];

		if (id.i != TN_NONE && (e->pinned[id.i] || e->reads[id.i]))
			return false;
	}
	return true;
}

void tn_rewrite_dead_code(struct tn_edit *e)
{
	for (uint32_t i = e->g.n_ops; i-- > 0;) {
		struct tn_op *op = tn_edit_op(e, i);
		const struct tn_tensor *out;
		struct tn_rewrite *done;

		if (!op || !is_dead(e, op))
			continue;
		out = tn_edit_out(e, op, 0);
		done = tn_edit_done(e, NULL, op);
		done->tensor = out ? out->name : NULL;
		for (uint32_t k = 0; k < op->n_outputs; k++)
			if (tn_edit_out(e, op, k))
				done->ram_bytes += tn_edit_out(e, op, k)->bytes;
		tn_edit_kill(e, op);
	}
}
