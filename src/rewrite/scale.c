/* A scale and a shift by constants behind a float convolution, as batch norm leaves them:
 * into its weights and bias. Not exact: products are rounded in another order. */
#include <string.h>

#include "rewrite/edit.h"

#include "base/banned.h"

static float float_at(const struct tn_tensor *t, int64_t i)
{
	float value;

	memcpy(&value, t->data + 4 * i, sizeof(value));
	return value;
}

static void put_float(uint8_t *data, int64_t i, float value)
{
	memcpy(data + 4 * i, &value, sizeof(value));
}

/* A float constant that names one value, or one for each of the last dimension's. */
static bool is_per_channel(const struct tn_tensor *t, int64_t channels)
{
	return tn_edit_is_constant(t) && t->dtype == DTYPE_F32 &&
	       (t->elements == 1 || (t->elements == channels && t->shape.rank > 0 &&
					    t->shape.dim[t->shape.rank - 1] == channels));
}

static float channel_of(const struct tn_tensor *t, int64_t c)
{
	return float_at(t, t->elements == 1 ? 0 : c);
}

/* Which channel element i of the filter belongs to. */
static int64_t filter_channel(const struct tn_op *op, const struct tn_tensor *filter,
	int64_t i, int64_t channels)
{
	return op->kind == OP_DEPTHWISE_CONV_2D ? i % channels
						: i / (filter->elements / channels);
}

struct fold {
	struct tn_op *op, *after;
	const struct tn_tensor *filter, *bias, *factor; /* bias may be NULL */
	int64_t channels;
};

static const char *look(
	struct tn_edit *e, struct tn_op *op, struct tn_op *after, struct fold *f)
{
	const struct tn_tensor *out = tn_edit_out(e, op, 0);

	*f = (struct fold){ op, after, tn_edit_in(e, op, 1), tn_edit_in(e, op, 2),
		tn_edit_in(e, after, 1), out->shape.dim[out->shape.rank - 1] };
	if (!tn_edit_private(e, after->inputs[0]))
		return "the value before it is used elsewhere";
	if (strcmp(tn_op_string(op, "activation", "NONE"), "NONE") != 0)
		return "an activation comes before it";
	if (!tn_edit_is_constant(f->filter) || f->filter->dtype != DTYPE_F32 ||
		(f->bias && (!tn_edit_is_constant(f->bias) ||
				    f->bias->elements != f->channels)))
		return "the weights are not constant";
	if (!is_per_channel(f->factor, f->channels))
		return "its constant is not one value for each channel";
	if (!tn_shape_equal(&out->shape, &tn_edit_out(e, after, 0)->shape))
		return "it changes the shape";
	return NULL;
}

static void fold(struct tn_edit *e, const struct fold *f)
{
	const bool scales = f->after->kind == OP_MUL;
	const struct tn_shape line = { .rank = 1, .dim = { f->channels } };
	const tn_tensor_id between = f->after->inputs[0], out = f->after->outputs[0];
	uint8_t *filter = tn_arena_alloc(e->arena, (size_t)f->filter->bytes);
	uint8_t *bias = tn_arena_array(e->arena, (size_t)f->channels, 4);
	const struct tn_tensor like = *f->filter;
	tn_tensor_id ids[3];
	struct tn_rewrite *done;

	if (!filter || !bias) {
		e->failed = true;
		return;
	}
	for (int64_t i = 0; i < like.elements; i++) {
		const int64_t c = filter_channel(f->op, &like, i, f->channels);

		put_float(filter, i,
			scales ? float_at(&like, i) * channel_of(f->factor, c)
			       : float_at(&like, i));
	}
	for (int64_t c = 0; c < f->channels; c++) {
		const float b = f->bias ? float_at(f->bias, c) : 0.0f;
		const float k = channel_of(f->factor, c);

		put_float(bias, c, scales ? b * k : b + k);
	}
	ids[0] = f->op->inputs[0];
	ids[1] = scales ? tn_edit_constant(e, &like, &like.shape, filter)
			: f->op->inputs[1];
	ids[2] = tn_edit_constant(e, &like, &line, bias);
	if (e->failed)
		return;
	tn_edit_set_inputs(e, f->op, ids, 3);
	done = tn_edit_done(e, f->op, f->after);
	done->tensor = e->g.tensors[between.i].name;
	done->ram_bytes = e->g.tensors[between.i].bytes;
	tn_edit_attr_string(
		e, f->op, "activation", tn_op_string(f->after, "activation", "NONE"));
	tn_edit_kill(e, f->after);
	tn_edit_set_output(e, f->op, out);
}

static bool takes_scale(struct tn_edit *e, const struct tn_op *op)
{
	const struct tn_tensor *out = tn_edit_out(e, op, 0);

	return (op->kind == OP_CONV_2D || op->kind == OP_DEPTHWISE_CONV_2D ||
		       op->kind == OP_FULLY_CONNECTED) &&
	       out && out->dtype == DTYPE_F32 && out->shape.rank > 0 &&
	       op->n_inputs >= 2 && tn_edit_in(e, op, 1);
}

void tn_rewrite_scales(struct tn_edit *e)
{
	for (uint32_t i = 0; i < e->g.n_ops; i++) {
		struct tn_op *op = tn_edit_op(e, i), *before;
		const struct tn_tensor *out;
		struct fold f;
		const char *why;

		if (!op || (op->kind != OP_MUL && op->kind != OP_ADD) ||
			op->n_inputs != 2 || !tn_edit_out(e, op, 0))
			continue;
		before = tn_edit_producer(e, op, 0);
		out = tn_edit_out(e, op, 0);
		if (!before || !takes_scale(e, before) || out->mutated ||
			out->view_of.i != TN_NONE || out->role == ROLE_VARIABLE ||
			!tn_edit_is_constant(tn_edit_in(e, op, 1)))
			continue;
		why = look(e, before, op, &f);
		if (why)
			tn_edit_left(e, op, why, before);
		else
			fold(e, &f);
	}
}
