/* A scale and a shift by constants behind a float layer, a batch norm or what is left of
 * one: into its weights and bias. Not exact: products are rounded in another order. */
#include "rewrite/scale.h"

#include <math.h>
#include <string.h>

#include "ir/norm.h"

#include "base/banned.h"

static inline float float_at(const struct tn_tensor *t, int64_t i)
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
	struct tn_scaling by; /* what `after` does */
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
static const char *batch_norm(
	struct tn_edit *e, const struct tn_op *op, struct tn_scaling *by)
{
	const float epsilon = (float)tn_op_float(op, "epsilon", 1e-5);
	float *mean = TN_NEW_ARRAY(e->scratch, float, (size_t)by->channels);
	float *variance = TN_NEW_ARRAY(e->scratch, float, (size_t)by->channels);
	struct tn_norm norm;
	const char *why;

	if (!mean || !variance) {
		e->failed = true;
		return "no memory";
	}
	if (op->n_outputs != 1 || !tn_norm_of(&e->g, op, &norm, &why) ||
		norm.inner != 1 || norm.n != by->channels ||
		!parameter(e, op, 1, by->channels, 1.0f, by->factor) ||
		!parameter(e, op, 2, by->channels, 0.0f, by->offset) ||
		!parameter(e, op, 3, by->channels, 0.0f, mean) ||
		!parameter(e, op, 4, by->channels, 1.0f, variance))
		return "its statistics are not one constant for each channel";
	for (int64_t c = 0; c < by->channels; c++) {
		if (!(variance[c] + epsilon > 0.0f))
			return "a variance is not above 0";
		by->factor[c] /= sqrtf(variance[c] + epsilon);
		by->offset[c] -= mean[c] * by->factor[c];
	}
	return NULL;
}

bool tn_scaling_is(struct tn_edit *e, const struct tn_op *op)
{
	if (op->kind == OP_BATCH_NORM)
		return true;
	return op->n_inputs == 2 &&
	       (op->kind == OP_MUL || op->kind == OP_ADD || op->kind == OP_SUB) &&
	       tn_edit_is_constant(tn_edit_in(e, op, 1));
}

const char *tn_scaling_of(struct tn_edit *e, const struct tn_op *op, int64_t channels,
	struct tn_scaling *out)
{
	const struct tn_tensor *k = tn_edit_in(e, op, 1);

	out->channels = channels;
	out->factor = TN_NEW_ARRAY(e->scratch, float, (size_t)channels);
	out->offset = TN_NEW_ARRAY(e->scratch, float, (size_t)channels);
	if (!out->factor || !out->offset) {
		e->failed = true;
		return "no memory";
	}
	if (op->kind == OP_BATCH_NORM)
		return batch_norm(e, op, out);
	if (!is_per_channel(k, channels))
		return "its constant is not one value for each channel";
	for (int64_t c = 0; c < channels; c++) {
		const float value = channel_of(k, c);

		out->factor[c] = op->kind == OP_MUL ? value : 1.0f;
		out->offset[c] = op->kind == OP_ADD   ? value
				 : op->kind == OP_SUB ? -value
						      : 0.0f;
	}
	return NULL;
}

bool tn_scaling_weights(
	const struct tn_tensor *filter, const struct tn_tensor *bias, int64_t outputs)
{
	return tn_edit_is_constant(filter) && filter->dtype == DTYPE_F32 &&
	       (!bias || (tn_edit_is_constant(bias) && bias->dtype == DTYPE_F32 &&
				 bias->elements == outputs));
}

static const char *look(
	struct tn_edit *e, struct tn_op *op, struct tn_op *after, struct fold *f)
{
	const struct tn_tensor *out = tn_edit_out(e, op, 0);
	const int64_t channels = out->shape.dim[out->shape.rank - 1];

	*f = (struct fold){ .op = op,
		.after = after,
		.filter = tn_edit_in(e, op, 1),
		.bias = tn_edit_in(e, op, 2) };
	if (strcmp(tn_op_string(op, "activation", "NONE"), "NONE") != 0)
		return "an activation comes before it";
	if (channels < 1 || !tn_scaling_weights(f->filter, f->bias, channels))
		return "the weights are not constant";
	if (!tn_shape_equal(&out->shape, &tn_edit_out(e, after, 0)->shape))
		return "it changes the shape";
	return tn_scaling_of(e, after, channels, &f->by);
}

static void fold(struct tn_edit *e, const struct fold *f)
{
	const struct tn_shape line = { .rank = 1, .dim = { f->by.channels } };
	const tn_tensor_id between = f->after->inputs[0], out = f->after->outputs[0];
	uint8_t *filter = tn_arena_alloc(e->arena, (size_t)f->filter->bytes);
	uint8_t *bias = tn_arena_array(e->arena, (size_t)f->by.channels, 4);
	const struct tn_tensor like = *f->filter;
	bool scales = false;
	tn_tensor_id ids[3];
	struct tn_rewrite *done;

	if (!filter || !bias) {
		e->failed = true;
		return;
	}
	for (int64_t i = 0; i < like.elements; i++) {
		const int64_t c = filter_channel(f->op, &like, i, f->by.channels);

		put_float(filter, i, float_at(&like, i) * f->by.factor[c]);
	}
	for (int64_t c = 0; c < f->by.channels; c++) {
		const float b = f->bias ? float_at(f->bias, c) : 0.0f;

		scales |= f->by.factor[c] < 1.0f || f->by.factor[c] > 1.0f;
		put_float(bias, c, b * f->by.factor[c] + f->by.offset[c]);
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

bool tn_scaling_takes(struct tn_edit *e, const struct tn_op *op)
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

		if (!op || !tn_edit_out(e, op, 0) || !tn_scaling_is(e, op))
			continue;
		before = tn_edit_producer(e, op, 0);
		out = tn_edit_out(e, op, 0);
		if (!before || !tn_scaling_takes(e, before) || out->mutated ||
			out->view_of.i != TN_NONE || out->role == ROLE_VARIABLE)
			continue;
		why = look(e, before, op, &f);
		if (!why && !tn_edit_private(e, op->inputs[0]))
			tn_edit_left_kept(e, op, op->inputs[0], op);
		else if (why)
			tn_edit_left(e, op, why, before);
		else
			fold(e, &f);
	}
	tn_scaling_ahead(e);
}
