#include "sim_source.h"

#include <string.h>

/* Coordinates of an element, outermost dimension first. */
static void coordinates(const struct tn_shape *shape, int64_t index, int64_t *out)
{
	for (uint32_t d = shape->rank; d-- > 0;) {
		out[d] = index % shape->dim[d];
		index /= shape->dim[d];
	}
}

static int64_t element(const struct tn_shape *shape, const int64_t *at)
{
	int64_t index = 0;

	for (uint32_t d = 0; d < shape->rank; d++)
		index = index * shape->dim[d] + at[d];
	return index;
}

static int64_t constant(const struct tn_graph *g, const struct tn_op *op, uint32_t k,
	const char *attr, uint32_t i)
{
	int64_t value = 0;

	if (k < op->n_inputs && tn_tensor_int(&g->tensors[op->inputs[k].i], i, &value))
		return value;
	return tn_op_int_at(op, attr, i, 0);
}

static const struct tn_tensor *in_of(
	const struct tn_graph *g, const struct tn_op *op, uint32_t k)
{
	return &g->tensors[op->inputs[k].i];
}

static bool equal_scales(const struct tn_tensor *a, const struct tn_tensor *b)
{
	return a->quant.n == b->quant.n && a->quant.n <= 1 &&
	       (!a->quant.n || (a->quant.scale[0] == b->quant.scale[0] &&
				       a->quant.zero_point[0] == b->quant.zero_point[0]));
}

/* The part in which coordinate c of the axis lies; moves c to where it is in the part. */
static uint32_t part_of(const struct tn_graph *g, const tn_tensor_id *parts, uint32_t n,
	int64_t axis, int64_t *c)
{
	uint32_t k = 0;

	while (k + 1 < n && *c >= g->tensors[parts[k].i].shape.dim[axis])
		*c -= g->tensors[parts[k++].i].shape.dim[axis];
	return k;
}

static int64_t axis_of(
	const struct tn_graph *g, const struct tn_op *op, uint32_t operand, uint32_t rank)
{
	int64_t axis = constant(g, op, operand, "axis", 0);

	return axis < 0 ? axis + rank : axis;
}

static bool joined(const struct tn_graph *g, const struct tn_op *op, int64_t e,
	uint32_t *input, int64_t *from)
{
	const struct tn_shape *whole = &g->tensors[op->outputs[0].i].shape;
	int64_t axis = axis_of(g, op, TN_NONE, whole->rank), at[TN_RANK_MAX];

	coordinates(whole, e, at);
	if (op->kind == OP_PACK) {
		*input = (uint32_t)at[axis];
		for (uint32_t d = (uint32_t)axis; d + 1 < whole->rank; d++)
			at[d] = at[d + 1];
	} else {
		*input = part_of(g, op->inputs, op->n_inputs, axis, &at[axis]);
	}
	*from = element(&in_of(g, op, *input)->shape, at);
	return true;
}

static bool parted(const struct tn_graph *g, const struct tn_op *op, uint32_t k,
	int64_t e, uint32_t *input, int64_t *from)
{
	const struct tn_shape *part = &g->tensors[op->outputs[k].i].shape;
	int64_t axis, at[TN_RANK_MAX + 1];

	*input = op->kind == OP_SPLIT && op->n_inputs == 2 ? 1 : 0;
	axis = axis_of(g, op,
		op->kind == OP_UNPACK	 ? TN_NONE
		: op->kind == OP_SPLIT_V ? 2
					 : 0,
		in_of(g, op, *input)->shape.rank);
	coordinates(part, e, at);
	if (op->kind == OP_UNPACK) {
		for (uint32_t d = part->rank; d > axis; d--)
			at[d] = at[d - 1];
		at[axis] = k;
	} else {
		for (uint32_t i = 0; i < k; i++)
			at[axis] += g->tensors[op->outputs[i].i].shape.dim[axis];
	}
	*from = element(&in_of(g, op, *input)->shape, at);
	return true;
}

/* Where the coordinates [out] of the output come from; false: from nowhere. */
static bool pad_from(const struct tn_graph *g, const struct tn_op *op,
	const struct tn_shape *in, const int64_t *out, int64_t *from)
{
	int64_t reflect = strcmp(tn_op_string(op, "mode", "REFLECT"), "REFLECT") == 0;

	for (uint32_t d = 0; d < in->rank; d++) {
		int64_t n = in->dim[d],
			c = out[d] - constant(g, op, 1, "paddings", 2 * d);

		if (op->kind == OP_MIRROR_PAD && c < 0)
			c = -c - 1 + reflect;
		else if (op->kind == OP_MIRROR_PAD && c >= n)
			c = 2 * n - c - 1 - reflect;
		if (c < 0 || c >= n)
			return false;
		from[d] = c;
	}
	return true;
}

