/* The integers of shapes, through what graphs compute with them: lists and single numbers
 * alone, for elements of a matrix lie in an order that an axis changes. */
#include <string.h>

#include "base/checked.h"
#include "import/onnx_infer.h"

#include "base/banned.h"

typedef bool pair_fn(int64_t a, int64_t b, int64_t *out);

static const struct tn_tensor *at(const struct tn_onnx_node *n, uint32_t k)
{
	return k < n->n_in && n->in[k].i != TN_NONE
		       ? tn_foreign_at(&n->scope->graph->f, n->in[k])
		       : NULL;
}

static bool any(struct tn_onnx *x, const struct tn_onnx_node *n, uint32_t k,
	struct tn_onnx_known *out)
{
	return at(n, k) && tn_onnx_known(n->scope->graph, x, n->in[k], out);
}

/* A list or a number. */
static bool operand(struct tn_onnx *x, const struct tn_onnx_node *n, uint32_t k,
	struct tn_onnx_known *out)
{
	return at(n, k) && at(n, k)->shape.rank <= 1 && any(x, n, k, out);
}

static void know(
	struct tn_onnx *x, const struct tn_onnx_node *n, const int64_t *v, size_t count)
{
	if (n->n_out)
		tn_onnx_know(n->scope->graph, x, n->out[0], v, count);
}

static void join(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	struct tn_ints all = { 0 };

	for (uint32_t k = 0; k < n->n_in; k++) {
		struct tn_onnx_known part;

		if (!operand(x, n, k, &part) || all.v.count + part.n > TN_ONNX_KNOWN_MAX)
			return;
		for (size_t i = 0; i < part.n; i++)
			if (!tn_vec_push(&x->tree.scratch, &all.v, part.v[i]))
				x->tree.nomem = true;
	}
	know(x, n, all.v.items, all.v.count);
}

static void pick(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	struct tn_onnx_known from, index;
	int64_t v[TN_ONNX_KNOWN_MAX];

	if (!operand(x, n, 0, &from) || !any(x, n, 1, &index) ||
		index.n > TN_ONNX_KNOWN_MAX)
		return;
	for (size_t i = 0; i < index.n; i++) {
		int64_t k = index.v[i] + (index.v[i] < 0 ? (int64_t)from.n : 0);

		if (k < 0 || (uint64_t)k >= from.n)
			return;
		v[i] = from.v[k];
	}
	know(x, n, v, index.n);
}

/* Where a slice starts or ends, from 0 to high. */
static int64_t clamp(int64_t at, int64_t count, int64_t low, int64_t high)
{
	at = at < 0 ? tn_max_i64(at, -count - 1) + count : at;
	return tn_max_i64(low, tn_min_i64(at, high));
}

/* A part of a list; backwards, too. */
static void part(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	struct tn_onnx_known from;
	struct tn_ints start = { 0 }, end = { 0 }, step = { 0 };
	int64_t v[TN_ONNX_KNOWN_MAX], by = 1, count, last;
	size_t m = 0;

	if (!operand(x, n, 0, &from) || !tn_infer_ints(x, n, "starts", 1, &start) ||
		!tn_infer_ints(x, n, "ends", 2, &end) || start.v.count != 1 ||
		end.v.count != 1)
		return;
	if (tn_infer_ints(x, n, "steps", 4, &step)) {
		if (step.v.count != 1)
			return;
		by = step.v.items[0];
	} else if (at(n, 4)) {
		return;
	}
	count = (int64_t)from.n;
	if (!by || by < -count - 1 || by > count + 1)
		return;
	last = clamp(end.v.items[0], count, by < 0 ? -1 : 0, count);
	for (int64_t i = clamp(start.v.items[0], count, by < 0 ? -1 : 0,
		     by < 0 ? count - 1 : count);
		by < 0 ? i > last : i < last; i += by)
		v[m++] = from.v[i];
	know(x, n, v, m);
}

static bool plus(int64_t a, int64_t b, int64_t *out)
{
	return tn_add_i64(a, b, out);
}

static bool minus(int64_t a, int64_t b, int64_t *out)
{
	return tn_sub_i64(a, b, out);
}

static bool times(int64_t a, int64_t b, int64_t *out)
{
	return tn_mul_i64(a, b, out);
}

