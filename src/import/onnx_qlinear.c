/* QLinear ops, of the standard and of ONNX Runtime's domain: scales and zero points of the
 * operands become those of the tensors, the op becomes that of the table on int8. Bytes
 * without a sign are moved by 128 on the way in and out; two moves that meet cancel. */
#include <math.h>
#include <string.h>

#include "import/onnx_spell.h"

#include "base/banned.h"

#define MOVED 128 /* from unsigned bytes to signed ones */

static bool byte_at(const struct tn_tensor *t, int64_t i, int64_t *out)
{
	if (t->dtype != DTYPE_I8 && t->dtype != DTYPE_U8)
		return false;
	*out = t->dtype == DTYPE_I8 ? (int8_t)t->data[i] : t->data[i];
	return true;
}

/* Operands `at` and `at + 1`: constants, one of each for all, or for each of `channels`. */
static bool quant_of(struct tn_spell *s, uint32_t at, int64_t channels, int64_t less,
	struct tn_quant *out)
{
	const struct tn_tensor *scale = tn_spell_in(s, at),
			       *zero = tn_spell_in(s, at + 1);
	float *scales;
	int64_t *zeros, n;

	if (!tn_spell_is_constant(scale) || scale->dtype != DTYPE_F32 ||
		(zero && !tn_spell_is_constant(zero)))
		return false;
	n = scale->data_bytes / 4;
	if ((n != 1 && n != channels) ||
		(zero && zero->data_bytes != n && zero->data_bytes != 1))
		return false;
	scales = TN_NEW_ARRAY(s->x->tree.im->arena, float, (size_t)n);
	zeros = TN_NEW_ARRAY(s->x->tree.im->arena, int64_t, (size_t)n);
	if (!scales || !zeros) {
		s->x->tree.nomem = true;
		return false;
	}
	memcpy(scales, scale->data, (size_t)n * sizeof(*scales));
	for (int64_t i = 0; i < n; i++) {
		if (!(scales[i] > 0) || isinf(scales[i]) ||
			(zero &&
				!byte_at(zero, zero->data_bytes == 1 ? 0 : i, &zeros[i])))
			return false;
		zeros[i] -= less;
	}
	*out = (struct tn_quant){
		.n = (uint32_t)n, .scale = scales, .zero_point = zeros
	};
	return true;
}

static bool same_quant(const struct tn_quant *a, const struct tn_quant *b)
{
	return a->n == b->n && a->axis == b->axis &&
	       memcmp(a->scale, b->scale, a->n * sizeof(*a->scale)) == 0 &&
	       memcmp(a->zero_point, b->zero_point, a->n * sizeof(*a->zero_point)) == 0;
}

/* An activation of bytes: which tensor, how it is quantised, and whether it is moved. */
struct side {
	struct tn_quant own, moved;
	tn_tensor_id id;
	bool moves;
};

/* False when it is no such activation, or is quantised in another way already. */
static bool look(struct tn_spell *s, tn_tensor_id id, uint32_t at, struct side *out)
{
	const struct tn_tensor *t;

	if (id.i == TN_NONE)
		return false;
	t = tn_foreign_at(s->f, id);
	if (t->dtype != DTYPE_I8 && t->dtype != DTYPE_U8)
		return false;
	*out = (struct side){ .id = id, .moves = t->dtype == DTYPE_U8 };
	if (!quant_of(s, at, 1, 0, &out->own) || out->own.n != 1)
		return false;
	if (t->quant.n && !same_quant(&t->quant, &out->own))
		return false;
	return !out->moves || quant_of(s, at, 1, MOVED, &out->moved);
}

static void set_quant(struct tn_spell *s, tn_tensor_id id, const struct tn_quant *quant)
{
	if (!s->x->tree.nomem)
		tn_foreign_at(s->f, id)->quant = *quant;
}

/* The signed bytes of an activation that is there, or that is to be written. */
static tn_tensor_id signed_side(
	struct tn_spell *s, const struct side *side, const char *word)
{
	tn_tensor_id id = side->id;

	set_quant(s, id, &side->own);
	if (!side->moves)
		return id;
	id = tn_spell_tensor(s, word, DTYPE_I8, &tn_foreign_at(s->f, side->id)->shape);
	set_quant(s, id, &side->moved);
	return id;
}

