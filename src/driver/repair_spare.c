/* Ops that destroy what they read: run when nobody needs it any more, or given a copy. Ops that
 * write what must stay as it is: given a copy to write. */
#include <string.h>

#include "driver/repair.h"
#include "import/plan_json.h"
#include "ir/storage.h"
#include "ir/views.h"
#include "rewrite/insert.h"

#include "base/banned.h"

static uint32_t root_of(const struct tn_graph *g, tn_tensor_id id)
{
	for (uint32_t hops = 0;
		hops < g->n_tensors && g->tensors[id.i].view_of.i != TN_NONE; hops++)
		id = g->tensors[id.i].view_of;
	return id.i;
}

/* Does one of these tensors share storage with the other's? */
static bool meet(const struct tn_graph *g, const tn_tensor_id *a, uint32_t n,
	const tn_tensor_id *b, uint32_t m)
{
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < m; k++)
			if (a[i].i != TN_NONE && b[k].i != TN_NONE &&
				root_of(g, a[i]) == root_of(g, b[k]))
				return true;
	return false;
}

/* Where must the op at this position go, so that those that read what it destroys have run
 * before it? To where it is, when nobody reads it, or one of those on the way needs the op. */
static uint32_t late_enough(const struct tn_graph *g, const uint32_t *order, uint32_t at)
{
	const struct tn_op *op = &g->ops[order[at]];
	uint32_t to = at;

	for (uint32_t p = at + 1; p < g->n_ops; p++) {
		const struct tn_op *next = &g->ops[order[p]];

		if (meet(g, op->outputs, op->n_outputs, next->inputs, next->n_inputs) ||
			meet(g, op->outputs, op->n_outputs, next->outputs,
				next->n_outputs) ||
			meet(g, op->inputs, op->n_inputs, next->outputs, next->n_outputs))
			break;
		for (uint32_t k = 0; k < op->n_inputs; k++)
			if (tn_op_destroys(g, op, k) &&
				meet(g, &op->inputs[k], 1, next->inputs, next->n_inputs))
				to = p;
	}
	return to;
}

bool tn_repair_order(const struct tn_graph *g, uint32_t *order)
{
	bool changed = false;

	for (uint32_t p = g->n_ops; p-- > 0;) {
		const uint32_t op = order[p];
		const uint32_t to = tn_op_attr(&g->ops[op], "destroys")
					    ? late_enough(g, order, p)
					    : p;

		memmove(&order[p], &order[p + 1], (to - p) * sizeof(*order));
		order[to] = op;
		changed = changed || to != p;
	}
	return changed;
}

struct sparing {
	const struct tn_graph *g;
	const uint32_t *order;
	struct tn_storage storage;
	const bool *output, *updated; /* by tensor */
};

static bool overlap(const struct tn_extent *a, const struct tn_extent *b)
{
	return a->root == b->root && a->begin < b->end && b->begin < a->end;
}

static bool reads(const struct sparing *s, const struct tn_op *op, uint32_t tensor)
{
	for (uint32_t k = 0; k < op->n_inputs; k++)
		if (op->inputs[k].i != TN_NONE &&
			overlap(&s->storage.extent[op->inputs[k].i],
				&s->storage.extent[tensor]))
			return true;
	return false;
}

/* Does the op put something new where all of the tensor was? */
static bool replaces(const struct sparing *s, const struct tn_op *op, uint32_t tensor)
{
	const struct tn_extent *old = &s->storage.extent[tensor];

	for (uint32_t k = 0; k < op->n_outputs; k++) {
		const uint32_t t = op->outputs[k].i;
		const struct tn_extent *e = t == TN_NONE ? NULL : &s->storage.extent[t];

		if (e && e->root == old->root && !s->g->tensors[t].has_strides &&
			e->begin <= old->begin && e->end >= old->end &&
			!tn_op_names_anew(s->g, op, t))
			return true;
	}
	return false;
}

/* Does somebody look at these bytes when all ops have run? */
static bool is_wanted(const struct sparing *s, uint32_t tensor)
{
	const uint32_t root = s->storage.extent[tensor].root;
	const struct tn_tensor *owner = &s->g->tensors[root];

	if (s->storage.constant[root] || owner->role == ROLE_VARIABLE ||
		(s->storage.given[root] && !owner->clobber))
		return true;
	for (uint32_t i = 0; i < s->g->n_tensors; i++)
		if ((s->g->tensors[i].role == ROLE_OUTPUT || s->g->tensors[i].observed ||
			    s->output[i] || s->updated[i]) &&
			overlap(&s->storage.extent[i], &s->storage.extent[tensor]))
			return true;
	return false;
}

