#include "lower/schedule.h"

#include "base/vec.h"
#include "lower/schedule_cost.h"

struct edge {
	uint32_t from, to; /* ops */
};

/* Reads of a variable since it was last written: a list for each root. */
struct recent {
	uint32_t op, next;
};

struct scheduling {
	const struct tn_tables *t;
	struct tn_arena *arena;
	struct tn_schedule_problem *out;
	TN_VEC(struct edge) edges;
	TN_VEC(struct recent) recent;
	bool failed; /* no memory */
};

static void must_follow(struct scheduling *s, uint32_t from, uint32_t to)
{
	if (from != TN_NONE && from != to &&
		!tn_vec_push(s->arena, &s->edges, ((struct edge){ from, to })))
		s->failed = true;
}

/* A value's readers come after the op that produces it, also when that op need not run. */
static void follow_producers(struct scheduling *s)
{
	const struct tn_graph *g = s->t->g;
	uint32_t *writer = TN_NEW_ARRAY(s->arena, uint32_t, g->n_tensors);

	if (!writer) {
		s->failed = true;
		return;
	}
	for (uint32_t i = 0; i < g->n_tensors; i++)
		writer[i] = TN_NONE;
	for (uint32_t p = 0; p < s->t->order->n; p++) {
		uint32_t id = s->t->order->at[p].i;
		const struct tn_op *op = &g->ops[id];

		for (uint32_t k = 0; k < op->n_inputs; k++)
			if (op->inputs[k].i != TN_NONE)
				must_follow(s, writer[op->inputs[k].i], id);
		for (uint32_t k = 0; k < op->n_outputs; k++) {
			if (op->outputs[k].i == TN_NONE)
				continue;
			must_follow(s, writer[op->outputs[k].i], id);
			writer[op->outputs[k].i] = id;
		}
	}
}

/* Roots whose bytes have several values in a run. */
static bool *changing_roots(struct scheduling *s)
{
	const struct tn_graph *g = s->t->g;
	bool *changing = TN_NEW_ARRAY(s->arena, bool, g->n_tensors);

	for (uint32_t i = 0; changing && i < g->n_tensors; i++)
		if (g->tensors[i].role == ROLE_VARIABLE || g->tensors[i].mutated)
			changing[s->t->aliases->of[i].root.i] = true;
	return changing;
}

struct changes {
	bool *changing; /* by root */
	uint32_t *writer; /* by root: the last one, or TN_NONE */
	uint32_t *readers; /* by root: index + 1 in recent */
};

static void read_root(struct scheduling *s, struct changes *c, uint32_t root, uint32_t op)
{
	must_follow(s, c->writer[root], op);
	if (!tn_vec_push(s->arena, &s->recent, ((struct recent){ op, c->readers[root] })))
		s->failed = true;
	else
		c->readers[root] = (uint32_t)s->recent.count;
}

static void write_root(
	struct scheduling *s, struct changes *c, uint32_t root, uint32_t op)
{
	must_follow(s, c->writer[root], op);
	for (uint32_t i = c->readers[root]; i; i = s->recent.items[i - 1].next)
		must_follow(s, s->recent.items[i - 1].op, op);
	c->readers[root] = 0;
	c->writer[root] = op;
}

/* Kernels without a known order may update the state that they are given as an input. */
static void follow_changes(struct scheduling *s, struct changes *c, uint32_t id)
{
	const struct tn_graph *g = s->t->g;
	const struct tn_op *op = &g->ops[id];
	struct tn_variant variants[TN_VARIANTS_MAX];
	bool opaque = false, asked = false;

	for (uint32_t k = 0; k < op->n_inputs; k++) {
		uint32_t root;

		if (op->inputs[k].i == TN_NONE)
			continue;
		root = s->t->aliases->of[op->inputs[k].i].root.i;
		if (!c->changing[root])
			continue;
		if (!asked)
			opaque = !tn_contract_variants(g, (tn_op_id){ id }, variants);
		asked = true;
		if (opaque)
			write_root(s, c, root, id);
		else
			read_root(s, c, root, id);
	}
	for (uint32_t k = 0; k < op->n_outputs; k++) {
		uint32_t root;

		if (op->outputs[k].i == TN_NONE)
			continue;
		root = s->t->aliases->of[op->outputs[k].i].root.i;
		if (c->changing[root])
			write_root(s, c, root, id);
	}
}

