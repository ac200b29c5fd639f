/* The same graph for another number of samples. */
#ifndef TN_IR_BATCH_H
#define TN_IR_BATCH_H

#include "base/diag.h"
#include "base/status.h"
#include "ir/graph.h"

/* The batch: the first dimension of the graph's inputs; 0 when they have none in common. */
int64_t tn_batch_of(const struct tn_graph *g);

/* A copy in which every value that depends on an input has `batch` as its first dimension;
 * for planning, not for execution: constants that repeat a shape stay as they are. Only
 * tensors are new; they live in the arena. TN_ERR_INPUT, reported, when samples depend on
 * each other or that cannot be known: state, views, ops that are opaque or whose constants
 * say the batch. */
enum tn_status TN_MUST_CHECK tn_batch_scale(const struct tn_graph *g, int64_t batch,
	struct tn_arena *arena, struct tn_diags *diags, struct tn_graph *out);

#endif
