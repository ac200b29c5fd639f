/* Values of an ExecuTorch program: tensors with their places, lists, numbers. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "import/executorch.h"

#include "base/banned.h"

static enum tn_dtype dtype_of(struct tn_et *r, const struct tn_at *tensor)
{
	static const struct {
		const char *name; /* in the order of their numbers */
		enum tn_dtype dtype;
	} rows[] = {
		{ "BYTE", DTYPE_U8 },
		{ "CHAR", DTYPE_I8 },
		{ "SHORT", DTYPE_I16 },
		{ "INT", DTYPE_I32 },
		{ "LONG", DTYPE_I64 },
		{ "HALF", DTYPE_F16 },
		{ "FLOAT", DTYPE_F32 },
		{ "DOUBLE", DTYPE_F64 },
		{ "COMPLEXHALF", DTYPE_INVALID },
		{ "COMPLEXFLOAT", DTYPE_C64 },
		{ "COMPLEXDOUBLE", DTYPE_C128 },
		{ "BOOL", DTYPE_BOOL },
		{ "QINT8", DTYPE_I8 },
		{ "QUINT8", DTYPE_U8 },
		{ "QINT32", DTYPE_I32 },
		{ "BFLOAT16", DTYPE_BF16 },
		{ "QUINT4X2", DTYPE_U4 },
		{ "QUINT2X4", DTYPE_U2 },
		{ "BITS16", DTYPE_U16 },
		{ "FLOAT8E5M2", DTYPE_F8E5M2 },
		{ "FLOAT8E4M3FN", DTYPE_F8E4M3 },
		{ "UINT16", DTYPE_U16 },
		{ "UINT32", DTYPE_U32 },
		{ "UINT64", DTYPE_U64 },
	};
	enum tn_dtype dtype = DTYPE_INVALID;
	struct tn_at at;
	const char *name;
	int64_t number = 0;

	if (!tn_at_key(&r->tree, tensor, "scalar_type", &at))
		return DTYPE_U8;
	name = json_string_value(at.json);
	if (!name && !tn_at_as_int(&r->tree, &at, &number))
		return DTYPE_INVALID;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (name ? strcmp(rows[i].name, name) == 0
			 : (int64_t)i == number && i < 16)
			dtype = rows[i].dtype;
	if (dtype == DTYPE_INVALID)
		tn_at_error(&r->tree, &at, "graph/dtype",
			"'%.40s' is not a known element type", name ? name : "?");
	return dtype;
}

/* A dense tensor whose dimensions lie in memory in this order. */
static void read_order(struct tn_et *r, const struct tn_at *tensor, struct tn_tensor *t)
{
	struct tn_ints order = { 0 };
	int64_t stride = 1;
	uint32_t seen = 0;
	bool plain = true;

	tn_at_ints(&r->tree, tensor, "dim_order", &order);
	if (!order.v.count || t->shape.rank != r->sizes.v.count)
		return;
	for (size_t i = 0; i < order.v.count; i++) {
		int64_t d = order.v.items[i];

		if (order.v.count != t->shape.rank || d < 0 || d >= t->shape.rank ||
			(seen >> d & 1)) {
			tn_at_error(&r->tree, tensor, ET_VALUE,
				"dim_order is no order of %u dimensions", t->shape.rank);
			return;
		}
		seen |= UINT32_C(1) << d;
		plain = plain && d == (int64_t)i;
	}
	if (plain)
		return;
	for (size_t i = order.v.count; i-- > 0;) {
		int64_t d = order.v.items[i];

		t->stride[d] = stride;
		if (__builtin_mul_overflow(
			    stride, t->shape.dim[d] > 0 ? t->shape.dim[d] : 1, &stride))
			return; /* the size overflows, too, and is reported */
	}
	t->has_strides = true;
}

/* Constants inside of the program, one number a byte. */
static void read_constant(struct tn_et *r, int64_t index, struct tn_tensor *t)
{
	struct tn_at buffer, storage, at;
	uint8_t *bytes;
	size_t n;

	t->role = ROLE_CONST;
	t->data_kind = DATA_MISSING;
	if ((uint64_t)index >= json_array_size(r->constants.json))
		return; /* in a segment behind the program */
	tn_at_item(&r->constants, (size_t)index, &buffer);
	n = tn_at_list(&r->tree, &buffer, "storage", &storage);
	bytes = TN_NEW_ARRAY(r->tree.im->arena, uint8_t, n);
	if (!bytes) {
		r->tree.nomem = true;
		return;
	}
	for (size_t i = 0; i < n; i++) {
		int64_t byte = 0;

		tn_at_item(&storage, i, &at);
		if (!tn_json_int(r->tree.im, r->tree.rule, tn_at_path(&at), at.json, 0,
			    255, &byte))
			return;
		bytes[i] = (uint8_t)byte;
	}
	tn_foreign_data(&r->f, t, bytes, (int64_t)n);
}

enum dynamism { STATIC, DYNAMIC_BOUND, DYNAMIC_UNBOUND };

static enum dynamism read_dynamism(struct tn_et *r, const struct tn_at *tensor)
{
	static const char *const names[] = { "STATIC", "DYNAMIC_BOUND",
		"DYNAMIC_UNBOUND" };
	struct tn_at at;
	const char *name;
	int64_t number = -1;

