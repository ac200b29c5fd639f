#include "import/names.h"

#include <string.h>

#include "base/banned.h"
#include "base/fnv.h"

struct tn_name_slot {
	const char *text; /* NULL: free */
	uint32_t index;
};

static struct tn_name_slot *slot_of(
	struct tn_name_slot *slots, size_t capacity, const char *text)
{
	size_t i = (size_t)tn_fnv(TN_FNV_INIT, text, strlen(text)) & (capacity - 1);

	while (slots[i].text && strcmp(slots[i].text, text) != 0)
		i = (i + 1) & (capacity - 1);
	return &slots[i];
}

static bool grow(struct tn_names *names)
{
	size_t bigger = names->capacity ? names->capacity * 2 : 64;
	struct tn_name_slot *slots =
		TN_NEW_ARRAY(names->arena, struct tn_name_slot, bigger);

	if (!slots)
		return false;
	for (size_t i = 0; i < names->capacity; i++)
		if (names->slots[i].text)
			*slot_of(slots, bigger, names->slots[i].text) = names->slots[i];
	names->slots = slots;
	names->capacity = bigger;
	return true;
}

enum tn_name_result tn_names_add(struct tn_names *names, const char *text, uint32_t index)
{
	struct tn_name_slot *slot;

	if (names->count * 2 >= names->capacity && !grow(names))
		return NAME_NOMEM;
	slot = slot_of(names->slots, names->capacity, text);
	if (slot->text)
		return NAME_TAKEN;
	*slot = (struct tn_name_slot){ text, index };
	names->count++;
	return NAME_ADDED;
}

uint32_t tn_names_find(const struct tn_names *names, const char *text)
{
	const struct tn_name_slot *slot;

	if (!names->capacity)
		return UINT32_MAX;
	slot = slot_of(names->slots, names->capacity, text);
	return slot->text ? slot->index : UINT32_MAX;
}