static tn_tensor_id enter(struct tn_spell *s, const struct side *side, const char *word)
{
	const tn_tensor_id id = signed_side(s, side, word);

	if (side->moves)
		tn_spell_op(s, OP_QUANTIZE, word, &side->id, 1, id);
	return id;
}

/* The op that writes the result: it is moved behind it. */
static void leave(struct tn_spell *s, const struct side *side, enum tn_op_kind kind,
	const tn_tensor_id *in, uint32_t n_in)
{
	const tn_tensor_id id = signed_side(s, side, "signed");

	tn_spell_op(s, kind, side->moves ? "signed" : NULL, in, n_in, id);
}

static void after(struct tn_spell *s, const struct side *side, tn_tensor_id id)
{
	if (side->moves)
		tn_spell_op(s, OP_QUANTIZE, NULL, &id, 1, side->id);
}

static tn_tensor_id written(struct tn_spell *s)
{
	const struct tn_op *op = tn_foreign_newest_op(s->f);

	return op->outputs && op->n_outputs ? op->outputs[0] : s->n->out[0];
}

/* Weights as signed bytes; `columns`: a matrix that is to be transposed. False when a zero
 * point is left where the kernel has none. */
static bool weights(
	struct tn_spell *s, uint32_t at, bool columns, bool may_be_off, tn_tensor_id *out)
{
	const struct tn_tensor *w = tn_spell_in(s, at);
	const struct tn_shape shape = w->shape;
	const int64_t rows = shape.dim[0];
	const int64_t channels = columns ? shape.dim[1] : shape.dim[0];
	const bool moves = w->dtype == DTYPE_U8;
	struct tn_shape to = shape;
	struct tn_quant quant;
	int64_t n = w->data_bytes;
	uint8_t *data;

	if (!quant_of(s, at + 1, channels, moves ? MOVED : 0, &quant))
		return false;
	for (uint32_t i = 0; i < quant.n; i++)
		if (quant.zero_point[i] && (!may_be_off || quant.n > 1))
			return false;
	data = tn_arena_alloc(&s->x->tree.scratch, (size_t)n);
	if (!data) {
		s->x->tree.nomem = true;
		return false;
	}
	for (int64_t i = 0; i < n; i++) {
		const int64_t from = columns ? i % rows * channels + i / rows : i;

		data[i] = moves ? w->data[from] ^ MOVED : w->data[from];
	}
	if (columns) {
		to.dim[0] = channels;
		to.dim[1] = rows;
	}
	*out = tn_spell_constant(s, "weights", DTYPE_I8, &to, data);
	set_quant(s, *out, &quant);
	return true;
}

static bool is_bytes(const struct tn_tensor *t)
{
	return tn_spell_is_constant(t) && t->data_bytes > 0 &&
	       (t->dtype == DTYPE_I8 || t->dtype == DTYPE_U8);
}

bool tn_spell_qlinear_conv(struct tn_spell *s)
{
	const struct tn_shape *in = tn_infer_shape(s->n, 0);
	const struct tn_tensor *w = tn_spell_in(s, 3), *bias = tn_spell_in(s, 8);
	const int64_t groups = tn_onnx_attr_int(s->x, s->n, "group", 1);
	enum tn_op_kind kind = OP_CONV_2D;
	struct side x, y;
	tn_tensor_id ids[3], id;

	if (s->n->n_out != 1 || !in || in->rank != 4 || !is_bytes(w) ||
		w->shape.rank != 4 || (bias && bias->dtype != DTYPE_I32) ||
		!look(s, s->n->in[0], 1, &x) || !look(s, s->n->out[0], 6, &y))
		return false;
	if (groups > 1 && in->dim[1] == groups)
		kind = OP_DEPTHWISE_CONV_2D;
	if (!weights(s, 3, false, false, &ids[1]))
		return false;
	ids[0] = enter(s, &x, "moved");
	ids[2].i = bias ? s->n->in[8].i : TN_NONE;
	leave(s, &y, kind, ids, bias ? 3 : 2);
	tn_onnx_attributes(s->x, s->n, kind);
	id = written(s);
	after(s, &y, id);
	return true;
}

