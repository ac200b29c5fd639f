/* A scale and a shift by constants in front of a float layer, and of nothing else: into
 * its weights and bias. A shift must not meet padding, which is 0 behind it. Not exact:
 * products are rounded in another order. */
#include <math.h>
#include <string.h>

#include "ir/window.h"
#include "rewrite/scale.h"

#include "base/banned.h"

struct ahead {
	struct tn_op *op, *layer;
	struct tn_tensor filter,
		bias; /* as they were; bias.data: NULL when there is none */
	int64_t outputs;
	struct tn_scaling by;
	float *weights, *sums; /* as they are to be */
};

static float float_at(const struct tn_tensor *t, int64_t i)
{
	float value;

	memcpy(&value, t->data + 4 * i, sizeof(value));
	return value;
}

/* The channel that element i of the filter is multiplied with, and its output. */
static void element(const struct ahead *a, int64_t i, int64_t *channel, int64_t *output)
{
	if (a->layer->kind == OP_DEPTHWISE_CONV_2D) {
		*output = i % a->outputs;
		*channel = *output / (a->outputs / a->by.channels);
	} else {
		*output = i / (a->filter.elements / a->outputs);
		*channel = i % a->by.channels;
	}
}

/* Does the layer read whole channels of the op's result? */
static bool fits(const struct ahead *a)
{
	const struct tn_shape *filter = &a->filter.shape;
	const int64_t n = a->by.channels;

	switch (a->layer->kind) {
	case OP_CONV_2D:
		return filter->rank == 4 && filter->dim[0] == a->outputs &&
		       filter->dim[3] == n;
	case OP_DEPTHWISE_CONV_2D:
		return filter->rank == 4 && filter->dim[3] == a->outputs &&
		       a->outputs % n == 0;
	default:
		return filter->rank == 2 && filter->dim[0] == a->outputs &&
		       filter->dim[1] % n == 0;
	}
}

static bool pads(struct tn_edit *e, const struct tn_op *op)
{
	struct tn_window w;
	const char *why;

	if (op->kind == OP_FULLY_CONNECTED)
		return false;
	return !tn_window_of(&e->g, op, &w, &why) || w.pad_top || w.pad_left ||
	       (w.out_h - 1) * w.stride_h + (w.k_h - 1) * w.dilation_h >= w.in_h ||
	       (w.out_w - 1) * w.stride_w + (w.k_w - 1) * w.dilation_w >= w.in_w;
}

static bool shifts(const struct tn_scaling *by)
{
	for (int64_t c = 0; c < by->channels; c++)
		if (!(by->offset[c] <= 0.0f && by->offset[c] >= 0.0f))
			return true;
	return false;
}

/* The new weights and bias; false when one of them is not finite. */
static bool compute(struct tn_edit *e, struct ahead *a)
{
	double *sums = TN_NEW_ARRAY(e->scratch, double, (size_t)a->outputs);
	bool finite = true;

	a->weights = TN_NEW_ARRAY(e->arena, float, (size_t)a->filter.elements);
	a->sums = TN_NEW_ARRAY(e->arena, float, (size_t)a->outputs);
	if (!sums || !a->weights || !a->sums) {
		e->failed = true;
		return false;
	}
	for (int64_t o = 0; a->bias.data && o < a->outputs; o++)
		sums[o] = (double)float_at(&a->bias, o);
	for (int64_t i = 0; i < a->filter.elements; i++) {
		const float weight = float_at(&a->filter, i);
		int64_t channel, output;

		element(a, i, &channel, &output);
		a->weights[i] = weight * a->by.factor[channel];
		sums[output] += (double)weight * (double)a->by.offset[channel];
		finite = finite && isfinite(a->weights[i]);
	}
	for (int64_t o = 0; o < a->outputs; o++) {
		a->sums[o] = (float)sums[o];
		finite = finite && isfinite(a->sums[o]);
	}
	return finite;
}

