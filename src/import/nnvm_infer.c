/* Shapes for NNVM's graphs that have none: those of the data come from --shape, and all
 * others follow, parameters included. Channels come before height and width. */
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "import/nnvm.h"

#include "base/banned.h"

#define DIM_MAX (INT64_C(1) << 40)

struct node {
	struct tn_nnvm *r;
	const struct tn_at *at;
	const char *type;
};

static bool known(const struct tn_shape *s)
{
	for (uint32_t i = 0; i < s->rank; i++)
		if (s->dim[i] < 0 || s->dim[i] >= DIM_MAX)
			return false;
	return true;
}

static const struct tn_shape *in_shape(const struct node *n, size_t k)
{
	const struct tn_ids *in = &n->r->f.in;
	const struct tn_shape *s;

	if (k >= in->v.count || in->v.items[k].i == TN_NONE)
		return NULL;
	s = &tn_foreign_at(&n->r->f, in->v.items[k])->shape;
	return known(s) ? s : NULL;
}

static void set(const struct node *n, const struct tn_ids *ids, size_t k,
	const struct tn_shape *shape)
{
	struct tn_tensor *t;

	if (k >= ids->v.count || ids->v.items[k].i == TN_NONE)
		return;
	t = tn_foreign_at(&n->r->f, ids->v.items[k]);
	if (!known(&t->shape) && known(shape))
		t->shape = *shape;
}

static void set_out(const struct node *n, const struct tn_shape *shape)
{
	set(n, &n->r->f.out, 0, shape);
}

static void set_vector(const struct node *n, size_t k, int64_t size)
{
	struct tn_shape s = { .rank = 1, .dim = { size } };

	set(n, &n->r->f.in, k, &s);
}

/* The first of the spellings that is there. */
static const char *attr(const struct node *n, const char *a, const char *b)
{
	const char *text = tn_nnvm_attr(n->r, n->at, a);

	return text[0] || !b ? text : tn_nnvm_attr(n->r, n->at, b);
}

static int64_t number(
	const struct node *n, const char *a, const char *b, int64_t otherwise)
{
	tn_text_ints(&n->r->tree, attr(n, a, b), &n->r->list);
	return n->r->list.v.count ? n->r->list.v.items[0] : otherwise;
}

static bool is_true(const struct node *n, const char *key)
{
	const char *text = attr(n, key, NULL);

	return strcmp(text, "True") == 0 || strcmp(text, "1") == 0 ||
	       strcmp(text, "true") == 0;
}

/* Height and width; false when a value is out of bounds. */
static bool pair(const struct node *n, const char *a, const char *b, int64_t otherwise,
	int64_t low, int64_t out[2])
{
	const struct tn_ints *v = &n->r->list;

	tn_text_ints(&n->r->tree, attr(n, a, b), &n->r->list);
	out[0] = v->v.count ? v->v.items[0] : otherwise;
	out[1] = v->v.count > 1 ? v->v.items[1] : out[0];
	for (int i = 0; i < 2; i++)
		if (out[i] < low || out[i] >= 1 << 20)
			return false;
	return true;
}

static bool slide(
	const struct node *n, const struct tn_shape *in, bool ceil, struct tn_shape *out)
{
	int64_t kernel[2], stride[2], pad[2], dilation[2];
	struct tn_build *b = &n->r->f.b;

	if (!pair(n, "kernel",
		    attr(n, "kernel_size", NULL)[0] ? "kernel_size" : "pool_size", 0, 1,
		    kernel) ||
		!pair(n, "stride", "strides", 1, 1, stride) ||
		!pair(n, "pad", "padding", 0, 0, pad) ||
		!pair(n, "dilate", "dilation", 1, 1, dilation))
		return false;
	for (uint32_t i = 0; i < 2; i++) {
		int64_t room =
			in->dim[2 + i] + 2 * pad[i] - 1 - (kernel[i] - 1) * dilation[i];

		if (room < 0)
			return false;
		out->dim[2 + i] = (ceil ? room + stride[i] - 1 : room) / stride[i] + 1;
	}
	return tn_build_attr_ints(b, "kernel", kernel, 2) &&
	       tn_build_attr_ints(b, "stride", stride, 2) &&
	       tn_build_attr_ints(b, "dilation", dilation, 2);
}

