/* Shape inference: ops that keep shapes, broadcast, multiply, reduce and repeat. */
#include "import/onnx_infer.h"

#include <string.h>

#include "base/checked.h"

#include "base/banned.h"

const struct tn_shape *tn_infer_shape(const struct tn_onnx_node *n, uint32_t k)
{
	const struct tn_tensor *t;

	if (k >= n->n_in || n->in[k].i == TN_NONE)
		return NULL;
	t = tn_foreign_at(&n->scope->graph->f, n->in[k]);
	for (uint32_t i = 0; i < t->shape.rank; i++)
		if (t->shape.dim[i] < 0 || t->shape.dim[i] >= TN_INFER_DIM_MAX)
			return NULL;
	return &t->shape;
}

enum tn_dtype tn_infer_dtype(const struct tn_onnx_node *n, uint32_t k)
{
	if (k >= n->n_in || n->in[k].i == TN_NONE)
		return DTYPE_INVALID;
	return tn_foreign_at(&n->scope->graph->f, n->in[k])->dtype;
}

static bool is_open(const struct tn_shape *s)
{
	for (uint32_t i = 0; i < s->rank; i++)
		if (s->dim[i] < 0)
			return true;
	return false;
}

void tn_infer_set(struct tn_onnx *x, const struct tn_onnx_node *n, uint32_t k,
	enum tn_dtype dtype, const struct tn_shape *shape)
{
	struct tn_tensor *t;

	if (k >= n->n_out || n->out[k].i == TN_NONE)
		return;
	t = tn_foreign_at(&n->scope->graph->f, n->out[k]);
	if (t->role == ROLE_CONST || t->role == ROLE_INPUT)
		return; /* wrong, and reported later */
	if (dtype != DTYPE_INVALID && t->dtype != dtype) {
		if (t->dtype != DTYPE_INVALID)
			tn_at_warn(&x->tree, n->at, "onnx/shape",
				"'%s' has another element type in the file than %s gives "
				"it",
				t->name, n->type);
		t->dtype = dtype;
	}
	if (!shape || is_open(shape))
		return;
	if (!is_open(&t->shape) && !tn_shape_equal(&t->shape, shape))
		tn_at_warn(&x->tree, n->at, "onnx/shape",
			"'%s' has another shape in the file than %s gives it", t->name,
			n->type);
	t->shape = *shape;
}

bool tn_infer_ints(struct tn_onnx *x, const struct tn_onnx_node *n, const char *attr,
	uint32_t operand, struct tn_ints *out)
{
	struct tn_onnx_known known;

	if (tn_onnx_attr_ints(x, n, attr, out))
		return true;
	if (operand >= n->n_in || n->in[operand].i == TN_NONE ||
		!tn_onnx_known(n->scope->graph, x, n->in[operand], &known))
		return false;
	out->v.count = 0;
	for (size_t i = 0; i < known.n; i++)
		if (!tn_vec_push(&x->tree.scratch, &out->v, known.v[i]))
			x->tree.nomem = true;
	return true;
}

bool tn_infer_axis(int64_t *axis, uint32_t rank)
{
	if (*axis < 0)
		*axis += rank;
	return *axis >= 0 && *axis < rank;
}

bool tn_infer_broadcast(
	const struct tn_shape *a, const struct tn_shape *b, struct tn_shape *out)
{
	struct tn_shape s = { .rank = a->rank > b->rank ? a->rank : b->rank };

	for (uint32_t i = 0; i < s.rank; i++) {
		int64_t da = i < a->rank ? a->dim[a->rank - 1 - i] : 1;
		int64_t db = i < b->rank ? b->dim[b->rank - 1 - i] : 1;

		if (da != db && da != 1 && db != 1)
			return false;
		s.dim[s.rank - 1 - i] = da == 1 ? db : da;
	}
	*out = s;
	return true;
}

static void same(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	tn_infer_set(x, n, 0, tn_infer_dtype(n, 0), tn_infer_shape(n, 0));
}

/* Mean and inverse deviation of the rows: dimensions from the axis on become 1. */
static void layer_norm(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	const struct tn_shape *in = tn_infer_shape(n, 0);
	int64_t axis = tn_onnx_attr_int(x, n, "axis", -1);
	struct tn_shape s;

	same(x, n);
	if (!in || !tn_infer_axis(&axis, in->rank))
		return;
	s = *in;
	for (uint32_t i = (uint32_t)axis; i < s.rank; i++)
		s.dim[i] = 1;
	tn_infer_set(x, n, 1, DTYPE_F32, &s);
	tn_infer_set(x, n, 2, DTYPE_F32, &s);
}

