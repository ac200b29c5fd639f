/* What each byte of a memory holds: a sorted list of disjoint ranges, each of consecutive
 * bytes of one value. Bytes in no range hold nothing. */
#ifndef TN_VERIFY_MEMORY_H
#define TN_VERIFY_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

#define TN_NOTHING UINT32_MAX /* the value of a byte that holds none */

struct tn_segment {
	int64_t begin, end; /* bytes of the memory, half-open, begin < end */
	int64_t at; /* the byte of the value that is at `begin` */
	uint32_t value;
};

/* What is not used of the array is a gap where the last change was: kernels go on where they
 * were, so that the next one moves little, however many segments there are. */
struct tn_memory {
	struct tn_segment *items; /* neighbours that continue each other are one */
	size_t count, capacity;
	size_t gap; /* that many are before it */
	size_t hint; /* where the last search ended */
};

/* Segment k of `count`. */
static inline struct tn_segment *tn_memory_item(const struct tn_memory *m, size_t k)
{
	return &m->items[k < m->gap ? k : k + (m->capacity - m->count)];
}

/* What is at a byte, and for how many bytes that goes on. */
struct tn_content {
	uint32_t value; /* or TN_NOTHING */
	int64_t at; /* byte of the value */
	int64_t run; /* > 0 */
};
struct tn_content tn_memory_at(struct tn_memory *m, int64_t at);

/* Puts the bytes from `at` of a value at [begin, end); TN_NOTHING erases. This and copy:
 * false when memory ran out. */
bool tn_memory_write(struct tn_memory *m, struct tn_arena *arena, int64_t begin,
	int64_t end, uint32_t value, int64_t at);
bool tn_memory_copy(struct tn_memory *to, struct tn_arena *arena, int64_t begin,
	struct tn_memory *from, int64_t from_begin, int64_t len);

/* How many of `len` bytes from `begin` hold what `want` holds from `want_begin`, up to the
 * first that does not. Where `want` holds nothing: a strict match fails, another does not
 * care. */
int64_t tn_memory_match(struct tn_memory *m, int64_t begin, struct tn_memory *want,
	int64_t want_begin, int64_t len, bool strict);

#endif
