/* Copies that are put into a graph so that a plan becomes right. */
#ifndef TN_REWRITE_INSERT_H
#define TN_REWRITE_INSERT_H

#include "base/arena.h"
#include "base/intern.h"
#include "base/status.h"
#include "ir/graph.h"
#include "plan/plan.h"

/* The graph with more ops, each of which copies a tensor to a new one, which one op then
 * reads instead. One is inserted after the other: a later one may name what an earlier one
 * has made. Ids of old ops and tensors stay, new ones are the last; claims, branches and
 * scopes stay and know of the copies. *out lives in the arena and points into *g.
 *
 * A copy before its own reader is for an op that destroys what it reads: it destroys the copy
 * then. Or for one that writes what must stay as it is (a constant, an input that the caller
 * keeps): it writes the copy, and whatever comes later works with the copy.
 *
 * TN_ERR_INPUT, and *out_bad is the copy, when it names what is not there, when the reader
 * does not read the tensor, or when the tensor is written between the place of the copy and
 * the reader, so that the graph would mean something else. TN_ERR_NOMEM. */
enum tn_status TN_MUST_CHECK tn_rewrite_insert_copies(const struct tn_graph *g,
	const struct tn_plan_copy *copies, uint32_t n, struct tn_arena *arena,
	struct tn_strings *strings, struct tn_graph *out, uint32_t *out_bad);

#endif
