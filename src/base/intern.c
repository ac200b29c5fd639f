#include "base/intern.h"

#include <stdint.h>
#include <string.h>

#include "base/banned.h"
#include "base/fnv.h"

void tn_strings_init(struct tn_strings *strings, struct tn_arena *arena)
{
	*strings = (struct tn_strings){ .arena = arena };
}

/* The hash stands beside the text, so that a table grows without a look at its texts. */
struct tn_string_slot {
	const char *text; /* NULL: free */
	uint64_t hash;
};

static struct tn_string_slot *find_slot(struct tn_string_slot *slots, size_t capacity,
	uint64_t hash, const char *text, size_t len)
{
	size_t i = (size_t)hash & (capacity - 1);

	while (slots[i].text &&
		(slots[i].hash != hash || strncmp(slots[i].text, text, len) != 0 ||
			slots[i].text[len] != '\0'))
		i = (i + 1) & (capacity - 1);
	return &slots[i];
}

static void move_slot(
	struct tn_string_slot *slots, size_t capacity, struct tn_string_slot slot)
{
	size_t i = (size_t)slot.hash & (capacity - 1);

	while (slots[i].text)
		i = (i + 1) & (capacity - 1);
	slots[i] = slot;
}

static bool grow(struct tn_strings *strings)
{
	size_t bigger = strings->capacity ? strings->capacity * 2 : 64;
	struct tn_string_slot *slots =
		TN_NEW_ARRAY(strings->arena, struct tn_string_slot, bigger);

	if (!slots)
		return false;
	for (size_t i = 0; i < strings->capacity; i++)
		if (strings->slots[i].text)
			move_slot(slots, bigger, strings->slots[i]);
	strings->slots = slots;
	strings->capacity = bigger;
	return true;
}

const char *tn_str_intern(struct tn_strings *strings, const char *text, size_t len)
{
	const uint64_t hash = tn_fnv(TN_FNV_INIT, text, len);
	struct tn_string_slot *slot;

	if (strings->count * 2 >= strings->capacity && !grow(strings))
		return NULL;
	slot = find_slot(strings->slots, strings->capacity, hash, text, len);
	if (!slot->text) {
		slot->text = tn_arena_strndup(strings->arena, text, len);
		slot->hash = hash;
		if (slot->text)
			strings->count++;
	}
	return slot->text;
}
