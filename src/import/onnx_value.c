/* Values that are known before anything runs: constants. */
#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "import/onnx_infer.h"

#include "base/banned.h"

#define MADE_MAX      (INT64_C(1) << 24) /* bytes of one constant that is computed */
#define MADE_MAX_ALL  (INT64_C(1) << 30) /* of all of a file */
#define KNOWN_MAX_ALL ((size_t)1 << 24) /* integers of all tensors of a file */

/* Memory of a constant that is computed from less; NULL when it is too large, or there is
 * none: then the constant stays without data. */
static uint8_t *make(struct tn_onnx *x, int64_t bytes)
{
	uint8_t *data;
	size_t size;

	if (bytes > MADE_MAX || bytes > MADE_MAX_ALL - x->made ||
		!tn_size_from_i64(bytes, &size))
		return NULL;
	data = tn_arena_alloc(x->tree.im->arena, size);
	x->tree.nomem = x->tree.nomem || !data;
	x->made += bytes;
	return data;
}

void tn_onnx_know(struct tn_onnx_graph *g, struct tn_onnx *x, tn_tensor_id id,
	const int64_t *v, size_t n)
{
	struct tn_onnx_known none = { NULL, 0 };
	int64_t *copy;

	if (id.i == TN_NONE || n > TN_ONNX_KNOWN_MAX || x->known > KNOWN_MAX_ALL)
		return;
	x->known += n;
	copy = TN_NEW_ARRAY(&x->tree.scratch, int64_t, n);
	while (g->known.count <= id.i && copy)
		if (!tn_vec_push(&x->tree.scratch, &g->known, none))
			copy = NULL;
	if (!copy) {
		x->tree.nomem = true;
		return;
	}
	if (n)
		memcpy(copy, v, n * sizeof(*v));
	g->known.items[id.i] = (struct tn_onnx_known){ copy, n };
}

bool tn_onnx_known(struct tn_onnx_graph *g, struct tn_onnx *x, tn_tensor_id id,
	struct tn_onnx_known *out)
{
	const struct tn_tensor *t = tn_foreign_at(&g->f, id);
	size_t width = t->dtype == DTYPE_I64	? 8
		       : t->dtype == DTYPE_I32	? 4
		       : t->dtype == DTYPE_BOOL ? 1
						: 0;
	int64_t *v;
	size_t n;

	if (id.i < g->known.count && g->known.items[id.i].v) {
		*out = g->known.items[id.i];
		return true;
	}
	if (!width || t->role != ROLE_CONST || t->data_kind != DATA_BYTES ||
		t->data_bytes > (int64_t)(TN_ONNX_KNOWN_MAX * width) ||
		x->known > KNOWN_MAX_ALL)
		return false;
	n = (size_t)t->data_bytes / width;
	v = TN_NEW_ARRAY(&x->tree.scratch, int64_t, n);
	if (!v) {
		x->tree.nomem = true;
		return false;
	}
	for (size_t i = 0; i < n; i++) {
		uint64_t bits = 0;

		for (size_t k = 0; k < width; k++)
			bits |= (uint64_t)t->data[i * width + k] << (8 * k);
		v[i] = width == 4 ? (int32_t)(uint32_t)bits : (int64_t)bits;
	}
	tn_onnx_know(g, x, id, v, n);
	*out = (struct tn_onnx_known){ v, n };
	return true;
}

