/* Records of numbers as the page's script reads them: a text for each column, which takes a
 * letter or two for most values. The first character says what follows: '*' the value of
 * all, '=' the values, '+' the difference of each to the one before. Each is a number in base
 * 32, least digit first, in the letters of base64 (the upper half of them: more digits
 * follow); its lowest bit says that it is negative, minus one. numbers() of page-data.js is
 * the other side. */
#ifndef TN_REPORT_COLUMNS_H
#define TN_REPORT_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"
#include "report/json_stream.h"

struct tn_columns {
	struct tn_arena *arena;
	const char *const *names; /* `width` of them; NULL: they go by their number */
	size_t width;
	TN_VEC(int64_t) values; /* record after record */
	bool failed; /* memory ran out: records are missing */
};

/* Room for `records`; more may come. */
void tn_columns_init(struct tn_columns *c, struct tn_arena *arena,
	const char *const *names, size_t width, size_t records);

/* A record: `width` values. */
void tn_columns_add(struct tn_columns *c, const int64_t *record);

#define TN_COLUMNS_ADD(c, ...) tn_columns_add(c, (const int64_t[]){ __VA_ARGS__ })

/* Into the object that is open: "n", how many records there are, and the columns by their
 * names. */
void tn_columns_members(const struct tn_columns *c, struct tn_json_stream *out);

/* The same as an object. */
void tn_columns_put(
	const struct tn_columns *c, const char *key, struct tn_json_stream *out);

/* Without names: the texts of the columns as a list. */
void tn_columns_list(
	const struct tn_columns *c, const char *key, struct tn_json_stream *out);

#endif
