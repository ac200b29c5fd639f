/* Blocks double from 4 KiB to 1 MiB; a larger request gets a block of its own, put behind
 * the head so that the head's free tail stays in use. With TN_ARENA_DEBUG every request
 * is a block of its own, so that a sanitizer sees the end of each object. */
#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/banned.h"
#include "base/message.h"

#define BLOCK_MIN ((size_t)4096)
#define BLOCK_MAX ((size_t)1 << 20)
#define USUAL	  256 /* bytes of a printed text; more needs a second try */

struct tn_arena_block {
	struct tn_arena_block *next;
	size_t size;
	max_align_t data[];
};

void tn_arena_init(struct tn_arena *arena)
{
	arena->head = NULL;
	arena->used = 0;
}

void tn_arena_release(struct tn_arena *arena)
{
	struct tn_arena_block *block = arena->head;

	while (block) {
		struct tn_arena_block *next = block->next;

		free(block);
		block = next;
	}
	tn_arena_init(arena);
}

/* A large block that shall be zero is cheapest as the system's own fresh pages. */
static struct tn_arena_block *block_new(size_t size, bool zeroed)
{
	struct tn_arena_block *block;

	if (size > SIZE_MAX - sizeof(*block))
		return NULL;
	block = zeroed ? calloc(1, sizeof(*block) + size) : malloc(sizeof(*block) + size);
	if (!block)
		return NULL;
	block->next = NULL;
	block->size = size;
	return block;
}

static void *alloc_alone(struct tn_arena *arena, size_t size)
{
	struct tn_arena_block *block = block_new(size, true);

	if (!block)
		return NULL;
	if (arena->head) {
		block->next = arena->head->next;
		arena->head->next = block;
	} else {
		arena->head = block;
		arena->used = size;
	}
	return block->data;
}

void *tn_arena_alloc(struct tn_arena *arena, size_t size)
{
	const size_t align = sizeof(max_align_t);
	size_t room;
	void *result;

#ifdef TN_ARENA_DEBUG
	return alloc_alone(arena, size);
#endif
	if (size > SIZE_MAX - align)
		return NULL;
	size = (size + align - 1) / align * align;
	room = arena->head ? arena->head->size - arena->used : 0;
	if (!arena->head || size > room) {
		size_t want = arena->head ? arena->head->size * 2 : BLOCK_MIN;
		struct tn_arena_block *block;

		if (want > BLOCK_MAX)
			want = BLOCK_MAX;
		if (want < BLOCK_MIN)
			want = BLOCK_MIN;
		if (size > want / 4)
			return alloc_alone(arena, size);
		block = block_new(want, false);
		if (!block)
			return NULL;
		block->next = arena->head;
		arena->head = block;
		arena->used = 0;
	}
	result = (char *)arena->head->data + arena->used;
	arena->used += size;
	memset(result, 0, size);
	return result;
}

void *tn_arena_array(struct tn_arena *arena, size_t count, size_t size)
{
	size_t total;

	if (__builtin_mul_overflow(count, size, &total))
		return NULL;
	return tn_arena_alloc(arena, total);
}

char *tn_arena_strndup(struct tn_arena *arena, const char *text, size_t len)
{
	char *copy = len < SIZE_MAX ? tn_arena_alloc(arena, len + 1) : NULL;

	if (copy)
		memcpy(copy, text, len);
	return copy;
}

char *tn_arena_strdup(struct tn_arena *arena, const char *text)
{
	return tn_arena_strndup(arena, text, strlen(text));
}

char *tn_arena_vprintf(struct tn_arena *arena, const char *fmt, va_list args)
{
	char usual[USUAL];
	va_list again;
	char *text;
	int len;

	len = tn_message(usual, sizeof(usual), fmt, args);
	if (len < 0) {
		va_copy(again, args);
		len = vsnprintf(usual, sizeof(usual), fmt, again);
		va_end(again);
	}
	if (len < 0)
		return NULL;
	if ((size_t)len < sizeof(usual))
		return tn_arena_strndup(arena, usual, (size_t)len);
	text = tn_arena_alloc(arena, (size_t)len + 1);
	if (text)
		vsnprintf(text, (size_t)len + 1, fmt, args);
	return text;
}

char *tn_arena_printf(struct tn_arena *arena, const char *fmt, ...)
{
	va_list args;
	char *text;

	va_start(args, fmt);
	text = tn_arena_vprintf(arena, fmt, args);
	va_end(args);
	return text;
}
