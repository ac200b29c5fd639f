/* Arity, and for the ops whose geometry is known, whether the operands' shapes fit. Only
 * what must hold for any runtime is an error; a window that is merely unusual is a
 * warning, because such an op is still planned as the worst case. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "ir/norm.h"
#include "ir/type_name.h"
#include "ir/validate_part.h"
#include "ir/window.h"

static const struct tn_tensor *input(
	const struct tn_check *c, const struct tn_op *op, uint32_t k)
{
	return k < op->n_inputs && op->inputs[k].i != TN_NONE
		       ? &c->g->tensors[op->inputs[k].i]
		       : NULL;
}

static const struct tn_tensor *output(
	const struct tn_check *c, const struct tn_op *op, uint32_t k)
{
	return &c->g->tensors[op->outputs[k].i];
}

struct shape_text {
	char s[TN_RANK_MAX * 21 + 3];
};

static struct shape_text shape_text(const struct tn_shape *shape)
{
	struct shape_text text;
	size_t at = 0;

	text.s[at++] = '[';
	for (uint32_t i = 0; i < shape->rank; i++)
		at += (size_t)snprintf(text.s + at, sizeof(text.s) - at, "%s%" PRId64,
			i ? ", " : "", shape->dim[i]);
	snprintf(text.s + at, sizeof(text.s) - at, "]");
	return text;
}

static void misfit(struct tn_check *c, const struct tn_op *op, const struct tn_tensor *a,
	const struct tn_tensor *b, const char *what)
{
	struct shape_text shape_a = shape_text(&a->shape),
			  shape_b = shape_text(&b->shape);

	tn_check_error(c, "graph/shape", op->pointer, op->name,
		"'%s' (%s): '%s' %s %s '%s' %s", op->name, op->type, a->name, shape_a.s,
		what, b->name, shape_b.s);
}

static void check_pointwise(struct tn_check *c, const struct tn_op *op)
{
	const struct tn_tensor *out = output(c, op, 0);
	int64_t strides[TN_RANK_MAX];

	for (uint32_t k = 0; k < tn_op_operands(c->g, op); k++) {
		const struct tn_tensor *in = input(c, op, k);

		/* the same elements in another rank are the same bytes */
		if (in && in->elements != out->elements && in->elements != 1 &&
			!tn_shape_broadcast_strides(&in->shape, &out->shape, strides))
			misfit(c, op, in, out, "does not broadcast to");
	}
}

static void check_same_bytes(struct tn_check *c, const struct tn_op *op)
{
	const struct tn_tensor *in = input(c, op, 0), *out = output(c, op, 0);

	/* a true view says itself where its bytes are */
	if (in && in->bytes != out->bytes && out->view_of.i == TN_NONE &&
		!out->has_strides)
		misfit(c, op, in, out, "has not the bytes of");
}

static void check_same_elements(struct tn_check *c, const struct tn_op *op)
{
	const struct tn_tensor *in = input(c, op, 0), *out = output(c, op, 0);

	if (in && in->elements != out->elements)
		misfit(c, op, in, out, "has not as many elements as");
}

static void check_window(struct tn_check *c, const struct tn_op *op)
{
	struct tn_window window;
	const char *why;

	if (!tn_window_of(c->g, op, &window, &why))
		tn_diag_at(c->diags, SEVERITY_WARNING, "graph/geometry", c->g->source,
			op->pointer, op->name,
			"'%s' (%s) is taken as reading its whole input: %s", op->name,
			op->type, why);
}

static void check_norm(struct tn_check *c, const struct tn_op *op)
{
	struct tn_norm norm;
	const char *why;

	if (tn_norm_of(c->g, op, &norm, &why))
		return;
	if (tn_norm_is_training(op))
		tn_diag_at(c->diags, SEVERITY_WARNING, "graph/geometry", c->g->source,
			op->pointer, op->name,
			"'%s' (%s) is taken as reading its whole input: %s", op->name,
			op->type, why);
	else
		tn_check_error(c, "graph/shape", op->pointer, op->name, "'%s' (%s): %s",
			op->name, op->type, why);
}

static int64_t last_dim(const struct tn_tensor *t)
{
	return t->shape.rank ? t->shape.dim[t->shape.rank - 1] : 1;
}

