/* The state of a fill search and its moves. Internal to fill*.c. */
#ifndef TN_PLAN_FILL_STATE_H
#define TN_PLAN_FILL_STATE_H

#include "plan/fill.h"
#include "plan/pairs.h"

struct tn_fill_item {
	uint32_t id; /* buffer of the problem */
	uint32_t lo, hi; /* columns [lo, hi) */
	uint32_t twin; /* an earlier item, alike in all respects; TN_FILL_NONE: none */
	int64_t size; /* rounded up to the common alignment */
	int64_t raw; /* as given */
	int64_t align;
	int64_t fixed; /* or -1 */
	uint64_t hash[2];
};

#define TN_FILL_NONE UINT32_MAX

/* What a linked item may not do: start at `lo < offset - other's offset < hi`, by variant
 * of the group; in whole cells. */
struct tn_fill_link {
	uint32_t other; /* item */
	uint32_t group;
	struct tn_gap gap[TN_GROUP_VARIANTS_MAX];
};

/* Items whose links are judged by one common variant. Those on the left have `border` as
 * their last column, those on the right begin in the next. */
struct tn_fill_group {
	uint32_t border;
	uint32_t waiting[2]; /* unplaced items, left and right */
	uint32_t member_first; /* in members; up to that of the next group */
	uint64_t memory; /* of the offsets of placed items; 0: none is placed */
	uint8_t variants; /* bit v: still possible */
};

struct tn_fill_column {
	int64_t floor; /* everything below is settled */
	int64_t rest; /* sizes of the unplaced items in it */
	uint32_t count; /* unplaced items in it */
	uint32_t ready; /* of them, those that can start on the floor */
	uint32_t crossing; /* of them, those that go on into the next column; and groups
	                      with unplaced items on both sides of the border */
	uint64_t hash[2]; /* of the unplaced items that begin in it */
};

struct tn_fill_undo {
	uint32_t item; /* whose placing changed it */
	uint32_t group;
	struct tn_fill_group was;
};

/* What a level of the search keeps to undo its branches. */
struct tn_fill_level {
	struct tn_fill_column *columns;
	int64_t *start;
	uint32_t *candidates; /* and a second copy behind them */
	uint64_t (*keys)[2]; /* of the states that the level went through */
	uint32_t n_keys, keys_capacity;
	size_t columns_capacity, start_capacity, candidates_capacity;
};

struct tn_fill_memo {
	uint64_t key[2];
};

struct tn_fill {
	struct tn_arena *arena;
	struct tn_fill_item *items; /* by first column */
	uint32_t n_items, n_columns;
	int64_t cell; /* greatest common alignment */
	int64_t step; /* divides every offset worth looking at */
	int64_t grain; /* divides every height worth looking at */
	uint32_t *from; /* by column: the first item that begins there or later */
	size_t *member_first;
	uint32_t *member; /* items by column */
	size_t *rival_first;
	uint32_t *rival; /* items that share a column, by item */
	size_t *pinned_first;
	uint32_t *pinned; /* of them, the fixed ones, by offset */
	uint64_t (*floor_hash)[2]; /* by column */
	uint32_t *link_first; /* by item; n_items + 1 of them */
	struct tn_fill_link *links; /* by group within an item */
	struct tn_fill_group *groups, *fresh_groups;
	uint32_t *members; /* items by group */
	uint32_t n_groups;

	int64_t capacity, ceiling; /* the second in whole cells */
	struct tn_fill_column *columns, *fresh;
	int64_t *start, *fresh_start; /* by item: the lowest offset it can still have */
	int64_t *offset;
	bool *placed;
	uint32_t *stack; /* placed items, in order */
	uint32_t n_stack;
	struct tn_fill_undo *undo; /* groups as they were */
	uint32_t n_undo;

	const struct tn_fill_style *style;
	uint32_t *weight; /* by column: how often it made a state fail; over all runs */
	int64_t *rank; /* by item */
	double *score; /* scratch of a node */
	struct tn_fill_level *levels; /* by number of placed items */
	struct tn_fill_memo *memo;
	uint32_t memo_bits;
	int64_t steps, stop_at; /* over all runs */
	int64_t nodes; /* of this run */
	double until;
	uint32_t nodes_to_clock;
	size_t level_bytes; /* of all levels so far */
	bool stopped, no_memory;
};

/* Each returns false when a column cannot hold what is left; the state is then undefined
 * until it is restored. */
bool tn_fill_put(struct tn_fill *f, uint32_t item, int64_t at);
bool tn_fill_raise(struct tn_fill *f, uint32_t column, int64_t to);

/* All placed items beyond the first n are unplaced; floors and starts are the caller's. */
void tn_fill_unplace(struct tn_fill *f, uint32_t n);

/* The lowest offset >= from that alignment and fixed rivals allow; INT64_MAX for a fixed
 * item that lies below `from`. */
int64_t tn_fill_lift(const struct tn_fill *f, uint32_t item, int64_t from);

uint64_t tn_fill_mix(uint64_t x);

/* 16 * log2(x) for x > 0, rounded down; no floating point, so the same everywhere. */
int64_t tn_fill_log2(int64_t x);

#endif
