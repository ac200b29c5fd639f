#include "import/onnx_spell.h"

#include <string.h>

#include "base/checked.h"

#include "base/banned.h"

const struct tn_tensor *tn_spell_in(const struct tn_spell *s, uint32_t k)
{
	if (k >= s->n->n_in || s->n->in[k].i == TN_NONE)
		return NULL;
	return tn_foreign_at(s->f, s->n->in[k]);
}

bool tn_spell_is_constant(const struct tn_tensor *t)
{
	int64_t elements, bytes;

	return t && t->role == ROLE_CONST && t->data_kind == DATA_BYTES &&
	       tn_shape_elements(&t->shape, &elements) &&
	       tn_dtype_bytes(t->dtype, elements, &bytes) && bytes == t->data_bytes;
}

static const char *joined(struct tn_spell *s, const char *name, const char *word)
{
	char *text = tn_arena_printf(&s->x->tree.scratch, "%s/%s", name, word);

	s->x->tree.nomem = s->x->tree.nomem || !text;
	return text ? text : name;
}

tn_tensor_id tn_spell_tensor(struct tn_spell *s, const char *word, enum tn_dtype dtype,
	const struct tn_shape *shape)
{
	const struct tn_shape copy = *shape; /* may be of a tensor, which moves */
	const char *of = tn_foreign_at(s->f, s->n->out[0])->name;

	if (!tn_foreign_tensor(s->f, s->n->at, joined(s, of, word), dtype, &copy)) {
		s->x->tree.nomem = true;
		return s->n->out[0];
	}
	return tn_foreign_newest(s->f);
}

tn_tensor_id tn_spell_constant(struct tn_spell *s, const char *word, enum tn_dtype dtype,
	const struct tn_shape *shape, const void *data)
{
	const tn_tensor_id id = tn_spell_tensor(s, word, dtype, shape);
	struct tn_tensor *t = tn_foreign_at(s->f, id);
	int64_t elements, bytes;
	size_t size;
	uint8_t *copy;

	if (s->x->tree.nomem)
		return id;
	t->role = ROLE_CONST;
	t->data_kind = DATA_MISSING;
	if (!data || !tn_shape_elements(&t->shape, &elements) ||
		!tn_dtype_bytes(dtype, elements, &bytes) ||
		!tn_size_from_i64(bytes, &size))
		return id;
	copy = tn_arena_alloc(s->x->tree.im->arena, size);
	if (!copy) {
		s->x->tree.nomem = true;
		return id;
	}
	memcpy(copy, data, size);
	tn_foreign_data(s->f, t, copy, bytes);
	return id;
}

void tn_spell_op(struct tn_spell *s, enum tn_op_kind kind, const char *word,
	const tn_tensor_id *in, uint32_t n_in, tn_tensor_id out)
{
	const char *name = s->name[0] ? s->name : s->n->type;

	if (!tn_foreign_op(s->f, s->n->at, kind, tn_op_info(kind)->name,
		    word ? joined(s, name, word) : s->name)) {
		s->x->tree.nomem = true;
		return;
	}
	for (uint32_t k = 0; k < n_in; k++)
		tn_foreign_in(s->f, in[k]);
	tn_foreign_out(s->f, out);
	tn_foreign_close(s->f);
}

static void check(struct tn_spell *s, bool ok)
{
	s->x->tree.nomem = s->x->tree.nomem || !ok;
}

void tn_spell_int(struct tn_spell *s, const char *name, int64_t value)
{
	check(s, tn_build_attr_int(&s->f->b, name, value));
}

void tn_spell_ints(struct tn_spell *s, const char *name, const int64_t *values, size_t n)
{
	check(s, tn_build_attr_ints(&s->f->b, name, values, n));
}

void tn_spell_real(struct tn_spell *s, const char *name, double value)
{
	check(s, tn_build_attr_float(&s->f->b, name, value));
}

void tn_spell_text(struct tn_spell *s, const char *name, const char *value)
{
	check(s, tn_build_attr_string(&s->f->b, name, value));
}

double tn_spell_attr_real(const struct tn_spell *s, const char *name, double otherwise)
{
	struct tn_at frames, at;

	return tn_onnx_attr(s->x, s->n, name, &frames, &at)
		       ? (double)(float)tn_at_real(&s->x->tree, &at, "f", 0)
		       : otherwise;
}

/* Shapes of operand and result, both without open sizes. */
static bool shapes(struct tn_spell *s, struct tn_shape *in, struct tn_shape *out)
{
	const struct tn_shape *from = tn_infer_shape(s->n, 0);
	int64_t elements;

	if (!from || s->n->n_out != 1 || !tn_shape_elements(from, &elements))
		return false;
	*in = *from;
	*out = tn_foreign_at(s->f, s->n->out[0])->shape;
	return tn_shape_elements(out, &elements);
}

