/* What TFLite's schema says, as data for both of its readers: the numbers and names of
 * builtin operators, and which fields of which options table become which attributes. */
#ifndef TN_IMPORT_TFLITE_SCHEMA_H
#define TN_IMPORT_TFLITE_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ir/op.h"

#define TN_TFL_CUSTOM 32 /* the operator whose name is its custom_code */

/* "CONV_2D" for 3; NULL for a number that the schema does not have. */
const char *tn_tfl_op_name(int64_t number);
/* -1 when there is no such name. */
int tn_tfl_op_number(const char *name);

enum tn_tfl_type {
	TFL_BOOL,
	TFL_I8, /* an enumeration */
	TFL_I32,
	TFL_F32,
	TFL_I32_LIST,
	TFL_STRING,
};

struct tn_tfl_field {
	const char *key; /* in the schema and in flatc's JSON */
	const char *const *names; /* of an enumeration, NULL at the end; or NULL */
	enum tn_tfl_type type;
	uint8_t slot; /* field number in the options table */
	int8_t otherwise; /* the default of a number */
};

/* One attribute: from one number, list or string, or a list [first, second] of two. */
struct tn_tfl_option {
	const char *attr;
	struct tn_tfl_field first, second; /* second.key NULL: one field */
	bool as_name; /* an enumeration whose attribute is the name, not the number */
};

struct tn_tfl_options {
	const char *table; /* "Conv2DOptions"; NULL: the op has no options that matter */
	uint8_t tag; /* in the union BuiltinOptions */
	uint8_t n;
	const struct tn_tfl_option *options;
};

const struct tn_tfl_options *tn_tfl_options(enum tn_op_kind kind);

/* Name of a member of the union BuiltinOptions, NULL when there is none. */
const char *tn_tfl_options_name(uint64_t tag);

/* The names of TensorType as an enumeration, by number. */
extern const char *const tn_tfl_tensor_types[];

#endif
