#include "ir/dtype.h"

#include <string.h>

#include "base/checked.h"

static const struct dtype_row {
	const char *name, *tflite;
	int bits, number;
} rows[DTYPE_COUNT] = {
	[DTYPE_INVALID] = { "invalid", "INVALID", 0, -1 },
#define DTYPE(id, name, tflite, bits, number) [id] = { name, tflite, bits, number },
#include "ir/dtype.def"
#undef DTYPE
};

int tn_dtype_bits(enum tn_dtype dtype)
{
	return rows[dtype].bits;
}

const char *tn_dtype_name(enum tn_dtype dtype)
{
	return rows[dtype].name;
}

const char *tn_dtype_tflite_name(enum tn_dtype dtype)
{
	return rows[dtype].tflite;
}

enum tn_dtype tn_dtype_parse(const char *name)
{
	for (int i = 1; i < DTYPE_COUNT; i++)
		if (strcmp(rows[i].name, name) == 0)
			return (enum tn_dtype)i;
	return DTYPE_INVALID;
}

enum tn_dtype tn_dtype_from_tflite_name(const char *name)
{
	for (int i = 1; i < DTYPE_COUNT; i++)
		if (strcmp(rows[i].tflite, name) == 0)
			return (enum tn_dtype)i;
	return DTYPE_INVALID;
}

enum tn_dtype tn_dtype_from_tflite(int number)
{
	for (int i = 1; i < DTYPE_COUNT; i++)
		if (rows[i].number == number && number >= 0)
			return (enum tn_dtype)i;
	return DTYPE_INVALID;
}

bool tn_dtype_bytes(enum tn_dtype dtype, int64_t elements, int64_t *out_bytes)
{
	int64_t bits;

	if (elements < 0 || !tn_mul_i64(elements, rows[dtype].bits, &bits) ||
		!tn_add_i64(bits, 7, &bits))
		return false;
	*out_bytes = bits / 8;
	return true;
}

bool tn_dtype_is_float(enum tn_dtype dtype)
{
	return dtype == DTYPE_F32 || dtype == DTYPE_F16 || dtype == DTYPE_BF16 ||
	       dtype == DTYPE_F64 || dtype == DTYPE_F8E4M3 || dtype == DTYPE_F8E5M2;
}