/* STRIDED_SLICE names all dimensions; where it begins and ends lies inside of them. */
static bool slice(struct tn_spell *s)
{
	struct tn_ints starts = { 0 }, axes = { 0 }, steps = { 0 };
	int64_t begin[TN_RANK_MAX] = { 0 }, end[TN_RANK_MAX], step[TN_RANK_MAX] = { 0 };
	struct tn_shape in, out;

	if (!shapes(s, &in, &out) || in.rank != out.rank ||
		!tn_infer_ints(s->x, s->n, "starts", 1, &starts))
		return false;
	if (!tn_infer_ints(s->x, s->n, "axes", 3, &axes) && tn_spell_in(s, 3))
		return false;
	if (!tn_infer_ints(s->x, s->n, "steps", 4, &steps) && tn_spell_in(s, 4))
		return false;
	for (uint32_t i = 0; i < in.rank; i++)
		step[i] = 1;
	for (size_t i = 0; i < starts.v.count; i++) {
		int64_t axis = i < axes.v.count ? axes.v.items[i] : (int64_t)i;
		int64_t at = starts.v.items[i], n;

		if (!tn_infer_axis(&axis, in.rank))
			return false;
		n = in.dim[axis];
		at += at < 0 ? n : 0;
		step[axis] = i < steps.v.count ? steps.v.items[i] : 1;
		if (!step[axis] || step[axis] < INT32_MIN || step[axis] > INT32_MAX)
			return false;
		begin[axis] = tn_max_i64(0, tn_min_i64(at, step[axis] > 0 ? n : n - 1));
	}
	for (uint32_t i = 0; i < in.rank; i++) {
		if (!tn_mul_i64(out.dim[i], step[i], &end[i]) ||
			!tn_add_i64(end[i], begin[i], &end[i]))
			return false;
		if (step[i] < 0 && end[i] < 0) /* -1 would be the last one */
			end[i] = -in.dim[i] - 1;
		end[i] = tn_min_i64(end[i], in.dim[i]);
	}
	tn_spell_op(s, OP_STRIDED_SLICE, NULL, s->n->in, 1, s->n->out[0]);
	tn_spell_ints(s, "begin", begin, in.rank);
	tn_spell_ints(s, "end", end, in.rank);
	tn_spell_ints(s, "strides", step, in.rank);
	return true;
}

/* The element to pad with, as a constant; TN_NONE: a float 0, which PAD takes itself. */
static bool fill(struct tn_spell *s, enum tn_dtype dtype, tn_tensor_id *out)
{
	const struct tn_shape scalar = { .rank = 0 };
	const struct tn_tensor *given = tn_spell_in(s, 2);
	const float value = (float)tn_spell_attr_real(s, "value", 0);
	float real = value;

	out->i = TN_NONE;
	if (given && (!tn_spell_is_constant(given) || given->dtype != dtype ||
			     (dtype == DTYPE_F32 && given->data_bytes != sizeof(real))))
		return false;
	if (dtype != DTYPE_F32) {
		*out = given ? s->n->in[2] : *out;
		return given != NULL;
	}
	if (given)
		memcpy(&real, given->data, sizeof(real));
	if (real < 0 || real > 0 || real != real)
		*out = given ? s->n->in[2]
			     : tn_spell_constant(s, "value", DTYPE_F32, &scalar, &real);
	return true;
}

/* Sides of all dimensions, first those before, become sides of each dimension. */
static bool pad(struct tn_spell *s)
{
	const char *mode = tn_onnx_attr_text(s->x, s->n, "mode");
	const struct tn_tensor *t = tn_spell_in(s, 0);
	bool constant = !mode[0] || strcmp(mode, "constant") == 0;
	int64_t sides[2 * TN_RANK_MAX];
	tn_tensor_id in[3] = { s->n->in[0], { TN_NONE }, { TN_NONE } };
	struct tn_shape from, out, pairs = { .rank = 2, .dim = { 0, 2 } };

	if (!shapes(s, &from, &out) || from.rank != out.rank || tn_spell_in(s, 3) ||
		!tn_infer_ints(s->x, s->n, "pads", 1, &s->x->list) ||
		s->x->list.v.count != 2 * (size_t)from.rank ||
		(!constant && strcmp(mode, "reflect") != 0))
		return false;
	for (uint32_t i = 0; i < from.rank; i++) {
		sides[2 * i] = s->x->list.v.items[i];
		sides[2 * i + 1] = s->x->list.v.items[from.rank + i];
		if (sides[2 * i] < 0 || sides[2 * i + 1] < 0)
			return false;
	}
	if (constant && !fill(s, t->dtype, &in[2]))
		return false;
	if (in[2].i != TN_NONE) {
		pairs.dim[0] = from.rank;
		in[1] = tn_spell_constant(s, "paddings", DTYPE_I64, &pairs, sides);
		tn_spell_op(s, OP_PADV2, NULL, in, 3, s->n->out[0]);
		return true;
	}
	tn_spell_op(s, constant ? OP_PAD : OP_MIRROR_PAD, NULL, in, 1, s->n->out[0]);
	tn_spell_ints(s, "paddings", sides, 2 * (size_t)from.rank);
	if (!constant)
		tn_spell_text(s, "mode", "REFLECT");
	return true;
}