/* A constant of numbers that the node has as attributes. */
static void from_numbers(struct tn_onnx *x, const struct tn_onnx_node *n,
	const char *attr, bool real, bool list)
{
	struct tn_foreign *f = &n->scope->graph->f;
	struct tn_tensor *t = tn_foreign_at(f, n->out[0]);
	size_t width = real ? 4 : 8, count = 1;
	struct tn_at frames, at, items, item;
	uint8_t *data;

	tn_onnx_attr(x, n, attr, &frames, &at);
	if (list)
		count = tn_at_list(&x->tree, &at, real ? "floats" : "ints", &items);
	data = tn_arena_array(x->tree.im->arena, count, width);
	if (!data) {
		x->tree.nomem = true;
		return;
	}
	for (size_t i = 0; i < count; i++) {
		double value = 0;
		int64_t integer = 0;
		float single;

		if (list)
			tn_at_item(&items, i, &item);
		else
			tn_at_key(&x->tree, &at, real ? "f" : "i", &item);
		if (real && item.json)
			tn_at_as_real(&x->tree, &item, &value);
		else if (item.json)
			tn_at_as_int(&x->tree, &item, &integer);
		single = (float)value;
		if (real)
			memcpy(data + i * width, &single, width);
		else
			memcpy(data + i * width, &integer, width);
	}
	t->dtype = real ? DTYPE_F32 : DTYPE_I64;
	t->shape = (struct tn_shape){ .rank = list, .dim = { (int64_t)count } };
	tn_foreign_data(f, t, data, (int64_t)(count * width));
}

