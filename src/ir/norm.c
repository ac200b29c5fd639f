#include "ir/norm.h"

#include <stddef.h>

static const struct tn_tensor *tensor_at(
	const struct tn_graph *g, const tn_tensor_id *ids, uint32_t n, uint32_t k)
{
	return k < n && tn_tensor_id_ok(g, ids[k]) ? &g->tensors[ids[k].i] : NULL;
}

bool tn_norm_is_training(const struct tn_op *op)
{
	static const char *const modes[] = { "training", "is_training", "training_mode" };

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (op->kind == OP_BATCH_NORM && tn_op_int(op, modes[i], 0))
			return true;
	return false;
}

/* One number, also as a list; -1 when it is absent. */
static bool axis_of(const struct tn_op *op, uint32_t rank, int64_t *out)
{
	const struct tn_attr *a = tn_op_attr(op, "axis");

	if (a && (a->n != 1 || (a->kind != ATTR_INT && a->kind != ATTR_INTS)))
		return false;
	*out = tn_op_int_at(op, "axis", 0, -1);
	*out += *out < 0 ? rank : 0;
	return *out >= 0 && *out < rank;
}

bool tn_norm_is_by_rows(const struct tn_op *op, uint32_t rank)
{
	int64_t axis;

	return axis_of(op, rank, &axis) && axis + 1 == rank;
}

static bool parameters_fit(
	const struct tn_graph *g, const struct tn_op *op, uint32_t max, int64_t n)
{
	if (tn_op_operands(g, op) > max)
		return false;
	for (uint32_t k = 1; k < max; k++) {
		const struct tn_tensor *t = tensor_at(g, op->inputs, op->n_inputs, k);

		if (t && t->elements != n)
			return false;
	}
	return true;
}

static bool outputs_fit(
	const struct tn_graph *g, const struct tn_op *op, uint32_t max, int64_t n)
{
	for (uint32_t k = 1; k < op->n_outputs; k++) {
		const struct tn_tensor *t = tensor_at(g, op->outputs, op->n_outputs, k);

		if (k >= max || !t || t->elements != n)
			return false;
	}
	return true;
}

bool tn_norm_of(const struct tn_graph *g, const struct tn_op *op, struct tn_norm *out,
	const char **out_why)
{
	const bool batch = op->kind == OP_BATCH_NORM;
	const struct tn_tensor *in = tensor_at(g, op->inputs, op->n_inputs, 0);
	const struct tn_tensor *result = tensor_at(g, op->outputs, op->n_outputs, 0);
	struct tn_norm r = { 1, 1, 1 };
	int64_t axis;

	*out_why = "no normalisation";
	if (!batch && op->kind != OP_LAYER_NORM)
		return false;
	*out_why = "it takes the statistics of the batch at hand";
	if (tn_norm_is_training(op))
		return false;
	*out_why = "operands are missing";
	if (!in || !result)
		return false;
	*out_why = "input and output differ in shape, or have no elements";
	if (!tn_shape_equal(&in->shape, &result->shape) || in->elements < 1)
		return false;
	*out_why = "its axis is none of the input's";
	if (!axis_of(op, in->shape.rank, &axis))
		return false;
	for (uint32_t d = 0; d < in->shape.rank; d++)
		*(d < axis		    ? &r.outer
			: batch && d > axis ? &r.inner
					    : &r.n) *= in->shape.dim[d];
	*out_why = batch ? "a parameter has not one value for each channel"
			 : "a parameter has not one value for each element of a row";
	if (!parameters_fit(g, op, batch ? 5 : 3, r.n))
		return false;
	*out_why = batch ? "an output behind the first is not empty"
			 : "an output behind the first has not one value for each row";
	if (!outputs_fit(g, op, 3, batch ? 0 : r.outer))
		return false;
	*out_why = "mean or variance is missing";
	if (batch && (!tensor_at(g, op->inputs, op->n_inputs, 3) ||
			     !tensor_at(g, op->inputs, op->n_inputs, 4)))
		return false;
	*out = r;
	return true;
}
