#include "gen_op.h"

#include <stdio.h>
#include <string.h>

#include "gen_part.h"

static bool same_quant(const struct tn_quant *a, const struct tn_quant *b)
{
	return a->n == b->n &&
	       (a->n == 0 || (a->scale[0] == b->scale[0] &&
				     a->zero_point[0] == b->zero_point[0]));
}

/* Kernels of 16 bits want a zero point of 0, which one softmax does not give. */
static bool is_odd(const struct tn_tensor *t)
{
	return t->has_strides ||
	       (t->dtype == DTYPE_I16 && t->quant.n && t->quant.zero_point[0] != 0);
}

static int new_input(
	struct gen_site *s, enum tn_dtype dtype, uint32_t rank, const int64_t *dim)
{
	int id = gen_add_tensor(s->gen, dtype, ROLE_INPUT, rank, dim);

	gen_at(s->gen, id)->clobber = tn_gen_random(s->gen, 4) > 0;
	if (s->wide)
		gen_wide_quant(s, id, true);
	return id;
}

int gen_first(struct gen_site *s, const struct gen_op_kind *k, bool image)
{
	int64_t dim[TN_RANK_MAX] = { 0 }, left = s->limit;
	uint32_t rank = image ? 4 : gen_range(s->gen, 1, 4);

	if (s->first >= 0) {
		const struct tn_tensor *t = gen_at(s->gen, s->first);

		return t->dtype != k->in || is_odd(t) || !t->shape.rank ||
				       (image && t->shape.rank != 4)
			       ? -1
			       : s->first;
	}
	if (s->wide)
		gen_wide_dims(s, image, rank, dim);
	for (uint32_t d = 0; d < rank && !s->wide; d++) {
		int64_t most = left < 7 ? left : 7;

		if (image && d == 0)
			most = most < 2 ? most : 2;
		dim[d] = gen_range(s->gen, 1, (uint32_t)most);
		left /= dim[d];
	}
	s->first = new_input(s, k->in, rank, dim);
	return s->first;
}

int gen_another(
	struct gen_site *s, enum tn_dtype dtype, const struct tn_shape *shape, int like)
{
	int id;

	for (uint32_t tries = 0; tries < 12 && s->n_pool; tries++) {
		const struct tn_tensor *t;

		id = s->pool[tn_gen_random(s->gen, s->n_pool)];
		t = gen_at(s->gen, id);
		if (t->dtype == dtype && !is_odd(t) && tn_shape_equal(&t->shape, shape) &&
			(like < 0 || same_quant(&t->quant, &gen_at(s->gen, like)->quant)))
			return id;
	}
	id = new_input(s, dtype, shape->rank, shape->dim);
	if (like >= 0)
		gen_at(s->gen, id)->quant = gen_at(s->gen, like)->quant;
	return id;
}

int gen_out(struct gen_site *s, enum tn_dtype dtype, uint32_t rank, const int64_t *dim,
	int like)
{
	int64_t n = 1;
	int id;

	for (uint32_t d = 0; d < rank; d++)
		n = n > s->limit ? n : n * dim[d];
	if (n > s->limit || n < 1 || s->n_out == GEN_OUTPUTS_MAX)
		return -1;
	id = gen_add_tensor(s->gen, dtype, ROLE_ACT, rank, dim);
	if (like >= 0)
		gen_at(s->gen, id)->quant = gen_at(s->gen, like)->quant;
	else if (s->wide)
		gen_wide_quant(s, id, false);
	s->out[s->n_out++] = id;
	return id;
}

void gen_emit(struct gen_site *s, const struct gen_op_kind *k, const int *in)
{
	int out[GEN_OUTPUTS_MAX + 1];

	memcpy(out, s->out, s->n_out * sizeof(*out));
	out[s->n_out] = TN_GEN_END;
	gen_add_op(s->gen, k->type, in, out);
}

bool gen_op(struct gen_site *s, const struct gen_op_kind *k)
{
	s->n_out = 0;
	return k->make(s, k);
}

static bool is(const struct gen_op_kind *k, const char *type)
{
	return strcmp(k->type, type) == 0;
}

