/* The constants that a graph's ops read, by element type: how many bytes, and how many of
 * the elements mean zero. */
#ifndef TN_IR_CONSTANTS_H
#define TN_IR_CONSTANTS_H

#include "base/arena.h"
#include "base/status.h"
#include "ir/graph.h"

struct tn_constants_share {
	int64_t tensors;
	int64_t bytes;
	int64_t elements; /* of tensors whose values are in the file */
	int64_t zeros; /* of those: the zero point, or a float of either sign */
};

struct tn_constants {
	struct tn_constants_share of[DTYPE_COUNT];
	int64_t bytes; /* of all */
};

/* Each tensor once, and only those that an op reads or a caller gets. TN_ERR_INPUT: the
 * sum does not fit. */
enum tn_status TN_MUST_CHECK tn_constants_find(
	const struct tn_graph *g, struct tn_arena *scratch, struct tn_constants *out);

#endif
