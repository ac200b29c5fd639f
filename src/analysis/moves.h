/* Ops that only hand bytes on, each operand as one range: views, concatenations along the
 * outermost dimension, splits, slices, and ops that by their shapes move nothing at all.
 * Told from shapes and attributes; whether the op may be left out is analysis/alias.h. */
#ifndef TN_ANALYSIS_MOVES_H
#define TN_ANALYSIS_MOVES_H

#include "base/arena.h"
#include "base/status.h"
#include "ir/graph.h"

/* Bytes [from, from + bytes) of an input are bytes [to, to + bytes) of an output; one of
 * the two is whole. */
struct tn_move {
	uint32_t input, output; /* operand indices */
	int64_t from, to, bytes;
	bool alike; /* quantised alike: the same number is the same bytes */
};

struct tn_moves {
	struct tn_move *list; /* by input for a concatenation, else by output */
	uint32_t n; /* 0: the op does something else */
	bool apart; /* n operands are handed on, but not each as one range */
	bool joins; /* parts become a whole; else a whole becomes parts */
	bool same; /* one input is one output, byte for byte */
	bool scaled_alike; /* quantised alike: the same number is the same bytes */
};

enum tn_status TN_MUST_CHECK tn_moves_of(const struct tn_graph *g, tn_op_id op,
	struct tn_arena *arena, struct tn_moves *out);

#endif
