/* Types and constants of ONNX. */
#include <inttypes.h>
#include <string.h>

#include "base/base64.h"
#include "base/checked.h"
#include "import/onnx.h"
#include "import/size_expr.h"

#include "base/banned.h"

#define ONNX_DATA "onnx/data"

enum tn_dtype tn_onnx_dtype(int64_t number)
{
	/* 8-bit floats of other ranges have the size of ours, and are not computed with */
	static const enum tn_dtype types[] = { DTYPE_INVALID, DTYPE_F32, DTYPE_U8,
		DTYPE_I8, DTYPE_U16, DTYPE_I16, DTYPE_I32, DTYPE_I64, DTYPE_STRING,
		DTYPE_BOOL, DTYPE_F16, DTYPE_F64, DTYPE_U32, DTYPE_U64, DTYPE_C64,
		DTYPE_C128, DTYPE_BF16, DTYPE_F8E4M3, DTYPE_F8E4M3, DTYPE_F8E5M2,
		DTYPE_F8E5M2, DTYPE_U4, DTYPE_I4, DTYPE_U4, DTYPE_U8, DTYPE_U2,
		DTYPE_I2 };

	return number > 0 && (uint64_t)number < sizeof(types) / sizeof(*types)
		       ? types[number]
		       : DTYPE_INVALID;
}

bool tn_onnx_bytes(struct tn_onnx *x, const struct tn_at *at, const uint8_t **out_data,
	size_t *out_n)
{
	const char *text = json_string_value(at->json);
	size_t wrong = 0;
	uint8_t *data;

	if (!text && x->blobs.count && json_is_integer(at->json)) {
		int64_t index = json_integer_value(at->json);

		*out_data = x->blobs.items[index].data;
		if (!*out_data) /* no bytes are at no place */
			*out_data = (const uint8_t *)"";
		*out_n = x->blobs.items[index].n;
		return true;
	}
	if (!tn_at_as_text(&x->tree, at, &text))
		return false;
	if (!tn_base64_size(text, strlen(text), out_n)) {
		tn_at_error(&x->tree, at, ONNX_DATA,
			"the length of base64 is a multiple of 4, not %zu", strlen(text));
		return false;
	}
	data = tn_arena_alloc(x->tree.im->arena, *out_n);
	if (!data) {
		x->tree.nomem = true;
		return false;
	}
	if (!tn_base64_decode(text, strlen(text), data, &wrong)) {
		tn_at_error(&x->tree, at, ONNX_DATA, "character %zu is no base64", wrong);
		return false;
	}
	*out_data = data;
	return true;
}

static void put(uint8_t *to, size_t width, uint64_t value)
{
	for (size_t i = 0; i < width; i++)
		to[i] = (uint8_t)(value >> (8 * i));
}

/* How many bytes each number of a list stands for; 0: the list is of another type. */
static size_t width_in(const char *key, enum tn_dtype dtype)
{
	int bits = tn_dtype_bits(dtype);
	bool complex = dtype == DTYPE_C64 || dtype == DTYPE_C128;

	if (strcmp(key, "floatData") == 0)
		return dtype == DTYPE_F32 || dtype == DTYPE_C64 ? 4 : 0;
	if (strcmp(key, "doubleData") == 0)
		return dtype == DTYPE_F64 || dtype == DTYPE_C128 ? 8 : 0;
	if (strcmp(key, "int64Data") == 0)
		return dtype == DTYPE_I64 ? 8 : 0;
	if (strcmp(key, "uint64Data") == 0)
		return dtype == DTYPE_U64 ? 8 : dtype == DTYPE_U32 ? 4 : 0;
	/* int32Data holds the bits of all small types; packed ones a byte at a time */
	if (dtype == DTYPE_F32 || complex || bits > 32 || dtype == DTYPE_U32)
		return 0;
	return bits < 8 ? 1 : (size_t)bits / 8;
}

/* A number that may be larger than what fits in 64 bits with a sign. */
static bool as_bits(
	struct tn_onnx *x, const struct tn_at *at, bool real, size_t width, uint64_t *out)
{
	const char *text = json_string_value(at->json);
	double value = 0;
	float single;
	uint32_t word;
	int64_t integer = 0;

