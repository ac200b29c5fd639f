/* Which tensors have bytes in a root: a side table for questions about ranges. */
#ifndef TN_INPLACE_MEMBERS_H
#define TN_INPLACE_MEMBERS_H

#include "analysis/alias.h"

struct tn_members {
	uint32_t *list; /* tensors that have memory, grouped by root */
	uint32_t *first; /* by tensor: index of its group; n_tensors + 1 of them */
};

enum tn_status TN_MUST_CHECK tn_members_find(const struct tn_graph *g,
	const struct tn_aliases *aliases, struct tn_arena *arena, struct tn_members *out);

/* Does the tensor have any of its root's bytes [begin, end)? */
bool tn_member_meets(
	const struct tn_aliases *aliases, uint32_t tensor, int64_t begin, int64_t end);

#endif
