/* Nodes of ONNX as ops of the table. Windows are NCHW here: their layout is said, and so
 * nobody takes them for kernels whose order is known. */
#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "import/onnx_infer.h"

#include "base/banned.h"

static const struct tn_tensor *in_at(const struct tn_onnx_node *n, uint32_t k)
{
	if (k >= n->n_in || n->in[k].i == TN_NONE)
		return NULL;
	return tn_foreign_at(&n->scope->graph->f, n->in[k]);
}

static double attr_real(struct tn_onnx *x, const struct tn_onnx_node *n, const char *name,
	double otherwise)
{
	struct tn_at frames, at;

	return tn_onnx_attr(x, n, name, &frames, &at) ? tn_at_real(&x->tree, &at, "f", 0)
						      : otherwise;
}

/* A matrix product whose second factor is stored as a fully connected op has it. */
static bool is_dense(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	const struct tn_tensor *b = in_at(n, 1), *c = in_at(n, 2);

	return b && b->role == ROLE_CONST && b->shape.rank == 2 &&
	       tn_onnx_attr_int(x, n, "transB", 0) == 1 &&
	       tn_onnx_attr_int(x, n, "transA", 0) == 0 &&
	       attr_real(x, n, "alpha", 1) == 1 && attr_real(x, n, "beta", 1) == 1 &&
	       (!c || (c->role == ROLE_CONST && c->shape.rank == 1 &&
			      c->shape.dim[0] == b->shape.dim[0]));
}

/* Does the op work along the last dimension only? Before opset 13 a row was all that
 * follows from the axis on. */
static bool is_by_rows(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	const struct tn_tensor *in = in_at(n, 0);
	int64_t axis = tn_onnx_attr_int(x, n, "axis", x->opset < 13 ? 1 : -1);

	if (!in || !in->shape.rank || !tn_infer_axis(&axis, in->shape.rank))
		return false;
	for (uint32_t i = (uint32_t)axis; i + 1 < in->shape.rank; i++)
		if (x->opset >= 13 || in->shape.dim[i] != 1)
			return false;
	return true;
}

static bool is_depthwise(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	const struct tn_tensor *in = in_at(n, 0);
	int64_t groups = tn_onnx_attr_int(x, n, "group", 1);

	return groups > 1 && in && in->shape.rank > 1 && in->shape.dim[1] == groups;
}

static int64_t zero_at(const struct tn_tensor *zero, int64_t k)
{
	if (!zero)
		return 0;
	if (zero->dtype == DTYPE_I8)
		return (int8_t)zero->data[k];
	return zero->data[k];
}

/* Scale and zero point of the operands become those of the quantised tensor: the op then
 * has one operand, as in the table. False when they are not constants, or others than
 * the tensor has already. */
static bool attach_scales(struct tn_onnx *x, const struct tn_onnx_node *n, bool output)
{
	struct tn_foreign *f = &n->scope->graph->f;
	const struct tn_tensor *scale = in_at(n, 1), *zero = in_at(n, 2);
	tn_tensor_id id = output ? n->out[0] : n->in[0];
	struct tn_tensor *t;
	int64_t axis = tn_onnx_attr_int(x, n, "axis", 1), count, *zeros;
	float *scales;

	if (id.i == TN_NONE || !scale || scale->dtype != DTYPE_F32 ||
		scale->data_kind != DATA_BYTES || scale->data_bytes < 4 ||
		tn_onnx_attr_int(x, n, "block_size", 0))
		return false;
	t = tn_foreign_at(f, id);
	count = scale->data_bytes / 4;
	if (zero && (zero->data_kind != DATA_BYTES || zero->data_bytes != count ||
			    (zero->dtype != DTYPE_I8 && zero->dtype != DTYPE_U8)))
		return false;
	if (count > 1 &&
		(!tn_infer_axis(&axis, t->shape.rank) || t->shape.dim[axis] != count))
		return false;
	scales = TN_NEW_ARRAY(x->tree.im->arena, float, (size_t)count);
	zeros = TN_NEW_ARRAY(x->tree.im->arena, int64_t, (size_t)count);
	if (!scales || !zeros) {
		x->tree.nomem = true;
		return false;
	}
	memcpy(scales, scale->data, (size_t)count * sizeof(*scales));
	for (int64_t i = 0; i < count; i++) {
		zeros[i] = zero_at(zero, i);
		if (!(scales[i] >= 0) || isinf(scales[i]))
			return false;
	}
	if (t->quant.n)
		return t->quant.n == count && t->quant.axis == (count > 1 ? axis : 0) &&
		       memcmp(t->quant.scale, scales, (size_t)count * sizeof(*scales)) ==
			       0 &&
		       memcmp(t->quant.zero_point, zeros,
			       (size_t)count * sizeof(*zeros)) == 0;
	t->quant.n = (uint32_t)count;
	t->quant.axis = count > 1 ? (uint32_t)axis : 0;
	t->quant.scale = scales;
	t->quant.zero_point = zeros;
	return true;
}