/* The place of an extreme is counted in 32 bits, and widened. */
static bool extreme(struct tn_spell *s)
{
	int64_t axis = tn_onnx_attr_int(s->x, s->n, "axis", 0);
	struct tn_shape in, out;
	tn_tensor_id at;

	if (!shapes(s, &in, &out) || !tn_infer_axis(&axis, in.rank) ||
		tn_onnx_attr_int(s->x, s->n, "select_last_index", 0))
		return false;
	at = tn_spell_tensor(s, "i32", DTYPE_I32, &out);
	tn_spell_op(s,
		s->n->type[3] == 'M' && s->n->type[4] == 'a' ? OP_ARG_MAX : OP_ARG_MIN,
		"i32", s->n->in, 1, at);
	tn_spell_int(s, "axis", axis);
	tn_spell_op(s, OP_CAST, NULL, &at, 1, s->n->out[0]);
	return true;
}

/* Softmax along a dimension that is not the last: it is moved there and back. */
static bool along(struct tn_spell *s, enum tn_op_kind kind, int64_t axis,
	const struct tn_shape *shape, enum tn_dtype dtype)
{
	int64_t there[TN_RANK_MAX], back[TN_RANK_MAX];
	struct tn_shape moved = { .rank = shape->rank };
	tn_tensor_id id, result;
	uint32_t n = 0;

	for (uint32_t i = 0; i < shape->rank; i++)
		if (i != axis)
			there[n++] = i;
	there[n] = axis;
	for (uint32_t i = 0; i < shape->rank; i++) {
		moved.dim[i] = shape->dim[there[i]];
		back[there[i]] = i;
	}
	id = tn_spell_tensor(s, "last", dtype, &moved);
	result = tn_spell_tensor(s, "rows", dtype, &moved);
	tn_spell_op(s, OP_TRANSPOSE, "last", s->n->in, 1, id);
	tn_spell_ints(s, "perm", there, shape->rank);
	tn_spell_op(s, kind, "rows", &id, 1, result);
	tn_spell_op(s, OP_TRANSPOSE, NULL, &result, 1, s->n->out[0]);
	tn_spell_ints(s, "perm", back, shape->rank);
	return true;
}

static bool softmax(struct tn_spell *s)
{
	const bool old = s->x->opset < 13;
	const enum tn_op_kind kind = s->n->type[0] == 'L' ? OP_LOG_SOFTMAX : OP_SOFTMAX;
	int64_t axis = tn_onnx_attr_int(s->x, s->n, "axis", old ? 1 : -1);
	struct tn_shape in, out, rows = { .rank = 2, .dim = { 1, 1 } };
	enum tn_dtype dtype = tn_infer_dtype(s->n, 0);
	tn_tensor_id id, result;

	if (!shapes(s, &in, &out) || !tn_infer_axis(&axis, in.rank) ||
		axis + 1 == in.rank) /* the table's */
		return false;
	if (!old)
		return along(s, kind, axis, &in, dtype);
	/* a row is all that follows from the axis on */
	for (uint32_t i = 0; i < in.rank; i++)
		if (!tn_mul_i64(rows.dim[i < axis ? 0 : 1], in.dim[i],
			    &rows.dim[i < axis ? 0 : 1]))
			return false; /* beside a dimension of 0 */
	id = tn_spell_tensor(s, "rows", dtype, &rows);
	result = tn_spell_tensor(s, "result", dtype, &rows);
	tn_spell_op(s, OP_RESHAPE, "rows", s->n->in, 1, id);
	tn_spell_op(s, kind, "result", &id, 1, result);
	tn_spell_op(s, OP_RESHAPE, NULL, &result, 1, s->n->out[0]);
	return true;
}

