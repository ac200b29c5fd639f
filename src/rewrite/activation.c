/* A clamp behind the op that computes the value: the op clamps it itself. For integers
 * the two are compared for every value that an element can have. */
#include <string.h>

#include "bind/quant.h"
#include "rewrite/values.h"

#include "base/banned.h"

static const char *const names[] = { "NONE", "RELU", "RELU6", "RELU_N1_TO_1" };
#define N_NAMES (sizeof(names) / sizeof(*names))

static bool is_clamp(const struct tn_op *op)
{
	switch (op->kind) {
	case OP_RELU:
	case OP_RELU6:
	case OP_RELU_N1_TO_1:
	case OP_MINIMUM:
	case OP_MAXIMUM:
		return true;
	default:
		return false;
	}
}

static bool has_activation(const struct tn_op *op)
{
	switch (op->kind) {
	case OP_CONV_2D:
	case OP_DEPTHWISE_CONV_2D:
	case OP_FULLY_CONNECTED:
	case OP_ADD:
	case OP_SUB:
	case OP_MUL:
	case OP_AVERAGE_POOL_2D:
	case OP_MAX_POOL_2D:
		return true;
	default:
		return false;
	}
}

static bool range_of(const char *name, const struct tn_tensor *t, struct tn_range *out)
{
	const struct tn_activation *act = tn_activation_find(name);

	return act && t->quant.n == 1 &&
	       tn_activation_range(act, t->dtype, t->quant.scale[0],
		       (int32_t)t->quant.zero_point[0], out);
}

static int32_t clamp(int32_t x, struct tn_range r)
{
	return x < r.min ? r.min : x > r.max ? r.max : x;
}

static int32_t value_at(const uint8_t *bytes, bool wide, int32_t i)
{
	int16_t value;

	if (!wide)
		return (int8_t)bytes[i];
	memcpy(&value, bytes + 2 * (size_t)i, sizeof(value));
	return value;
}

/* The activation that gives the same as `name` and then the clamp; NULL: none does. */
static const char *integer_equal(struct tn_edit *e, const struct tn_op *op,
	const struct tn_op *before, const char *name)
{
	const struct tn_tensor *t = tn_edit_out(e, before, 0);
	const bool wide = t->dtype == DTYPE_I16;
	const int32_t n = wide ? 65536 : 256;
	const tn_op_id id = tn_edit_id(e, op);
	const uint8_t *results = tn_values_of_chain(e, &id, 1);
	struct tn_range first, both;

	if (!results || !range_of(name, t, &first))
		return NULL;
	for (size_t k = 0; k < N_NAMES; k++) {
		int32_t i = 0;

		if (!range_of(names[k], t, &both))
			continue;
		while (i < n &&
			value_at(results, wide, clamp(i - n / 2, first) + n / 2) ==
				clamp(i - n / 2, both))
			i++;
		if (i == n)
			return names[k];
	}
	return NULL;
}

/* Floats: the same three functions, and only where the first does nothing or the same. */
static const char *float_equal(const struct tn_op *op, const char *name)
{
	const char *own = op->kind == OP_RELU		? "RELU"
			  : op->kind == OP_RELU6	? "RELU6"
			  : op->kind == OP_RELU_N1_TO_1 ? "RELU_N1_TO_1"
							: NULL;

	return own && (strcmp(name, "NONE") == 0 || strcmp(name, own) == 0) ? own : NULL;
}

static const char *fused(
	struct tn_edit *e, const struct tn_op *op, const struct tn_op *before)
{
	const struct tn_tensor *t = tn_edit_out(e, before, 0);
	const char *name = tn_op_string(before, "activation", "NONE");

	if (!tn_activation_find(name))
		return NULL;
	if (t->dtype == DTYPE_F32)
		return float_equal(op, name);
	if (t->dtype != DTYPE_I8 && t->dtype != DTYPE_I16)
		return NULL;
	return integer_equal(e, op, before, name);
}

static bool operands_are_constant(struct tn_edit *e, const struct tn_op *op)
{
	for (uint32_t k = 1; k < op->n_inputs; k++) {
		const struct tn_tensor *t = tn_edit_in(e, op, k);

		if (!tn_edit_is_constant(t) || t->elements != 1)
			return false;
	}
	return true;
}

static void fuse(struct tn_edit *e, struct tn_op *op, struct tn_op *before)
{
	const struct tn_tensor *between = tn_edit_in(e, op, 0);
	const tn_tensor_id out = op->outputs[0];
	struct tn_rewrite *done;
	const char *name;

	if (!tn_edit_private(e, op->inputs[0])) {
		tn_edit_left_kept(e, op, op->inputs[0], op);
		return;
	}
	if (!tn_edit_same_type(between, tn_edit_out(e, op, 0)) ||
		!tn_edit_may_move(e, out)) {
		tn_edit_left(e, op, "it changes the scale as well", before);
		return;
	}
	name = fused(e, op, before);
	if (!name) {
		tn_edit_left(e, op, "no activation clamps alike", before);
		return;
	}
	between = tn_edit_in(e, op, 0);
	done = tn_edit_done(e, before, op);
	done->tensor = between->name;
	done->ram_bytes = between->bytes;
	tn_edit_kill(e, op);
	tn_edit_attr_string(e, before, "activation", name);
	tn_edit_set_output(e, before, out);
}

void tn_rewrite_activations(struct tn_edit *e)
{
	for (uint32_t i = 0; i < e->g.n_ops; i++) {
		struct tn_op *op = tn_edit_op(e, i), *before;

		if (!op || !is_clamp(op) || op->n_outputs != 1 ||
			!tn_edit_out(e, op, 0) || !operands_are_constant(e, op))
			continue;
		before = tn_edit_producer(e, op, 0);
		if (before && before->n_outputs == 1 && has_activation(before))
			fuse(e, op, before);
	}
}
