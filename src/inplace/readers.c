#include "inplace/readers.h"

static uint32_t *count_of(
	const struct tn_aliases *aliases, uint32_t *first, tn_tensor_id id)
{
	return &first[aliases->of[id.i].root.i + 1];
}

/* An elided view reads nothing itself: its readers read through it. */
static bool reads(const struct tn_graph *g, const struct tn_aliases *aliases, tn_op_id op,
	uint32_t k)
{
	return g->ops[op.i].inputs[k].i != TN_NONE && !aliases->elided[op.i];
}

/* The first of the root's readers behind `position`. */
static uint32_t first_behind(const struct tn_readers *readers,
	const struct tn_order *order, uint32_t root, uint32_t position)
{
	uint32_t low = readers->first[root], high = readers->first[root + 1];

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (order->position[readers->list[middle].op.i] <= position)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

enum tn_status tn_readers_find(const struct tn_graph *g, const struct tn_order *order,
	const struct tn_aliases *aliases, struct tn_arena *arena, struct tn_readers *out)
{
	uint32_t *first = TN_NEW_ARRAY(arena, uint32_t, (size_t)g->n_tensors + 2);
	uint32_t *fill = TN_NEW_ARRAY(arena, uint32_t, (size_t)g->n_tensors + 1);
	size_t total = 0;

	if (!first || !fill)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < g->n_ops; i++)
		for (uint32_t k = 0; k < g->ops[i].n_inputs; k++)
			if (reads(g, aliases, (tn_op_id){ i }, k)) {
				++*count_of(aliases, first, g->ops[i].inputs[k]);
				total++;
			}
	for (uint32_t i = 0; i < g->n_tensors; i++)
		first[i + 1] += first[i];
	out->first = first;
	out->list = TN_NEW_ARRAY(arena, struct tn_reader, total);
	if (!out->list)
		return TN_ERR_NOMEM;
	for (uint32_t p = 0; p < order->n; p++) {
		const struct tn_op *op = &g->ops[order->at[p].i];

		for (uint32_t k = 0; k < op->n_inputs; k++) {
			uint32_t root;

			if (!reads(g, aliases, order->at[p], k))
				continue;
			root = aliases->of[op->inputs[k].i].root.i;
			out->list[first[root] + fill[root]++] =
				(struct tn_reader){ order->at[p], op->inputs[k] };
		}
	}
	return TN_OK;
}

tn_op_id tn_readers_after(const struct tn_readers *readers, const struct tn_order *order,
	const struct tn_aliases *aliases, tn_tensor_id root, uint32_t position,
	int64_t begin, int64_t end, tn_tensor_id *out_via)
{
	for (uint32_t i = first_behind(readers, order, root.i, position);
		i < readers->first[root.i + 1]; i++) {
		const struct tn_reader *r = &readers->list[i];
		const struct tn_alias *a = &aliases->of[r->tensor.i];

		if (a->offset < end && begin < a->offset + a->extent) {
			*out_via = r->tensor;
			return r->op;
		}
	}
	return (tn_op_id){ TN_NONE };
}