static void check_rows(struct tn_check *c, const struct tn_op *op)
{
	const struct tn_tensor *in = input(c, op, 0), *weights = input(c, op, 1);
	const struct tn_tensor *out = output(c, op, 0);
	int64_t depth, want;

	if (!in || !weights)
		return;
	depth = last_dim(weights);
	if (weights->shape.rank != 2 || depth < 1 || in->elements % depth != 0) {
		misfit(c, op, weights, in, "does not fit the rows of");
		return;
	}
	if (!tn_mul_i64(in->elements / depth, weights->shape.dim[0], &want) ||
		want != out->elements)
		misfit(c, op, weights, out, "does not give");
}

/* Every element of one side appears once on the other. */
static void check_sum(struct tn_check *c, const struct tn_op *op, bool many_inputs)
{
	const struct tn_tensor *whole = many_inputs ? output(c, op, 0) : input(c, op, 0);
	uint32_t n = many_inputs ? op->n_inputs : op->n_outputs;
	int64_t sum = 0;

	if (op->kind == OP_SPLIT) /* the axis comes first */
		whole = op->n_inputs == 2 ? input(c, op, 1) : input(c, op, 0);
	for (uint32_t k = 0; k < n; k++) {
		const struct tn_tensor *part =
			many_inputs ? input(c, op, k) : output(c, op, k);

		if (part && !tn_add_i64(sum, part->elements, &sum))
			sum = -1;
	}
	if (whole && sum != whole->elements)
		tn_check_error(c, "graph/shape", op->pointer, op->name,
			"'%s' (%s): the parts have %" PRId64
			" elements, '%s' has %" PRId64,
			op->name, op->type, sum, whole->name, whole->elements);
}

static void check_pad(struct tn_check *c, const struct tn_op *op)
{
	const struct tn_tensor *in = input(c, op, 0), *pads = input(c, op, 1);
	const struct tn_tensor *out = output(c, op, 0);

	if (!in || !pads || pads->data_kind != DATA_BYTES || !tn_tensor_is_constant(pads))
		return;
	if (in->shape.rank != out->shape.rank || pads->elements != 2 * in->shape.rank) {
		misfit(c, op, in, out, "does not pad to");
		return;
	}
	for (uint32_t i = 0; i < in->shape.rank; i++) {
		int64_t before = 0, after = 0, dim = 0;

		if (!tn_tensor_int(pads, 2 * i, &before) ||
			!tn_tensor_int(pads, 2 * i + 1, &after) || before < 0 ||
			after < 0 || !tn_add_i64(in->shape.dim[i], before, &dim) ||
			!tn_add_i64(dim, after, &dim) || dim != out->shape.dim[i]) {
			misfit(c, op, in, out, "does not pad to");
			return;
		}
	}
}

static void check_transpose(struct tn_check *c, const struct tn_op *op)
{
	const struct tn_tensor *in = input(c, op, 0), *perm = input(c, op, 1);
	const struct tn_tensor *out = output(c, op, 0);
	uint32_t used = 0;

	check_same_elements(c, op);
	if (!in || !perm || perm->data_kind != DATA_BYTES ||
		!tn_tensor_is_constant(perm) || in->elements != out->elements)
		return;
	for (uint32_t i = 0; i < in->shape.rank; i++) {
		int64_t from = -1;

		if (!tn_tensor_int(perm, i, &from) || from < 0 ||
			from >= in->shape.rank || (used >> from & 1) ||
			out->shape.rank != in->shape.rank ||
			out->shape.dim[i] != in->shape.dim[from]) {
			misfit(c, op, in, out, "is not permuted to");
			return;
		}
		used |= UINT32_C(1) << from;
	}
}

/* With constant axes, what is left has as many elements as the output. */
static void check_reduce(struct tn_check *c, const struct tn_op *op)
{
	const struct tn_tensor *in = input(c, op, 0), *axes = input(c, op, 1);
	const struct tn_tensor *out = output(c, op, 0);
	int64_t left = 1;
	uint32_t folded = 0;

	if (!in || !axes || axes->data_kind != DATA_BYTES || !tn_tensor_is_constant(axes))
		return;
	for (int64_t i = 0; i < axes->elements; i++) {
		int64_t axis = 0;

		if (!tn_tensor_int(axes, i, &axis))
			return;
		axis += axis < 0 ? in->shape.rank : 0;
		if (axis < 0 || axis >= in->shape.rank) {
			misfit(c, op, axes, in, "leads out of");
			return;
		}
		folded |= UINT32_C(1) << axis;
	}
	for (uint32_t i = 0; i < in->shape.rank; i++)
		if (!(folded >> i & 1) && !tn_mul_i64(left, in->shape.dim[i], &left))
			return;
	if (left != out->elements)
		misfit(c, op, in, out, "is not reduced to");
}

