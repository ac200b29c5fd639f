#include "base/intern.h"

#include <string.h>

#include "base/banned.h"
#include "base/fnv.h"

void tn_strings_init(struct tn_strings *strings, struct tn_arena *arena)
{
	*strings = (struct tn_strings){ .arena = arena };
}

static const char **find_slot(
	const char **slots, size_t capacity, const char *text, size_t len)
{
	size_t i = (size_t)tn_fnv(TN_FNV_INIT, text, len) & (capacity - 1);

	while (slots[i] && (strncmp(slots[i], text, len) != 0 || slots[i][len] != '\0'))
		i = (i + 1) & (capacity - 1);
	return &slots[i];
}

static bool grow(struct tn_strings *strings)
{
	size_t bigger = strings->capacity ? strings->capacity * 2 : 64;
	const char **slots = TN_NEW_ARRAY(strings->arena, const char *, bigger);

	if (!slots)
		return false;
	for (size_t i = 0; i < strings->capacity; i++) {
		const char *text = strings->slots[i];

		if (text)
			*find_slot(slots, bigger, text, strlen(text)) = text;
	}
	strings->slots = slots;
	strings->capacity = bigger;
	return true;
}

const char *tn_str_intern(struct tn_strings *strings, const char *text, size_t len)
{
	const char **slot;

	if (strings->count * 2 >= strings->capacity && !grow(strings))
		return NULL;
	slot = find_slot(strings->slots, strings->capacity, text, len);
	if (!*slot) {
		*slot = tn_arena_strndup(strings->arena, text, len);
		if (*slot)
			strings->count++;
	}
	return *slot;
}
