/* Line and column of JSON pointers, by a second scan of the text: jansson's values carry
 * no position. Tolerant (the text parsed once already) and without recursion; nesting is
 * cut at a fixed depth. */
#ifndef TN_BASE_PLACE_H
#define TN_BASE_PLACE_H

#include <stdbool.h>
#include <stddef.h>

struct tn_place {
	size_t line; /* from 1 */
	size_t column; /* from 1, in bytes */
};

/* The place where the value at `pointer` starts. When the pointer leads nowhere, the
 * place of the deepest part that exists; false only for text without any value. */
bool tn_place_find(
	const char *text, size_t len, const char *pointer, struct tn_place *out);

/* One of many questions that are answered in one scan. */
struct tn_place_query {
	const char *pointer;
	size_t id; /* the caller's, untouched */
	struct tn_place place;
	size_t character; /* the column in code points, from 1 */
	const char *rest; /* scratch: what of the pointer is still to be followed */
};

/* Answers all queries, linear in the text and n log n in the queries, whose order
 * changes. The answers are those of tn_place_find. */
bool tn_place_find_all(
	const char *text, size_t len, struct tn_place_query *queries, size_t n);

#endif
