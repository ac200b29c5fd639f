/* Element types, sub-byte ones included. */
#ifndef TN_IR_DTYPE_H
#define TN_IR_DTYPE_H

#include <stdbool.h>
#include <stdint.h>

/* dtype.def is the one list: identifier, native name, TFLite name, bits, TFLite number. */
enum tn_dtype {
	DTYPE_INVALID,
#define DTYPE(id, name, tflite, bits, number) id,
#include "ir/dtype.def"
#undef DTYPE
	DTYPE_COUNT
};

/* Bits of one element; 0 for types without a fixed size (string, resource, variant). */
int tn_dtype_bits(enum tn_dtype dtype);

/* The native name ("i8"), and the one in TFLite's schema ("INT8"). */
const char *tn_dtype_name(enum tn_dtype dtype);
const char *tn_dtype_tflite_name(enum tn_dtype dtype);

/* DTYPE_INVALID when there is no such name or number. */
enum tn_dtype tn_dtype_parse(const char *name);
enum tn_dtype tn_dtype_from_tflite_name(const char *name);
enum tn_dtype tn_dtype_from_tflite(int number);

/* Bytes of `elements` elements, sub-byte types packed: ceil(elements * bits / 8). False
 * on overflow. */
bool tn_dtype_bytes(enum tn_dtype dtype, int64_t elements, int64_t *out_bytes);

bool tn_dtype_is_float(enum tn_dtype dtype);

#endif