static void conv(const struct node *n)
{
	const struct tn_shape *in = in_shape(n, 0);
	int64_t filters = number(n, "num_filter", "channels", -1);
	int64_t groups = number(n, "num_group", "groups", 1);
	struct tn_shape s, w = { .rank = 4 };
	int64_t kernel[2];

	if (!in || in->rank != 4 || filters < 0 || groups < 1)
		return;
	s = *in;
	s.dim[1] = filters;
	if (!slide(n, in, false, &s) || !pair(n, "kernel", "kernel_size", 0, 1, kernel))
		return;
	w.dim[0] = filters;
	w.dim[1] = in->dim[1] / groups;
	w.dim[2] = kernel[0];
	w.dim[3] = kernel[1];
	if (groups > 1 && groups == in->dim[1])
		tn_foreign_newest_op(&n->r->f)->kind = OP_DEPTHWISE_CONV_2D;
	set_out(n, &s);
	set(n, &n->r->f.in, 1, &w);
	set_vector(n, 2, filters);
}

static void pool(const struct node *n)
{
	const struct tn_shape *in = in_shape(n, 0);
	const char *type = attr(n, "pool_type", NULL);
	struct tn_op *op = tn_foreign_newest_op(&n->r->f);
	struct tn_shape s;

	if (strcmp(n->type, "Pooling") == 0)
		op->kind = strcmp(type, "max") == 0   ? OP_MAX_POOL_2D
			   : strcmp(type, "avg") == 0 ? OP_AVERAGE_POOL_2D
						      : OP_UNKNOWN;
	if (!in || in->rank != 4)
		return;
	s = *in;
	if (is_true(n, "global_pool")) {
		const int64_t axes[2] = { 2, 3 };

		s.dim[2] = s.dim[3] = 1;
		op->kind = strcmp(type, "avg") == 0   ? OP_MEAN
			   : strcmp(type, "max") == 0 ? OP_REDUCE_MAX
						      : OP_UNKNOWN;
		if (!tn_build_attr_ints(&n->r->f.b, "axes", axes, 2))
			n->r->tree.nomem = true;
	} else if (!slide(n, in,
			   is_true(n, "ceil_mode") ||
				   strcmp(attr(n, "pooling_convention", NULL), "full") ==
					   0,
			   &s)) {
		return;
	}
	set_out(n, &s);
}

static void same(const struct node *n)
{
	const struct tn_shape *in = in_shape(n, 0);

	if (in)
		set_out(n, in);
}

static void activation(const struct node *n)
{
	const char *type = attr(n, "act_type", NULL);

	tn_foreign_newest_op(&n->r->f)->kind = tn_vocabulary_kind(VOCABULARY_NNVM, type);
	same(n);
}

/* The mask is of no use at inference: it has no elements, and nobody writes it. */
static void dropout(const struct node *n)
{
	struct tn_shape none = { .rank = 1, .dim = { 0 } };

	same(n);
	for (size_t k = 1; k < n->r->f.out.v.count; k++)
		set(n, &n->r->f.out, k, &none);
	if (n->r->f.out.v.count > 1)
		n->r->f.out.v.count = 1;
}

static void labelled(const struct node *n)
{
	const struct tn_shape *in = in_shape(n, 0);

	same(n);
	if (in && in->rank)
		set_vector(n, 1, in->dim[0]);
}

static bool is_false(const struct node *n, const char *key)
{
	const char *text = attr(n, key, NULL);

	return strcmp(text, "False") == 0 || strcmp(text, "0") == 0 ||
	       strcmp(text, "false") == 0;
}

