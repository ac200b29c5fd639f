/* A table for a terminal. Each column is as wide as what is in it: numbers may be long, and
 * two that touch would be read as one. */
#ifndef TN_REPORT_TABLE_H
#define TN_REPORT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "base/vec.h"

struct tn_table_column {
	const char *title; /* NULL: no column of the table has one */
	size_t gap; /* spaces in front of it */
	size_t least; /* columns of the terminal that it takes at least */
	bool right; /* its cells end at the same column, else they start there */
};

struct tn_table {
	struct tn_arena *arena; /* of the cells */
	const struct tn_table_column
		*columns; /* the caller's; the last is not filled up */
	size_t n_columns;
	TN_VEC(const char *) cells; /* row after row, safe to be shown */
	bool failed; /* memory ran out: cells are missing */
};

void tn_table_init(struct tn_table *t, struct tn_arena *arena,
	const struct tn_table_column *columns, size_t n_columns);

/* The next cell: any text, made visible and cut to `most` (>= 4) columns. */
void tn_table_text(struct tn_table *t, const char *text, size_t most);

/* The next cell: a number, its thousands apart. */
void tn_table_number(struct tn_table *t, int64_t value);

/* The next cell: what was built, as it is; released. */
void tn_table_taken(struct tn_table *t, struct tn_strbuf *text);

/* Titles, if there are any, and all rows, each with a line break. */
void tn_table_print(const struct tn_table *t, struct tn_strbuf *out);

#endif