static void check_subgraph(struct tn_check *c, const struct tn_op *op, const char *attr)
{
	int64_t index = tn_op_int(op, attr, -1);

	if (index < 1 || index > c->file->n_subgraphs)
		tn_check_error(c, "graph/subgraph", op->pointer, op->name,
			"'%s' (%s): %s is %" PRId64 ", there are subgraphs 1 to %u",
			op->name, op->type, attr, index, c->file->n_subgraphs);
}

/* What a loop carries leaves its body as it has come in: a state that grows from iteration
 * to iteration has no size that a plan could give it. */
static void check_carried(struct tn_check *c, const struct tn_op *op)
{
	int64_t index = tn_op_int(op, "body_subgraph", -1), n;
	int64_t slices = tn_op_int(op, "num_scan_inputs", 0);
	/* a body that decides itself gets the count and the condition, and gives the
	 * condition, before what is carried */
	bool decides = !tn_op_attr(op, "cond_subgraph") && !slices;
	int64_t count = decides ? 2 : 0, verdict = decides ? 1 : 0;
	const struct tn_graph *body;

	if (index < 1 || index > c->file->n_subgraphs)
		return;
	body = &c->file->subgraphs[index - 1];
	n = (int64_t)body->n_inputs - count - slices;
	/* with outputs left out it is not known which is which */
	if (op->n_outputs + verdict != body->n_outputs)
		return;
	for (int64_t i = 0; i < n && i + verdict < body->n_outputs; i++) {
		tn_tensor_id in = body->inputs[i + count],
			     out = body->outputs[i + verdict];
		const struct tn_shape *a, *b;
		int64_t before, after;

		if (!tn_tensor_id_ok(body, in) || !tn_tensor_id_ok(body, out) ||
			op->outputs[i].i == TN_NONE)
			continue;
		/* what the iterations are put together to follows what is carried */
		if (output(c, op, (uint32_t)i)->shape.rank !=
			body->tensors[out.i].shape.rank)
			break;
		a = &body->tensors[in.i].shape;
		b = &body->tensors[out.i].shape;
		if (!tn_shape_elements(a, &before) || !tn_shape_elements(b, &after) ||
			tn_shape_equal(a, b))
			continue;
		tn_check_error(c, "graph/dynamic", op->pointer, op->name,
			"'%s' (%s) carries '%s' into its body with %" PRId64
			" element(s) and out of it with %" PRId64
			": a static plan cannot cover a state that grows",
			op->name, op->type, body->tensors[in.i].name, before, after);
	}
}

static void check_geometry(struct tn_check *c, const struct tn_op *op)
{
	switch (op->kind) {
	case OP_CONCATENATION:
	case OP_PACK:
		check_sum(c, op, true);
		return;
	case OP_SPLIT:
	case OP_SPLIT_V:
	case OP_UNPACK:
		check_sum(c, op, false);
		return;
	case OP_PAD:
	case OP_PADV2:
	case OP_MIRROR_PAD:
		check_pad(c, op);
		return;
	case OP_TRANSPOSE:
		check_transpose(c, op);
		return;
	case OP_SPACE_TO_DEPTH:
	case OP_DEPTH_TO_SPACE:
	case OP_REVERSE_V2:
		check_same_elements(c, op);
		return;
	case OP_BATCH_NORM:
	case OP_LAYER_NORM:
		check_norm(c, op);
		return;
	case OP_BROADCAST_TO:
		return;
	default:
		break;
	}
	switch (tn_op_info(op->kind)->access) {
	case ACCESS_POINTWISE:
		check_pointwise(c, op);
		break;
	case ACCESS_VIEW:
		check_same_bytes(c, op);
		break;
	case ACCESS_WINDOW:
		check_window(c, op);
		break;
	case ACCESS_ROWS:
		check_rows(c, op);
		break;
	case ACCESS_ROW_PASSES:
		check_same_elements(c, op);
		break;
	case ACCESS_REDUCE:
		check_reduce(c, op);
		break;
	case ACCESS_MAP:
	case ACCESS_MATMUL:
	case ACCESS_PLACES:
	case ACCESS_OPAQUE:
		break;
	}
}

