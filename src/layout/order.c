/* The order of the ops. */
#include "layout/part.h"

static const char ORDER[] = "plan/order";

/* Ops on state that no tensor shows run in the order that the graph gives. */
static bool is_stateful(const struct tn_op *op)
{
	return op->n_outputs == 0 || op->kind == OP_IF || op->kind == OP_WHILE ||
	       op->kind == OP_VAR_HANDLE || op->kind == OP_READ_VARIABLE;
}

/* A permutation. Whether each op comes after those that produce what it reads shows when
 * the plan runs. */
bool tn_layout_order(struct tn_layout *l)
{
	const struct tn_graph *g = l->g;
	struct tn_verdict v = { .op = TN_NONE, .tensor = TN_NONE };
	uint32_t *at = l->position = TN_NEW_ARRAY(l->arena, uint32_t, g->n_ops);
	uint32_t last = TN_NONE;
	bool whole = true;

	if (!at)
		return false;
	for (uint32_t i = 0; i < g->n_ops; i++)
		at[i] = TN_NONE;
	for (uint32_t i = 0; i < g->n_ops; i++) {
		uint32_t id = l->plan->order[i];

		v.op = id < g->n_ops ? id : TN_NONE;
		if (tn_need(l->refusals, v.op != TN_NONE && at[id] == TN_NONE, &v, ORDER,
			    "op %u, at position %u of the order, %s", id, i,
			    v.op == TN_NONE ? "does not exist" : "has run before"))
			at[id] = i;
		else
			whole = false;
	}
	for (uint32_t i = 0; whole && i < g->n_ops; i++) {
		v.op = g->schedule[i].i;
		if (!is_stateful(&g->ops[v.op]))
			continue;
		if (last != TN_NONE)
			tn_need(l->refusals, at[last] < at[v.op], &v, ORDER,
				"acts on state before '%s', in the graph after it",
				g->ops[last].name);
		last = v.op;
	}
	return true;
}
