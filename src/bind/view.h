/* Which tensors need storage, and where a view's bytes are. */
#ifndef TN_BIND_VIEW_H
#define TN_BIND_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "ir/graph.h"

/* The tensor whose storage a view's bytes are in (itself when it is no view) and their
 * byte offset there. False for what is not a dense range of whole bytes inside that
 * storage, or a cycle. */
bool tn_view_root(const struct tn_graph *g, tn_tensor_id id, tn_tensor_id *out_root,
	int64_t *out_offset);

/* The constant that the tensor's bytes are in: itself or, for a view, its root, with the
 * byte offset there. NULL when it is no constant, or has no bytes. */
const struct tn_tensor *tn_constant_of(
	const struct tn_graph *g, tn_tensor_id id, int64_t *out_offset);

/* By tensor id: is it no constant, and an operand of some op, a graph input, a graph
 * output, a variable, or the root of such a one? NULL on lack of memory. */
bool *tn_tensors_used(const struct tn_graph *g, struct tn_arena *arena);

#endif