static bool quotient(int64_t a, int64_t b, int64_t *out)
{
	if (!b || (a == INT64_MIN && b == -1))
		return false;
	*out = a / b;
	return true;
}

/* With the divisor's sign, as without `fmod`; of two signs neither is taken. */
static bool rest(int64_t a, int64_t b, int64_t *out)
{
	if (a < 0 || b <= 0)
		return false;
	*out = a % b;
	return true;
}

static bool lesser(int64_t a, int64_t b, int64_t *out)
{
	*out = tn_min_i64(a, b);
	return true;
}

static bool larger(int64_t a, int64_t b, int64_t *out)
{
	*out = tn_max_i64(a, b);
	return true;
}

static bool equal(int64_t a, int64_t b, int64_t *out)
{
	*out = a == b;
	return true;
}

static bool above(int64_t a, int64_t b, int64_t *out)
{
	*out = a > b;
	return true;
}

static bool below(int64_t a, int64_t b, int64_t *out)
{
	*out = a < b;
	return true;
}

static bool both(int64_t a, int64_t b, int64_t *out)
{
	*out = a && b;
	return true;
}

static bool either(int64_t a, int64_t b, int64_t *out)
{
	*out = a || b;
	return true;
}

static const struct {
	const char *type;
	pair_fn *fn;
} pairs[] = {
	{ "Add", plus },
	{ "And", both },
	{ "Div", quotient },
	{ "Equal", equal },
	{ "Greater", above },
	{ "Less", below },
	{ "Max", larger },
	{ "Min", lesser },
	{ "Mod", rest },
	{ "Mul", times },
	{ "Or", either },
	{ "Sub", minus },
};

/* How many numbers a list and another make; 0 when they do not fit. */
static size_t broadcast(size_t a, size_t b)
{
	if (a != b && a != 1 && b != 1)
		return 0;
	a = a == 1 ? b : a;
	return a <= TN_ONNX_KNOWN_MAX ? a : 0;
}

static void pairwise(struct tn_onnx *x, const struct tn_onnx_node *n, pair_fn *fn)
{
	struct tn_onnx_known a, b;
	int64_t v[TN_ONNX_KNOWN_MAX];
	size_t count;

	if (n->n_in != 2 || !operand(x, n, 0, &a) || !operand(x, n, 1, &b))
		return;
	count = broadcast(a.n, b.n);
	for (size_t i = 0; i < count; i++)
		if (!fn(a.v[a.n == 1 ? 0 : i], b.v[b.n == 1 ? 0 : i], &v[i]))
			return;
	if (count)
		know(x, n, v, count);
}

static void where(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	struct tn_onnx_known c, a, b;
	int64_t v[TN_ONNX_KNOWN_MAX];
	size_t count;

	if (!operand(x, n, 0, &c) || !operand(x, n, 1, &a) || !operand(x, n, 2, &b))
		return;
	count = broadcast(a.n, b.n);
	count = count ? broadcast(c.n, count) : 0;
	for (size_t i = 0; i < count; i++)
		v[i] = c.v[c.n == 1 ? 0 : i] ? a.v[a.n == 1 ? 0 : i]
					     : b.v[b.n == 1 ? 0 : i];
	if (count)
		know(x, n, v, count);
}

static void negative(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	const bool inverse = strcmp(n->type, "Not") == 0;
	struct tn_onnx_known a;
	int64_t v[TN_ONNX_KNOWN_MAX];

	if (!any(x, n, 0, &a) || a.n > TN_ONNX_KNOWN_MAX)
		return;
	for (size_t i = 0; i < a.n; i++) {
		if (inverse)
			v[i] = !a.v[i];
		else if (!tn_sub_i64(0, a.v[i], &v[i]))
			return;
	}
	know(x, n, v, a.n);
}

static void product(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	struct tn_onnx_known a;
	int64_t all = 1;

	if (!operand(x, n, 0, &a) || tn_onnx_attr_int(x, n, "noop_with_empty_axes", 0))
		return;
	for (size_t i = 0; i < a.n; i++)
		if (!tn_mul_i64(all, a.v[i], &all))
			return;
	know(x, n, &all, 1);
}

static void pass(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	struct tn_onnx_known a;

	if (any(x, n, 0, &a))
		know(x, n, a.v, a.n);
}