/* Before opset 7 an operand may lie along an axis that is not the last one. */
static bool spreads_from_axis(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	const struct tn_tensor *a = in_at(n, 0), *b = in_at(n, 1);
	int64_t axis, last;

	if (x->opset >= 7 || !a || !b || !tn_onnx_attr_int(x, n, "broadcast", 0))
		return false;
	last = (int64_t)a->shape.rank - (int64_t)b->shape.rank;
	axis = tn_onnx_attr_int(x, n, "axis", last);
	return axis + (axis < 0 ? a->shape.rank : 0) != last;
}

/* Without axes everything is reduced, unless the node says otherwise. */
static bool reduces_nothing(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	struct tn_ints axes = { 0 };

	return tn_onnx_attr_int(x, n, "noop_with_empty_axes", 0) &&
	       (!tn_infer_ints(x, n, "axes", 1, &axes) || !axes.v.count);
}

enum tn_op_kind tn_onnx_kind(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	enum tn_op_kind kind = tn_vocabulary_kind(VOCABULARY_ONNX, n->type);
	const char *type = n->type;

	if (strcmp(type, "If") == 0)
		return OP_IF;
	if (strcmp(type, "Loop") == 0 || strcmp(type, "Scan") == 0)
		return OP_WHILE;
	/* what other spellings have not taken */
	if (strcmp(type, "Gemm") == 0)
		return is_dense(x, n) ? OP_FULLY_CONNECTED : OP_UNKNOWN;
	if (strcmp(type, "GlobalAveragePool") == 0)
		return OP_MEAN;
	if (strcmp(type, "GlobalMaxPool") == 0)
		return OP_REDUCE_MAX;
	if (spreads_from_axis(x, n))
		return OP_UNKNOWN;
	if (tn_op_info(kind)->access == ACCESS_REDUCE && reduces_nothing(x, n))
		return OP_UNKNOWN;
	switch (kind) {
	case OP_CONV_2D:
		return is_depthwise(x, n) ? OP_DEPTHWISE_CONV_2D : kind;
	case OP_BATCH_NORM: /* of old: training unless it says otherwise */
		return x->opset >= 7 || tn_onnx_attr_int(x, n, "is_test", 0) ? kind
									     : OP_UNKNOWN;
	case OP_ELU: /* the table's has a factor of 1 */
		return attr_real(x, n, "alpha", 1) == 1 ? kind : OP_UNKNOWN;
	case OP_SOFTMAX:
	case OP_LOG_SOFTMAX:
		return is_by_rows(x, n) ? kind : OP_UNKNOWN;
	case OP_QUANTIZE:
	case OP_DEQUANTIZE:
		return n->n_out == 1 && n->n_in &&
				       attach_scales(x, n, kind == OP_QUANTIZE)
			       ? kind
			       : OP_UNKNOWN;
	default:
		return kind;
	}
}

/* Ours, or the file's. */
static const char *attr_name(const char *name, bool window, size_t n)
{
	static const char *const names[][2] = {
		{ "dilations", "dilation" },
		{ "kernel_shape", "kernel" },
		{ "keepdims", "keep_dims" },
		{ "strides", "stride" },
	};

	if (window && n == 4 && strcmp(name, "pads") == 0)
		return "pad"; /* top, left, bottom, right in both */
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(names[i][0], name) == 0)
			return names[i][1];
	return name;
}