static void cast(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	enum tn_dtype to = tn_onnx_dtype(tn_onnx_attr_int(x, n, "to", 0));

	tn_infer_set(x, n, 0, to, tn_infer_shape(n, 0));
}

static void cast_like(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	tn_infer_set(x, n, 0, tn_infer_dtype(n, 1), tn_infer_shape(n, 0));
}

static void quantize(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	enum tn_dtype zero = tn_infer_dtype(n, 2);
	int64_t to = tn_onnx_attr_int(x, n, "output_dtype", 0);

	if (to)
		zero = tn_onnx_dtype(to);
	tn_infer_set(
		x, n, 0, zero == DTYPE_INVALID ? DTYPE_U8 : zero, tn_infer_shape(n, 0));
}

static void dequantize(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	int64_t to = tn_onnx_attr_int(x, n, "output_dtype", 0);

	tn_infer_set(x, n, 0, to ? tn_onnx_dtype(to) : tn_infer_dtype(n, 1),
		tn_infer_shape(n, 0));
}

static void broadcast_from(struct tn_onnx *x, const struct tn_onnx_node *n,
	uint32_t first, enum tn_dtype dtype)
{
	struct tn_shape s = { .rank = 0 };

	for (uint32_t k = first; k < n->n_in; k++) {
		const struct tn_shape *in = tn_infer_shape(n, k);

		if (!in || !tn_infer_broadcast(&s, in, &s)) {
			tn_infer_set(x, n, 0, dtype, NULL);
			return;
		}
	}
	tn_infer_set(x, n, 0, dtype, &s);
}

/* Before opset 7 the second operand spreads over the first, from an axis on if it says. */
static void broadcast_to(
	struct tn_onnx *x, const struct tn_onnx_node *n, enum tn_dtype dtype)
{
	if (x->opset < 7 && tn_onnx_attr_int(x, n, "broadcast", 0))
		tn_infer_set(x, n, 0, dtype, tn_infer_shape(n, 0));
	else
		broadcast_from(x, n, 0, dtype);
}

static void broadcast(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	broadcast_to(x, n, tn_infer_dtype(n, 0));
}

static void compare(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	broadcast_to(x, n, DTYPE_BOOL);
}

static void where(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	broadcast_from(x, n, 0, tn_infer_dtype(n, 1));
}

static void no_product(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	tn_at_error(&x->tree, n->at, "onnx/shape",
		"the operands of %s do not fit: one's rows are not as long as the "
		"other's "
		"columns",
		n->type);
}

/* Matrices are the last two dimensions, the others broadcast; vectors get a dimension
 * that is taken away again. */
static void matmul_of(struct tn_onnx *x, const struct tn_onnx_node *n, uint32_t ka,
	uint32_t kb, enum tn_dtype dtype)
{
	const struct tn_shape *pa = tn_infer_shape(n, ka), *pb = tn_infer_shape(n, kb);
	struct tn_shape a, b, s;
	int64_t rows, cols;

	tn_infer_set(x, n, 0, dtype, NULL);
	if (!pa || !pb || !pa->rank || !pb->rank)
		return;
	a = *pa;
	b = *pb;
	if (a.rank == 1)
		a = (struct tn_shape){ .rank = 2, .dim = { 1, pa->dim[0] } };
	if (b.rank == 1)
		b = (struct tn_shape){ .rank = 2, .dim = { pb->dim[0], 1 } };
	rows = a.dim[a.rank - 2];
	cols = b.dim[b.rank - 1];
	if (a.dim[a.rank - 1] != b.dim[b.rank - 2]) {
		no_product(x, n);
		return;
	}
	a.rank -= 2;
	b.rank -= 2;
	if (!tn_infer_broadcast(&a, &b, &s))
		return;
	if (pa->rank > 1)
		s.dim[s.rank++] = rows;
	if (pb->rank > 1)
		s.dim[s.rank++] = cols;
	tn_infer_set(x, n, 0, dtype, &s);
}

static void matmul(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	matmul_of(x, n, 0, 1, tn_infer_dtype(n, 0));
}

static void matmul_integer(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	matmul_of(x, n, 0, 1, DTYPE_I32);
}

static void matmul_qlinear(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	matmul_of(x, n, 0, 3, tn_infer_dtype(n, 7));
}

