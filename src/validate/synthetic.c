#include "validate/synthetic.h"

#include <string.h>

#include "base/banned.h"
#include "base/checked.h"
#include "ir/seed.h"
#include "ir/window.h"

/* Activations span about +-6; one pair for all of them, so that ops that want equal
 * quantisation on both sides are content. */
#define ACT_SCALE      0.05f
#define ACT_ZERO_POINT (-3)

struct maker {
	const struct tn_graph *from;
	struct tn_graph *to;
	struct tn_arena *arena;
	struct tn_strings *strings;
	uint32_t seed;
	uint32_t room; /* tensors that fit in to->tensors */
	bool replace_scales;
	bool changed;
};

/* ---- quantisation ---- */

static bool set_quant(
	struct maker *m, struct tn_tensor *t, float scale, int64_t zero_point)
{
	float *scales;
	int64_t *zero_points;
	uint32_t n = t->quant.n ? t->quant.n : 1;

	if (t->quant.n && !m->replace_scales)
		return true;
	scales = TN_NEW_ARRAY(m->arena, float, n);
	zero_points = TN_NEW_ARRAY(m->arena, int64_t, n);
	if (!scales || !zero_points)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		scales[i] = scale;
		zero_points[i] = zero_point;
	}
	t->quant = (struct tn_quant){
		.n = n, .axis = t->quant.axis, .scale = scales, .zero_point = zero_points
	};
	m->changed = true;
	return true;
}

static bool is_quantised(const struct tn_tensor *t)
{
	return t->dtype == DTYPE_I8 || t->dtype == DTYPE_I16;
}

/* Results of a fixed range have a fixed quantisation. */
static bool quantise_output(struct maker *m, enum tn_op_kind kind, struct tn_tensor *t)
{
	float steps = t->dtype == DTYPE_I16 ? 32768.0f : 256.0f;

	switch (kind) {
	case OP_SOFTMAX:
	case OP_LOGISTIC:
		return set_quant(m, t, 1.0f / steps, t->dtype == DTYPE_I16 ? 0 : -128);
	case OP_TANH:
		return set_quant(
			m, t, t->dtype == DTYPE_I16 ? 1.0f / steps : 1.0f / 128.0f, 0);
	default:
		return set_quant(
			m, t, ACT_SCALE, t->dtype == DTYPE_I16 ? 0 : ACT_ZERO_POINT);
	}
}

static int64_t square_root(int64_t value)
{
	int64_t root = 0;

	while ((root + 1) * (root + 1) <= value)
		root++;
	return root;
}

/* A scale under which a sum over `taps` products of seeded values neither dies nor
 * saturates: the sum grows with the square root of the taps. */
static float weight_scale(int64_t taps)
{
	return 1.0f / (128.0f * (float)tn_max_i64(1, square_root(taps)));
}

/* ---- constants ---- */

static bool fill(struct maker *m, uint32_t id)
{
	struct tn_tensor *t = &m->to->tensors[id];
	size_t size;
	uint8_t *bytes;

	if (t->bytes < 0 || !tn_size_from_i64(t->bytes, &size))
		return true;
	bytes = tn_arena_alloc(m->arena, size);
	if (!bytes)
		return false;
	tn_seed_const(m->seed + id, t->dtype, bytes, t->bytes);
	t->data = bytes;
	t->data_bytes = t->bytes;
	t->data_kind = DATA_BYTES;
	t->seeded = true;
	t->seed = m->seed + id;
	m->changed = true;
	return true;
}

/* Operands whose values are numbers to compute with, not shapes. */
static bool is_weight(const struct tn_op *op, uint32_t operand)
{
	switch (op->kind) {
	case OP_CONV_2D:
	case OP_DEPTHWISE_CONV_2D:
	case OP_FULLY_CONNECTED:
		return operand == 1 || operand == 2;
	case OP_TRANSPOSE_CONV:
		return operand == 1 || operand == 3;
	case OP_SVDF:
		return operand >= 1 && operand <= 3;
	case OP_LAYER_NORM:
		return operand >= 1;
	default:
		return tn_op_info(op->kind)->access == ACCESS_POINTWISE;
	}
}