/* max(0, min(1, alpha * x + beta)) */
static bool hard_sigmoid(struct tn_spell *s)
{
	const float alpha = (float)tn_spell_attr_real(s, "alpha", (double)0.2f);
	const float beta = (float)tn_spell_attr_real(s, "beta", 0.5);
	const struct tn_shape scalar = { .rank = 0 };
	struct tn_shape in, out;
	tn_tensor_id ids[2], scaled, moved;

	if (!shapes(s, &in, &out) || tn_infer_dtype(s->n, 0) != DTYPE_F32)
		return false;
	ids[0] = s->n->in[0];
	ids[1] = tn_spell_constant(s, "alpha", DTYPE_F32, &scalar, &alpha);
	scaled = tn_spell_tensor(s, "scaled", DTYPE_F32, &in);
	tn_spell_op(s, OP_MUL, "scaled", ids, 2, scaled);
	ids[0] = scaled;
	ids[1] = tn_spell_constant(s, "beta", DTYPE_F32, &scalar, &beta);
	moved = tn_spell_tensor(s, "moved", DTYPE_F32, &in);
	tn_spell_op(s, OP_ADD, "moved", ids, 2, moved);
	tn_spell_op(s, OP_CLIP, NULL, &moved, 1, s->n->out[0]);
	tn_spell_real(s, "min", 0);
	tn_spell_real(s, "max", 1);
	return true;
}

/* Any number of operands: one is itself, of more two at a time. */
static bool several(struct tn_spell *s)
{
	const enum tn_op_kind kind = s->n->type[0] == 'S'	      ? OP_ADD
				     : strcmp(s->n->type, "Max") == 0 ? OP_MAXIMUM
								      : OP_MINIMUM;
	tn_tensor_id so_far = s->n->n_in ? s->n->in[0] : (tn_tensor_id){ TN_NONE };
	const uint32_t n = s->n->n_in;
	struct tn_shape shape, sum, out;

	if (!shapes(s, &shape, &out) || (n == 2 && kind != OP_ADD))
		return false;
	for (uint32_t k = 0; k < n; k++)
		if (!tn_infer_shape(s->n, k) ||
			!tn_infer_broadcast(&shape, tn_infer_shape(s->n, k), &shape))
			return false;
	sum = *tn_infer_shape(s->n, 0);
	if (n == 1) {
		tn_spell_op(s, OP_RESHAPE, NULL, s->n->in, 1, s->n->out[0]);
		return true;
	}
	for (uint32_t k = 1; k < n; k++) {
		const tn_tensor_id ids[2] = { so_far, s->n->in[k] };

		if (k + 1 == n) {
			tn_spell_op(s, kind, NULL, ids, 2, s->n->out[0]);
			break;
		}
		/* all of these broadcast, so that these two do */
		if (!tn_infer_broadcast(&sum, tn_infer_shape(s->n, k), &sum))
			break;
		so_far = tn_spell_tensor(s, "part", tn_infer_dtype(s->n, 0), &sum);
		tn_spell_op(s, kind, "part", ids, 2, so_far);
	}
	return true;
}

/* ONNX Runtime's own, and the standard's. */
#define RUNTIME "com.microsoft"

bool tn_onnx_spell(struct tn_onnx *x, const struct tn_onnx_node *n, const char *domain,
	const char *name)
{
	static const struct {
		const char *type, *domain;
		tn_spell_fn *fn;
	} rows[] = {
		{ "ArgMax", "", extreme },
		{ "ArgMin", "", extreme },
		{ "AveragePool", "", tn_spell_pool },
		{ "Conv", "", tn_spell_conv },
		{ "ConvTranspose", "", tn_spell_conv_transpose },
		{ "Gemm", "", tn_spell_gemm },
		{ "HardSigmoid", "", hard_sigmoid },
		{ "LogSoftmax", "", softmax },
		{ "Max", "", several },
		{ "MaxPool", "", tn_spell_pool },
		{ "Min", "", several },
		{ "Pad", "", pad },
		{ "QLinearAdd", RUNTIME, tn_spell_qlinear_add },
		{ "QLinearAveragePool", RUNTIME, tn_spell_qlinear_pool },
		{ "QLinearConcat", RUNTIME, tn_spell_qlinear_concat },
		{ "QLinearConv", "", tn_spell_qlinear_conv },
		{ "QLinearGlobalAveragePool", RUNTIME, tn_spell_qlinear_pool },
		{ "QLinearLeakyRelu", RUNTIME, tn_spell_qlinear_unary },
		{ "QLinearMatMul", "", tn_spell_qlinear_matmul },
		{ "QLinearMul", RUNTIME, tn_spell_qlinear_mul },
		{ "QLinearSigmoid", RUNTIME, tn_spell_qlinear_unary },
		{ "Resize", "", tn_spell_resize },
		{ "Slice", "", slice },
		{ "Softmax", "", softmax },
		{ "Sum", "", several },
		{ "Upsample", "", tn_spell_resize },
	};
	struct tn_spell s = { x, n, &n->scope->graph->f, name };

	if (n->n_out < 1 || n->out[0].i == TN_NONE || n->n_in < 1 ||
		n->in[0].i == TN_NONE || x->tree.nomem)
		return false;
	if (strcmp(domain, "ai.onnx") == 0)
		domain = "";
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (strcmp(rows[i].type, n->type) == 0 &&
			strcmp(rows[i].domain, domain) == 0)
			return rows[i].fn(&s);
	return false;
}