/* Why the layer cannot take it; NULL: it can. */
static const char *look(struct tn_edit *e, struct ahead *a)
{
	const struct tn_tensor *filter = tn_edit_in(e, a->layer, 1);
	const struct tn_tensor *bias = tn_edit_in(e, a->layer, 2);
	const struct tn_shape *in = &tn_edit_in(e, a->op, 0)->shape;
	const struct tn_shape *out = &tn_edit_out(e, a->layer, 0)->shape;
	const char *why;

	if (!tn_shape_equal(in, &tn_edit_out(e, a->op, 0)->shape) || !in->rank ||
		in->dim[in->rank - 1] < 1)
		return "it changes the shape";
	a->outputs = out->dim[out->rank - 1];
	if (!tn_scaling_weights(filter, bias, a->outputs))
		return "the weights are not constant";
	a->filter = *filter;
	a->bias = bias ? *bias : (struct tn_tensor){ 0 };
	why = tn_scaling_of(e, a->op, in->dim[in->rank - 1], &a->by);
	if (why)
		return why;
	if (!fits(a))
		return "the layer reads other channels";
	if (shifts(&a->by) && pads(e, a->layer))
		return "its shift would meet padding";
	return compute(e, a) ? NULL : "a weight would not be finite";
}

static void fold(struct tn_edit *e, struct ahead *a)
{
	const struct tn_shape line = { .rank = 1, .dim = { a->outputs } };
	const struct tn_tensor *between = tn_edit_out(e, a->op, 0);
	struct tn_rewrite *done = tn_edit_done(e, a->layer, a->op);
	const bool biased = a->bias.data || shifts(&a->by);
	tn_tensor_id ids[3] = { a->op->inputs[0] };

	done->tensor = between->name;
	done->ram_bytes = between->bytes;
	ids[1] = tn_edit_constant(
		e, &a->filter, &a->filter.shape, (const uint8_t *)a->weights);
	if (biased)
		ids[2] = tn_edit_constant(e, &a->filter, &line, (const uint8_t *)a->sums);
	if (e->failed)
		return;
	tn_edit_set_inputs(e, a->layer, ids, biased ? 3 : 2);
	tn_edit_kill(e, a->op);
}

static bool may_look(struct tn_edit *e, const struct tn_op *op)
{
	const struct tn_tensor *out = tn_edit_out(e, op, 0), *in = tn_edit_in(e, op, 0);

	return out && in && tn_scaling_is(e, op) && op->n_outputs == 1 &&
	       out->dtype == DTYPE_F32 && in->dtype == DTYPE_F32 &&
	       !tn_edit_is_constant(in) && tn_edit_stable(e, op->inputs[0]) &&
	       strcmp(tn_op_string(op, "activation", "NONE"), "NONE") == 0;
}

void tn_scaling_ahead(struct tn_edit *e)
{
	const tn_op_id *reader = tn_edit_readers(e);

	for (uint32_t i = 0; i < e->g.n_ops && !e->failed; i++) {
		struct ahead a = { .op = tn_edit_op(e, i) };
		const struct tn_op *before;
		const char *why;

		if (!a.op || !may_look(e, a.op))
			continue;
		if (reader[a.op->outputs[0].i].i == TN_NONE)
			continue;
		a.layer = &e->g.ops[reader[a.op->outputs[0].i].i];
		before = tn_edit_producer(e, a.op, 0);
		if (!tn_scaling_takes(e, a.layer) ||
			a.layer->inputs[0].i != a.op->outputs[0].i)
			continue;
		why = look(e, &a);
		if (!why && tn_edit_private(e, a.op->outputs[0]))
			fold(e, &a);
		else if (before && tn_scaling_takes(e, before))
			continue; /* it is told */
		else if (why)
			tn_edit_left(e, a.op, why, a.layer);
		else
			tn_edit_left_kept(e, a.op, a.op->outputs[0], a.layer);
	}
}
