/* Line and column of a JSON pointer, by a second scan of the text: jansson's values carry
 * no position. Tolerant (the text parsed once already) and without recursion per value;
 * nesting is cut at a fixed depth. */
#ifndef TN_BASE_PLACE_H
#define TN_BASE_PLACE_H

#include <stdbool.h>
#include <stddef.h>

struct tn_place {
	size_t line;   /* from 1 */
	size_t column; /* from 1, in bytes */
};

/* The place where the value at `pointer` starts. When the pointer leads nowhere, the
 * place of the deepest part that exists; false only for text without any value. */
bool tn_place_find(const char *text, size_t len, const char *pointer,
	struct tn_place *out);

#endif
