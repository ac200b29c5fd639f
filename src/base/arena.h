/* Arena: memory that is freed all at once. The caller of a function that allocates
 * passes the arena, and so decides how long the result lives. */
#ifndef TN_BASE_ARENA_H
#define TN_BASE_ARENA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct tn_arena_block;

struct tn_arena {
	struct tn_arena_block *head; /* newest block first */
	size_t used; /* bytes used in head */
};

void tn_arena_init(struct tn_arena *arena);
void tn_arena_release(struct tn_arena *arena);

/* Zeroed memory, aligned for any object, or NULL. A size of 0 gives a valid pointer. */
void *tn_arena_alloc(struct tn_arena *arena, size_t size);

/* count * size zeroed bytes, overflow-checked, or NULL. */
void *tn_arena_array(struct tn_arena *arena, size_t count, size_t size);

/* Copies; NUL-terminated; NULL on failure. */
char *tn_arena_strndup(struct tn_arena *arena, const char *text, size_t len);
char *tn_arena_strdup(struct tn_arena *arena, const char *text);
char *tn_arena_vprintf(struct tn_arena *arena, const char *fmt, va_list args)
	TN_PRINTF(2, 0);
char *tn_arena_printf(struct tn_arena *arena, const char *fmt, ...) TN_PRINTF(2, 3);

#define TN_NEW(arena, type) ((type *)tn_arena_alloc((arena), sizeof(type)))
#define TN_NEW_ARRAY(arena, type, count)                                                 \
	((type *)tn_arena_array((arena), (count), sizeof(type)))

#endif
