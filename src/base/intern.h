/* Interned names: each text is stored once, so equal names are equal pointers. Names
 * enter here at import; order is by strcmp or id, never by pointer. */
#ifndef TN_BASE_INTERN_H
#define TN_BASE_INTERN_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct tn_string_slot;

struct tn_strings {
	struct tn_arena *arena; /* holds texts and table */
	struct tn_string_slot *slots; /* open addressing */
	size_t capacity; /* power of two, or 0 */
	size_t count;
};

void tn_strings_init(struct tn_strings *strings, struct tn_arena *arena);

/* The one pointer for these bytes (which hold no NUL), or NULL on lack of memory. */
const char *tn_str_intern(struct tn_strings *strings, const char *text, size_t len);

#endif