/* What a fixed scale of the output must be; others have the default. */
static void fixed_quant(struct gen_site *s, const struct gen_op_kind *k, int out)
{
	static const struct {
		const char *type;
		enum tn_dtype out;
		float scale;
		int64_t zero_point;
	} fixed[] = {
		{ "LOGISTIC", DTYPE_I8, 1.0f / 256, -128 },
		{ "LOGISTIC", DTYPE_I16, 1.0f / 32768, 0 },
		{ "TANH", DTYPE_I8, 1.0f / 128, 0 },
		{ "TANH", DTYPE_I16, 1.0f / 32768, 0 },
		{ "SOFTMAX", DTYPE_I8, 1.0f / 256, -128 },
		{ "LOG_SOFTMAX", DTYPE_I8, 1.0f / 16, 127 },
		{ "L2_NORMALIZATION", DTYPE_I8, 1.0f / 128, 0 },
		{ "QUANTIZE", DTYPE_I8, 0.1f, -3 },
		{ "QUANTIZE", DTYPE_I32, 0.001f, 0 },
	};

	if (is(k, "SOFTMAX") && k->out == DTYPE_I16)
		gen_set_quant(s->gen, gen_at(s->gen, out), 1, 0,
			k->in == DTYPE_I8 ? 1.0f / 65536 : 1.0f / 32768,
			k->in == DTYPE_I8 ? -32768 : 0);
	for (size_t i = 0; i < sizeof(fixed) / sizeof(*fixed); i++)
		if (is(k, fixed[i].type) && k->out == fixed[i].out &&
			!(is(k, "SOFTMAX") && k->out == DTYPE_I16))
			gen_set_quant(s->gen, gen_at(s->gen, out), 1, 0, fixed[i].scale,
				fixed[i].zero_point);
}

/* One operand, an output of the same shape; arg 1: quantised alike, 2: not quantised. */
/* Attributes without which an op means nothing. */
static void add_bounds(struct gen_site *s, const struct gen_op_kind *k)
{
	int64_t values[256];

	if (is(k, "CLIP") || is(k, "FAKE_QUANT"))
		gen_need(tn_build_attr_float(&s->gen->build, "min", -0.75) &&
			 tn_build_attr_float(&s->gen->build, "max", 1.5));
	for (int i = 0; i < 256; i++)
		values[i] = (i * 41 + 7) % 256 - 128;
	if (is(k, "TABLE"))
		gen_need(tn_build_attr_ints(&s->gen->build, "table", values, 256));
}

static bool make_unary(struct gen_site *s, const struct gen_op_kind *k)
{
	int in = gen_first(s, k, false), out;
	bool alike = k->arg || (s->wide && tn_gen_random(s->gen, 2));
	struct tn_shape shape;

	if (in < 0)
		return false;
	if (k->arg == 2 && s->n_pool) /* others want a scale */
		return false;
	if (k->arg == 2)
		gen_at(s->gen, in)->quant.n = 0;
	shape = gen_at(s->gen, in)->shape;
	out = gen_out(s, k->out, shape.rank, shape.dim, alike ? in : -1);
	fixed_quant(s, k, out);
	gen_emit(s, k, GEN_IDS(in));
	if (is(k, "SOFTMAX"))
		gen_need(tn_build_attr_float(&s->gen->build, "beta", 1.0));
	if (is(k, "LEAKY_RELU"))
		gen_need(tn_build_attr_float(&s->gen->build, "alpha", 0.25));
	add_bounds(s, k);
	return true;
}

/* Another shape of the same number of elements. */
static bool make_reshape(struct gen_site *s, const struct gen_op_kind *k)
{
	int in = gen_first(s, k, false);
	int64_t n, dim[4] = { 1, 1, 1, 1 };
	uint32_t rank = gen_range(s->gen, 1, 4);

	if (in < 0)
		return false;
	n = gen_elements(s->gen, in);
	for (uint32_t d = 0; d + 1 < rank; d++) {
		int64_t part = gen_range(s->gen, 1, 4);

		dim[d] = n % part ? 1 : part;
		n /= dim[d];
	}
	dim[rank - 1] = n;
	(void)gen_out(s, k->out, rank, dim, in);
	gen_emit(s, k, GEN_IDS(in));
	return true;
}

/* A shape that broadcasts to `shape`: some dimensions are 1, leading ones may be gone. */
static struct tn_shape narrower(struct tn_gen *gen, struct tn_shape shape)
{
	uint32_t cut = tn_gen_random(gen, 3) ? 0 : tn_gen_random(gen, shape.rank);

