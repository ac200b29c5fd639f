/* What lies in memory, bit by bit: which bit of which value, and which event put it there.
 * Sorted ranges; ranges that continue each other are one. */
#ifndef TN_CLAIMS_CELLS_H
#define TN_CLAIMS_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

#define CELL_EMPTY   UINT32_MAX /* never written */
#define CELL_GARBAGE (UINT32_MAX - 1) /* written with nothing that anybody wants */
#define EVENT_NONE   UINT32_MAX

struct tn_cell {
	int64_t begin, end; /* bits, half-open */
	int64_t at; /* bit of the value that is at `begin`; 0 when empty or garbage */
	uint32_t value;
	uint32_t event;
};

/* What is not used of the array is a gap where the last change was: kernels go on where they
 * were, so that the next one moves little, however many ranges there are. */
struct tn_cells {
	struct tn_cell *items; /* see tn_cells_item */
	size_t count, capacity;
	size_t gap; /* that many are before it */
	size_t hint; /* where the last search ended */
	int64_t cost; /* ranges that were moved about, since it was last asked for */
};

/* Range k of `count`. */
static inline struct tn_cell *tn_cells_item(const struct tn_cells *m, size_t k)
{
	return &m->items[k < m->gap ? k : k + (m->capacity - m->count)];
}

/* Ranges that changes have moved since the last time this was asked: what they have cost. */
static inline int64_t tn_cells_cost(struct tn_cells *m)
{
	const int64_t cost = m->cost;

	m->cost = 0;
	return cost;
}

/* The range that holds a bit, cut so that it begins there. */
struct tn_cell tn_cells_at(struct tn_cells *m, int64_t bit);

/* Both: false when memory ran out. An empty cell erases. */
bool tn_cells_put(struct tn_cells *m, struct tn_arena *arena, struct tn_cell cell);

/* Copies `len` bits. The event of the copy is `event`, or, when that is EVENT_NONE, the
 * one of the original. */
bool tn_cells_copy(struct tn_cells *to, struct tn_arena *arena, int64_t to_begin,
	struct tn_cells *from, int64_t from_begin, int64_t len, uint32_t event);

#endif
