#include "ir/batch.h"

#include <inttypes.h>

#include "base/checked.h"
#include "ir/norm.h"
#include "ir/storage.h"
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

static bool batched(const struct scaling *s, const struct tn_op *op, uint32_t k)
{
	return k < op->n_inputs && op->inputs[k].i != TN_NONE &&
	       s->batched[op->inputs[k].i];
}

/* As the file has it; NULL: absent. */
static const struct tn_tensor *operand(
	const struct scaling *s, const struct tn_op *op, uint32_t k)
{
	return k < op->n_inputs && op->inputs[k].i != TN_NONE
		       ? &s->g->tensors[op->inputs[k].i]
		       : NULL;
}

/* Is operand k the data of the op, whose first dimension may be the batch: no weights, no
 * axis, no shape? */
static bool is_data(const struct tn_op *op, uint32_t k)
{
	switch (op->kind) {
	case OP_CONCATENATION:
		return true;
	case OP_SPLIT: /* the axis comes first */
		return k == (op->n_inputs == 2);
	case OP_TRANSPOSE_CONV:
		return k == 2;
	case OP_GATHER:
	case OP_GATHER_ND:
	case OP_BATCH_MATMUL:
	case OP_DYNAMIC_UPDATE_SLICE:
		return k < 2;
	default:
		return k == 0 || tn_op_info(op->kind)->access == ACCESS_POINTWISE;
	}
}

/* Element i of the list that operand `k` or an attribute holds; false when the list is not
 * known, or shorter. */
static bool listed(const struct scaling *s, const struct tn_op *op, uint32_t k,
	const char *name, int64_t i, int64_t *out)
{
	const struct tn_tensor *t = operand(s, op, k);
	const struct tn_attr *a = tn_op_attr(op, name);

	if (t)
		return i < t->elements && tn_tensor_is_constant(t) &&
		       tn_tensor_int(t, i, out);
	if (!a || i >= (int64_t)a->n || (a->kind != ATTR_INT && a->kind != ATTR_INTS))
		return false;
	*out = tn_op_int_at(op, name, (size_t)i, 0);
	return true;
}

/* Is it a dimension of the input, and not the first? */
static bool is_inside(int64_t axis, const struct tn_tensor *in)
{
	axis += axis < 0 ? in->shape.rank : 0;
	return axis > 0 && axis < in->shape.rank;
}

static bool one_axis_inside(const struct scaling *s, const struct tn_op *op)
{
	int64_t axis;

	return listed(s, op, 1, "axis", 0, &axis) && is_inside(axis, operand(s, op, 0));
}

/* Without any list, it is height and width that are folded. */
static bool axes_inside(const struct scaling *s, const struct tn_op *op)
{
	const struct tn_tensor *in = operand(s, op, 0), *axes = operand(s, op, 1);
	const char *name = tn_op_attr(op, "axes") ? "axes" : "axis";
	const struct tn_attr *a = tn_op_attr(op, name);
	const int64_t n = axes ? axes->elements : a ? (int64_t)a->n : 0;

	for (int64_t i = 0; i < n; i++) {
		int64_t axis;

		if (!listed(s, op, 1, name, i, &axis) || !is_inside(axis, in))
			return false;
	}
	return axes || a || in->shape.rank == 4;
}

/* Of a table that is no sample, each sample takes what its own indices say. */
static bool gathers_inside(const struct scaling *s, const struct tn_op *op)
{
	const struct tn_tensor *table = operand(s, op, 0), *index = operand(s, op, 1);
	const int64_t axis = tn_op_int(op, "axis", 0);
	const int64_t batch_dims = tn_op_int(op, "batch_dims", 0);

	if (op->kind == OP_GATHER_ND)
		return !batched(s, op, 0) && index->shape.rank > 1;
	if (!batched(s, op, 0))
		return !batch_dims && (!axis || axis == -(int64_t)table->shape.rank);
	return is_inside(axis, table) && batched(s, op, 1) == (batch_dims != 0);
}

/* The rows of a matrix may be the samples when the other side is the same for all. */
static bool multiplies_inside(const struct scaling *s, const struct tn_op *op)
{
	const struct tn_tensor *a = operand(s, op, 0), *b = operand(s, op, 1);
	const uint32_t rank = s->g->tensors[op->outputs[0].i].shape.rank;

	if (rank == 2)
		return a->shape.rank == 2 && !batched(s, op, 1) &&
		       !tn_op_int(op, "adj_x", 0);
	for (uint32_t k = 0; k < 2; k++) {
		const struct tn_tensor *t = k ? b : a;

		if (batched(s, op, k) ? t->shape.rank != rank
				      : t->shape.rank == rank && t->shape.dim[0] != 1)
			return false;
	}
	return true;
}