	if (!tn_at_key(&r->tree, tensor, "shape_dynamism", &at))
		return STATIC;
	name = json_string_value(at.json);
	if (!name && !tn_at_as_int(&r->tree, &at, &number))
		return STATIC;
	for (int i = 0; i < 3; i++)
		if (name ? strcmp(names[i], name) == 0 : number == i)
			return (enum dynamism)i;
	if (name)
		tn_at_error(&r->tree, &at, ET_VALUE, "'%.40s' is no kind of shape", name);
	else
		tn_at_error(&r->tree, &at, ET_VALUE, "%" PRId64 " is no kind of shape",
			number);
	return STATIC;
}

static void mark_bound(struct tn_et *r, tn_tensor_id id)
{
	while (r->bound.count <= id.i)
		if (!tn_vec_push(&r->tree.scratch, &r->bound, false)) {
			r->tree.nomem = true;
			return;
		}
	r->bound.items[id.i] = true;
	r->n_bound++;
}

/* The sizes of a shape without bounds are those of an example: they say nothing. */
static void read_shape(struct tn_et *r, const struct tn_at *at, enum dynamism dynamism,
	const char *name, struct tn_shape *out)
{
	const struct tn_shape *given = tn_foreign_given_shape(&r->f, name);

	tn_at_ints(&r->tree, at, "sizes", &r->sizes);
	tn_foreign_shape_of(&r->f, at, &r->sizes, out);
	if (dynamism != DYNAMIC_UNBOUND)
		return;
	if (given) {
		*out = *given;
		return;
	}
	tn_at_error(&r->tree, at, "graph/dynamic",
		"the shape of '%s' has no upper bound (DYNAMIC_UNBOUND)", name);
	*out = (struct tn_shape){ .rank = 1, .dim = { TN_DIM_POISON } };
}

static void read_tensor(struct tn_et *r, const struct tn_at *at, struct tn_et_value *v)
{
	int64_t buffer = tn_at_int(&r->tree, at, "data_buffer_idx", 0), low, high;
	struct tn_at extra, alloc;
	const char *name = "";
	char made[32];
	struct tn_shape shape;
	struct tn_tensor *t;
	enum tn_dtype dtype = dtype_of(r, at);
	enum dynamism dynamism = read_dynamism(r, at);

	if (tn_at_object(&r->tree, at, "extra_tensor_info", &extra))
		name = tn_at_text(&r->tree, &extra, "fully_qualified_name", "");
	snprintf(made, sizeof(made), "value %zu", r->values.count);
	if (!name[0])
		name = made;
	read_shape(r, at, dynamism, name, &shape);
	t = tn_foreign_tensor(&r->f, at, name, dtype, &shape);
	if (!t)
		return;
	v->kind = ET_TENSOR;
	v->tensor = tn_foreign_newest(&r->f);
	if (dynamism == DYNAMIC_BOUND)
		mark_bound(r, v->tensor);
	if (tn_at_object(&r->tree, at, "allocation_info", &alloc)) {
		v->memory = tn_at_int(&r->tree, &alloc, "memory_id", 0);
		low = tn_at_int(&r->tree, &alloc, "memory_offset_low", 0);
		high = tn_at_int(&r->tree, &alloc, "memory_offset_high", 0);
		if (low < 0 || low > UINT32_MAX || high < 0 || high >= INT32_MAX)
			tn_at_error(&r->tree, &alloc, ET_VALUE,
				"the offset's halves are no 32 bits each");
		else if (v->memory < 1)
			tn_at_error(&r->tree, &alloc, ET_VALUE,
				"memory_id %" PRId64 " is no planned memory: they count "
				"from 1",
				v->memory);
		else
			v->offset = high << 32 | low;
	}
	read_order(r, at, t);
	if (buffer > 0 && v->memory)
		t->role = ROLE_VARIABLE; /* with a first value */
	else if (buffer > 0)
		read_constant(r, buffer, t);
}

void tn_et_read_value(struct tn_et *r, const struct tn_at *at)
{
	const char *type = tn_at_text(&r->tree, at, "val_type", "Null");
	struct tn_et_value v = { .tensor = { TN_NONE }, .offset = -1 };
	struct tn_at val;

	if (tn_at_object(&r->tree, at, "val", &val)) {
		if (strcmp(type, "Tensor") == 0) {
			read_tensor(r, &val, &v);
		} else if (strcmp(type, "TensorList") == 0 ||
			   strcmp(type, "OptionalTensorList") == 0) {
			v.kind = ET_LIST;
			tn_at_ints(&r->tree, &val, "items", &v.items);
		} else if (strcmp(type, "IntList") == 0) {
			v.kind = ET_INTS;
			tn_at_ints(&r->tree, &val, "items", &v.items);
		} else if (strcmp(type, "Int") == 0) {
			v.kind = ET_NUMBER;
			v.number = (double)tn_at_int(&r->tree, &val, "int_val", 0);
		} else if (strcmp(type, "Double") == 0) {
			v.kind = ET_NUMBER;
			v.number = tn_at_real(&r->tree, &val, "double_val", 0);
		} else if (strcmp(type, "String") == 0) {
			v.text = tn_at_text(&r->tree, &val, "string_val", "");
		} else if (strcmp(type, "Bool") == 0) {
			v.kind = ET_NUMBER;
			v.number = tn_at_flag(&r->tree, &val, "bool_val");
		}
	}
	if (!tn_vec_push(&r->tree.scratch, &r->values, v))
		r->tree.nomem = true;
}