static void gemm(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	const struct tn_shape *a = tn_infer_shape(n, 0), *b = tn_infer_shape(n, 1);
	bool ta = tn_onnx_attr_int(x, n, "transA", 0) != 0;
	bool tb = tn_onnx_attr_int(x, n, "transB", 0) != 0;
	struct tn_shape s = { .rank = 2 };

	tn_infer_set(x, n, 0, tn_infer_dtype(n, 0), NULL);
	if (!a || !b || a->rank != 2 || b->rank != 2)
		return;
	if (a->dim[ta ? 0 : 1] != b->dim[tb ? 1 : 0]) {
		no_product(x, n);
		return;
	}
	s.dim[0] = a->dim[ta ? 1 : 0];
	s.dim[1] = b->dim[tb ? 0 : 1];
	tn_infer_set(x, n, 0, DTYPE_INVALID, &s);
}

/* The axes as bits; all of them when none are given. */
static bool read_axes(
	struct tn_onnx *x, const struct tn_onnx_node *n, uint32_t rank, uint32_t *out)
{
	uint32_t bits = 0;

	if (!tn_infer_ints(x, n, "axes", 1, &x->list)) {
		if (n->n_in > 1 && n->in[1].i != TN_NONE)
			return false; /* not known */
		x->list.v.count = 0;
	}
	for (size_t i = 0; i < x->list.v.count; i++) {
		int64_t axis = x->list.v.items[i];

		if (!tn_infer_axis(&axis, rank))
			return false;
		bits |= UINT32_C(1) << axis;
	}
	if (!x->list.v.count && !tn_onnx_attr_int(x, n, "noop_with_empty_axes", 0))
		bits = (UINT32_C(1) << rank) - 1;
	*out = bits;
	return true;
}

static void fold_axes(struct tn_onnx *x, const struct tn_onnx_node *n,
	const struct tn_shape *in, uint32_t bits, enum tn_dtype dtype)
{
	bool keep = tn_onnx_attr_int(x, n, "keepdims", 1) != 0;
	struct tn_shape s = { .rank = 0 };

	for (uint32_t i = 0; i < in->rank; i++) {
		if (!(bits >> i & 1))
			s.dim[s.rank++] = in->dim[i];
		else if (keep)
			s.dim[s.rank++] = 1;
	}
	tn_infer_set(x, n, 0, dtype, &s);
}

static void reduce(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	const struct tn_shape *in = tn_infer_shape(n, 0);
	uint32_t bits;

	tn_infer_set(x, n, 0, tn_infer_dtype(n, 0), NULL);
	if (in && read_axes(x, n, in->rank, &bits))
		fold_axes(x, n, in, bits, DTYPE_INVALID);
}

static void arg(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	const struct tn_shape *in = tn_infer_shape(n, 0);
	int64_t axis = tn_onnx_attr_int(x, n, "axis", 0);

	tn_infer_set(x, n, 0, DTYPE_I64, NULL);
	if (in && tn_infer_axis(&axis, in->rank))
		fold_axes(x, n, in, UINT32_C(1) << axis, DTYPE_I64);
}

static void top_k(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	const struct tn_shape *in = tn_infer_shape(n, 0);
	int64_t axis = tn_onnx_attr_int(x, n, "axis", -1);
	int64_t k = tn_onnx_attr_int(x, n, "k", -1);
	struct tn_onnx_known known;
	struct tn_shape s;

	tn_infer_set(x, n, 0, tn_infer_dtype(n, 0), NULL);
	tn_infer_set(x, n, 1, DTYPE_I64, NULL);
	if (n->n_in > 1 && n->in[1].i != TN_NONE &&
		tn_onnx_known(n->scope->graph, x, n->in[1], &known) && known.n == 1)
		k = known.v[0];
	if (!in || k < 0 || !tn_infer_axis(&axis, in->rank))
		return;
	s = *in;
	s.dim[axis] = k;
	tn_infer_set(x, n, 0, DTYPE_INVALID, &s);
	tn_infer_set(x, n, 1, DTYPE_I64, &s);
}

/* Y [sequence, directions, batch, hidden], Y_h and Y_c [directions, batch, hidden]; with
 * layout 1 the batch comes first. */