	if (!tn_gen_random(gen, 2))
		return shape;
	for (uint32_t d = 0; d < shape.rank; d++)
		if (tn_gen_random(gen, 2))
			shape.dim[d] = 1;
	memmove(shape.dim, shape.dim + cut, (shape.rank - cut) * sizeof(*shape.dim));
	shape.rank -= cut;
	return shape;
}

/* Two operands; arg: the second one's type, when it is another. */
static bool make_binary(struct gen_site *s, const struct gen_op_kind *k)
{
	enum tn_dtype second = k->arg ? (enum tn_dtype)k->arg : k->in;
	int a = gen_first(s, k, false), b;
	struct tn_shape shape;

	if (a < 0)
		return false;
	shape = gen_at(s->gen, a)->shape;
	b = tn_gen_random(s->gen, 16) || k->arg ? TN_GEN_END : a;
	if (b == TN_GEN_END) {
		struct tn_shape narrow = narrower(s->gen, shape);

		b = gen_another(s, second, &narrow, -1);
	}
	(void)gen_out(s, k->out, shape.rank, shape.dim, -1);
	if (!k->arg && tn_gen_random(s->gen, 2))
		gen_emit(s, k, GEN_IDS(b, a));
	else
		gen_emit(s, k, GEN_IDS(a, b));
	if (s->wide && (is(k, "ADD") || is(k, "MUL")))
		gen_wide_pair(s);
	return true;
}

static bool make_select(struct gen_site *s, const struct gen_op_kind *k)
{
	int c = gen_first(s, k, false), a, b;
	struct tn_shape shape, narrow;

	if (c < 0)
		return false;
	shape = gen_at(s->gen, c)->shape;
	a = gen_another(s, k->out, &shape, -1);
	narrow = narrower(s->gen, shape);
	b = gen_another(s, k->out, &narrow, a);
	(void)gen_out(s, k->out, shape.rank, shape.dim, a);
	gen_emit(s, k, tn_gen_random(s->gen, 2) ? GEN_IDS(c, a, b) : GEN_IDS(c, b, a));
	return true;
}

static bool make_add_n(struct gen_site *s, const struct gen_op_kind *k)
{
	int in[5], a = gen_first(s, k, false);
	uint32_t n = gen_range(s->gen, 1, 4);
	struct tn_shape shape;

	if (a < 0)
		return false;
	shape = gen_at(s->gen, a)->shape;
	in[0] = a;
	for (uint32_t i = 1; i < n; i++)
		in[i] = gen_another(s, k->in, &shape, a);
	in[n] = TN_GEN_END;
	(void)gen_out(s, k->out, shape.rank, shape.dim, a);
	gen_emit(s, k, in);
	return true;
}

/* Some axes are folded. */
static bool make_reduce(struct gen_site *s, const struct gen_op_kind *k)
{
	int in = gen_first(s, k, false), out, list;
	int64_t axes[TN_RANK_MAX], dim[TN_RANK_MAX];
	bool keep = tn_gen_random(s->gen, 2);
	uint32_t n = 0, rank = 0;
	struct tn_shape shape;

	if (in < 0)
		return false;
	shape = gen_at(s->gen, in)->shape;
	for (uint32_t d = 0; d < shape.rank; d++) {
		bool folded = tn_gen_random(s->gen, 2) || (d + 1 == shape.rank && !n);

		if (folded)
			axes[n++] =
				tn_gen_random(s->gen, 4) ? d : d - (int64_t)shape.rank;
		if (!folded || keep)
			dim[rank++] = folded ? 1 : shape.dim[d];
	}
	list = gen_add_ints(s->gen, n, axes);
	out = gen_out(s, k->out, rank, dim, in);
	if (k->arg && k->out == DTYPE_I8)
		gen_set_quant(s->gen, gen_at(s->gen, out), 1, 0, 0.3f, 7);
	gen_emit(s, k, GEN_IDS(in, list));
	gen_need(tn_build_attr_bool(&s->gen->build, "keep_dims", keep));
	return true;
}

