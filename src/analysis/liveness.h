/* When is a value needed? In half-steps: the op at position k reads in half-step 2k and
 * writes in 2k + 1. Spans are closed: [first, last]. */
#ifndef TN_ANALYSIS_LIVENESS_H
#define TN_ANALYSIS_LIVENESS_H

#include "analysis/alias.h"
#include "analysis/order.h"

/* Why the last half-step is what it is. */
enum tn_life_reason {
	LIFE_UNUSED, /* never read: lives while it is written */
	LIFE_READ, /* `last_reader` reads it last */
	LIFE_OUTPUT, /* the caller reads it at the end */
	LIFE_OBSERVED, /* must keep its value to the end */
	LIFE_PRESERVED, /* an input that the caller wants back unchanged */
	LIFE_STATE, /* a variable lives for ever */
};

struct tn_span {
	int64_t first, last; /* half-steps, closed; first > last: needs no memory */
	tn_op_id producer; /* TN_NONE: written before the run */
	tn_op_id last_reader; /* TN_NONE: nobody reads it */
	enum tn_life_reason reason;
};

struct tn_liveness {
	struct tn_span *tensor; /* by tensor: of the value alone */
	struct tn_span *root; /* by tensor: of the whole alias class; only at roots */
	uint32_t n_tensors;
	int64_t end; /* half-step at which the caller reads: 2 * ops */
};

enum tn_status TN_MUST_CHECK tn_liveness_find(const struct tn_graph *g,
	const struct tn_order *order, const struct tn_aliases *aliases,
	struct tn_arena *arena, struct tn_liveness *out);

void tn_liveness_print(
	const struct tn_graph *g, const struct tn_liveness *live, struct tn_strbuf *out);

/* The half-step from which the root's bytes are free for others. A value that is read at
 * 2k is still there while op k writes, so its memory is free from 2k + 2. */
int64_t tn_span_end(const struct tn_span *span);

#endif
