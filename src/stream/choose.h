/* Which ops run together: a segmentation of the order into chains and single ops that
 * needs the least memory at its fullest moment, then the fewest ops in chains. */
#ifndef TN_STREAM_CHOOSE_H
#define TN_STREAM_CHOOSE_H

#include "base/vec.h"
#include "stream/streamed.h"

struct tn_stream_cost {
	uint32_t n; /* ops of the chain */
	int64_t bytes; /* all that is live while it runs */
};

struct tn_stream_costs {
	uint32_t n; /* positions */
	const int64_t *alone; /* by position: what is live when the op runs by itself */
	uint32_t *first; /* by position: its chains in the list; n + 1 of them */
	struct tn_stream_cost *list;
	uint32_t max_ops; /* the longest chain that was looked at */
};

struct tn_stream_limits {
	int64_t align;
	uint32_t max_ops; /* of a chain; 0: as many as can be looked at */
};

/* `alone` is by position, in bytes; what it knows of overlap is the caller's. */
enum tn_status TN_MUST_CHECK tn_stream_costs_find(const struct tn_stream_view *v,
	const int64_t *alone, const struct tn_stream_limits *limits,
	struct tn_arena *arena, struct tn_stream_costs *out);

/* The least that the fullest moment of any segmentation needs; INT64_MAX: there is none,
 * no chain takes the caller's rows. */
enum tn_status TN_MUST_CHECK tn_stream_least(
	const struct tn_stream_costs *costs, int64_t *out_bytes);

/* The segmentation with no moment above `bytes`, which is not less than the least, and the
 * fewest ops in chains, then the fewest chains. */
enum tn_status TN_MUST_CHECK tn_stream_pick(const struct tn_stream_costs *costs,
	int64_t bytes, struct tn_arena *arena, struct tn_stream_pick **out,
	uint32_t *out_n);

/* Bytes that are live at each position when its op starts, rounded up one by one; not of
 * an input that comes row by row. */
int64_t *tn_stream_loads(
	const struct tn_stream_view *v, int64_t align, struct tn_arena *arena);

#endif
