/* Which tensors are the same bytes: true views of the file, and ops that only give bytes
 * another shape and so need not run. Every tensor resolves to a root and a byte range in
 * it; all later questions about life and overlap are asked of roots. */
#ifndef TN_ANALYSIS_ALIAS_H
#define TN_ANALYSIS_ALIAS_H

#include "base/arena.h"
#include "base/status.h"
#include "base/strbuf.h"
#include "ir/graph.h"

struct tn_alias {
	tn_tensor_id root; /* itself when it has storage of its own */
	int64_t offset;    /* bytes of the first element, in the root */
	int64_t extent;    /* bytes from offset to behind the last element */
	bool dense;        /* the extent holds the value and nothing else, in order */
};

struct tn_aliases {
	struct tn_alias *of; /* by tensor */
	bool *elided;        /* by op: a no-copy view, nothing runs */
	uint32_t n_tensors, n_ops;
};

enum tn_status TN_MUST_CHECK tn_aliases_find(const struct tn_graph *g,
	struct tn_arena *arena, struct tn_aliases *out);

void tn_aliases_print(const struct tn_graph *g, const struct tn_aliases *aliases,
	struct tn_strbuf *out);

/* Does the tensor live in planned memory at all (not a constant, not without bytes)? */
bool tn_tensor_is_planned(const struct tn_tensor *t);

#endif