static bool add_reals(
	struct tn_onnx *x, struct tn_build *b, const struct tn_at *list, const char *name)
{
	size_t n = json_array_size(list->json);
	double *values = TN_NEW_ARRAY(&x->tree.scratch, double, n);

	for (size_t i = 0; values && i < n; i++) {
		struct tn_at at;

		tn_at_item(list, i, &at);
		tn_at_as_real(&x->tree, &at, &values[i]);
		values[i] = (float)values[i];
	}
	return values && tn_build_attr_floats(b, name, values, n);
}

static bool add_text(
	struct tn_onnx *x, struct tn_foreign *f, const struct tn_at *at, const char *name)
{
	const uint8_t *data = (const uint8_t *)"";
	size_t n = 0;
	char *text;

	if (at->json && !tn_onnx_bytes(x, at, &data, &n))
		return true;
	/* what follows a NUL is no text */
	text = tn_arena_strndup(&x->tree.scratch, (const char *)data,
		n && memchr(data, 0, n)
			? (size_t)((const uint8_t *)memchr(data, 0, n) - data)
			: n);
	return text && tn_build_attr_string(&f->b, name, tn_foreign_text(f, text));
}

/* Names of ours that ONNX has not for the op: what a file says by them is not what they
 * mean, and must not stand in for what they are given here. */
static bool is_ours(const struct tn_onnx_node *n, enum tn_op_kind kind, const char *name)
{
	static const char *const of_windows[] = { "dilation", "kernel", "layout", "pad",
		"stride" };

	if (tn_attr_declares(name))
		return true;
	if (strcmp(name, "axis") == 0)
		return kind == OP_BATCH_NORM || kind == OP_SOFTMAX ||
		       kind == OP_LOG_SOFTMAX; /* they go along the last dimension */
	if (strcmp(name, "axes") == 0)
		return strncmp(n->type, "Global", 6) == 0;
	for (size_t i = 0; i < sizeof(of_windows) / sizeof(*of_windows); i++)
		if (strcmp(of_windows[i], name) == 0)
			return tn_op_info(kind)->access == ACCESS_WINDOW;
	return false;
}

enum attr_type { A_FLOAT = 1, A_INT, A_STRING, A_FLOATS = 6, A_INTS };

