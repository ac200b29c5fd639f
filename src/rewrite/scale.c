/* A scale and a shift by constants behind a float layer, a batch norm or what is left of
 * one: into its weights and bias. Not exact: products are rounded in another order. */
#include <math.h>
#include <string.h>

#include "ir/norm.h"

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
	const struct tn_tensor *filter, *bias; /* bias may be NULL */
	int64_t channels;
	float *factor, *offset; /* by channel: what `after` does */
};

/* Parameter k of a batch norm. */
static bool parameter(struct tn_edit *e, const struct tn_op *op, uint32_t k,
	int64_t channels, float otherwise, float *out)
{
	const struct tn_tensor *t = tn_edit_in(e, op, k);

	if (t && (!tn_edit_is_constant(t) || t->dtype != DTYPE_F32 ||
			 t->elements != channels))
		return false;
	for (int64_t c = 0; c < channels; c++)
		out[c] = t ? float_at(t, c) : otherwise;
	return true;
}

/* (x - mean) * scale / sqrt(variance + epsilon) + offset */
static const char *batch_norm(struct tn_edit *e, struct fold *f)
{
	const float epsilon = (float)tn_op_float(f->after, "epsilon", 1e-5);
	float *mean = TN_NEW_ARRAY(e->scratch, float, (size_t)f->channels);
	float *variance = TN_NEW_ARRAY(e->scratch, float, (size_t)f->channels);
	struct tn_norm norm;
	const char *why;

	if (!mean || !variance) {
		e->failed = true;
		return "no memory";
	}
	if (f->after->n_outputs != 1 || !tn_norm_of(&e->g, f->after, &norm, &why) ||
		norm.inner != 1 || norm.n != f->channels ||
		!parameter(e, f->after, 1, f->channels, 1.0f, f->factor) ||
		!parameter(e, f->after, 2, f->channels, 0.0f, f->offset) ||
		!parameter(e, f->after, 3, f->channels, 0.0f, mean) ||
		!parameter(e, f->after, 4, f->channels, 1.0f, variance))
		return "its statistics are not one constant for each channel";
	for (int64_t c = 0; c < f->channels; c++) {
		if (!(variance[c] + epsilon > 0.0f))
			return "a variance is not above 0";
		f->factor[c] /= sqrtf(variance[c] + epsilon);
		f->offset[c] -= mean[c] * f->factor[c];
	}
	return NULL;
}

/* Is operand 0 of `after` scaled and shifted by constants, channel by channel? */
static const char *look_after(struct tn_edit *e, struct fold *f)
{
	const struct tn_tensor *k = tn_edit_in(e, f->after, 1);
	const enum tn_op_kind kind = f->after->kind;

	f->factor = TN_NEW_ARRAY(e->scratch, float, (size_t)f->channels);
	f->offset = TN_NEW_ARRAY(e->scratch, float, (size_t)f->channels);
	if (!f->factor || !f->offset) {
		e->failed = true;
		return "no memory";
	}
	if (kind == OP_BATCH_NORM)
		return batch_norm(e, f);
	if (!is_per_channel(k, f->channels))
		return "its constant is not one value for each channel";
	for (int64_t c = 0; c < f->channels; c++) {
		const float value = channel_of(k, c);

		f->factor[c] = kind == OP_MUL ? value : 1.0f;
		f->offset[c] = kind == OP_ADD ? value : kind == OP_SUB ? -value : 0.0f;
	}
	return NULL;
}

static const char *look(
	struct tn_edit *e, struct tn_op *op, struct tn_op *after, struct fold *f)
{
	const struct tn_tensor *out = tn_edit_out(e, op, 0);

	*f = (struct fold){ .op = op,
		.after = after,
		.filter = tn_edit_in(e, op, 1),
		.bias = tn_edit_in(e, op, 2),
		.channels = out->shape.dim[out->shape.rank - 1] };
	if (!tn_edit_private(e, after->inputs[0]))
		return "the value before it is used elsewhere";
	if (strcmp(tn_op_string(op, "activation", "NONE"), "NONE") != 0)
		return "an activation comes before it";
	if (f->channels < 1 || !tn_edit_is_constant(f->filter) ||
		f->filter->dtype != DTYPE_F32 ||
		(f->bias &&
			(!tn_edit_is_constant(f->bias) || f->bias->dtype != DTYPE_F32 ||
				f->bias->elements != f->channels)))
		return "the weights are not constant";
	if (!tn_shape_equal(&out->shape, &tn_edit_out(e, after, 0)->shape))
		return "it changes the shape";
	return look_after(e, f);
}

static void fold(struct tn_edit *e, const struct fold *f)
{
	const struct tn_shape line = { .rank = 1, .dim = { f->channels } };
	const tn_tensor_id between = f->after->inputs[0], out = f->after->outputs[0];
	uint8_t *filter = tn_arena_alloc(e->arena, (size_t)f->filter->bytes);
	uint8_t *bias = tn_arena_array(e->arena, (size_t)f->channels, 4);
	const struct tn_tensor like = *f->filter;
	bool scales = false;
	tn_tensor_id ids[3];
	struct tn_rewrite *done;

	if (!filter || !bias) {
		e->failed = true;
		return;
	}
	for (int64_t i = 0; i < like.elements; i++) {
		const int64_t c = filter_channel(f->op, &like, i, f->channels);

		put_float(filter, i, float_at(&like, i) * f->factor[c]);
	}
	for (int64_t c = 0; c < f->channels; c++) {
		const float b = f->bias ? float_at(f->bias, c) : 0.0f;

		scales |= f->factor[c] < 1.0f || f->factor[c] > 1.0f;
		put_float(bias, c, b * f->factor[c] + f->offset[c]);
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

static bool is_scale(const struct tn_op *op)
{
	return op->kind == OP_BATCH_NORM ||
	       (op->n_inputs == 2 &&
		       (op->kind == OP_MUL || op->kind == OP_ADD || op->kind == OP_SUB));
}

void tn_rewrite_scales(struct tn_edit *e)
{
	for (uint32_t i = 0; i < e->g.n_ops; i++) {
		struct tn_op *op = tn_edit_op(e, i), *before;
		const struct tn_tensor *out;
		struct fold f;
		const char *why;

		if (!op || !is_scale(op) || !tn_edit_out(e, op, 0))
			continue;
		before = tn_edit_producer(e, op, 0);
		out = tn_edit_out(e, op, 0);
		if (!before || !takes_scale(e, before) || out->mutated ||
			out->view_of.i != TN_NONE || out->role == ROLE_VARIABLE ||
			(op->n_inputs == 2 && !tn_edit_is_constant(tn_edit_in(e, op, 1))))
			continue;
		why = look(e, before, op, &f);
		if (why)
			tn_edit_left(e, op, why,
				tn_edit_private(e, op->inputs[0])
					? before
					: tn_edit_other_reader(e, op->inputs[0], op));
		else
			fold(e, &f);
	}
}