	if (real) {
		if (!tn_at_as_real(&x->tree, at, &value))
			return false;
		single = (float)value;
		memcpy(&word, &single, sizeof(word));
		memcpy(out, &value, sizeof(*out));
		if (width == 4)
			*out = word;
		return true;
	}
	if (text && strlen(text) >= 19 && strspn(text, "0123456789") == strlen(text)) {
		uint64_t sum = 0;

		for (; *text; text++)
			if (__builtin_mul_overflow(sum, (uint64_t)10, &sum) ||
				__builtin_add_overflow(
					sum, (uint64_t)(*text - '0'), &sum)) {
				tn_at_error(&x->tree, at, ONNX_DATA,
					"the number needs more than 64 bits");
				return false;
			}
		*out = sum;
		return true;
	}
	if (!tn_at_as_int(&x->tree, at, &integer))
		return false;
	*out = (uint64_t)integer;
	return true;
}

static void read_list(struct tn_onnx *x, struct tn_foreign *f, const struct tn_at *list,
	const char *key, struct tn_tensor *t)
{
	size_t width = width_in(key, t->dtype), n = json_array_size(list->json);
	bool real = strcmp(key, "floatData") == 0 || strcmp(key, "doubleData") == 0;
	uint8_t *data;

	if (!width) {
		tn_at_error(&x->tree, list, ONNX_DATA, "%s does not hold elements of %s",
			key, tn_dtype_name(t->dtype));
		return;
	}
	data = tn_arena_array(x->tree.im->arena, n, width);
	if (!data) {
		x->tree.nomem = true;
		return;
	}
	for (size_t i = 0; i < n; i++) {
		struct tn_at at;
		uint64_t bits;

		tn_at_item(list, i, &at);
		if (!as_bits(x, &at, real, width, &bits))
			return;
		put(data + i * width, width, bits);
	}
	tn_foreign_data(f, t, data, (int64_t)(n * width));
}

static void read_external(struct tn_onnx *x, struct tn_foreign *f,
	const struct tn_at *list, struct tn_tensor *t, int64_t bytes)
{
	struct tn_at at, location = { .json = NULL };
	const struct tn_source *file;
	const char *name = "";
	int64_t offset = 0, length = bytes;
	struct tn_at entry[8];
	size_t n = json_array_size(list->json);

	for (size_t i = 0; i < n && i < 8; i++) {
		const char *key;

		tn_at_item(list, i, &entry[i]);
		key = tn_at_text(&x->tree, &entry[i], "key", "");
		if (strcmp(key, "location") == 0) {
			tn_at_key(&x->tree, &entry[i], "value", &location);
			name = tn_at_text(&x->tree, &entry[i], "value", "");
		} else if (strcmp(key, "offset") == 0) {
			offset = tn_at_int(&x->tree, &entry[i], "value", 0);
		} else if (strcmp(key, "length") == 0) {
			length = tn_at_int(&x->tree, &entry[i], "value", bytes);
		}
	}
	at = *list;
	file = tn_side_file(x->tree.im, &x->sides, &x->tree.scratch, ONNX_DATA,
		tn_at_path(location.json ? &location : &at), name, &x->tree.nomem);
	if (!file)
		return;
	if (length != bytes) {
		tn_at_error(&x->tree, list, ONNX_DATA,
			"%" PRId64 " bytes of '%s' are given, and the shape needs "
			"%" PRId64,
			length, name, bytes);
		return;
	}
	if (offset < 0 || (uint64_t)offset > file->len ||
		(uint64_t)length > file->len - (uint64_t)offset) {
		tn_at_error(&x->tree, list, ONNX_DATA,
			"'%s' has %zu bytes, %" PRId64 " are needed from offset %" PRId64,
			name, file->len, bytes, offset);
		return;
	}
	tn_foreign_data(f, t, (const uint8_t *)file->text + offset, bytes);
}

static bool is_external(struct tn_onnx *x, const struct tn_at *proto)
{
	struct tn_at at;
	const char *name;

	if (!tn_at_key(&x->tree, proto, "dataLocation", &at))
		return false;
	name = json_string_value(at.json);
	return name ? strcmp(name, "EXTERNAL") == 0 : json_integer_value(at.json) == 1;
}

static void read_data(struct tn_onnx *x, struct tn_foreign *f, const struct tn_at *proto,
	struct tn_tensor *t)
{
	static const char *const lists[] = { "floatData", "int32Data", "int64Data",
		"doubleData", "uint64Data" };
	struct tn_at at;
	const uint8_t *data;
	size_t errors = x->tree.im->diags->errors;
	int64_t elements, bytes;
	size_t n;