/* Is what the op at this position destroys needed after it? */
static bool is_needed(const struct sparing *s, uint32_t at, uint32_t tensor)
{
	if (s->storage.constant[s->storage.extent[tensor].root])
		return true;
	for (uint32_t p = at; p < s->g->n_ops; p++) {
		const struct tn_op *op = &s->g->ops[s->order[p]];

		if (p > at && reads(s, op, tensor))
			return true;
		if (replaces(s, op, tensor))
			return false;
	}
	return is_wanted(s, tensor);
}

/* Is it a part of what nobody may write: of a constant, or of an input that the caller keeps? */
static bool is_kept(const struct sparing *s, uint32_t tensor)
{
	const uint32_t root = s->storage.extent[tensor].root;
	const struct tn_tensor *owner = &s->g->tensors[root];

	return s->storage.constant[root] ||
	       (owner->role == ROLE_INPUT && !owner->clobber);
}

static void add_copy(
	struct tn_plan_copy *list, uint32_t *n, struct tn_plan_copy c, bool for_all)
{
	for (uint32_t i = 0; i < *n; i++)
		if (list[i].tensor == c.tensor && (for_all || list[i].reader == c.reader))
			return;
	if (*n < TN_PLAN_COPIES_MAX)
		list[(*n)++] = c;
}

/* The copies, in the order of the ops that get them; *out_n of them. */
static struct tn_plan_copy *find_copies(
	const struct sparing *s, struct tn_arena *arena, uint32_t *out_n)
{
	const struct tn_graph *g = s->g;
	struct tn_plan_copy *list =
		TN_NEW_ARRAY(arena, struct tn_plan_copy, TN_PLAN_COPIES_MAX);

	*out_n = 0;
	for (uint32_t p = 0; list && p < g->n_ops; p++) {
		const uint32_t id = s->order[p];
		const struct tn_op *op = &g->ops[id];

		for (uint32_t k = 0; k < op->n_inputs; k++) {
			const struct tn_plan_copy c = { op->inputs[k].i, id, id };

			if (tn_op_destroys(g, op, k) && is_needed(s, p, c.tensor))
				add_copy(list, out_n, c, false);
		}
		for (uint32_t k = 0; k < op->n_outputs; k++) {
			const struct tn_plan_copy c = { op->outputs[k].i, id, id };

			if (c.tensor != TN_NONE && is_kept(s, c.tensor) &&
				!tn_op_names_anew(g, op, c.tensor))
				add_copy(list, out_n, c, true);
		}
	}
	return list;
}

/* Does an op destroy what it reads, or write what is there before the first op? */
static bool any_destroys(const struct tn_graph *g, const struct tn_views *views)
{
	for (uint32_t i = 0; i < g->n_ops; i++) {
		if (tn_op_attr(&g->ops[i], "destroys"))
			return true;
		for (uint32_t k = 0; k < g->ops[i].n_outputs; k++) {
			const tn_tensor_id t = g->ops[i].outputs[k];
			const struct tn_tensor *owner =
				t.i == TN_NONE ? NULL : &g->tensors[views->root[t.i]];

			if (owner && (owner->role == ROLE_INPUT ||
					     tn_tensor_is_constant(owner)))
				return true;
		}
	}
	return false;
}

enum tn_status tn_repair_spare(struct tn_run *run)
{
	const struct tn_graph *g = &run->graph;
	struct tn_arena *arena = &run->arena;
	struct sparing s = { .g = g };
	struct tn_views views;
	struct tn_plan_copy *copies;
	uint32_t *order, n, bad;
	enum tn_status status;

	run->unspared = run->graph;
	if (!tn_views_find(g, arena, &views))
		return TN_ERR_NOMEM;
	if (!any_destroys(g, &views))
		return TN_OK;
	s.order = order = TN_NEW_ARRAY(arena, uint32_t, g->n_ops);
	s.output = tn_graph_output_flags(g, arena);
	s.updated = tn_graph_updated_inputs(g, arena);
	if (!order || !s.output || !s.updated)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < g->n_ops; i++)
		order[i] = g->schedule[i].i;
	(void)tn_repair_order(g, order);
	status = tn_storage_find(g, arena, &s.storage);
	if (status != TN_OK)
		return status;
	copies = find_copies(&s, arena, &n);
	run->spared = TN_NEW_ARRAY(arena, struct tn_plan_copy, n);
	if (!copies || !run->spared)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < n; i++) {
		/* one that cannot be had is told when the plan is refused */
		status = tn_rewrite_insert_copies(&run->graph, &copies[i], 1, arena,
			&run->strings, &run->graph, &bad);
		if (status == TN_OK)
			run->spared[run->n_spared++] = copies[i];
		else if (status != TN_ERR_INPUT)
			return status;
	}
	return TN_OK;
}