/* Squares: no variance is below zero. */
static bool fill_variance(struct maker *m, uint32_t id)
{
	struct tn_tensor *t = &m->to->tensors[id];
	uint8_t *bytes;
	float value;

	if (!fill(m, id))
		return false;
	if (t->data_kind != DATA_BYTES || t->dtype != DTYPE_F32)
		return true;
	bytes = tn_arena_alloc(m->arena, (size_t)t->bytes);
	if (!bytes)
		return false;
	for (int64_t at = 0; at + 4 <= t->bytes; at += 4) {
		memcpy(&value, t->data + at, sizeof(value));
		value = value * value + 0.25f;
		memcpy(bytes + at, &value, sizeof(value));
	}
	t->data = bytes;
	t->seeded = false;
	return true;
}

static bool fill_operand(struct maker *m, const struct tn_op *op, uint32_t k)
{
	return op->kind == OP_BATCH_NORM && k == 4 ? fill_variance(m, op->inputs[k].i)
						   : fill(m, op->inputs[k].i);
}

static bool fill_missing(struct maker *m)
{
	for (uint32_t i = 0; i < m->to->n_ops; i++) {
		const struct tn_op *op = &m->to->ops[i];

		for (uint32_t k = 0; k < op->n_inputs; k++)
			if (tn_tensor_id_ok(m->to, op->inputs[k]) && is_weight(op, k) &&
				m->to->tensors[op->inputs[k].i].data_kind ==
					DATA_MISSING &&
				!fill_operand(m, op, k))
				return false;
	}
	return true;
}

/* A new constant; NULL on lack of memory or for a size that is none. */
static struct tn_tensor *add_constant(struct maker *m, const struct tn_op *op,
	const char *what, enum tn_dtype dtype, const struct tn_shape *shape)
{
	struct tn_tensor *t = &m->to->tensors[m->to->n_tensors];
	char *name = tn_arena_printf(m->arena, "%s/%s", op->name, what);

	if (!name || m->to->n_tensors >= m->room)
		return NULL;
	*t = (struct tn_tensor){ .dtype = dtype,
		.shape = *shape,
		.role = ROLE_CONST,
		.view_of = { TN_NONE },
		.pointer = op->pointer,
		.file_index = m->to->n_tensors };
	t->name = tn_str_intern(m->strings, name, strlen(name));
	if (!t->name || !tn_shape_elements(shape, &t->elements) ||
		!tn_dtype_bytes(dtype, t->elements, &t->bytes))
		return NULL;
	m->to->n_tensors++;
	return fill(m, m->to->n_tensors - 1) ? t : NULL;
}

static bool append_input(struct maker *m, struct tn_op *op, const struct tn_tensor *t)
{
	tn_tensor_id *inputs = TN_NEW_ARRAY(m->arena, tn_tensor_id, op->n_inputs + 1);

	if (!inputs)
		return false;
	for (uint32_t k = 0; k < op->n_inputs; k++)
		inputs[k] = op->inputs[k];
	inputs[op->n_inputs].i = (uint32_t)(t - m->to->tensors);
	op->inputs = inputs;
	op->n_inputs++;
	m->changed = true;
	return true;
}

/* ---- operands that a topology leaves out ---- */

static bool filter_shape(const struct maker *m, const struct tn_op *op,
	struct tn_shape *out, int64_t *out_channels)
{
	const struct tn_tensor *in, *result;
	struct tn_window w;
	const char *why;

