/* Streaming: may the ops at consecutive positions of the order run together, row by row?
 * A chain's ops all feed the last one, which pulls the rows that it needs; what lies
 * between two of them is kept for a few rows only. */
#ifndef TN_STREAM_CHAIN_H
#define TN_STREAM_CHAIN_H

#include "analysis/alias.h"
#include "analysis/liveness.h"
#include "analysis/order.h"
#include "contract/row_op.h"
#include "plan/plan.h"

#define TN_CHAIN_OPS_MAX     64
#define TN_CHAIN_SOURCES_MAX 4

/* What the search for chains knows of the graph. */
struct tn_stream_view {
	const struct tn_graph *g;
	const struct tn_order *order;
	const struct tn_aliases *aliases;
	const struct tn_liveness *live;
	struct tn_row_op
		*rows; /* by op, not of a last one: kind ROWS_NONE if it cannot */
	struct tn_row_op *totals; /* by op, as the last of a chain */
	bool *alone; /* by tensor: the whole of its root, and nothing else is in there */
	uint32_t input; /* graph input that comes row by row, in a chain; or TN_NONE */
};

/* A tensor that an op of the chain reads in planned memory. */
struct tn_chain_source {
	uint32_t tensor;
	uint32_t producer; /* index in the chain; TN_NONE: from outside */
	int64_t row_bytes;
};

struct tn_chain_op {
	tn_op_id op; /* TN_PLAN_CALLER: the caller, who gives the rows of `out` */
	struct tn_row_op rows;
	struct tn_chain_source sources[TN_CHAIN_SOURCES_MAX]; /* in the order in which
	                                                         they are pulled */
	uint32_t n_sources;
	uint32_t out; /* tensor */
	int64_t out_row_bytes; /* of a ROWS_TOTAL: all */
};

struct tn_chain {
	uint32_t first; /* position */
	uint32_t n; /* the caller counts */
	bool fed; /* ops[0] is the caller; the positions start with ops[1] */
	struct tn_chain_op ops[TN_CHAIN_OPS_MAX];
};

enum tn_status TN_MUST_CHECK tn_stream_view_make(const struct tn_graph *g,
	const struct tn_order *order, const struct tn_aliases *aliases,
	const struct tn_liveness *live, uint32_t input, struct tn_arena *arena,
	struct tn_stream_view *out);

/* The position behind the chain. */
static inline uint32_t tn_chain_end(const struct tn_chain *c)
{
	return c->first + c->n - c->fed;
}

/* Does the op at this position run row by row, as the last of a chain or before it? */
bool tn_chain_may_have(const struct tn_stream_view *v, uint32_t position, bool last);

/* Do the ops at positions [first, first + n) form a chain, of two or more with the caller?
 * Nobody but they may read the input that the caller gives. */
bool tn_chain_of(
	const struct tn_stream_view *v, uint32_t first, uint32_t n, struct tn_chain *out);

/* May the output of the chain lie over this input from outside, byte by byte as it dies? */
bool tn_chain_eats(
	const struct tn_stream_view *v, const struct tn_chain *c, uint32_t tensor);

#endif