static bool check_arity(struct tn_check *c, const struct tn_op *op)
{
	const struct tn_op_info *info = tn_op_info(op->kind);
	uint32_t lo = (uint32_t)info->min_inputs, hi = (uint32_t)info->max_inputs;
	uint32_t operands = tn_op_operands(c->g, op);

	if (operands < lo || (operands > hi && hi != TN_ARITY_ANY)) {
		char most[16] = "";

		if (hi == TN_ARITY_ANY)
			snprintf(most, sizeof(most), " or more");
		else if (hi != lo)
			snprintf(most, sizeof(most), " to %u", hi);
		tn_check_error(c, "graph/arity", op->pointer, op->name,
			"'%s' (%s) takes %u%s input(s), found %u", op->name, op->type, lo,
			most, operands);
		return false;
	}
	if (info->outputs >= 0 && op->n_outputs != (uint32_t)info->outputs) {
		tn_check_error(c, "graph/arity", op->pointer, op->name,
			"'%s' (%s) gives %d output(s), found %u", op->name, op->type,
			info->outputs, op->n_outputs);
		return false;
	}
	if (info->access == ACCESS_OPAQUE)
		return true;
	for (uint32_t k = 0; k < lo; k++) {
		if (op->inputs[k].i != TN_NONE)
			continue;
		c->bad = true;
		if (!c->reported_before)
			tn_check_error(c, "graph/missing-input", op->pointer, op->name,
				"'%s' (%s) needs its input %u", op->name, op->type, k);
		return false;
	}
	return true;
}

/* Ops whose result is as large as the values say. */
static const char *const dynamic_types[] = { "ArgWhere", "Bincount", "BooleanMask",
	"Compress", "DynamicPartition", "MaskedSelect", "NMS", "NonMaxSuppression",
	"NonMaxSuppressionV2", "NonMaxSuppressionV3", "NonMaxSuppressionV4",
	"NonMaxSuppressionV5", "NonZero", "Unique", "Unique2", "UniqueConsecutive",
	"UniqueDim", "UniqueV2", "UniqueWithCounts" };

/* A static plan holds for every run: sizes may not depend on what is computed. */
static void check_dynamic(struct tn_check *c, const struct tn_op *op)
{
	/* where of one operand lists places, of three it chooses; repeats that are a tensor */
	bool dynamic = (op->n_inputs == 1 && tn_type_same(op->type, "Where")) ||
		       (op->n_inputs == 2 && tn_type_same(op->type, "RepeatInterleave"));

	for (size_t i = 0; i < sizeof(dynamic_types) / sizeof(*dynamic_types); i++)
		dynamic = dynamic || tn_type_same(op->type, dynamic_types[i]);
	if (dynamic)
		tn_check_error(c, "graph/dynamic", op->pointer, op->name,
			"the size of what '%s' (%s) gives depends on values: a static "
			"plan cannot cover it",
			op->name, op->type);
}

/* `view` says that no code runs: of an op that computes that cannot be. What moves elements
 * may find them where they go. */
static void check_view(struct tn_check *c, const struct tn_op *op)
{
	const enum tn_access_class access = tn_op_info(op->kind)->access;

	if (op->kind != OP_UNKNOWN && access != ACCESS_VIEW && access != ACCESS_MAP &&
		tn_op_int(op, "view", 0))
		tn_check_error(c, "graph/view-computes", op->pointer, op->name,
			"'%s' is said to be a view, of which no code runs, but %s "
			"computes",
			op->name, tn_op_info(op->kind)->name);
}

void tn_check_op(struct tn_check *c, const struct tn_op *op)
{
	check_dynamic(c, op);
	check_view(c, op);
	if (op->kind == OP_UNKNOWN)
		tn_diag_at(c->diags, SEVERITY_WARNING, "graph/unknown-op", c->g->source,
			op->pointer, op->name,
			"op type '%s' is not known: each output byte may need every "
			"input byte",
			op->type);
	if (!check_arity(c, op))
		return;
	for (uint32_t k = 0; k < op->n_inputs + op->n_outputs; k++) {
		const struct tn_tensor *t = k < op->n_inputs
						    ? input(c, op, k)
						    : output(c, op, k - op->n_inputs);

		if (t && (t->elements < 0 || t->bytes < 0)) /* reported */
			return;
	}
	if (op->kind == OP_IF) {
		check_subgraph(c, op, "then_subgraph");
		check_subgraph(c, op, "else_subgraph");
	} else if (op->kind == OP_WHILE) {
		/* a loop that counts, or decides in its body, has no condition apart */
		if (tn_op_attr(op, "cond_subgraph"))
			check_subgraph(c, op, "cond_subgraph");
		check_subgraph(c, op, "body_subgraph");
		check_carried(c, op);
	} else if (op->kind == OP_CALL_ONCE) {
		check_subgraph(c, op, "init_subgraph");
	}
	check_geometry(c, op);
}
