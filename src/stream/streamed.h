/* The chains of a plan that is to be made, and what they change for everything else: for
 * others a chain is one moment, in which all that it touches is there. */
#ifndef TN_STREAM_STREAMED_H
#define TN_STREAM_STREAMED_H

#include "stream/events.h"

struct tn_way {
	bool descending;
	struct tn_events events;
};

struct tn_stream {
	struct tn_chain chain;
	struct tn_way ways[2]; /* with the same rings */
	uint32_t n_ways;
	int64_t bytes; /* that it needs in memory by itself: rings, state, and what the
	                  output needs beyond the inputs */
};

struct tn_streamed {
	struct tn_stream **list; /* by position */
	uint32_t n;
	uint32_t *of_op; /* by op: index in the list, or TN_NONE */
	int64_t *ring_bytes; /* by tensor; 0: whole */
	struct tn_liveness live; /* of the graph, with the chains as moments */
};

/* What positions a chain has. */
struct tn_stream_pick {
	uint32_t first, n;
};

/* Fills in ways and bytes of a chain, for offsets with this alignment. */
enum tn_status TN_MUST_CHECK tn_stream_weigh(const struct tn_stream_view *v,
	int64_t align, struct tn_arena *arena, struct tn_stream *s);

enum tn_status TN_MUST_CHECK tn_streamed_make(const struct tn_stream_view *v,
	const struct tn_stream_pick *picks, uint32_t n, int64_t align,
	struct tn_arena *arena, struct tn_streamed *out);

#endif