/* By what the attribute says of itself, or by what it has. */
static int type_of(struct tn_onnx *x, const struct tn_at *attr)
{
	static const struct {
		const char *name, *key;
		int type;
	} rows[] = {
		{ "FLOAT", "f", A_FLOAT },
		{ "INT", "i", A_INT },
		{ "STRING", "s", A_STRING },
		{ "FLOATS", "floats", A_FLOATS },
		{ "INTS", "ints", A_INTS },
	};
	struct tn_at at;
	const char *name;

	if (tn_at_key(&x->tree, attr, "type", &at)) {
		name = json_string_value(at.json);
		for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
			if (name ? strcmp(rows[i].name, name) == 0
				 : rows[i].type == json_integer_value(at.json))
				return rows[i].type;
		return 0;
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (tn_at_key(&x->tree, attr, rows[i].key, &at))
			return rows[i].type;
	return 0;
}

static void add_attribute(struct tn_onnx *x, struct tn_foreign *f, const char *name,
	const struct tn_at *attr, bool window)
{
	const char *ours;
	int type = type_of(x, attr);
	struct tn_at at;
	bool ok = true;

	tn_at_ints(&x->tree, attr, type == A_INTS ? "ints" : "", &x->list);
	ours = attr_name(name, window, x->list.v.count);
	if (!ours[0] || tn_op_attr(tn_foreign_newest_op(f), ours))
		return;
	ours = tn_foreign_text(f, ours);
	switch (type) {
	case A_INT:
		ok = tn_build_attr_int(&f->b, ours, tn_at_int(&x->tree, attr, "i", 0));
		break;
	case A_FLOAT:
		ok = tn_build_attr_float(
			&f->b, ours, (float)tn_at_real(&x->tree, attr, "f", 0));
		break;
	case A_STRING:
		tn_at_key(&x->tree, attr, "s", &at);
		ok = add_text(x, f, &at, ours);
		break;
	case A_INTS:
		ok = tn_build_attr_ints(&f->b, ours, x->list.v.items, x->list.v.count);
		break;
	case A_FLOATS:
		tn_at_list(&x->tree, attr, "floats", &at);
		ok = add_reals(x, &f->b, &at, ours);
		break;
	default: /* graphs and tensors are no attributes here */
		break;
	}
	x->tree.nomem = x->tree.nomem || !ok;
}

/* What ONNX leaves to defaults, or says by the op's name. */
static void add_implied(struct tn_onnx *x, const struct tn_onnx_node *n,
	enum tn_op_kind kind, bool window)
{
	struct tn_foreign *f = &n->scope->graph->f;
	const struct tn_tensor *in = in_at(n, 0);
	uint32_t rank = in ? in->shape.rank : 0;
	int64_t list[TN_RANK_MAX];
	const char *pad = tn_onnx_attr_text(x, n, "auto_pad");
	bool ok = true;

	if (window)
		ok = tn_build_attr_string(&f->b, "layout", "NCHW");
	if (window && (strcmp(pad, "SAME_UPPER") == 0 || strcmp(pad, "VALID") == 0) &&
		!tn_op_attr(tn_foreign_newest_op(f), "pad"))
		ok = ok &&
		     tn_build_attr_string(&f->b, "pad", pad[0] == 'S' ? "SAME" : "VALID");
	if (strncmp(n->type, "Global", 6) == 0 && rank > 2) {
		for (uint32_t i = 2; i < rank; i++)
			list[i - 2] = i;
		ok = tn_build_attr_ints(&f->b, "axes", list, rank - 2);
	}
	if (kind == OP_BATCH_NORM)
		ok = tn_build_attr_int(&f->b, "axis", 1);
	if (kind == OP_SPLIT_V && !tn_op_attr(tn_foreign_newest_op(f), "axis"))
		ok = tn_build_attr_int(&f->b, "axis", 0);
	if (kind == OP_LEAKY_RELU && !tn_op_attr(tn_foreign_newest_op(f), "alpha"))
		ok = tn_build_attr_float(&f->b, "alpha", (double)0.01f);
	if (tn_op_info(kind)->access == ACCESS_REDUCE && rank &&
		tn_onnx_reduces_all(x, n) &&
		!tn_op_attr(tn_foreign_newest_op(f), "axes")) {
		for (uint32_t i = 0; i < rank; i++)
			list[i] = i;
		ok = tn_build_attr_ints(&f->b, "axes", list, rank);
	}
	if (kind == OP_TRANSPOSE && !tn_op_attr(tn_foreign_newest_op(f), "perm")) {
		for (uint32_t i = 0; i < rank; i++)
			list[i] = rank - 1 - i;
		ok = tn_build_attr_ints(&f->b, "perm", list, rank);
	}
	x->tree.nomem = x->tree.nomem || !ok;
}

bool tn_onnx_reduces_all(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	struct tn_ints axes = { 0 };

	return n->n_in < 2 || n->in[1].i == TN_NONE ||
	       (tn_infer_ints(x, n, "", 1, &axes) && !axes.v.count);
}

void tn_onnx_attributes(
	struct tn_onnx *x, const struct tn_onnx_node *n, enum tn_op_kind kind)
{
	struct tn_foreign *f = &n->scope->graph->f;
	bool window = tn_op_info(kind)->access == ACCESS_WINDOW;
	struct tn_at list, item, frames, found;
	size_t count = tn_at_list(&x->tree, n->at, "attribute", &list);

	for (size_t i = 0; i < count && !x->tree.nomem; i++) {
		const char *name;

		tn_at_item(&list, i, &item);
		name = tn_at_text(&x->tree, &item, "name", "");
		/* by name, so that a function's references are followed */
		if (!is_ours(n, kind, name) && tn_onnx_attr(x, n, name, &frames, &found))
			add_attribute(x, f, name, &found, window);
	}
	add_implied(x, n, kind, window);
}
