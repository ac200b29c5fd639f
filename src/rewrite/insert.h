/* Copies that are put into a graph so that a plan becomes right. */
#ifndef TN_REWRITE_INSERT_H
#define TN_REWRITE_INSERT_H

#include "base/arena.h"
#include "base/intern.h"
#include "base/status.h"
#include "ir/graph.h"
#include "plan/plan.h"

/* The graph with one more op, which copies a tensor, and one more tensor, which one op
 * then reads instead. Ids of old ones stay, new ones are the last; claims, branches and
 * scopes stay and know of the copy. *out lives in the arena and points into *g.
 *
 * TN_ERR_INPUT when the copy names what is not there, when the reader does not read the
 * tensor, or when the tensor is written between the place of the copy and the reader, so
 * that the graph would mean something else. TN_ERR_NOMEM. */
enum tn_status TN_MUST_CHECK tn_rewrite_insert_copy(const struct tn_graph *g,
	const struct tn_plan_copy *copy, struct tn_arena *arena,
	struct tn_strings *strings, struct tn_graph *out);

#endif