static bool constant(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	struct tn_foreign *f = &n->scope->graph->f;
	struct tn_tensor *t = tn_foreign_at(f, n->out[0]);
	static const struct {
		const char *attr;
		bool real, list;
	} rows[] = {
		{ "value_float", true, false },
		{ "value_floats", true, true },
		{ "value_int", false, false },
		{ "value_ints", false, true },
	};
	struct tn_at frames, at, proto;

	t->role = ROLE_CONST;
	t->data_kind = DATA_MISSING;
	if (tn_onnx_attr(x, n, "value", &frames, &at)) {
		if (tn_at_object(&x->tree, &at, "t", &proto))
			tn_onnx_tensor(x, f, &proto, t);
		return true;
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (tn_onnx_attr(x, n, rows[i].attr, &frames, &at)) {
			from_numbers(x, n, rows[i].attr, rows[i].real, rows[i].list);
			return true;
		}
	if (tn_onnx_attr(x, n, "sparse_value", &frames, &at)) {
		struct tn_at sparse, values;

		tn_at_object(&x->tree, &at, "sparseTensor", &sparse);
		tn_at_object(&x->tree, &sparse, "values", &values);
		t->dtype = tn_onnx_dtype(tn_at_int(&x->tree, &values, "dataType", 0));
		tn_at_ints(&x->tree, &sparse, "dims", &x->list);
		tn_foreign_shape_of(f, &sparse, &x->list, &t->shape);
		return true;
	}
	t->dtype = DTYPE_STRING;
	if (!tn_onnx_attr(x, n, "value_string", &frames, &at) &&
		!tn_onnx_attr(x, n, "value_strings", &frames, &at))
		tn_at_error(&x->tree, n->at, ONNX_VALUE, "the constant has no value");
	t->shape = (struct tn_shape){ .rank = 0 };
	return true;
}

/* One value over and over. */
static bool filled(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	struct tn_foreign *f = &n->scope->graph->f;
	struct tn_tensor *t, value = { .dtype = DTYPE_F32 };
	struct tn_at frames, at, proto;
	int64_t bytes, elements;
	size_t width;
	uint8_t *data;

	if (!tn_infer_ints(x, n, "", 0, &x->list) || x->list.v.count > TN_RANK_MAX)
		return false;
	t = tn_foreign_at(f, n->out[0]);
	tn_foreign_shape_of(f, n->at, &x->list, &t->shape);
	if (tn_onnx_attr(x, n, "value", &frames, &at) &&
		tn_at_object(&x->tree, &at, "t", &proto))
		tn_onnx_tensor(x, f, &proto, &value);
	t = tn_foreign_at(f, n->out[0]);
	t->dtype = value.dtype;
	t->role = ROLE_CONST;
	t->data_kind = DATA_MISSING;
	width = (size_t)tn_dtype_bits(t->dtype) / 8;
	if (!width || !tn_shape_elements(&t->shape, &elements) ||
		!tn_dtype_bytes(t->dtype, elements, &bytes) ||
		(value.data_kind == DATA_BYTES && value.data_bytes != (int64_t)width))
		return true;
	data = make(x, bytes);
	if (!data)
		return true;
	for (size_t i = 0; value.data_kind == DATA_BYTES && i < (size_t)bytes; i += width)
		memcpy(data + i, value.data, width);
	tn_foreign_data(f, t, data, bytes);
	return true;
}

static float real_at(const struct tn_tensor *t, int64_t index)
{
	float value;

	memcpy(&value, t->data + 4 * index, sizeof(value));
	return value;
}

static int64_t integer_at(const struct tn_tensor *t, int64_t index)
{
	switch (t->dtype) {
	case DTYPE_I8:
		return (int8_t)t->data[index];
	case DTYPE_U8:
		return t->data[index];
	default: { /* DTYPE_I32 */
		int32_t value;

		memcpy(&value, t->data + 4 * index, sizeof(value));
		return value;
	}
	}
}

static bool is_integer(const struct tn_tensor *t)
{
	return t->data_kind == DATA_BYTES &&
	       (t->dtype == DTYPE_I8 || t->dtype == DTYPE_U8 || t->dtype == DTYPE_I32);
}

/* Weights that are dequantised are weights: (value - zero point) * scale, in floats. */
static bool dequantized(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	struct tn_foreign *f = &n->scope->graph->f;
	const struct tn_tensor *in, *scale, *zero = NULL;
	struct tn_tensor *t;
	int64_t elements, scales, inner = 1, axis;
	uint8_t *data;

	if (n->n_in < 2 || n->in[0].i == TN_NONE || n->in[1].i == TN_NONE)
		return false;
	in = tn_foreign_at(f, n->in[0]);
	scale = tn_foreign_at(f, n->in[1]);
	if (n->n_in > 2 && n->in[2].i != TN_NONE)
		zero = tn_foreign_at(f, n->in[2]);
	if (in->role != ROLE_CONST || !is_integer(in) || scale->dtype != DTYPE_F32 ||
		scale->data_kind != DATA_BYTES || (zero && !is_integer(zero)) ||
		!tn_shape_elements(&in->shape, &elements) || elements > MADE_MAX / 4)
		return false;
	scales = scale->data_bytes / 4;
	axis = tn_onnx_attr_int(x, n, "axis", 1);
	if (scales != 1) {
		if (!tn_infer_axis(&axis, in->shape.rank) ||
			in->shape.dim[axis] != scales)
			return false;
		for (uint32_t i = (uint32_t)axis + 1; elements && i < in->shape.rank; i++)
			inner *= in->shape.dim[i];
	}
	if (zero && zero->data_bytes * 8 / tn_dtype_bits(zero->dtype) != scales)
		return false;
	data = make(x, elements * 4);
	if (!data)
		return x->tree.nomem;
	for (int64_t i = 0; i < elements; i++) {
		int64_t k = scales == 1 ? 0 : i / inner % scales;
		float value =
			(float)(integer_at(in, i) - (zero ? integer_at(zero, k) : 0)) *
			real_at(scale, k);

		memcpy(data + 4 * i, &value, sizeof(value));
	}
	t = tn_foreign_at(f, n->out[0]);
	t->role = ROLE_CONST;
	t->dtype = DTYPE_F32;
	t->shape = in->shape;
	tn_foreign_data(f, t, data, elements * 4);
	return true;
}

bool tn_onnx_fold(struct tn_onnx *x, const struct tn_onnx_node *n)
{
	if (n->n_out != 1 || n->out[0].i == TN_NONE)
		return false;
	if (strcmp(n->type, "Constant") == 0)
		return constant(x, n);
	if (strcmp(n->type, "ConstantOfShape") == 0)
		return filled(x, n);
	if (strcmp(n->type, "DequantizeLinear") == 0)
		return dequantized(x, n);
	return false;
}