/* The index of the greatest or least along an axis. */
static bool make_arg(struct gen_site *s, const struct gen_op_kind *k)
{
	int in = gen_first(s, k, false), list;
	int64_t dim[TN_RANK_MAX], axis;
	struct tn_shape shape;
	uint32_t rank = 0;

	if (in < 0)
		return false;
	shape = gen_at(s->gen, in)->shape;
	axis = tn_gen_random(s->gen, shape.rank);
	for (uint32_t d = 0; d < shape.rank; d++)
		if (d != axis)
			dim[rank++] = shape.dim[d];
	list = gen_add_ints(s->gen, 1, &axis);
	(void)gen_out(s, k->out, rank, dim, -1);
	gen_emit(s, k, GEN_IDS(in, list));
	return true;
}

static bool make_cumsum(struct gen_site *s, const struct gen_op_kind *k)
{
	int in = gen_first(s, k, false), list;
	struct tn_shape shape;
	int64_t axis;

	if (in < 0)
		return false;
	shape = gen_at(s->gen, in)->shape;
	axis = tn_gen_random(s->gen, shape.rank);
	list = gen_add_ints(s->gen, 1, &axis);
	(void)gen_out(s, k->out, shape.rank, shape.dim, -1);
	gen_emit(s, k, GEN_IDS(in, list));
	gen_need(tn_build_attr_bool(
			 &s->gen->build, "exclusive", tn_gen_random(s->gen, 2)) &&
		 tn_build_attr_bool(&s->gen->build, "reverse", tn_gen_random(s->gen, 2)));
	return true;
}

#define I8   DTYPE_I8
#define I16  DTYPE_I16
#define I32  DTYPE_I32
#define I64  DTYPE_I64
#define F32  DTYPE_F32
#define BOOL DTYPE_BOOL

#define FLOATS(type)                                                                     \
	{                                                                                \
		type, F32, F32, make_unary, 0                                            \
	}
#define NUMBERS(type, make)                                                              \
	{ type, I8, I8, make, 0 },                                                       \
	{                                                                                \
		type, F32, F32, make, 0                                                  \
	}
#define COMPARED(type)                                                                   \
	{ type, I8, BOOL, make_binary, 0 }, { type, F32, BOOL, make_binary, 0 },         \
	{                                                                                \
		type, I32, BOOL, make_binary, 0                                          \
	}
#define MOVED(type, make)                                                                \
	{ type, I8, I8, make, 0 }, { type, I16, I16, make, 0 },                          \
		{ type, F32, F32, make, 0 },                                             \
	{                                                                                \
		type, I64, I64, make, 0                                                  \
	}

