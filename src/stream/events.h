/* The static list of what a chain does: which rows of which op, one event after the other,
 * and what follows from it: how many rows each ring holds, and how far the chain's output
 * may run after its input. All of it exact for the list, by walking it. */
#ifndef TN_STREAM_EVENTS_H
#define TN_STREAM_EVENTS_H

#include "plan/plan.h"
#include "stream/chain.h"

struct tn_event {
	uint32_t op; /* index in the chain */
	int64_t y, end; /* rows, half-open */
};

/* An input from outside that dies in the chain, against the chain's output: the rule of
 * tn_contract_displacement, for the chain as if it were one op. */
struct tn_chain_pair {
	uint32_t tensor;
	int64_t d;
};

struct tn_events {
	struct tn_event *list;
	uint32_t n;
	int64_t ring[TN_CHAIN_OPS_MAX]; /* by op: bytes of its output's ring; 0: whole */
	struct tn_chain_pair
		pairs[TN_CHAIN_OPS_MAX]; /* inputs of the chain, all of them */
	uint32_t n_pairs;
	int64_t ring_bytes, state_bytes; /* sums, each rounded up to the alignment */
};

/* Rows that the chain's ops run over, together: a measure of the work below. */
int64_t tn_chain_rows(const struct tn_chain *c);

/* The last op pulls its rows one after the other, ascending or descending; an op computes
 * those of its rows that are needed next, in order, each once; rows that nobody needs come
 * last. Each op's row is one event; neighbours of one op are joined. */
enum tn_status TN_MUST_CHECK tn_events_make(const struct tn_stream_view *v,
	const struct tn_chain *c, bool descending, int64_t align, struct tn_arena *arena,
	struct tn_events *out);

/* The list as loops, for a plan. */
enum tn_status TN_MUST_CHECK tn_events_fold(const struct tn_chain *c,
	const struct tn_events *e, struct tn_arena *arena, struct tn_plan_stream *out);

#endif
