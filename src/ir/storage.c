#include "ir/storage.h"

#include "base/checked.h"
#include "ir/views.h"

/* A view lies in its root: tn_validate has seen to it. A root with elements in front of its
 * first one has no place that a plan could name. */
static bool extent_of(const struct tn_graph *g, const struct tn_views *views, uint32_t id,
	struct tn_extent *out)
{
	int64_t begin, end;

	*out = (struct tn_extent){ .root = views->root[id],
		.start = views->bits[id] / 8 };
	if (!tn_tensor_span(&g->tensors[id], &begin, &end))
		return false;
	out->begin = out->start + begin;
	out->end = out->start + end;
	return out->begin >= 0;
}

enum tn_status tn_storage_find(
	const struct tn_graph *g, struct tn_arena *arena, struct tn_storage *out)
{
	struct tn_views views;

	*out = (struct tn_storage){ .g = g,
		.extent = TN_NEW_ARRAY(arena, struct tn_extent, g->n_tensors),
		.constant = TN_NEW_ARRAY(arena, bool, g->n_tensors),
		.given = TN_NEW_ARRAY(arena, bool, g->n_tensors) };
	if (!out->extent || !out->constant || !out->given ||
		!tn_views_find(g, arena, &views))
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < g->n_tensors; i++) {
		const struct tn_tensor *t = &g->tensors[i];

		if (!extent_of(g, &views, i, &out->extent[i]))
			return TN_ERR_INPUT;
		out->constant[i] = tn_tensor_is_constant(t);
		out->given[i] = out->constant[i] || t->role == ROLE_INPUT ||
				t->role == ROLE_VARIABLE;
	}
	for (uint32_t i = 0; i < g->n_inputs; i++)
		if (g->inputs[i].i != TN_NONE)
			out->given[g->inputs[i].i] = true;
	for (uint32_t i = 0; i < g->n_tensors; i++)
		if (out->extent[i].root != i && out->given[out->extent[i].root])
			out->given[i] = false;
	return TN_OK;
}

int64_t tn_storage_bytes(const struct tn_storage *s, uint32_t root)
{
	return tn_max_i64(s->g->tensors[root].bytes, s->extent[root].end);
}
