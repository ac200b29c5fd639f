/* Text from files that promise no encoding. */
#ifndef TN_BASE_UTF8_H
#define TN_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* Bytes of the character that starts at `text` (RFC 3629: no surrogates, no overlong
 * forms), or 0 when there is none, or it is NUL. */
size_t tn_utf8_char(const char *text, size_t len);

/* The text with each byte that is no part of a character replaced by U+FFFD. Copied into
 * the arena only when something had to be replaced; NULL on lack of memory. */
const char *tn_utf8_clean(
	struct tn_arena *arena, const char *text, size_t len, size_t *out_len);

#endif
