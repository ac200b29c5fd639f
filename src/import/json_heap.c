/* A piece has its size in grains before it, so that jansson, which frees the copy of each
 * key, gets the same bytes for the next one. Blocks double from 4 to 256 KiB. */
#include "import/json_heap.h"

#include <jansson.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/banned.h"

#define BLOCK_MIN ((size_t)4096)
#define BLOCK_MAX ((size_t)1 << 18)
#define LARGE	  UINT64_MAX /* instead of a number of grains */

struct tn_json_block {
	struct tn_json_block *next;
	size_t size; /* of the data */
	uint64_t data[];
};

/* Before each piece. */
struct head {
	uint64_t grains;
};

struct tn_json_large {
	struct tn_json_large *next, *before;
	struct head head;
};

static _Thread_local struct tn_json_heap *active;

/* Whoever had set them before; for all that is not parsed by this module. */
static json_malloc_t outer_malloc;
static json_free_t outer_free;

static void *large_new(struct tn_json_heap *heap, size_t size)
{
	struct tn_json_large *l =
		size < SIZE_MAX - sizeof(*l) ? malloc(sizeof(*l) + size) : NULL;

	if (!l)
		return NULL;
	*l = (struct tn_json_large){ heap->large, NULL, { LARGE } };
	if (heap->large)
		heap->large->before = l;
	heap->large = l;
	return l + 1;
}

static void large_free(struct tn_json_heap *heap, struct tn_json_large *l)
{
	if (l->next)
		l->next->before = l->before;
	if (l->before)
		l->before->next = l->next;
	else
		heap->large = l->next;
	free(l);
}

static bool add_block(struct tn_json_heap *heap)
{
	size_t size = heap->blocks ? 2 * heap->blocks->size : BLOCK_MIN;
	struct tn_json_block *block;

	size = size < BLOCK_MAX ? size : BLOCK_MAX;
	block = malloc(sizeof(*block) + size);
	if (!block)
		return false;
	block->next = heap->blocks;
	block->size = size;
	heap->blocks = block;
	heap->at = (char *)block->data;
	heap->end = heap->at + size;
	return true;
}

static void *piece_new(struct tn_json_heap *heap, size_t size)
{
	const size_t grains = (size + TN_JSON_GRAIN - 1) / TN_JSON_GRAIN;
	const size_t whole = sizeof(struct head) + grains * TN_JSON_GRAIN;
	struct head *head;

	if (heap->freed[grains]) {
		void *piece = heap->freed[grains];

		memcpy(&heap->freed[grains], piece, sizeof(void *));
		return piece;
	}
	if ((size_t)(heap->end - heap->at) < whole && !add_block(heap))
		return NULL;
	head = (struct head *)(void *)heap->at;
	head->grains = grains;
	heap->at += whole;
	return head + 1;
}

static void *heap_malloc(size_t size)
{
	struct tn_json_heap *heap = active;
	void *piece;

	if (!heap)
		return outer_malloc(size);
	size = size ? size : 1;
	piece = size > TN_JSON_PIECE_MAX ? large_new(heap, size) : piece_new(heap, size);
	heap->failed = heap->failed || !piece;
	return piece;
}

static void heap_free(void *piece)
{
	struct tn_json_heap *heap = active;
	struct head *head = (struct head *)piece - 1;

	if (!heap) {
		outer_free(piece);
	} else if (head->grains == LARGE) {
		large_free(heap, (struct tn_json_large *)piece - 1);
	} else {
		memcpy(piece, &heap->freed[head->grains], sizeof(void *));
		heap->freed[head->grains] = piece;
	}
}

void tn_json_heap_install(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	json_malloc_t allocate;
	json_free_t release;

	pthread_mutex_lock(&lock);
	json_get_alloc_funcs(&allocate, &release);
	if (allocate != heap_malloc) {
		outer_malloc = allocate;
		outer_free = release;
		json_set_alloc_funcs(heap_malloc, heap_free);
	}
	pthread_mutex_unlock(&lock);
}

void tn_json_heap_enter(struct tn_json_heap *heap)
{
	tn_json_heap_install();
	active = heap;
}

void tn_json_heap_leave(void)
{
	active = NULL;
}

void tn_json_heap_release(struct tn_json_heap *heap)
{
	while (heap->large) {
		struct tn_json_large *next = heap->large->next;

		free(heap->large);
		heap->large = next;
	}
	while (heap->blocks) {
		struct tn_json_block *next = heap->blocks->next;

		free(heap->blocks);
		heap->blocks = next;
	}
	*heap = (struct tn_json_heap){ 0 };
}
