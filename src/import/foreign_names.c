/* Names that several formats share: of element types, and what arguments are called. */
#include <string.h>

#include "import/foreign.h"

#include "base/banned.h"

#define NAME_MAX_BYTES 24

enum tn_dtype tn_foreign_dtype(const char *name)
{
	static const struct {
		const char *name;
		enum tn_dtype dtype;
	} rows[] = {
		{ "float32", DTYPE_F32 },
		{ "float", DTYPE_F32 },
		{ "f32", DTYPE_F32 },
		{ "fp32", DTYPE_F32 },
		{ "float16", DTYPE_F16 },
		{ "half", DTYPE_F16 },
		{ "f16", DTYPE_F16 },
		{ "fp16", DTYPE_F16 },
		{ "bfloat16", DTYPE_BF16 },
		{ "bf16", DTYPE_BF16 },
		{ "float64", DTYPE_F64 },
		{ "double", DTYPE_F64 },
		{ "f64", DTYPE_F64 },
		{ "fp64", DTYPE_F64 },
		{ "f8e4m3fn", DTYPE_F8E4M3 },
		{ "float8_e4m3fn", DTYPE_F8E4M3 },
		{ "f8e4m3", DTYPE_F8E4M3 },
		{ "fp8", DTYPE_F8E4M3 },
		{ "f8e5m2", DTYPE_F8E5M2 },
		{ "float8_e5m2", DTYPE_F8E5M2 },
		{ "int8", DTYPE_I8 },
		{ "i8", DTYPE_I8 },
		{ "s8", DTYPE_I8 },
		{ "int16", DTYPE_I16 },
		{ "i16", DTYPE_I16 },
		{ "s16", DTYPE_I16 },
		{ "int32", DTYPE_I32 },
		{ "i32", DTYPE_I32 },
		{ "s32", DTYPE_I32 },
		{ "int64", DTYPE_I64 },
		{ "i64", DTYPE_I64 },
		{ "s64", DTYPE_I64 },
		{ "int4", DTYPE_I4 },
		{ "i4", DTYPE_I4 },
		{ "s4", DTYPE_I4 },
		{ "uint8", DTYPE_U8 },
		{ "u8", DTYPE_U8 },
		{ "uint16", DTYPE_U16 },
		{ "u16", DTYPE_U16 },
		{ "uint32", DTYPE_U32 },
		{ "u32", DTYPE_U32 },
		{ "uint64", DTYPE_U64 },
		{ "u64", DTYPE_U64 },
		{ "uint4", DTYPE_U4 },
		{ "u4", DTYPE_U4 },
		{ "u1", DTYPE_U1 },
		{ "bool", DTYPE_BOOL },
		{ "boolean", DTYPE_BOOL },
		{ "uint1", DTYPE_BOOL },
		{ "handle", DTYPE_U64 }, /* a pointer; TVM stores 64 bits */
		{ "i1", DTYPE_BOOL },
		{ "pred", DTYPE_BOOL },
		{ "c64", DTYPE_C64 },
		{ "complex64", DTYPE_C64 },
		{ "c128", DTYPE_C128 },
		{ "complex128", DTYPE_C128 },
		{ "string", DTYPE_STRING },
	};
	char text[NAME_MAX_BYTES];
	size_t n = 0;

	for (; name[n]; n++) {
		if (n + 1 == sizeof(text))
			return DTYPE_INVALID;
		text[n] = name[n] >= 'A' && name[n] <= 'Z' ? (char)(name[n] - 'A' + 'a')
							   : name[n];
	}
	text[n] = '\0';
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (strcmp(rows[i].name, text) == 0)
			return rows[i].dtype;
	return DTYPE_INVALID;
}

static bool ends_with(const char *text, const char *ending)
{
	size_t n = strlen(text), e = strlen(ending);

	return n >= e && strcmp(text + n - e, ending) == 0;
}

/* "p0", "_param_12" */
static bool is_numbered(const char *name)
{
	static const char *const stems[] = { "p", "param_", "_param_" };

	for (size_t i = 0; i < sizeof(stems) / sizeof(*stems); i++) {
		size_t n = strlen(stems[i]);

		if (strncmp(name, stems[i], n) == 0 && name[n] &&
			strspn(name + n, "0123456789") == strlen(name + n))
			return true;
	}
	return false;
}

bool tn_foreign_is_parameter(const char *name)
{
	static const char *const endings[] = { "_weight", "_bias", "_gamma", "_beta",
		"_moving_mean", "_moving_var", "_running_mean", "_running_var", "_label",
		"_params" };

	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++)
		if (ends_with(name, endings[i]))
			return true;
	return is_numbered(name);
}
