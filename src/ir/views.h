/* Where views lie, resolved for all tensors at once: who follows the chain of each anew takes
 * time that grows with the square of its length. */
#ifndef TN_IR_VIEWS_H
#define TN_IR_VIEWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"
#include "ir/graph.h"

struct tn_views {
	uint32_t *root; /* by tensor: the one that has the storage; itself, when it is no
	                   view */
	int64_t *bits; /* by tensor: from the root's first element to its own. 0 of what
	                  passes no tn_validate: it cannot be counted */
};

/* Of a cycle, one of its tensors is the root. False: no memory. */
bool TN_MUST_CHECK tn_views_find(
	const struct tn_graph *g, struct tn_arena *arena, struct tn_views *out);

/* tn_op_names_anew, for who has the table. */
bool tn_views_name_anew(const struct tn_graph *g, const struct tn_views *views,
	const struct tn_op *op, uint32_t out);

#endif