	t->data_kind = DATA_MISSING;
	if (!tn_shape_elements(&t->shape, &elements) ||
		!tn_dtype_bytes(t->dtype, elements, &bytes) || t->dtype == DTYPE_STRING)
		return;
	if (is_external(x, proto)) {
		tn_at_list(&x->tree, proto, "externalData", &at);
		read_external(x, f, &at, t, bytes);
		return;
	}
	if (tn_at_key(&x->tree, proto, "rawData", &at) &&
		(json_is_integer(at.json) || json_string_length(at.json))) {
		if (!tn_onnx_bytes(x, &at, &data, &n))
			return;
		tn_foreign_data(f, t, data, (int64_t)n);
	} else {
		for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
			if (tn_at_list(&x->tree, proto, lists[i], &at)) {
				read_list(x, f, &at, lists[i], t);
				break;
			}
		if (!at.json || !json_array_size(at.json)) {
			if (!bytes) /* no elements */
				tn_foreign_data(f, t, (const uint8_t *)"", 0);
			return;
		}
	}
	if (t->data_kind == DATA_MISSING && !x->tree.nomem &&
		x->tree.im->diags->errors == errors)
		tn_at_error(&x->tree, &at, ONNX_DATA,
			"the values are not the %" PRId64 " bytes that the shape needs",
			bytes);
}

void tn_onnx_tensor(struct tn_onnx *x, struct tn_foreign *f, const struct tn_at *proto,
	struct tn_tensor *t)
{
	int64_t type = tn_at_int(&x->tree, proto, "dataType", 0);

	tn_at_ints(&x->tree, proto, "dims", &x->list);
	tn_foreign_shape_of(f, proto, &x->list, &t->shape);
	t->role = ROLE_CONST;
	t->dtype = tn_onnx_dtype(type);
	t->data_kind = DATA_MISSING;
	if (t->dtype == DTYPE_INVALID) {
		tn_at_error(&x->tree, proto, "graph/dtype",
			"%" PRId64 " is not a known element type", type);
		return;
	}
	read_data(x, f, proto, t);
}

/* One dimension of a type. */
static int64_t read_dim(
	struct tn_onnx *x, struct tn_foreign *f, const struct tn_at *dim, bool strict)
{
	const char *text = tn_at_text(&x->tree, dim, "dimParam", "");
	char missing[TN_SIZE_NAME_BYTES];
	int64_t size;
	struct tn_at at;

	if (text[0] && strict) {
		tn_at_key(&x->tree, dim, "dimParam", &at);
		return tn_foreign_dim(f, &at, text);
	}
	if (text[0])
		return tn_size_expr(x->tree.im, text, &size, missing) == SIZE_KNOWN
			       ? size
			       : TN_DIM_UNKNOWN;
	return tn_dim_given(tn_at_int(&x->tree, dim, "dimValue", TN_DIM_UNKNOWN));
}

void tn_onnx_type(struct tn_onnx *x, struct tn_foreign *f, const struct tn_at *type,
	bool strict, enum tn_dtype *out_dtype, struct tn_shape *out_shape,
	bool *out_ranked)
{
	struct tn_at tensor, shape, dims, dim;
	int64_t number;
	size_t n;

	*out_ranked = false;
	*out_dtype = DTYPE_INVALID;
	*out_shape = (struct tn_shape){ .rank = 1, .dim = { TN_DIM_UNKNOWN } };
	if (!tn_at_object(&x->tree, type, "tensorType", &tensor) &&
		!tn_at_object(&x->tree, type, "sparseTensorType", &tensor)) {
		if (json_object_size(type->json)) { /* a sequence, a map, an optional */
			*out_dtype = DTYPE_VARIANT;
			out_shape->rank = 0;
			*out_ranked = true;
		}
		return;
	}
	number = tn_at_int(&x->tree, &tensor, "elemType", 0);
	*out_dtype = tn_onnx_dtype(number);
	if (number && *out_dtype == DTYPE_INVALID)
		tn_at_error(&x->tree, &tensor, "graph/dtype",
			"%" PRId64 " is not a known element type", number);
	/* no shape: any rank; an empty one: a scalar */
	if (!tn_at_object(&x->tree, &tensor, "shape", &shape))
		return;
	n = tn_at_list(&x->tree, &shape, "dim", &dims);
	if (n > TN_RANK_MAX) {
		tn_at_error(&x->tree, &dims, "graph/rank",
			"%zu dimensions are more than %d", n, TN_RANK_MAX);
		out_shape->dim[0] = TN_DIM_POISON;
		return;
	}
	out_shape->rank = (uint32_t)n;
	*out_ranked = true;
	for (uint32_t i = 0; i < n; i++) {
		tn_at_item(&dims, i, &dim);
		out_shape->dim[i] = read_dim(x, f, &dim, strict);
	}
}