static void recurrent(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	const struct tn_shape *in = tn_infer_shape(n, 0), *r = tn_infer_shape(n, 2);
	const char *direction = tn_onnx_attr_text(x, n, "direction");
	int64_t hidden =
		tn_onnx_attr_int(x, n, "hidden_size", r && r->rank == 3 ? r->dim[2] : -1);
	int64_t ways = strcmp(direction, "bidirectional") == 0 ? 2 : 1;
	bool batch_first = tn_onnx_attr_int(x, n, "layout", 0) != 0;
	enum tn_dtype dtype = tn_infer_dtype(n, 0);
	struct tn_shape y, last;
	int64_t seq, batch;

	for (uint32_t k = 0; k < 3; k++)
		tn_infer_set(x, n, k, dtype, NULL);
	if (!in || in->rank != 3 || hidden < 0)
		return;
	seq = in->dim[batch_first ? 1 : 0];
	batch = in->dim[batch_first ? 0 : 1];
	y = batch_first
		    ? (struct tn_shape){ .rank = 4, .dim = { batch, seq, ways, hidden } }
		    : (struct tn_shape){ .rank = 4, .dim = { seq, ways, batch, hidden } };
	last = batch_first
		       ? (struct tn_shape){ .rank = 3, .dim = { batch, ways, hidden } }
		       : (struct tn_shape){ .rank = 3, .dim = { ways, batch, hidden } };
	tn_infer_set(x, n, 0, dtype, &y);
	tn_infer_set(x, n, 1, dtype, &last);
	tn_infer_set(x, n, 2, dtype, &last);
}

static const struct {
	const char *type;
	tn_infer_fn *fn;
} rows[] = {
	{ "And", compare },
	{ "Add", broadcast },
	{ "ArgMax", arg },
	{ "ArgMin", arg },
	{ "BitShift", broadcast },
	{ "BitwiseAnd", broadcast },
	{ "BitwiseOr", broadcast },
	{ "BitwiseXor", broadcast },
	{ "Cast", cast },
	{ "CastLike", cast_like },
	{ "DequantizeLinear", dequantize },
	{ "Div", broadcast },
	{ "Equal", compare },
	{ "GRU", recurrent },
	{ "Gemm", gemm },
	{ "Greater", compare },
	{ "GreaterOrEqual", compare },
	{ "LSTM", recurrent },
	{ "LayerNormalization", layer_norm },
	{ "Less", compare },
	{ "LessOrEqual", compare },
	{ "MatMul", matmul },
	{ "MatMulInteger", matmul_integer },
	{ "Max", broadcast },
	{ "Mean", broadcast },
	{ "Min", broadcast },
	{ "Mod", broadcast },
	{ "Mul", broadcast },
	{ "Or", compare },
	{ "Pow", broadcast },
	{ "QLinearMatMul", matmul_qlinear },
	{ "QuantizeLinear", quantize },
	{ "RNN", recurrent },
	{ "ReduceL1", reduce },
	{ "ReduceL2", reduce },
	{ "ReduceLogSum", reduce },
	{ "ReduceLogSumExp", reduce },
	{ "ReduceMax", reduce },
	{ "ReduceMean", reduce },
	{ "ReduceMin", reduce },
	{ "ReduceProd", reduce },
	{ "ReduceSum", reduce },
	{ "ReduceSumSquare", reduce },
	{ "Sub", broadcast },
	{ "Sum", broadcast },
	{ "TopK", top_k },
	{ "Where", where },
	{ "Xor", compare },
};

static const char *const keep_shape[] = { "Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan",
	"Atanh", "BitwiseNot", "Ceil", "Celu", "Clip", "Cos", "Cosh", "CumSum", "Elu",
	"Erf", "Exp", "Floor", "Gelu", "GroupNormalization", "HardSigmoid", "HardSwish",
	"Hardmax", "Identity", "InstanceNormalization", "LRN", "LeakyRelu", "Log",
	"LogSoftmax", "LpNormalization", "MeanVarianceNormalization", "Mish", "Neg",
	"Not", "PRelu", "RMSNormalization", "Reciprocal", "Relu", "ReverseSequence",
	"RotaryEmbedding", "Round", "Scatter", "ScatterElements", "ScatterND", "Selu",
	"Shrink", "Sigmoid", "Sign", "Sin", "Sinh", "Softmax", "Softplus", "Softsign",
	"Sqrt", "Swish", "Tan", "Tanh", "TensorScatter", "ThresholdedRelu", "Trilu" };

void tn_onnx_infer(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	tn_infer_fn *fn = tn_infer_window(n->type);

	fn = fn ? fn : tn_infer_move(n->type);
	fn = fn ? fn : tn_infer_rare(n->type);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows) && !fn; i++)
		if (strcmp(rows[i].type, n->type) == 0)
			fn = rows[i].fn;
	for (size_t i = 0; i < sizeof(keep_shape) / sizeof(*keep_shape) && !fn; i++)
		if (strcmp(keep_shape[i], n->type) == 0)
			fn = same;
	if (fn)
		fn(x, n);
}