	if (op->kind != OP_FULLY_CONNECTED) {
		if (!tn_window_of(m->to, op, &w, &why))
			return false;
		*out_channels = w.out_c;
		*out = op->kind == OP_CONV_2D
			       ? (struct tn_shape){ 4, { w.out_c, w.k_h, w.k_w, w.in_c } }
			       : (struct tn_shape){ 4, { 1, w.k_h, w.k_w, w.out_c } };
		return true;
	}
	if (op->n_outputs != 1 || !tn_tensor_id_ok(m->to, op->inputs[0]))
		return false;
	in = &m->to->tensors[op->inputs[0].i];
	result = &m->to->tensors[op->outputs[0].i];
	if (!result->shape.rank || in->elements <= 0 || result->elements <= 0)
		return false;
	*out_channels = result->shape.dim[result->shape.rank - 1];
	if (in->elements % (result->elements / *out_channels) != 0)
		return false;
	*out = (struct tn_shape){ 2,
		{ *out_channels, in->elements / (result->elements / *out_channels) } };
	return true;
}

static bool add_weights(struct maker *m, struct tn_op *op)
{
	enum tn_dtype in = m->to->tensors[op->inputs[0].i].dtype;
	struct tn_shape shape, bias = { .rank = 1 };
	const struct tn_tensor *t;
	enum tn_dtype filter_type = in == DTYPE_F32 ? DTYPE_F32 : DTYPE_I8;
	enum tn_dtype bias_type = in == DTYPE_F32   ? DTYPE_F32
				  : in == DTYPE_I16 ? DTYPE_I64
						    : DTYPE_I32;

	if (!filter_shape(m, op, &shape, &bias.dim[0]) ||
		(in != DTYPE_F32 && in != DTYPE_I8 && in != DTYPE_I16))
		return true; /* nothing to guess; binding will say what is wrong */
	t = add_constant(m, op, "filter", filter_type, &shape);
	if (!t || !append_input(m, op, t))
		return false;
	t = add_constant(m, op, "bias", bias_type, &bias);
	return t && append_input(m, op, t);
}

/* MEAN of [n, h, w, c] to [n, 1, 1, c] without axes: height and width. */
static bool add_axes(struct maker *m, struct tn_op *op)
{
	static const uint8_t axes[] = { 1, 0, 0, 0, 2, 0, 0, 0 };
	const struct tn_shape two = { 1, { 2 } };
	const struct tn_tensor *in = &m->to->tensors[op->inputs[0].i], *result;
	struct tn_tensor *t;

	if (tn_op_attr(op, "axes") || tn_op_attr(op, "axis") || in->shape.rank != 4 ||
		op->n_outputs != 1 || !tn_tensor_id_ok(m->to, op->outputs[0]))
		return true;
	result = &m->to->tensors[op->outputs[0].i];
	if (result->elements != in->shape.dim[0] * in->shape.dim[3])
		return true;
	t = add_constant(m, op, "axes", DTYPE_I32, &two);
	if (!t)
		return false;
	t->data = axes;
	t->seeded = false;
	return append_input(m, op, t);
}

static bool complete(struct maker *m)
{
	for (uint32_t i = 0; i < m->to->n_ops; i++) {
		struct tn_op *op = &m->to->ops[i];
		bool ok = true;

		if (op->n_inputs != 1 || !tn_tensor_id_ok(m->to, op->inputs[0]))
			continue;
		if (op->kind == OP_CONV_2D || op->kind == OP_DEPTHWISE_CONV_2D ||
			op->kind == OP_FULLY_CONNECTED)
			ok = add_weights(m, op);
		else if (op->kind == OP_MEAN)
			ok = add_axes(m, op);
		if (!ok)
			return false;
	}
	return true;
}

/* ---- scales ---- */

static int64_t taps_of(const struct tn_op *op, const struct tn_tensor *filter)
{
	int64_t outputs = op->kind == OP_DEPTHWISE_CONV_2D
				  ? filter->shape.dim[filter->shape.rank - 1]
				  : filter->shape.dim[0];

	return outputs > 0 ? filter->elements / outputs : 1;
}

