/* A constant that is added behind a float layer without a bias becomes its bias: the
 * kernels add it last, so the sum is the same one. The layer cuts what overflows to the
 * greatest float before the addition, so the constant must be too small to move that. */
#include <math.h>
#include <string.h>

#include "rewrite/edit.h"

#include "base/banned.h"

#define BIAS_MAX 0x1p+100f

static bool may_have_bias(const struct tn_op *op)
{
	return tn_edit_is_layer(op) && op->n_outputs == 1 && op->n_inputs >= 2;
}

static float value_at(const struct tn_tensor *t, int64_t i)
{
	float value;

	memcpy(&value, t->data + 4 * (t->elements == 1 ? 0 : i), sizeof(value));
	return value;
}

/* Why the constant cannot be the layer's bias; NULL: it can. */
static const char *why_not(struct tn_edit *e, const struct tn_op *layer,
	const struct tn_op *op, const struct tn_tensor *k)
{
	const struct tn_tensor *out = tn_edit_out(e, layer, 0);
	const struct tn_tensor *sum = tn_edit_out(e, op, 0);
	const int64_t channels = out->shape.dim[out->shape.rank - 1];

	if (tn_edit_in(e, layer, 2))
		return "the layer before it has a bias"; /* rounded twice, not once */
	if (strcmp(tn_op_string(layer, "activation", "NONE"), "NONE") != 0)
		return "an activation comes before it";
	if (k->dtype != DTYPE_F32 || !tn_shape_equal(&out->shape, &sum->shape) ||
		(k->elements != 1 &&
			(k->elements != channels ||
				k->shape.dim[k->shape.rank - 1] != channels)))
		return "its constant is not one value for each channel";
	for (int64_t i = 0; i < k->elements; i++)
		if (!(fabsf(value_at(k, i)) <= BIAS_MAX))
			return "its constant is too large";
	return NULL;
}

static void fuse(struct tn_edit *e, struct tn_op *layer, struct tn_op *op,
	const struct tn_tensor *k)
{
	const tn_tensor_id between = layer->outputs[0], out = op->outputs[0];
	const struct tn_shape *shape = &e->g.tensors[between.i].shape;
	const struct tn_shape line = { .rank = 1,
		.dim = { shape->dim[shape->rank - 1] } };
	const struct tn_tensor like = *k;
	uint8_t *data = tn_arena_array(e->arena, (size_t)line.dim[0], 4);
	struct tn_rewrite *done;
	tn_tensor_id ids[3];

	for (int64_t i = 0; data && i < line.dim[0]; i++) {
		const float value = value_at(&like, i);

		memcpy(data + 4 * i, &value, sizeof(value));
	}
	ids[0] = layer->inputs[0];
	ids[1] = layer->inputs[1];
	if (!data || (ids[2] = tn_edit_constant(e, &like, &line, data)).i == TN_NONE) {
		e->failed = true;
		return;
	}
	done = tn_edit_done(e, layer, op);
	done->tensor = e->g.tensors[between.i].name;
	done->ram_bytes = e->g.tensors[between.i].bytes;
	tn_edit_set_inputs(e, layer, ids, 3);
	tn_edit_attr_string(
		e, layer, "activation", tn_op_string(op, "activation", "NONE"));
	tn_edit_kill(e, op);
	tn_edit_set_output(e, layer, out);
}

void tn_rewrite_biases(struct tn_edit *e)
{
	for (uint32_t i = 0; i < e->g.n_ops; i++) {
		struct tn_op *op = tn_edit_op(e, i), *layer;
		const struct tn_tensor *k, *out;
		uint32_t at;
		const char *why;

		if (!op || op->kind != OP_ADD || op->n_inputs != 2)
			continue;
		at = tn_edit_is_constant(tn_edit_in(e, op, 0)) ? 1 : 0;
		k = tn_edit_in(e, op, 1 - at);
		out = tn_edit_out(e, op, 0);
		layer = tn_edit_producer(e, op, at);
		if (!tn_edit_is_constant(k) || !layer || !may_have_bias(layer) || !out ||
			out->dtype != DTYPE_F32 || !out->shape.rank ||
			!tn_edit_may_move(e, op->outputs[0]))
			continue;
		why = why_not(e, layer, op, k);
		if (!why && !tn_edit_private(e, op->inputs[at]))
			tn_edit_left_kept(e, op, op->inputs[at], op);
		else if (why)
			tn_edit_left(e, op, why, layer);
		else
			fuse(e, layer, op, k);
	}
}