bool tn_spell_qlinear_matmul(struct tn_spell *s)
{
	const struct tn_tensor *b = tn_spell_in(s, 3);
	struct side x, w, y;
	tn_tensor_id ids[2];

	if (s->n->n_out != 1 || !b || !tn_infer_shape(s->n, 0) ||
		!look(s, s->n->in[0], 1, &x) || !look(s, s->n->out[0], 6, &y))
		return false;
	if (is_bytes(b) && b->shape.rank == 2) {
		if (!weights(s, 3, true, true, &ids[1]))
			return false;
		ids[0] = enter(s, &x, "moved");
		leave(s, &y, OP_FULLY_CONNECTED, ids, 2);
	} else {
		if (!look(s, s->n->in[3], 4, &w) || b->role == ROLE_CONST)
			return false;
		ids[0] = enter(s, &x, "moved");
		ids[1] = enter(s, &w, "moved_b");
		leave(s, &y, OP_BATCH_MATMUL, ids, 2);
	}
	after(s, &y, written(s));
	return true;
}

/* What follows for the result of an op of another domain. */
static void result(struct tn_spell *s, const struct tn_shape *shape, uint32_t at)
{
	tn_infer_set(s->x, s->n, 0, tn_infer_dtype(s->n, at), shape);
}

static bool binary(struct tn_spell *s, enum tn_op_kind kind)
{
	const struct tn_shape *a = tn_infer_shape(s->n, 0), *b = tn_infer_shape(s->n, 3);
	struct tn_shape shape;
	struct side x, y, z;
	tn_tensor_id ids[2];

	if (!a || !b || !tn_infer_broadcast(a, b, &shape))
		return false;
	result(s, &shape, 0);
	if (tn_spell_is_constant(tn_spell_in(s, 0)) ||
		tn_spell_is_constant(tn_spell_in(s, 3)) || !look(s, s->n->in[0], 1, &x) ||
		!look(s, s->n->in[3], 4, &y) || !look(s, s->n->out[0], 6, &z))
		return false;
	ids[0] = enter(s, &x, "moved");
	ids[1] = enter(s, &y, "moved_b");
	leave(s, &z, kind, ids, 2);
	after(s, &z, written(s));
	return true;
}

bool tn_spell_qlinear_add(struct tn_spell *s)
{
	return binary(s, OP_ADD);
}

bool tn_spell_qlinear_mul(struct tn_spell *s)
{
	return binary(s, OP_MUL);
}

/* An average is taken in floats, as ONNX Runtime does: on integers it is rounded twice, and
 * of few elements a quarter would be a step apart. */
bool tn_spell_qlinear_pool(struct tn_spell *s)
{
	const bool global = strcmp(s->n->type, "QLinearGlobalAveragePool") == 0;
	static const int64_t axes[2] = { 2, 3 };
	const struct tn_shape *in = tn_infer_shape(s->n, 0);
	tn_tensor_id real, mean;
	struct side x, y;

	if (!in || in->rank != 4 || tn_onnx_attr_int(s->x, s->n, "channels_last", 0))
		return false;
	tn_infer_window(global ? "GlobalAveragePool" : "AveragePool")(s->x, s->n);
	if (!look(s, s->n->in[0], 1, &x) || !look(s, s->n->out[0], 3, &y))
		return false;
	set_quant(s, x.id, &x.own);
	set_quant(s, y.id, &y.own);
	real = tn_spell_tensor(s, "real", DTYPE_F32, in);
	mean = tn_spell_tensor(s, "mean", DTYPE_F32, &tn_foreign_at(s->f, y.id)->shape);
	tn_spell_op(s, OP_DEQUANTIZE, "real", &x.id, 1, real);
	tn_spell_op(s, global ? OP_MEAN : OP_AVERAGE_POOL_2D, "mean", &real, 1, mean);
	if (global) {
		tn_spell_ints(s, "axes", axes, 2);
		tn_spell_int(s, "keep_dims", 1);
	} else {
		tn_onnx_attributes(s->x, s->n, OP_AVERAGE_POOL_2D);
	}
	tn_spell_op(s, OP_QUANTIZE, NULL, &mean, 1, y.id);
	return true;
}

#define PARTS_MAX 64

