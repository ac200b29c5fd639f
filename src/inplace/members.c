#include "inplace/members.h"

enum tn_status tn_members_find(const struct tn_graph *g, const struct tn_aliases *aliases,
	struct tn_arena *arena, struct tn_members *out)
{
	uint32_t *first = TN_NEW_ARRAY(arena, uint32_t, (size_t)g->n_tensors + 1);
	uint32_t *fill = TN_NEW_ARRAY(arena, uint32_t, g->n_tensors);

	out->first = first;
	out->list = TN_NEW_ARRAY(arena, uint32_t, g->n_tensors);
	if (!first || !fill || !out->list)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < g->n_tensors; i++)
		if (tn_tensor_is_planned(&g->tensors[i]))
			first[aliases->of[i].root.i + 1]++;
	for (uint32_t i = 0; i < g->n_tensors; i++)
		first[i + 1] += first[i];
	for (uint32_t i = 0; i < g->n_tensors; i++) {
		uint32_t root = aliases->of[i].root.i;

		if (tn_tensor_is_planned(&g->tensors[i]))
			out->list[first[root] + fill[root]++] = i;
	}
	return TN_OK;
}

bool tn_member_meets(
	const struct tn_aliases *aliases, uint32_t tensor, int64_t begin, int64_t end)
{
	const struct tn_alias *a = &aliases->of[tensor];

	return a->offset < end && begin < a->offset + a->extent;
}