/* MXNet's takes the scale for 1 unless it is told otherwise, TVM's only when it is told. */
static void norm(const struct node *n)
{
	const struct tn_shape *in = in_shape(n, 0);
	bool mxnet = strcmp(n->type, "BatchNorm") == 0;
	double epsilon = mxnet ? 1e-3 : 1e-5;

	if (mxnet ? is_false(n, "fix_gamma") && !is_true(n, "output_mean_var")
		  : !is_false(n, "scale") && !is_false(n, "center")) {
		(void)tn_text_real(attr(n, "eps", "epsilon"), &epsilon);
		tn_foreign_newest_op(&n->r->f)->kind = OP_BATCH_NORM;
		if (!tn_build_attr_int(&n->r->f.b, "axis", number(n, "axis", NULL, 1)) ||
			!tn_build_attr_float(&n->r->f.b, "epsilon", epsilon))
			n->r->tree.nomem = true;
	}

	if (!in || in->rank < 2)
		return;
	set_out(n, in);
	for (size_t k = 1; k < 5; k++)
		set_vector(n, k, in->dim[1]);
	for (size_t k = 1; k < n->r->f.out.v.count; k++) {
		struct tn_shape s = { .rank = 1, .dim = { in->dim[1] } };

		set(n, &n->r->f.out, k, &s);
	}
}

static void flatten(const struct node *n)
{
	const struct tn_shape *in = in_shape(n, 0);
	struct tn_shape s = { .rank = 2, .dim = { 1, 1 } };

	if (!in || !in->rank)
		return;
	s.dim[0] = in->dim[0];
	for (uint32_t i = 1; i < in->rank; i++)
		if (!tn_mul_i64(s.dim[1], in->dim[i], &s.dim[1]))
			return;
	set_out(n, &s);
}

static void dense(const struct node *n)
{
	const struct tn_shape *in = in_shape(n, 0);
	int64_t units = number(n, "num_hidden", "units", -1), rest = 1;
	struct tn_shape s = { .rank = 2 }, w = { .rank = 2 };

	if (!in || !in->rank || units < 0)
		return;
	for (uint32_t i = 1; i < in->rank; i++)
		if (!tn_mul_i64(rest, in->dim[i], &rest))
			return;
	s.dim[0] = in->dim[0];
	s.dim[1] = w.dim[0] = units;
	w.dim[1] = rest;
	set_out(n, &s);
	set(n, &n->r->f.in, 1, &w);
	set_vector(n, 2, units);
}

static void concat(const struct node *n)
{
	int64_t axis = number(n, "dim", "axis", 1);
	const struct tn_shape *in = in_shape(n, 0);
	struct tn_shape s;

	if (!tn_build_attr_int(&n->r->f.b, "axis", axis))
		n->r->tree.nomem = true;
	if (!in)
		return;
	s = *in;
	axis += axis < 0 ? s.rank : 0;
	if (axis < 0 || axis >= s.rank)
		return;
	for (size_t k = 1; k < n->r->f.in.v.count; k++) {
		in = in_shape(n, k);
		if (!in || in->rank != s.rank ||
			!tn_add_i64(s.dim[axis], in->dim[axis], &s.dim[axis]))
			return;
	}
	set_out(n, &s);
}

static void broadcast(const struct node *n)
{
	const struct tn_shape *a = in_shape(n, 0), *b = in_shape(n, 1);
	struct tn_shape s;

	if (!a || !b)
		return;
	s = a->rank >= b->rank ? *a : *b;
	for (uint32_t i = 1; i <= s.rank; i++) {
		int64_t x = i <= a->rank ? a->dim[a->rank - i] : 1;
		int64_t y = i <= b->rank ? b->dim[b->rank - i] : 1;

		if (x != y && x != 1 && y != 1)
			return;
		s.dim[s.rank - i] = x == 1 ? y : x;
	}
	set_out(n, &s);
}

