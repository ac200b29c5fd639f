/* Constants of the native format: numbers, base64, a side file, a seed. */
#include "import/native.h"

#include <inttypes.h>
#include <string.h>

#include "base/banned.h"
#include "base/base64.h"
#include "base/checked.h"
#include "ir/seed.h"

#define NATIVE_DATA "native/data"
#define MADE_MAX    (INT64_C(1) << 28) /* bytes from seeds, over a file */

/* The integers that fit an element; false when the type takes no integers. */
static bool integer_range(enum tn_dtype dtype, int64_t *low, int64_t *high)
{
	int bits = tn_dtype_bits(dtype);

	switch (dtype) {
	case DTYPE_I8:
	case DTYPE_I16:
	case DTYPE_I32:
	case DTYPE_I64:
	case DTYPE_I4:
	case DTYPE_I2:
	case DTYPE_I1:
		*low = bits == 64 ? INT64_MIN : -(INT64_C(1) << (bits - 1));
		*high = bits == 64 ? INT64_MAX : (INT64_C(1) << (bits - 1)) - 1;
		return true;
	case DTYPE_U8:
	case DTYPE_U16:
	case DTYPE_U32:
	case DTYPE_U64: /* what is larger comes as base64 */
	case DTYPE_U4:
	case DTYPE_U2:
	case DTYPE_U1:
	case DTYPE_BOOL:
		*low = 0;
		*high = bits == 64 ? INT64_MAX : (INT64_C(1) << bits) - 1;
		if (dtype == DTYPE_BOOL)
			*high = 1;
		return true;
	default:
		return false;
	}
}

/* The bits of a value; false, and a report, when the element cannot hold it. */
static bool encode(struct tn_native *n, const struct tn_path *at, const json_t *value,
	enum tn_dtype dtype, uint64_t *out)
{
	int64_t low, high, integer = 0;
	double real = 0;
	float single;
	uint32_t word;

	if (integer_range(dtype, &low, &high)) {
		if (dtype == DTYPE_BOOL && json_is_boolean(value)) {
			*out = json_is_true(value);
			return true;
		}
		if (!tn_json_int(n->im, NATIVE_DATA, at, value, low, high, &integer))
			return false;
		*out = (uint64_t)integer;
		return true;
	}
	if (!tn_native_real(value, &real)) {
		tn_json_error(n->im, NATIVE_DATA, at, "expected a number, found %s",
			tn_json_kind(value));
		return false;
	}
	if (dtype == DTYPE_F64) {
		memcpy(out, &real, sizeof(*out));
		return true;
	}
	single = (float)real;
	memcpy(&word, &single, sizeof(word));
	*out = word;
	return true;
}

/* Packs the low `bits` bits as element `index`; sub-byte elements from the low end. */
static void put(uint8_t *data, size_t index, uint32_t bits, uint64_t value)
{
	if (bits < 8) {
		size_t at = index * bits;

		value &= (UINT64_C(1) << bits) - 1;
		data[at / 8] = (uint8_t)(data[at / 8] | value << (at % 8));
		return;
	}
	for (uint32_t i = 0; i < bits / 8; i++)
		data[index * (bits / 8) + i] = (uint8_t)(value >> (8 * i));
}

static void read_values(struct tn_native *n, const struct tn_path *at, const json_t *list,
	struct tn_tensor *t, int64_t elements, int64_t bytes)
{
	int bits = tn_dtype_bits(t->dtype);
	size_t count = json_array_size(list), size;
	uint8_t *data;
	int64_t low, high;

	if (!tn_json_want(n->im, NATIVE_TYPE, at, list, JSON_ARRAY))
		return;
	if (!integer_range(t->dtype, &low, &high) && t->dtype != DTYPE_F32 &&
		t->dtype != DTYPE_F64) {
		tn_json_error(n->im, NATIVE_DATA, at,
			"elements of type %s cannot be listed: use base64",
			tn_dtype_name(t->dtype));
		return;
	}
	if ((uint64_t)elements != count) {
		tn_json_error(n->im, NATIVE_DATA, at,
			"there are %zu values, the shape needs %" PRId64, count,
			elements);
		return;
	}
	/* as many as there are values in the file: nothing to overflow */
	if (!tn_size_from_i64(bytes, &size) ||
		!(data = tn_arena_alloc(n->im->arena, size))) {
		n->nomem = true;
		return;
	}
	for (size_t i = 0; i < count; i++) {
		struct tn_path value_at = { at, NULL, i };
		uint64_t raw;

		if (!encode(n, &value_at, json_array_get(list, i), t->dtype, &raw))
			return;
		put(data, i, (uint32_t)bits, raw);
	}
	t->data = data;
	t->data_bytes = bytes;
	t->data_kind = DATA_BYTES;
}

