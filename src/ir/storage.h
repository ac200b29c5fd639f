/* Where tensors lie in the storage of their roots, and what is there before the first op. The
 * graph read once for those who judge plans: the analyses resolve aliases by themselves. */
#ifndef TN_IR_STORAGE_H
#define TN_IR_STORAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"
#include "ir/graph.h"

/* Bytes of the storage of a root; half-open. */
struct tn_extent {
	uint32_t root;
	int64_t start; /* of element 0 */
	int64_t begin, end; /* of all elements, gaps between strides included */
};

struct tn_storage {
	const struct tn_graph *g;
	struct tn_extent *extent; /* by tensor */
	bool *constant; /* by tensor */
	bool *given; /* by tensor: it holds something before the first op; a view of
	                such a one holds a part of that */
};

/* TN_ERR_INPUT when a view does not resolve or leaves its root. */
enum tn_status TN_MUST_CHECK tn_storage_find(
	const struct tn_graph *g, struct tn_arena *arena, struct tn_storage *out);

/* Bytes of a root, with all views of it. */
int64_t tn_storage_bytes(const struct tn_storage *s, uint32_t root);

#endif