static void reshape(const struct node *n)
{
	const struct tn_shape *in = in_shape(n, 0);
	const struct tn_ints *v = &n->r->list;
	struct tn_shape s;
	int64_t elements, rest = 1;
	int open = -1;

	tn_text_ints(&n->r->tree, attr(n, "shape", "newshape"), &n->r->list);
	if (!in || !tn_shape_elements(in, &elements) || v->v.count > TN_RANK_MAX)
		return;
	s.rank = (uint32_t)v->v.count;
	for (uint32_t i = 0; i < s.rank; i++) {
		s.dim[i] = v->v.items[i];
		if (s.dim[i] == 0 && i < in->rank)
			s.dim[i] = in->dim[i];
		if (s.dim[i] == -1 && open < 0)
			open = (int)i;
		else if (s.dim[i] < 0 || !tn_mul_i64(rest, s.dim[i], &rest))
			return;
	}
	if (open >= 0) {
		if (!rest || elements % rest)
			return;
		s.dim[open] = elements / rest;
	}
	set_out(n, &s);
}

static void transpose(const struct node *n)
{
	const struct tn_shape *in = in_shape(n, 0);
	const struct tn_ints *v = &n->r->list;
	struct tn_shape s;
	int64_t perm[TN_RANK_MAX];

	tn_text_ints(&n->r->tree, attr(n, "axes", NULL), &n->r->list);
	if (!in || (v->v.count && v->v.count != in->rank))
		return;
	s.rank = in->rank;
	for (uint32_t i = 0; i < s.rank; i++) {
		perm[i] = v->v.count ? v->v.items[i] : s.rank - 1 - i;
		if (perm[i] < 0 || perm[i] >= s.rank)
			return;
		s.dim[i] = in->dim[perm[i]];
	}
	set_out(n, &s);
	if (!tn_build_attr_ints(&n->r->f.b, "perm", perm, s.rank))
		n->r->tree.nomem = true;
}

static void global_average(const struct node *n)
{
	const struct tn_shape *in = in_shape(n, 0);
	const int64_t axes[2] = { 2, 3 };
	struct tn_shape s;

	if (!in || in->rank != 4)
		return;
	s = *in;
	s.dim[2] = s.dim[3] = 1;
	tn_foreign_newest_op(&n->r->f)->kind = OP_MEAN;
	set_out(n, &s);
	if (!tn_build_attr_ints(&n->r->f.b, "axes", axes, 2))
		n->r->tree.nomem = true;
}

void tn_nnvm_infer(struct tn_nnvm *r, const struct tn_at *at, const char *type)
{
	static const struct {
		const char *type;
		void (*fn)(const struct node *n);
	} rows[] = {
		{ "Activation", activation },
		{ "BatchNorm", norm },
		{ "Concat", concat },
		{ "Convolution", conv },
		{ "Dropout", dropout },
		{ "Flatten", flatten },
		{ "FullyConnected", dense },
		{ "Pooling", pool },
		{ "Reshape", reshape },
		{ "SoftmaxOutput", labelled },
		{ "avg_pool2d", pool },
		{ "batch_norm", norm },
		{ "concatenate", concat },
		{ "conv2d", conv },
		{ "dense", dense },
		{ "flatten", flatten },
		{ "global_avg_pool2d", global_average },
		{ "max_pool2d", pool },
		{ "reshape", reshape },
		{ "transpose", transpose },
	};
	static const char *const prefixes[] = { "broadcast_", "elemwise_", "_plus",
		"_Plus", "_mul", "_Mul" };
	struct node n = { r, at, type };
	struct tn_op *op;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (strcmp(rows[i].type, type) == 0) {
			rows[i].fn(&n);
			op = tn_foreign_newest_op(&r->f);
			if (tn_op_info(op->kind)->access == ACCESS_WINDOW &&
				!tn_build_attr_string(&r->f.b, "layout", "NCHW"))
				r->tree.nomem = true;
			return;
		}
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (strncmp(type, prefixes[i], strlen(prefixes[i])) == 0) {
			broadcast(&n);
			return;
		}
	same(&n);
}
