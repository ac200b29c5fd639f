#include "plan/timefit.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/checked.h"
#include "plan/sort.h"

/* The live buffers by offset, in blocks. A block knows its widest gap: that before its
 * first buffer, from the end of the block below, or one between two of its own. */
#define BLOCK 128

struct block {
	uint32_t n; /* never 0 */
	uint32_t id[BLOCK];
	int64_t gap;
};

struct live {
	struct tn_arena *arena;
	const struct tn_problem *p;
	const int64_t *offset;
	struct block **blocks;
	size_t n_blocks, capacity;
	struct block *spare; /* one that has become empty */
};

static int64_t top(const struct live *l, uint32_t id)
{
	return l->offset[id] + l->p->buffers[id].size;
}

/* Where the block's first gap begins. */
static int64_t below(const struct live *l, size_t i)
{
	const struct block *b = i ? l->blocks[i - 1] : NULL;

	return b ? top(l, b->id[b->n - 1]) : 0;
}

static void measure(struct live *l, size_t i)
{
	struct block *b = i < l->n_blocks ? l->blocks[i] : NULL;
	int64_t at = b ? below(l, i) : 0;

	for (uint32_t j = 0; b && j < b->n; j++) {
		const int64_t gap = l->offset[b->id[j]] - at;

		b->gap = j ? tn_max_i64(b->gap, gap) : gap;
		at = top(l, b->id[j]);
	}
}

/* The block that `at` belongs into: the last one that starts at or below it. */
static size_t block_of(const struct live *l, int64_t at)
{
	size_t lo = 0, hi = l->n_blocks;

	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;

		if (l->offset[l->blocks[mid]->id[0]] <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? lo - 1 : 0;
}

static struct block *block_new(struct live *l)
{
	struct block *b = l->spare;

	l->spare = NULL;
	return b ? b : TN_NEW(l->arena, struct block);
}

static bool open_block(struct live *l, size_t at)
{
	if (l->n_blocks == l->capacity) {
		const size_t capacity = l->capacity ? 2 * l->capacity : 64;
		struct block **grown = TN_NEW_ARRAY(l->arena, struct block *, capacity);

		if (!grown)
			return false;
		if (l->n_blocks)
			memcpy(grown, l->blocks, l->n_blocks * sizeof(*grown));
		l->blocks = grown;
		l->capacity = capacity;
	}
	memmove(&l->blocks[at + 1], &l->blocks[at],
		(l->n_blocks - at) * sizeof(*l->blocks));
	l->blocks[at] = block_new(l);
	if (!l->blocks[at])
		return false;
	l->blocks[at]->n = 0;
	l->n_blocks++;
	return true;
}

static bool insert(struct live *l, uint32_t id)
{
	size_t i = block_of(l, l->offset[id]);
	struct block *b;
	uint32_t at = 0;

	if (!l->n_blocks && !open_block(l, 0))
		return false;
	if (l->blocks[i]->n == BLOCK) {
		struct block *full = l->blocks[i];

		if (!open_block(l, i + 1))
			return false;
		full->n = BLOCK / 2;
		l->blocks[i + 1]->n = BLOCK - BLOCK / 2;
		memcpy(l->blocks[i + 1]->id, &full->id[BLOCK / 2],
			l->blocks[i + 1]->n * sizeof(full->id[0]));
		measure(l, i);
		i += l->offset[l->blocks[i + 1]->id[0]] <= l->offset[id];
	}
	b = l->blocks[i];
	while (at < b->n && l->offset[b->id[at]] <= l->offset[id])
		at++;
	memmove(&b->id[at + 1], &b->id[at], (b->n - at) * sizeof(b->id[0]));
	b->id[at] = id;
	b->n++;
	measure(l, i);
	measure(l, i + 1);
	return true;
}

static void erase(struct live *l, uint32_t id)
{
	const size_t i = block_of(l, l->offset[id]);
	struct block *b;
	uint32_t at = 0;

	assert(i < l->n_blocks); /* the id is in one of them */
	b = l->blocks[i];
	while (b->id[at] != id)
		at++;
	memmove(&b->id[at], &b->id[at + 1], (b->n - at - 1) * sizeof(b->id[0]));
	if (--b->n == 0) {
		l->spare = b;
		memmove(&l->blocks[i], &l->blocks[i + 1],
			(l->n_blocks - i - 1) * sizeof(*l->blocks));
		l->n_blocks--;
		measure(l, i);
		return;
	}
	measure(l, i);
	measure(l, i + 1);
}

/* The lowest gap that takes the buffer. The aligned start of a gap may lie behind its end:
 * then it takes nothing. */
static bool lowest(const struct live *l, const struct tn_buffer *buffer, int64_t *out)
{
	for (size_t i = 0; i < l->n_blocks; i++) {
		const struct block *b = l->blocks[i];
		int64_t at = below(l, i);

		if (b->gap < buffer->size)
			continue;
		for (uint32_t j = 0; j < b->n; j++) {
			if (!tn_align_up_i64(at, buffer->align, out))
				return false;
			if (l->offset[b->id[j]] - *out >= buffer->size)
				return true;
			at = top(l, b->id[j]);
		}
	}
	return tn_align_up_i64(below(l, l->n_blocks), buffer->align, out);
}

static bool hand_out(struct live *l, int64_t *offset, const struct tn_sort_key *births,
	const struct tn_sort_key *deaths, size_t n, int64_t limit, int64_t *height)
{
	size_t gone = 0;

	for (size_t i = 0; i < n && *height < limit; i++) {
		const uint32_t x = births[i].id;

		for (; gone < n && deaths[gone].key <= births[i].key; gone++)
			erase(l, deaths[gone].id);
		if (!lowest(l, &l->p->buffers[x], &offset[x]) || !insert(l, x))
			return false;
		*height = tn_max_i64(*height, top(l, x));
	}
	return true;
}

/* Moments may be anything, so they are mirrored by complement, which cannot overflow. */
enum tn_status tn_timefit(const struct tn_problem *p, bool backwards, int64_t limit,
	int64_t *offset, int64_t *out_height)
{
	struct tn_arena arena;
	struct live l = { .arena = &arena, .p = p, .offset = offset };
	struct tn_sort_key *births, *deaths;
	enum tn_status status = TN_ERR_NOMEM;
	size_t n = 0;

	tn_arena_init(&arena);
	births = TN_NEW_ARRAY(&arena, struct tn_sort_key, p->n_buffers);
	deaths = TN_NEW_ARRAY(&arena, struct tn_sort_key, p->n_buffers);
	*out_height = 0;
	for (uint32_t i = 0; births && deaths && i < p->n_buffers; i++) {
		const struct tn_buffer *b = &p->buffers[i];

		offset[i] = 0;
		if (!b->size)
			continue;
		births[n] = (struct tn_sort_key){ backwards ? ~b->end : b->begin, i };
		deaths[n++] = (struct tn_sort_key){ backwards ? ~b->begin : b->end, i };
	}
	if (births && deaths) {
		tn_sort(births, n);
		tn_sort(deaths, n);
		if (hand_out(&l, offset, births, deaths, n, limit, out_height))
			status = TN_OK;
	}
	if (*out_height >= limit)
		*out_height = INT64_MAX;
	tn_arena_release(&arena);
	return status;
}