static void strided_from(const struct tn_graph *g, const struct tn_op *op,
	const struct tn_shape *in, const int64_t *out, int64_t *from)
{
	uint32_t o = 0;

	for (uint32_t d = 0; d < in->rank; d++) {
		bool dropped = tn_op_int(op, "shrink_axis_mask", 0) >> d & 1;
		bool open = tn_op_int(op, "begin_mask", 0) >> d & 1;
		int64_t step = constant(g, op, 3, "strides", d);
		int64_t begin = constant(g, op, 1, "begin", d);

		if (open)
			begin = step > 0 ? 0 : in->dim[d] - 1;
		from[d] = begin + (begin < 0 ? in->dim[d] : 0);
		if (!dropped)
			from[d] += out[o++] * step;
	}
}

static void reverse_from(const struct tn_graph *g, const struct tn_op *op,
	const struct tn_shape *in, const int64_t *out, int64_t *from)
{
	const struct tn_tensor *axes = in_of(g, op, 1);

	memcpy(from, out, in->rank * sizeof(*from));
	for (uint32_t i = 0; i < axes->elements; i++) {
		int64_t d = constant(g, op, 1, "", i);

		d += d < 0 ? in->rank : 0;
		from[d] = in->dim[d] - 1 - from[d];
	}
}

static void block_from(const struct tn_op *op, const struct tn_shape *in,
	const int64_t *out, int64_t *from)
{
	int64_t b = tn_op_int(op, "block_size", 1), c;

	from[0] = out[0];
	if (op->kind == OP_SPACE_TO_DEPTH) {
		c = in->dim[3];
		from[1] = out[1] * b + out[3] / (b * c);
		from[2] = out[2] * b + out[3] / c % b;
		from[3] = out[3] % c;
	} else {
		c = in->dim[3] / (b * b);
		from[1] = out[1] / b;
		from[2] = out[2] / b;
		from[3] = (out[1] % b * b + out[2] % b) * c + out[3];
	}
}

/* Coordinate by coordinate. */
static bool rearranged(const struct tn_graph *g, const struct tn_op *op, int64_t e,
	uint32_t *input, int64_t *from)
{
	const struct tn_shape *in = &in_of(g, op, 0)->shape;
	const struct tn_shape *out = &g->tensors[op->outputs[0].i].shape;
	int64_t at[TN_RANK_MAX], to[TN_RANK_MAX] = { 0 };

	*input = 0;
	coordinates(out, e, at);
	switch (op->kind) {
	case OP_CAST:
		*from = e;
		return true;
	case OP_PAD:
	case OP_PADV2:
	case OP_MIRROR_PAD:
		if (!pad_from(g, op, in, at, to))
			return false;
		break;
	case OP_TRANSPOSE:
		for (uint32_t d = 0; d < in->rank; d++)
			to[constant(g, op, 1, "perm", d)] = at[d];
		break;
	case OP_SLICE:
		for (uint32_t d = 0; d < in->rank; d++)
			to[d] = at[d] + constant(g, op, 1, "begin", d);
		break;
	case OP_STRIDED_SLICE:
		strided_from(g, op, in, at, to);
		break;
	case OP_REVERSE_V2:
		reverse_from(g, op, in, at, to);
		break;
	case OP_SPACE_TO_DEPTH:
	case OP_DEPTH_TO_SPACE:
		block_from(op, in, at, to);
		break;
	case OP_BROADCAST_TO:
		for (uint32_t d = 0; d < in->rank; d++)
			to[d] = in->dim[d] == 1 ? 0 : at[d + out->rank - in->rank];
		break;
	default:
		return false;
	}
	*from = element(in, to);
	return true;
}

bool sim_source(const struct tn_graph *g, const struct tn_op *op, uint32_t k, int64_t at,
	uint32_t *out_input, int64_t *out_at)
{
	const struct tn_tensor *out = &g->tensors[op->outputs[k].i];
	int64_t width = tn_dtype_bits(out->dtype) / 8, e = at / width;
	bool found;

	switch (op->kind) {
	case OP_CONCATENATION:
	case OP_PACK:
		found = joined(g, op, e, out_input, &e);
		break;
	case OP_SPLIT:
	case OP_SPLIT_V:
	case OP_UNPACK:
		found = parted(g, op, k, e, out_input, &e);
		break;
	default:
		found = rearranged(g, op, e, out_input, &e);
		break;
	}
	*out_at = e * width + at % width;
	if (!found || in_of(g, op, *out_input)->role == ROLE_CONST)
		return false;
	for (uint32_t i = 0; i < op->n_inputs; i++)
		if (in_of(g, op, i)->role != ROLE_CONST &&
			(in_of(g, op, i)->dtype != out->dtype ||
				!equal_scales(in_of(g, op, i), out)))
			return false;
	for (uint32_t i = 0; i < op->n_outputs; i++)
		if (!equal_scales(&g->tensors[op->outputs[i].i], out))
			return false;
	return true;
}