/* Between integers; what becomes a real number is computed with otherwise. */
static void cast(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	const enum tn_dtype to = tn_onnx_dtype(tn_onnx_attr_int(x, n, "to", 0));
	struct tn_onnx_known a;

	if ((to != DTYPE_I64 && to != DTYPE_I32) || !any(x, n, 0, &a))
		return;
	for (size_t i = 0; i < a.n; i++)
		if (to == DTYPE_I32 && (a.v[i] < INT32_MIN || a.v[i] > INT32_MAX))
			return;
	know(x, n, a.v, a.n);
}

static void repeat(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	const struct tn_tensor *out;
	struct tn_onnx_known a;
	int64_t v[TN_ONNX_KNOWN_MAX];

	if (n->n_out != 1 || n->out[0].i == TN_NONE || !any(x, n, 0, &a) || a.n != 1)
		return;
	out = tn_foreign_at(&n->scope->graph->f, n->out[0]);
	if (out->shape.rank != 1 || out->shape.dim[0] < 0 ||
		out->shape.dim[0] > TN_ONNX_KNOWN_MAX)
		return;
	for (int64_t i = 0; i < out->shape.dim[0]; i++)
		v[i] = a.v[0];
	know(x, n, v, (size_t)out->shape.dim[0]);
}

static void range(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	struct tn_onnx_known k[3];
	int64_t v[TN_ONNX_KNOWN_MAX], value, step;
	size_t count = 0;

	for (uint32_t i = 0; i < 3; i++)
		if (!any(x, n, i, &k[i]) || k[i].n != 1)
			return;
	step = k[2].v[0];
	for (value = k[0].v[0]; step > 0 ? value < k[1].v[0] : value > k[1].v[0];) {
		if (!step || count == TN_ONNX_KNOWN_MAX)
			return;
		v[count++] = value;
		if (!tn_add_i64(value, step, &value))
			return;
	}
	know(x, n, v, count);
}

static void parts(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	struct tn_onnx_known a;
	size_t from = 0;

	if (!operand(x, n, 0, &a))
		return;
	for (uint32_t k = 0; k < n->n_out; k++) {
		const struct tn_tensor *out =
			n->out[k].i == TN_NONE
				? NULL
				: tn_foreign_at(&n->scope->graph->f, n->out[k]);

		if (!out || out->shape.rank != 1 || out->shape.dim[0] < 0 ||
			out->shape.dim[0] > (int64_t)(a.n - from))
			return;
		tn_onnx_know(n->scope->graph, x, n->out[k], a.v + from,
			(size_t)out->shape.dim[0]);
		from += (size_t)out->shape.dim[0];
	}
}

static void shape(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	const struct tn_shape *in = tn_infer_shape(n, 0);
	int64_t start = tn_onnx_attr_int(x, n, "start", 0), rank;
	int64_t end = tn_onnx_attr_int(x, n, "end", INT64_MAX);

	if (!in)
		return;
	rank = in->rank;
	start = tn_max_i64(start < 0 ? start + rank : start, 0);
	end = tn_min_i64(end < 0 ? end + rank : end, rank);
	if (start <= end)
		know(x, n, in->dim + start, (size_t)(end - start));
}

static void size(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	const struct tn_shape *in = tn_infer_shape(n, 0);
	int64_t elements;

	if (in && tn_shape_elements(in, &elements))
		know(x, n, &elements, 1);
}

void tn_onnx_evaluate(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	static const struct {
		const char *type;
		tn_infer_fn *fn;
	} rows[] = {
		{ "Cast", cast },
		{ "Concat", join },
		{ "Expand", repeat },
		{ "Gather", pick },
		{ "Identity", pass },
		{ "Neg", negative },
		{ "Not", negative },
		{ "Range", range },
		{ "ReduceProd", product },
		{ "Reshape", pass },
		{ "Shape", shape },
		{ "Size", size },
		{ "Slice", part },
		{ "Split", parts },
		{ "Squeeze", pass },
		{ "Unsqueeze", pass },
		{ "Where", where },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (strcmp(rows[i].type, n->type) == 0)
			rows[i].fn(x, n);
	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)
		if (strcmp(pairs[i].type, n->type) == 0)
			pairwise(x, n, pairs[i].fn);
}