static bool *in_branches(const struct tn_graph *g, struct tn_arena *arena)
{
	bool *in = TN_NEW_ARRAY(arena, bool, g->n_ops);

	for (uint32_t b = 0; in && b < g->n_branches; b++)
		for (uint32_t k = 0; k < g->branches[b].n_ops; k++)
			if (g->branches[b].ops[k].i < g->n_ops)
				in[g->branches[b].ops[k].i] = true;
	return in;
}

static bool has_effects(const struct tn_op *op)
{
	return op->n_outputs == 0 || op->kind == OP_UNKNOWN || op->kind == OP_IF ||
	       op->kind == OP_WHILE || op->kind == OP_CALL_ONCE ||
	       op->kind == OP_VAR_HANDLE || op->kind == OP_READ_VARIABLE ||
	       op->kind == OP_ASSIGN_VARIABLE;
}

static void follow_effects(struct scheduling *s)
{
	const struct tn_graph *g = s->t->g;
	struct changes c = { changing_roots(s),
		TN_NEW_ARRAY(s->arena, uint32_t, g->n_tensors),
		TN_NEW_ARRAY(s->arena, uint32_t, g->n_tensors) };
	bool *branches = in_branches(g, s->arena);
	uint32_t last = TN_NONE;

	if (!c.changing || !c.writer || !c.readers || !branches) {
		s->failed = true;
		return;
	}
	for (uint32_t i = 0; i < g->n_tensors; i++)
		c.writer[i] = TN_NONE;
	for (uint32_t p = 0; p < s->t->order->n; p++) {
		uint32_t id = s->t->order->at[p].i;

		follow_changes(s, &c, id);
		if (!branches[id] && !has_effects(&g->ops[id]))
			continue;
		must_follow(s, last, id);
		last = id;
	}
}

static enum tn_status collect_preds(
	struct scheduling *s, const struct tn_hazards *hazards)
{
	struct tn_schedule_problem *out = s->out;
	uint32_t *fill;

	for (size_t i = 0; i < hazards->n; i++)
		must_follow(s, hazards->list[i].from.i, hazards->list[i].to.i);
	follow_producers(s);
	follow_effects(s);
	if (s->failed)
		return TN_ERR_NOMEM;
	if (s->edges.count >= UINT32_MAX)
		return TN_ERR_INPUT;
	out->preds = TN_NEW_ARRAY(s->arena, uint32_t, s->edges.count);
	fill = TN_NEW_ARRAY(s->arena, uint32_t, out->n_ops);
	if (!out->preds || !fill)
		return TN_ERR_NOMEM;
	for (size_t i = 0; i < s->edges.count; i++)
		out->ops[s->edges.items[i].to + 1].first_pred++;
	for (uint32_t i = 0; i < out->n_ops; i++)
		out->ops[i + 1].first_pred += out->ops[i].first_pred;
	for (size_t i = 0; i < s->edges.count; i++) {
		const struct edge *e = &s->edges.items[i];

		out->preds[out->ops[e->to].first_pred + fill[e->to]++] = e->from;
	}
	return TN_OK;
}

enum tn_status tn_lower_schedule(const struct tn_tables *tables,
	const struct tn_hazards *hazards, const struct tn_lower_options *options,
	struct tn_arena *arena, struct tn_diags *diags, struct tn_schedule_problem *out)
{
	struct scheduling s = { .t = tables, .arena = arena, .out = out };
	enum tn_status status;

	*out = (struct tn_schedule_problem){ .n_ops = tables->g->n_ops };
	out->ops = TN_NEW_ARRAY(arena, struct tn_schedule_op, (size_t)out->n_ops + 1);
	out->given = TN_NEW_ARRAY(arena, uint32_t, out->n_ops);
	if (!out->ops || !out->given)
		return TN_ERR_NOMEM;
	for (uint32_t p = 0; p < out->n_ops; p++)
		out->given[p] = tables->order->at[p].i;
	status = tn_schedule_cost(tables, options, arena, diags, out);
	if (status == TN_OK)
		status = collect_preds(&s, hazards);
	return status;
}
