/* The constants of an emitted program: weights, tables. Equal ones are stored once. */
#ifndef TN_EMIT_POOL_H
#define TN_EMIT_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "base/vec.h"

enum tn_element {
	ELEMENT_U8, /* printed in hexadecimal: bytes without a type of their own */
	ELEMENT_I8,
	ELEMENT_I16,
	ELEMENT_I32,
	ELEMENT_U32, /* hexadecimal: the bits of floats */
	ELEMENT_I64,
	ELEMENT_F32, /* as float literals: tables that a kernel reads as float */
};

struct tn_constant {
	enum tn_element element;
	const uint8_t *bytes; /* little-endian */
	size_t size; /* bytes; a multiple of the element's width */
	uint64_t hash;
	const char *what; /* the tensor's name, for a comment */
};

struct tn_pool {
	struct tn_arena *arena;
	TN_VEC(struct tn_constant) list;
};

/* Index of the constant, added unless the same is there; false on lack of memory. Bytes
 * and name are borrowed. A size that is no multiple of the width: taken as U8. */
bool tn_pool_add(struct tn_pool *pool, enum tn_element element, const uint8_t *bytes,
	size_t size, const char *what, uint32_t *out_index);

/* Bytes that the constants take, each rounded up to 16. */
uint64_t tn_pool_bytes(const struct tn_pool *pool);

/* "const int8_t kws_c3[1024]" without a semicolon. */
void tn_pool_declare(const struct tn_pool *pool, uint32_t index, const char *ident,
	struct tn_strbuf *out);

/* The definition, with its values. */
void tn_pool_define(const struct tn_pool *pool, uint32_t index, const char *ident,
	struct tn_strbuf *out);

/* A C99 literal of exactly this float. */
void tn_print_float(float value, struct tn_strbuf *out);

/* A C99 expression of exactly this integer, INT64_MIN included. */
void tn_print_int(int64_t value, struct tn_strbuf *out);

#endif
