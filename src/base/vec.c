#include "base/vec.h"

#include <stdint.h>
#include <string.h>

#include "base/banned.h"

bool tn_vec_grow(struct tn_arena *arena, void **items, size_t count, size_t *capacity,
	size_t item_size)
{
	size_t bigger;
	void *grown;

	if (count < *capacity)
		return true;
	if (*capacity > SIZE_MAX / 2)
		return false;
	bigger = *capacity ? *capacity * 2 : 8;
	grown = tn_arena_array(arena, bigger, item_size);
	if (!grown)
		return false;
	if (count)
		memcpy(grown, *items, count * item_size);
	*items = grown;
	*capacity = bigger;
	return true;
}