/* Filter and bias: the scale of the bias is the product of the other two. */
static bool quantise_weights(struct maker *m, const struct tn_op *op)
{
	struct tn_tensor *in, *filter, *bias;

	if (op->n_inputs < 2 || !tn_tensor_id_ok(m->to, op->inputs[0]) ||
		!tn_tensor_id_ok(m->to, op->inputs[1]))
		return true;
	in = &m->to->tensors[op->inputs[0].i];
	filter = &m->to->tensors[op->inputs[1].i];
	if (!is_quantised(in) || !filter->shape.rank || !tn_tensor_is_constant(filter))
		return true;
	if (!set_quant(m, filter, weight_scale(taps_of(op, filter)), 0))
		return false;
	if (op->n_inputs < 3 || !tn_tensor_id_ok(m->to, op->inputs[2]) || !in->quant.n)
		return true;
	bias = &m->to->tensors[op->inputs[2].i];
	return set_quant(m, bias, in->quant.scale[0] * filter->quant.scale[0], 0);
}

static bool quantise(struct maker *m)
{
	for (uint32_t i = 0; i < m->to->n_ops; i++) {
		const struct tn_op *op = &m->to->ops[i];

		for (uint32_t k = 0; k < op->n_outputs; k++)
			if (tn_tensor_id_ok(m->to, op->outputs[k]) &&
				is_quantised(&m->to->tensors[op->outputs[k].i]) &&
				!quantise_output(
					m, op->kind, &m->to->tensors[op->outputs[k].i]))
				return false;
	}
	for (uint32_t k = 0; k < m->to->n_inputs; k++)
		if (tn_tensor_id_ok(m->to, m->to->inputs[k]) &&
			is_quantised(&m->to->tensors[m->to->inputs[k].i]) &&
			!quantise_output(
				m, OP_UNKNOWN, &m->to->tensors[m->to->inputs[k].i]))
			return false;
	for (uint32_t i = 0; i < m->to->n_ops; i++) {
		enum tn_op_kind kind = m->to->ops[i].kind;

		if ((kind == OP_CONV_2D || kind == OP_DEPTHWISE_CONV_2D ||
			    kind == OP_FULLY_CONNECTED) &&
			!quantise_weights(m, &m->to->ops[i]))
			return false;
	}
	/* operands of element-wise ops, variables: whatever has no scale yet */
	for (uint32_t i = 0; i < m->to->n_tensors; i++) {
		struct tn_tensor *t = &m->to->tensors[i];

		if (is_quantised(t) && (t->quant.n == 0 || t->quant.damaged) &&
			!quantise_output(m, OP_UNKNOWN, t))
			return false;
	}
	return true;
}

static bool any_damaged(const struct tn_graph *g)
{
	for (uint32_t i = 0; i < g->n_tensors; i++)
		if (g->tensors[i].quant.damaged)
			return true;
	return false;
}

static bool copy_lists(struct maker *m)
{
	const struct tn_graph *g = m->from;
	struct tn_tensor *tensors;
	struct tn_op *ops = TN_NEW_ARRAY(m->arena, struct tn_op, g->n_ops);

	if (g->n_ops > (UINT32_MAX - 1 - g->n_tensors) / 2)
		return false;
	m->room = g->n_tensors + 2 * g->n_ops; /* at most a filter and a bias each */
	tensors = TN_NEW_ARRAY(m->arena, struct tn_tensor, m->room);
	if (!tensors || !ops)
		return false;
	if (g->n_tensors)
		memcpy(tensors, g->tensors, g->n_tensors * sizeof(*tensors));
	if (g->n_ops)
		memcpy(ops, g->ops, g->n_ops * sizeof(*ops));
	*m->to = *g;
	m->to->tensors = tensors;
	m->to->ops = ops;
	return true;
}

enum tn_status tn_synthetic(const struct tn_graph *g, uint32_t seed,
	struct tn_arena *arena, struct tn_strings *strings, struct tn_graph *out,
	bool *out_changed)
{
	struct maker m = { .from = g,
		.to = out,
		.arena = arena,
		.strings = strings,
		.seed = seed,
		.replace_scales = any_damaged(g) };

	if (!copy_lists(&m) || !complete(&m) || !fill_missing(&m) || !quantise(&m))
		return TN_ERR_NOMEM;
	if (out->lossy)
		m.changed = true;
	out->lossy = false;
	*out_changed = m.changed;
	return TN_OK;
}
