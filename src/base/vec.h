/* Growable arrays in an arena: TN_VEC(struct x) v = { 0 }; tn_vec_push(arena, &v, item)
 * gives false when memory ran out. Old storage is left to the arena. */
#ifndef TN_BASE_VEC_H
#define TN_BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

#define TN_VEC(type)                                                                     \
	struct {                                                                         \
		type *items;                                                             \
		size_t count;                                                            \
		size_t capacity;                                                         \
	}

/* Makes room for one more item; true when there is. */
bool tn_vec_grow(struct tn_arena *arena, void **items, size_t count, size_t *capacity,
	size_t item_size);

#define tn_vec_push(arena, vec, item)                                                    \
	(tn_vec_grow((arena), (void **)&(vec)->items, (vec)->count, &(vec)->capacity,    \
		 sizeof(*(vec)->items))                                                  \
			? ((vec)->items[(vec)->count++] = (item), true)                  \
			: false)

#endif
