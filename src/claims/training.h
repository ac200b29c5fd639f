/* What training adds to a graph: ops that say themselves that they work in place, and
 * statistics that a normalisation updates while it runs. */
#ifndef TN_CLAIMS_TRAINING_H
#define TN_CLAIMS_TRAINING_H

#include "base/arena.h"
#include "base/status.h"
#include "ir/graph.h"

/* Does the type or the attribute `inplace` say that the op writes over its operand? */
bool tn_op_says_in_place(const struct tn_op *op);

/* The graph as it runs in training: a batch normalisation writes its running statistics,
 * which are state. *out is g itself when there is none. */
enum tn_status TN_MUST_CHECK tn_training_graph(
	const struct tn_graph *g, struct tn_arena *arena, const struct tn_graph **out);

/* The claims that ops make by saying that they work in place on another tensor's storage;
 * *out_any: some op says so, be it on its own operand. */
enum tn_status TN_MUST_CHECK tn_training_claims(const struct tn_graph *g,
	struct tn_arena *arena, const struct tn_claim ***out, uint32_t *out_n,
	bool *out_any);

#endif