static void read_base64(struct tn_native *n, const struct tn_path *at,
	const json_t *value, struct tn_tensor *t)
{
	const char *text;
	size_t len, size, wrong = 0;
	uint8_t *data;

	if (!tn_json_string(n->im, NATIVE_TYPE, at, value, &text))
		return;
	len = strlen(text);
	if (!tn_base64_size(text, len, &size)) {
		tn_json_error(n->im, NATIVE_DATA, at,
			"the length of base64 is a multiple of 4, not %zu", len);
		return;
	}
	data = tn_arena_alloc(n->im->arena, size);
	if (!data) {
		n->nomem = true;
		return;
	}
	if (!tn_base64_decode(text, len, data, &wrong)) {
		tn_json_error(
			n->im, NATIVE_DATA, at, "character %zu is no base64", wrong);
		return;
	}
	t->data = data;
	t->data_kind = tn_i64_from_size(size, &t->data_bytes) ? DATA_BYTES : DATA_MISSING;
}

static void read_file(struct tn_native *n, const struct tn_path *up, const json_t *data,
	struct tn_tensor *t, int64_t bytes)
{
	struct tn_path at = { up, "file", 0 }, offset_at = { up, "offset", 0 };
	const json_t *offset = json_object_get(data, "offset");
	const struct tn_source *source;
	const char *name;
	int64_t begin = 0;

	if (!tn_json_string(
		    n->im, NATIVE_TYPE, &at, json_object_get(data, "file"), &name))
		return;
	if (offset && !tn_json_int(n->im, NATIVE_TYPE, &offset_at, offset, 0, INT64_MAX,
			      &begin))
		return;
	source = tn_side_file(
		n->im, &n->sides, n->scratch, NATIVE_DATA, &at, name, &n->nomem);
	if (!source)
		return;
	if ((uint64_t)begin > source->len ||
		(uint64_t)bytes > source->len - (uint64_t)begin) {
		tn_json_error(n->im, NATIVE_DATA, &at,
			"'%s' has %zu bytes, %" PRId64 " are needed from offset %" PRId64,
			name, source->len, bytes, begin);
		return;
	}
	t->data = (const uint8_t *)source->text + begin;
	t->data_bytes = bytes;
	t->data_kind = DATA_BYTES;
}

static void read_seed(struct tn_native *n, const struct tn_path *at, const json_t *value,
	struct tn_tensor *t, int64_t bytes)
{
	int64_t seed;
	size_t size;
	uint8_t *data;

	if (!tn_json_int(n->im, NATIVE_TYPE, at, value, 0, UINT32_MAX, &seed))
		return;
	if (bytes > MADE_MAX - n->made) {
		tn_json_error(n->im, NATIVE_DATA, at,
			"constants made from seeds are limited to %" PRId64 " bytes",
			MADE_MAX);
		return;
	}
	n->made += bytes;
	data = tn_size_from_i64(bytes, &size) ? tn_arena_alloc(n->im->arena, size) : NULL;
	if (!data) {
		n->nomem = true;
		return;
	}
	tn_seed_const((uint32_t)seed, t->dtype, data, bytes);
	t->data = data;
	t->data_bytes = bytes;
	t->data_kind = DATA_BYTES;
	t->seeded = true;
	t->seed = (uint32_t)seed;
}

void tn_native_data(struct tn_native *n, const struct tn_path *up, const json_t *data,
	struct tn_tensor *t)
{
	static const char *const kinds[] = { "values", "base64", "file", "seed" };
	struct tn_path at = { up, "data", 0 };
	int64_t elements, bytes;
	int found = -1;

	if (t->role == ROLE_CONST)
		t->data_kind = DATA_MISSING;
	if (!data || json_is_null(data))
		return;
	if (!tn_json_want(n->im, NATIVE_TYPE, &at, data, JSON_OBJECT))
		return;
	if (t->role != ROLE_CONST && t->role != ROLE_VARIABLE) {
		tn_json_error(n->im, NATIVE_DATA, &at,
			"only a constant or a variable has data in the file");
		return;
	}
	for (int i = 0; i < 4; i++) {
		if (!json_object_get(data, kinds[i]))
			continue;
		if (found >= 0) {
			tn_json_error(n->im, NATIVE_DATA, &at,
				"'%s' and '%s' exclude each other", kinds[found],
				kinds[i]);
			return;
		}
		found = i;
	}
	if (found < 0) {
		tn_json_error(n->im, NATIVE_DATA, &at,
			"one of 'values', 'base64', 'file' and 'seed' is missing");
		return;
	}
	if (!tn_shape_elements(&t->shape, &elements) ||
		!tn_dtype_bytes(t->dtype, elements, &bytes))
		return; /* reported with the shape or the type */
	if (found == 2) {
		read_file(n, &at, data, t, bytes);
	} else {
		struct tn_path kind_at = { &at, kinds[found], 0 };
		const json_t *value = json_object_get(data, kinds[found]);

		if (found == 0)
			read_values(n, &kind_at, value, t, elements, bytes);
		else if (found == 1)
			read_base64(n, &kind_at, value, t);
		else
			read_seed(n, &kind_at, value, t, bytes);
	}
}
