#include "ir/batch.h"

#include <inttypes.h>

#include "base/checked.h"
#include "ir/norm.h"
#include "ir/validate.h"

struct scaling {
	const struct tn_graph *g;
	int64_t from, to;
	struct tn_diags *diags;
	struct tn_tensor *tensors;
	bool *batched; /* by tensor */
	bool wrong;
};

int64_t tn_batch_of(const struct tn_graph *g)
{
	int64_t batch = 0;

	for (uint32_t k = 0; k < g->n_inputs; k++) {
		const struct tn_shape *shape = &g->tensors[g->inputs[k].i].shape;

		if (!shape->rank || shape->dim[0] < 1 || (k && shape->dim[0] != batch))
			return 0;
		batch = shape->dim[0];
	}
	return batch;
}

static void refuse(struct scaling *s, const struct tn_op *op, const char *why)
{
	if (!s->wrong)
		tn_diag_at(s->diags, SEVERITY_ERROR, "batch/fixed", s->g->source,
			op ? op->pointer : NULL, op ? op->name : NULL,
			"the batch cannot be scaled: %s%s%s%s%s%s", op ? "'" : "",
			op ? op->name : "", op ? "' (" : "", op ? op->type : "",
			op ? ") " : "", why);
	s->wrong = true;
}

static void refuse_tensor(struct scaling *s, const struct tn_op *op,
	const struct tn_tensor *t, const char *of_op, const char *of_input)
{
	if (op) {
		refuse(s, op, of_op);
		return;
	}
	if (!s->wrong)
		tn_diag_at(s->diags, SEVERITY_ERROR, "batch/fixed", s->g->source,
			t->pointer, t->name,
			"the batch cannot be scaled: the input '%s' %s", t->name,
			of_input);
	s->wrong = true;
}

/* What cannot be told from shapes alone. */
static const char *op_fault(const struct scaling *s, const struct tn_op *op)
{
	const struct tn_tensor *in = op->n_inputs && op->inputs[0].i != TN_NONE
					     ? &s->g->tensors[op->inputs[0].i]
					     : NULL;
	struct tn_norm norm;
	const char *why;

	switch (op->kind) {
	case OP_PACK:
	case OP_UNPACK:
	case OP_REVERSE_V2:
	case OP_SLICE:
	case OP_STRIDED_SLICE:
	case OP_BROADCAST_TO:
		return "may mix samples, or says the batch in a constant";
	case OP_LAYER_NORM:
		return !tn_norm_of(s->g, op, &norm, &why) || norm.outer < s->from
			       ? "has rows of several samples"
			       : NULL;
	default:
		break;
	}
	switch (tn_op_info(op->kind)->access) {
	case ACCESS_OPAQUE:
		return "may mix samples: how it works is not known";
	case ACCESS_ROW_PASSES:
		return in && in->shape.rank < 2 ? "has one row, which is no batch" : NULL;
	default:
		return NULL;
	}
}

/* Of an op's output, or of an input when there is no op. */
static void scale(struct scaling *s, const struct tn_op *op, tn_tensor_id id)
{
	struct tn_tensor *t = &s->tensors[id.i];

	if (s->batched[id.i])
		return;
	s->batched[id.i] = true;
	if (t->view_of.i != TN_NONE || t->has_strides) {
		refuse_tensor(s, op, t, "has a view for an operand",
			t->has_strides ? "has strides" : "is a view");
		return;
	}
	if (!t->shape.rank || t->shape.dim[0] != s->from) {
		refuse(s, op, "has an output whose first dimension is not the batch");
		return;
	}
	t->shape.dim[0] = s->to;
	if (!tn_mul_i64(t->elements / s->from, s->to, &t->elements) ||
		!tn_mul_i64(t->bytes / s->from, s->to, &t->bytes))
		refuse_tensor(s, op, t, "has too large an output", "is too large");
}

static void scale_op(struct scaling *s, const struct tn_op *op)
{
	const char *why;
	bool any = false;

	for (uint32_t k = 0; k < op->n_inputs; k++)
		any = any || (op->inputs[k].i != TN_NONE && s->batched[op->inputs[k].i]);
	if (!any)
		return;
	why = op_fault(s, op);
	if (why)
		refuse(s, op, why);
	for (uint32_t k = 0; k < op->n_outputs && !s->wrong; k++)
		if (op->outputs[k].i != TN_NONE)
			scale(s, op, op->outputs[k]);
}

/* The shapes must still fit each other: an axis that was reduced or moved shows now. */
static enum tn_status check(
	struct scaling *s, const struct tn_graph *scaled, struct tn_arena *arena)
{
	struct tn_diags faults;
	enum tn_status status;

	tn_diags_init(&faults, arena);
	status = tn_validate(scaled, &faults);
	for (size_t i = 0; i < faults.list.count && status == TN_ERR_INPUT && !s->wrong;
		i++)
		if (faults.list.items[i].severity == SEVERITY_ERROR)
			refuse(s, NULL, faults.list.items[i].message);
	return status;
}

enum tn_status tn_batch_scale(const struct tn_graph *g, int64_t batch,
	struct tn_arena *arena, struct tn_diags *diags, struct tn_graph *out)
{
	struct scaling s = {
		.g = g, .from = tn_batch_of(g), .to = batch, .diags = diags
	};

	s.tensors = TN_NEW_ARRAY(arena, struct tn_tensor, g->n_tensors);
	s.batched = TN_NEW_ARRAY(arena, bool, g->n_tensors);
	if (!s.tensors || !s.batched)
		return TN_ERR_NOMEM;
	if (!s.from)
		refuse(&s, NULL, "the inputs have no first dimension in common");
	for (uint32_t i = 0; i < g->n_tensors; i++) {
		s.tensors[i] = g->tensors[i];
		if (g->tensors[i].role == ROLE_VARIABLE)
			refuse(&s, NULL, "the graph has state, which is of one sample");
	}
	for (uint32_t k = 0; k < g->n_inputs && !s.wrong; k++)
		scale(&s, NULL, g->inputs[k]);
	for (uint32_t i = 0; i < g->n_ops && !s.wrong; i++)
		scale_op(&s, &g->ops[g->schedule[i].i]);
	*out = *g;
	out->tensors = s.tensors;
	return s.wrong ? TN_ERR_INPUT : check(&s, out, arena);
}
