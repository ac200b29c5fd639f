#include "report/view.h"

#include <string.h>

const char *tn_view_file(const struct tn_view *v)
{
	if (v->file)
		return v->file;
	if (v->g && v->g->source && v->g->source->name)
		return v->g->source->name;
	return v->g && v->g->name ? v->g->name : "";
}

const char *tn_view_name(const struct tn_view *v)
{
	const char *file = tn_view_file(v), *slash = strrchr(file, '/');

	return slash && slash[1] ? slash + 1 : file;
}

tn_op_id tn_view_op_at(const struct tn_view *v, uint32_t position)
{
	if (v->plan && v->plan->order)
		return (tn_op_id){ v->plan->order[position] };
	return v->order ? v->order->at[position] : v->g->schedule[position];
}

uint32_t tn_view_position(const struct tn_view *v, tn_op_id op)
{
	if (!v->plan && v->order)
		return v->order->position[op.i];
	if (v->order && tn_view_op_at(v, v->order->position[op.i]).i == op.i)
		return v->order->position[op.i]; /* the plan kept the order */
	for (uint32_t p = 0; p < v->g->n_ops; p++)
		if (tn_view_op_at(v, p).i == op.i)
			return p;
	return TN_NONE;
}

struct tn_alias tn_view_alias(const struct tn_view *v, tn_tensor_id id)
{
	struct tn_alias own = {
		.root = id, .extent = v->g->tensors[id.i].bytes, .dense = true
	};

	return v->aliases ? v->aliases->of[id.i] : own;
}

bool tn_view_elided(const struct tn_view *v, tn_op_id op)
{
	if (v->plan)
		return v->plan->ops[op.i].elided;
	return v->aliases && v->aliases->elided[op.i];
}

const struct tn_candidate *tn_view_candidates(
	const struct tn_view *v, tn_op_id op, size_t *out_n)
{
	const struct tn_inplace *all = v->inplace;
	uint32_t position = tn_view_position(v, op);
	size_t lo = 0, hi = all ? all->n : 0, end;

	while (lo < hi) { /* they are in execution order */
		size_t mid = lo + (hi - lo) / 2;

		if (tn_view_position(v, all->list[mid].op) < position)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (end = lo; all && end < all->n && all->list[end].op.i == op.i;)
		end++;
	*out_n = end - lo;
	return end > lo ? &all->list[lo] : NULL;
}
