/* From names to indices: how files refer to tensors and ops. */
#ifndef TN_IMPORT_NAMES_H
#define TN_IMPORT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct tn_names {
	struct tn_arena *arena;
	struct tn_name_slot *slots;
	size_t capacity, count;
};

enum tn_name_result { NAME_ADDED, NAME_TAKEN, NAME_NOMEM };

/* The text is borrowed and must outlive the table. */
enum tn_name_result tn_names_add(
	struct tn_names *names, const char *text, uint32_t index);

/* UINT32_MAX when there is no such name. */
uint32_t tn_names_find(const struct tn_names *names, const char *text);

#endif