/* An operand of another rank lies with its first dimension along another of the output's. */
static bool broadcasts_inside(const struct scaling *s, const struct tn_op *op)
{
	const uint32_t rank = s->g->tensors[op->outputs[0].i].shape.rank;

	if (tn_norm_is_training(op))
		return false;
	for (uint32_t k = 0; k < op->n_inputs; k++)
		if (batched(s, op, k) && op->n_inputs > 1 &&
			operand(s, op, k)->shape.rank != rank)
			return false;
	return true;
}

/* One axis, also as a list of it; the last dimension when none is said. */
static bool passes_inside(const struct scaling *s, const struct tn_op *op)
{
	const struct tn_attr *a = tn_op_attr(op, "axis");
	int64_t axis = -1;

	if (a && (a->n != 1 || !listed(s, op, op->n_inputs, "axis", 0, &axis)))
		return false;
	return is_inside(axis, operand(s, op, 0));
}

/* Rows lie within a sample. */
static bool rows_inside(const struct scaling *s, const struct tn_op *op)
{
	const struct tn_tensor *in = operand(s, op, 0), *weights = operand(s, op, 1);
	int64_t depth;

	if (!weights || !weights->shape.rank)
		return true;
	depth = weights->shape.dim[weights->shape.rank - 1];
	return depth > 0 && in->elements / s->from % depth == 0;
}

/* Does each sample of the output depend on that sample of the operands alone? `op` has
 * the operands that its kind needs. */
static bool keeps_samples(const struct scaling *s, const struct tn_op *op)
{
	int64_t first;

	switch (op->kind) {
	case OP_TRANSPOSE:
		return listed(s, op, 1, "perm", 0, &first) && !first;
	case OP_ARG_MAX:
	case OP_ARG_MIN:
	case OP_CUMSUM:
		return one_axis_inside(s, op);
	case OP_GATHER:
	case OP_GATHER_ND:
		return gathers_inside(s, op);
	case OP_DYNAMIC_UPDATE_SLICE: /* a first dimension that is whole begins at 0 */
		return batched(s, op, 0) && batched(s, op, 1);
	default:
		break;
	}
	switch (tn_op_info(op->kind)->access) {
	case ACCESS_POINTWISE:
		return broadcasts_inside(s, op);
	case ACCESS_REDUCE:
		return axes_inside(s, op);
	case ACCESS_MATMUL:
		return multiplies_inside(s, op);
	case ACCESS_ROWS:
		return rows_inside(s, op);
	case ACCESS_ROW_PASSES:
		return passes_inside(s, op);
	default:
		return true;
	}
}

/* What cannot be told from shapes alone. */
static const char *op_fault(const struct scaling *s, const struct tn_op *op)
{
	switch (op->kind) {
	case OP_PACK:
	case OP_UNPACK:
	case OP_REVERSE_V2:
	case OP_SLICE:
	case OP_STRIDED_SLICE:
	case OP_BROADCAST_TO:
		return "may mix samples, or says the batch in a constant";
	case OP_SHAPE:
	case OP_BROADCAST_ARGS:
	case OP_FILL:
		return "makes a value of a shape, or a shape of a value";
	default:
		break;
	}
	if (tn_op_info(op->kind)->access == ACCESS_OPAQUE)
		return "may mix samples: how it works is not known";
	for (uint32_t k = 0; k < op->n_inputs; k++)
		if (batched(s, op, k) && !is_data(op, k))
			return "computes with samples as with weights or a shape";
	return keeps_samples(s, op) ? NULL : "may mix samples";
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

/* A window into samples, which no op makes, has the shape that the file gives it. */
static enum tn_status refuse_windows(struct scaling *s, struct tn_arena *arena)
{
	struct tn_storage storage;
	enum tn_status status = tn_storage_find(s->g, arena, &storage);

	for (uint32_t i = 0; i < s->g->n_tensors && status == TN_OK && !s->wrong; i++)
		if (storage.extent[i].root != i && s->batched[storage.extent[i].root])
			refuse(s, NULL, "a view lies in what has the batch");
	return status;
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
	enum tn_status status;

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
	status = s.wrong ? TN_ERR_INPUT : refuse_windows(&s, arena);
	if (status != TN_OK)
		return status;
	return s.wrong ? TN_ERR_INPUT : check(&s, out, arena);
}
