/* Who reads a root's bytes, in execution order: a side table for O1. */
#ifndef TN_INPLACE_READERS_H
#define TN_INPLACE_READERS_H

#include "analysis/alias.h"
#include "analysis/order.h"

struct tn_reader {
	tn_op_id op;
	tn_tensor_id tensor; /* the member of the class that it reads */
};

struct tn_readers {
	struct tn_reader *list; /* grouped by root, in execution order; no elided views */
	uint32_t *first; /* by tensor: index of its group; n_tensors + 1 of them */
};

enum tn_status TN_MUST_CHECK tn_readers_find(const struct tn_graph *g,
	const struct tn_order *order, const struct tn_aliases *aliases,
	struct tn_arena *arena, struct tn_readers *out);

/* The first op behind `position` that reads any of the root's bytes [begin, end), and
 * through which tensor; TN_NONE when there is none. */
tn_op_id tn_readers_after(const struct tn_readers *readers, const struct tn_order *order,
	const struct tn_aliases *aliases, tn_tensor_id root, uint32_t position,
	int64_t begin, int64_t end, tn_tensor_id *out_via);

#endif