const struct gen_op_kind gen_op_kinds[] = {
	{ "CONV_2D", I8, I8, gen_make_window, I32 },
	{ "CONV_2D", I16, I16, gen_make_window, I64 },
	{ "CONV_2D", I16, I16, gen_make_window, I32 },
	{ "CONV_2D", F32, F32, gen_make_window, F32 },
	{ "DEPTHWISE_CONV_2D", I8, I8, gen_make_window, I32 },
	{ "DEPTHWISE_CONV_2D", I16, I16, gen_make_window, I64 },
	{ "DEPTHWISE_CONV_2D", F32, F32, gen_make_window, F32 },
	{ "AVERAGE_POOL_2D", I8, I8, gen_make_window, 0 },
	{ "AVERAGE_POOL_2D", I16, I16, gen_make_window, 0 },
	{ "AVERAGE_POOL_2D", F32, F32, gen_make_window, 0 },
	{ "MAX_POOL_2D", I8, I8, gen_make_window, 0 },
	{ "MAX_POOL_2D", I16, I16, gen_make_window, 0 },
	{ "MAX_POOL_2D", F32, F32, gen_make_window, 0 },
	{ "L2_POOL_2D", F32, F32, gen_make_window, 0 },
	{ "TRANSPOSE_CONV", I8, I8, gen_make_transpose_conv, I32 },
	{ "TRANSPOSE_CONV", I16, I16, gen_make_transpose_conv, I64 },
	{ "TRANSPOSE_CONV", F32, F32, gen_make_transpose_conv, F32 },
	{ "FULLY_CONNECTED", I8, I8, gen_make_connected, I32 },
	{ "FULLY_CONNECTED", I16, I16, gen_make_connected, I64 },
	{ "FULLY_CONNECTED", I16, I16, gen_make_connected, I32 },
	{ "FULLY_CONNECTED", F32, F32, gen_make_connected, F32 },
	{ "BATCH_MATMUL", I8, I8, gen_make_matmul, 0 },
	{ "BATCH_MATMUL", I16, I16, gen_make_matmul, 0 },
	{ "BATCH_MATMUL", F32, F32, gen_make_matmul, 0 },
	NUMBERS("SOFTMAX", make_unary),
	{ "SOFTMAX", I8, I16, make_unary, 0 },
	{ "SOFTMAX", I16, I16, make_unary, 0 },
	NUMBERS("LOG_SOFTMAX", make_unary),
	NUMBERS("L2_NORMALIZATION", make_unary),
	{ "BATCH_NORM", F32, F32, gen_make_batch_norm, 0 },
	{ "LAYER_NORM", F32, F32, gen_make_layer_norm, 0 },
	{ "LAYER_NORM", F32, F32, gen_make_layer_norm, 2 },
	NUMBERS("MEAN", make_reduce),
	{ "MEAN", I16, I16, make_reduce, 0 },
	{ "SUM", I8, I8, make_reduce, 1 },
	{ "SUM", I16, I16, make_reduce, 0 },
	{ "SUM", F32, F32, make_reduce, 0 },
	NUMBERS("REDUCE_MAX", make_reduce),
	NUMBERS("REDUCE_MIN", make_reduce),
	{ "REDUCE_ALL", BOOL, BOOL, make_reduce, 0 },
	{ "REDUCE_ANY", BOOL, BOOL, make_reduce, 0 },
	NUMBERS("ADD", make_binary),
	{ "ADD", I16, I16, make_binary, 0 },
	{ "ADD", I32, I32, make_binary, 0 },
	NUMBERS("SUB", make_binary),
	{ "SUB", I16, I16, make_binary, 0 },
	{ "SUB", I32, I32, make_binary, 0 },
	NUMBERS("MUL", make_binary),
	{ "MUL", I16, I16, make_binary, 0 },
	{ "MUL", I32, I32, make_binary, 0 },
	NUMBERS("DIV", make_binary),
	{ "DIV", I32, I32, make_binary, 0 },
	NUMBERS("MINIMUM", make_binary),
	{ "MINIMUM", I32, I32, make_binary, 0 },
	NUMBERS("MAXIMUM", make_binary),
	{ "MAXIMUM", I16, I16, make_binary, 0 },
	NUMBERS("SQUARED_DIFFERENCE", make_binary),
	{ "SQUARED_DIFFERENCE", I16, I16, make_binary, 0 },
	{ "FLOOR_DIV", F32, F32, make_binary, 0 },
	{ "FLOOR_MOD", F32, F32, make_binary, 0 },
	NUMBERS("PRELU", make_binary),
	{ "PRELU", I16, I16, make_binary, I8 },
	COMPARED("EQUAL"),
	COMPARED("NOT_EQUAL"),
	COMPARED("GREATER"),
	COMPARED("GREATER_EQUAL"),
	COMPARED("LESS"),
	COMPARED("LESS_EQUAL"),
	{ "LOGICAL_AND", BOOL, BOOL, make_binary, 0 },
	{ "LOGICAL_OR", BOOL, BOOL, make_binary, 0 },
	{ "LOGICAL_NOT", BOOL, BOOL, make_unary, 0 },
	{ "SELECT_V2", BOOL, I8, make_select, 0 },
	{ "SELECT_V2", BOOL, F32, make_select, 0 },
	NUMBERS("ADD_N", make_add_n),
	NUMBERS("RELU", make_unary),
	{ "RELU", I16, I16, make_unary, 0 },
	NUMBERS("RELU6", make_unary),
	NUMBERS("RELU_N1_TO_1", make_unary),
	NUMBERS("LEAKY_RELU", make_unary),
	{ "LEAKY_RELU", I16, I16, make_unary, 0 },
	NUMBERS("LOGISTIC", make_unary),
	{ "LOGISTIC", I16, I16, make_unary, 0 },
	NUMBERS("TANH", make_unary),
	{ "TANH", I16, I16, make_unary, 0 },
	NUMBERS("HARD_SWISH", make_unary),
	NUMBERS("ELU", make_unary),
	NUMBERS("ABS", make_unary),
	{ "ABS", I16, I16, make_unary, 0 },
	{ "ABS", I16, I16, make_unary, 2 },
	FLOATS("NEG"),
	FLOATS("EXP"),
	FLOATS("LOG"),
	FLOATS("SIN"),
	FLOATS("COS"),
	FLOATS("SQRT"),
	FLOATS("RSQRT"),
	FLOATS("SQUARE"),
	FLOATS("FLOOR"),
	FLOATS("CEIL"),
	FLOATS("ROUND"),
	{ "CAST", F32, I8, make_unary, 0 },
	{ "CAST", I8, F32, make_unary, 0 },
	{ "CAST", I16, I32, make_unary, 0 },
	{ "CAST", I32, I64, make_unary, 0 },
	{ "CAST", I32, F32, make_unary, 0 },
	{ "CAST", I64, I32, make_unary, 0 },
	{ "CAST", BOOL, F32, make_unary, 0 },
	{ "CAST", F32, BOOL, make_unary, 0 },
	{ "QUANTIZE", I8, I8, make_unary, 0 },
	{ "QUANTIZE", I16, I8, make_unary, 0 },
	{ "QUANTIZE", I8, I16, make_unary, 0 },
	{ "QUANTIZE", I8, I32, make_unary, 0 },
	{ "QUANTIZE", F32, I8, make_unary, 0 },
	{ "QUANTIZE", F32, I16, make_unary, 0 },
	{ "DEQUANTIZE", I8, F32, make_unary, 0 },
	{ "DEQUANTIZE", I16, F32, make_unary, 0 },
	MOVED("RESHAPE", make_reshape),
	NUMBERS("SQUEEZE", make_reshape),
	NUMBERS("EXPAND_DIMS", make_reshape),
	MOVED("PAD", gen_make_pad),
	NUMBERS("PADV2", gen_make_pad),
	MOVED("MIRROR_PAD", gen_make_pad),
	MOVED("TRANSPOSE", gen_make_transpose),
	MOVED("CONCATENATION", gen_make_concat),
	MOVED("PACK", gen_make_pack),
	MOVED("SPLIT", gen_make_split),
	MOVED("SPLIT_V", gen_make_split),
	MOVED("UNPACK", gen_make_unpack),
	MOVED("SLICE", gen_make_slice),
	MOVED("STRIDED_SLICE", gen_make_strided_slice),
	MOVED("RESIZE_NEAREST_NEIGHBOR", gen_make_resize),
	NUMBERS("RESIZE_BILINEAR", gen_make_resize),
	MOVED("SPACE_TO_DEPTH", gen_make_block),
	MOVED("DEPTH_TO_SPACE", gen_make_block),
	MOVED("BROADCAST_TO", gen_make_broadcast),
	MOVED("REVERSE_V2", gen_make_reverse),
	NUMBERS("GATHER", gen_make_gather),
	NUMBERS("GATHER_ND", gen_make_gather_nd),
	{ "EMBEDDING_LOOKUP", I32, F32, gen_make_embedding, 0 },
	NUMBERS("DYNAMIC_UPDATE_SLICE", gen_make_update),
	NUMBERS("SPACE_TO_BATCH_ND", gen_make_batch),
	NUMBERS("BATCH_TO_SPACE_ND", gen_make_batch),
	NUMBERS("FILL", gen_make_fill),
	{ "BROADCAST_ARGS", I32, I32, gen_make_broadcast_args, 0 },
	{ "SHAPE", I8, I32, gen_make_shape, 0 },
	NUMBERS("SVDF", gen_make_svdf),
	{ "SVDF", I8, I8, gen_make_svdf, 1 },
	NUMBERS("UNIDIRECTIONAL_SEQUENCE_LSTM", gen_make_lstm),
	{ "UNIDIRECTIONAL_SEQUENCE_LSTM", I16, I16, gen_make_lstm, 0 },
	{ "ARG_MAX", I8, I32, make_arg, 0 },
	{ "ARG_MAX", F32, I32, make_arg, 0 },
	{ "ARG_MIN", I8, I32, make_arg, 0 },
	NUMBERS("CUMSUM", make_cumsum),
	NUMBERS("ZEROS_LIKE", make_unary),
	FLOATS("CLIP"),
	FLOATS("FAKE_QUANT"),
	{ "TABLE", I8, I8, make_unary, 0 },
};
const uint32_t gen_n_op_kinds = sizeof(gen_op_kinds) / sizeof(*gen_op_kinds);