/* Parts are brought to the scale of the whole first. */
bool tn_spell_qlinear_concat(struct tn_spell *s)
{
	const uint32_t n = s->n->n_in < 5 ? 0 : (s->n->n_in - 2) / 3;
	int64_t axis = tn_onnx_attr_int(s->x, s->n, "axis", 0);
	struct side parts[PARTS_MAX], y;
	tn_tensor_id ids[PARTS_MAX];
	struct tn_shape shape;

	if (!n || n > PARTS_MAX || !tn_infer_shape(s->n, 2))
		return false;
	shape = *tn_infer_shape(s->n, 2);
	if (!tn_infer_axis(&axis, shape.rank))
		return false;
	for (uint32_t k = 0; k < n; k++) {
		const struct tn_shape *part = tn_infer_shape(s->n, 2 + 3 * k);

		if (!part || part->rank != shape.rank ||
			!look(s, s->n->in[2 + 3 * k], 3 + 3 * k, &parts[k]) ||
			tn_spell_is_constant(tn_spell_in(s, 2 + 3 * k)))
			return false;
		if (k)
			shape.dim[axis] += part->dim[axis];
	}
	result(s, &shape, 2);
	if (!look(s, s->n->out[0], 0, &y))
		return false;
	for (uint32_t k = 0; k < n && !s->x->tree.nomem; k++) {
		const struct tn_quant *whole = y.moves ? &y.moved : &y.own;
		const tn_tensor_id id = enter(s, &parts[k], "moved");

		ids[k] = tn_spell_tensor(
			s, "part", DTYPE_I8, &tn_foreign_at(s->f, id)->shape);
		set_quant(s, ids[k], whole);
		tn_spell_op(s, OP_QUANTIZE, "part", &id, 1, ids[k]);
	}
	leave(s, &y, OP_CONCATENATION, ids, n);
	tn_spell_int(s, "axis", axis);
	after(s, &y, written(s));
	return true;
}

/* A function of one element, in floats: one table of bytes after rewriting. */
bool tn_spell_qlinear_unary(struct tn_spell *s)
{
	const bool leaky = strcmp(s->n->type, "QLinearLeakyRelu") == 0;
	const struct tn_shape *in = tn_infer_shape(s->n, 0);
	struct side x, y;
	tn_tensor_id real, function;

	if (!in)
		return false;
	result(s, in, 0);
	if (!look(s, s->n->in[0], 1, &x) || !look(s, s->n->out[0], 3, &y))
		return false;
	set_quant(s, x.id, &x.own);
	set_quant(s, y.id, &y.own);
	real = tn_spell_tensor(s, "real", DTYPE_F32, in);
	function = tn_spell_tensor(
		s, "function", DTYPE_F32, &tn_foreign_at(s->f, x.id)->shape);
	tn_spell_op(s, OP_DEQUANTIZE, "real", &x.id, 1, real);
	tn_spell_op(
		s, leaky ? OP_LEAKY_RELU : OP_LOGISTIC, "function", &real, 1, function);
	if (leaky)
		tn_spell_real(s, "alpha", tn_spell_attr_real(s, "alpha", (double)0.01f));
	tn_spell_op(s, OP_QUANTIZE, NULL, &function, 1, y.id);
	return true;
}

/* The greatest of unsigned bytes is that of the signed ones. */
bool tn_spell_max_pool(struct tn_spell *s)
{
	const struct tn_tensor *in = tn_spell_in(s, 0);
	const tn_tensor_id out = s->n->out[0];
	struct tn_quant own, moved;
	tn_tensor_id ids[2];
	struct tn_shape shape;
	int64_t *zero;

	if (s->n->n_out != 1 || !in || in->dtype != DTYPE_U8 || in->quant.n != 1 ||
		!tn_infer_shape(s->n, 0) || tn_foreign_at(s->f, out)->dtype != DTYPE_U8 ||
		tn_foreign_at(s->f, out)->quant.n)
		return false;
	own = moved = in->quant;
	shape = in->shape;
	zero = TN_NEW_ARRAY(s->x->tree.im->arena, int64_t, 1);
	if (!zero) {
		s->x->tree.nomem = true;
		return false;
	}
	*zero = own.zero_point[0] - MOVED;
	moved.zero_point = zero;
	ids[0] = tn_spell_tensor(s, "moved", DTYPE_I8, &shape);
	ids[1] = tn_spell_tensor(s, "signed", DTYPE_I8, &tn_foreign_at(s->f, out)->shape);
	set_quant(s, ids[0], &moved);
	set_quant(s, ids[1], &moved);
	set_quant(s, out, &own);
	tn_spell_op(s, OP_QUANTIZE, "moved", s->n->in, 1, ids[0]);
	tn_spell_op(s, OP_MAX_POOL_2D, "signed", &ids[0], 1, ids[1]);
	tn_onnx_attributes(s->x, s->n, OP_MAX_POOL_2D);
	tn_spell_op(s, OP_QUANTIZE, NULL, &ids[1], 1, out);
	return true;
}
