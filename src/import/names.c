#include "import/names.h"

#include <string.h>

#include "base/banned.h"
#include "base/fnv.h"

struct tn_name_slot {
	const char *text; /* NULL: free */
	uint32_t index;
	uint32_t hash; /* of the text: most others differ in it */
};

static uint32_t hash_of(const char *text)
{
	return (uint32_t)tn_fnv(TN_FNV_INIT, text, strlen(text));
}

static struct tn_name_slot *slot_of(
	struct tn_name_slot *slots, size_t capacity, const char *text, uint32_t hash)
{
	size_t i = hash & (capacity - 1);

	while (slots[i].text &&
		(slots[i].hash != hash || strcmp(slots[i].text, text) != 0))
		i = (i + 1) & (capacity - 1);
	return &slots[i];
}

static void move_slot(
	struct tn_name_slot *slots, size_t capacity, struct tn_name_slot slot)
{
	size_t i = slot.hash & (capacity - 1);

	while (slots[i].text)
		i = (i + 1) & (capacity - 1);
	slots[i] = slot;
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
			move_slot(slots, bigger, names->slots[i]);
	names->slots = slots;
	names->capacity = bigger;
	return true;
}

enum tn_name_result tn_names_add(struct tn_names *names, const char *text, uint32_t index)
{
	const uint32_t hash = hash_of(text);
	struct tn_name_slot *slot;

	if (names->count * 2 >= names->capacity && !grow(names))
		return NAME_NOMEM;
	slot = slot_of(names->slots, names->capacity, text, hash);
	if (slot->text)
		return NAME_TAKEN;
	*slot = (struct tn_name_slot){ text, index, hash };
	names->count++;
	return NAME_ADDED;
}

uint32_t tn_names_find(const struct tn_names *names, const char *text)
{
	const struct tn_name_slot *slot;

	if (!names->capacity)
		return UINT32_MAX;
	slot = slot_of(names->slots, names->capacity, text, hash_of(text));
	return slot->text ? slot->index : UINT32_MAX;
}
