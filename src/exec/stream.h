/* Chains of ops that run row by row, inside the executor. */
#ifndef TN_EXEC_STREAM_H
#define TN_EXEC_STREAM_H

#include "exec/exec.h"

/* An event of the plan's list, loops unrolled. */
struct tn_exec_event {
	uint32_t position; /* of its op; TN_NONE: the caller */
	int64_t y, end; /* rows, half-open */
};

/* A tensor that the chain touches, and when its rows are there: indices of events. */
struct tn_exec_rows {
	uint32_t tensor;
	int64_t n;
	int64_t *written; /* by row; -1: before the chain */
	int64_t *read; /* by row, last; INT64_MAX: behind the chain */
};

struct tn_exec_stream {
	const struct tn_plan_stream *plan;
	struct tn_exec_event *events;
	uint32_t n_events;
	struct tn_exec_rows *rows;
	uint32_t n_rows;
	const uint8_t *given; /* when the chain is fed: the whole input */
	void **params; /* by op of the chain: its call's, with the rows of the event */
};

/* All chains of the plan. */
enum tn_status TN_MUST_CHECK tn_exec_streams_new(
	struct tn_exec *e, struct tn_arena *arena);

/* Event k. Rows of rings are also put together in e->whole. */
void tn_exec_stream_run(
	const struct tn_exec *e, const struct tn_exec_stream *s, uint32_t k);

/* Marks in e->needed what of region r is needed behind event k. */
void tn_exec_stream_mark(const struct tn_exec *e, const struct tn_exec_stream *s,
	uint32_t k, uint32_t region);

#endif
