#include "plan/scanfit.h"

#include <string.h>

#include "base/arena.h"
#include "base/checked.h"
#include "plan/improve.h"

/* Placed buffers by offset, in blocks so that an insertion moves little. */
#define BLOCK 512

struct block {
	uint32_t n;
	int64_t begin[BLOCK], end[BLOCK], low[BLOCK], top[BLOCK];
};

struct scan {
	struct tn_arena *arena;
	struct block **blocks;
	size_t n_blocks, capacity;
};

static bool insert_block(struct scan *s, size_t at)
{
	struct block *b = TN_NEW(s->arena, struct block);

	if (!b || s->n_blocks == s->capacity)
		return false;
	memmove(&s->blocks[at + 1], &s->blocks[at],
		(s->n_blocks - at) * sizeof(*s->blocks));
	s->blocks[at] = b;
	s->n_blocks++;
	return true;
}

static void move_tail(struct block *to, const struct block *from, uint32_t half)
{
	const size_t bytes = (from->n - half) * sizeof(int64_t);

	memcpy(to->begin, &from->begin[half], bytes);
	memcpy(to->end, &from->end[half], bytes);
	memcpy(to->low, &from->low[half], bytes);
	memcpy(to->top, &from->top[half], bytes);
	to->n = from->n - half;
}

static void insert_at(int64_t *array, uint32_t n, uint32_t at, int64_t value)
{
	memmove(&array[at + 1], &array[at], (n - at) * sizeof(*array));
	array[at] = value;
}

static bool insert(struct scan *s, const struct tn_buffer *buffer, int64_t offset)
{
	size_t i = 0;
	struct block *b;
	uint32_t at = 0;

	while (i + 1 < s->n_blocks && s->blocks[i + 1]->low[0] <= offset)
		i++;
	if (!s->n_blocks && !insert_block(s, 0))
		return false;
	if (s->blocks[i]->n == BLOCK) {
		if (!insert_block(s, i + 1))
			return false;
		move_tail(s->blocks[i + 1], s->blocks[i], BLOCK / 2);
		s->blocks[i]->n = BLOCK / 2;
		i += s->blocks[i + 1]->low[0] <= offset;
	}
	b = s->blocks[i];
	while (at < b->n && b->low[at] <= offset)
		at++;
	insert_at(b->begin, b->n, at, buffer->begin);
	insert_at(b->end, b->n, at, buffer->end);
	insert_at(b->low, b->n, at, offset);
	insert_at(b->top, b->n, at, offset + buffer->size);
	b->n++;
	return true;
}

static int64_t lowest(const struct scan *s, const struct tn_buffer *buffer, int64_t *work)
{
	int64_t at = 0;

	for (size_t i = 0; i < s->n_blocks; i++) {
		const struct block *b = s->blocks[i];

		*work -= b->n;
		for (uint32_t j = 0; j < b->n; j++) {
			if (b->begin[j] >= buffer->end || b->end[j] <= buffer->begin ||
				b->top[j] <= at)
				continue;
			if (b->low[j] >= at + buffer->size)
				return at;
			if (!tn_align_up_i64(b->top[j], buffer->align, &at))
				return INT64_MAX;
		}
	}
	return at;
}

enum tn_status tn_scanfit(const struct tn_problem *p, const uint32_t *order,
	int64_t limit, double until, int64_t *work, int64_t *offset, int64_t *out_height)
{
	struct tn_arena arena;
	struct scan s = { .arena = &arena };
	enum tn_status status = TN_ERR_NOMEM;

	tn_arena_init(&arena);
	s.capacity = 2 * ((size_t)p->n_buffers / BLOCK + 1) + 1;
	s.blocks = TN_NEW_ARRAY(&arena, struct block *, s.capacity + 1);
	*out_height = 0;
	if (!s.blocks)
		goto out;
	for (int fixed = 1; fixed >= 0; fixed--) {
		for (uint32_t i = 0; i < p->n_buffers && *out_height < limit; i++) {
			const struct tn_buffer *b = &p->buffers[order[i]];

			if ((b->fixed >= 0) != fixed)
				continue;
			if (*work <= 0 || (i % 64 == 0 && tn_clock_passed(until))) {
				*out_height = INT64_MAX;
				break;
			}
			offset[order[i]] = fixed     ? b->fixed
					   : b->size ? lowest(&s, b, work)
						     : 0;
			*out_height = tn_max_i64(*out_height, offset[order[i]] + b->size);
			if (b->size && !insert(&s, b, offset[order[i]]))
				goto out;
		}
	}
	if (*out_height >= limit)
		*out_height = INT64_MAX;
	status = TN_OK;
out:
	tn_arena_release(&arena);
	return status;
}
