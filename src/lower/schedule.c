#include "lower/schedule.h"

#include "base/checked.h"
#include "base/vec.h"

struct edge {
	uint32_t from, to; /* ops */
};

/* Reads of a variable since it was last written: a list for each root. */
struct recent {
	uint32_t op, next;
};

struct scheduling {
	const struct tn_tables *t;
	const struct tn_lower_options *options;
	struct tn_arena *arena;
	struct tn_schedule_problem *out;
	struct tn_lowered lowered; /* for a look at buffers and pairs */
	int64_t cell; /* all sizes are rounded up to it */
	TN_VEC(struct edge) edges;
	TN_VEC(struct recent) recent;
	TN_VEC(uint32_t) touches;
	TN_VEC(struct tn_schedule_pair) pairs;
	bool failed; /* no memory */
};

struct range {
	uint32_t begin, end;
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

static int64_t gcd(int64_t a, int64_t b)
{
	while (b) {
		int64_t r = a % b;

		a = b;
		b = r;
	}
	return a;
}

static enum tn_status make_buffers(struct scheduling *s)
{
	const struct tn_problem *q = &s->lowered.problem;
	struct tn_schedule_problem *out = s->out;

	out->n_buffers = q->n_buffers;
	out->buffers = TN_NEW_ARRAY(s->arena, struct tn_schedule_buffer, q->n_buffers);
	if (!out->buffers)
		return TN_ERR_NOMEM;
	for (uint32_t b = 0; b < q->n_buffers; b++)
		s->cell = gcd(q->buffers[b].align, s->cell);
	for (uint32_t b = 0; b < q->n_buffers; b++) {
		struct tn_schedule_buffer *to = &out->buffers[b];
		const struct tn_span *span = &s->t->live->root[s->lowered.root_of[b].i];

		if (!tn_align_up_i64(q->buffers[b].size, s->cell, &to->size))
			return TN_ERR_INPUT;
		to->pad = to->size - q->buffers[b].size;
		to->from_start = span->first == 0;
		to->to_end = span->last == s->t->live->end;
	}
	return TN_OK;
}

/* Each buffer of the op's operands, once. seen[] holds the op + 1 that met it last. */
static bool touch_all(struct scheduling *s, uint32_t id, uint32_t *seen)
{
	const struct tn_op *op = &s->t->g->ops[id];

	for (uint32_t k = 0; k < op->n_inputs + op->n_outputs; k++) {
		tn_tensor_id t =
			k < op->n_inputs ? op->inputs[k] : op->outputs[k - op->n_inputs];
		uint32_t b = t.i == TN_NONE ? TN_NONE : s->lowered.buffer_of[t.i];

		if (b == TN_NONE || seen[b] == id + 1)
			continue;
		seen[b] = id + 1;
		if (!tn_vec_push(s->arena, &s->touches, b))
			return false;
	}
	return true;
}

/* What the bound lets the ends of a pair share under variant v, and how far into each
 * other they get. */
static void measure(const struct scheduling *s, const struct tn_pair *from, uint32_t v,
	struct tn_schedule_pair *to)
{
	const bool descending =
		s->lowered.problem.groups[from->group].descending >> v & 1;
	const int64_t in = s->out->buffers[from->a].size,
		      result = s->out->buffers[from->b].size,
		      outer = descending ? in : result;
	int64_t d = from->d[v], reach = 0;

	if (d <= outer - tn_max_i64(in, result))
		reach = tn_max_i64(in, result);
	else if (d < outer && tn_align_up_i64(d, s->cell, &d))
		reach = tn_max_i64(0, outer - d);
	to->reach_a[v] = tn_min_i64(reach, in);
	to->reach_b[v] = tn_min_i64(reach, result);
	to->share[v] = tn_min_i64(reach, tn_min_i64(in, result));
}

static bool writes_buffer(const struct scheduling *s, uint32_t id, uint32_t buffer)
{
	const struct tn_op *op = &s->t->g->ops[id];

	for (uint32_t k = 0; k < op->n_outputs; k++)
		if (op->outputs[k].i != TN_NONE &&
			s->lowered.buffer_of[op->outputs[k].i] == buffer)
			return true;
	return false;
}

/* A couple once for an op; one that the op writes to does not die as its input. */
static bool add_pair(
	struct scheduling *s, uint32_t id, const struct tn_schedule_pair *pair)
{
	if (writes_buffer(s, id, pair->a))
		return true;
	for (size_t i = s->out->ops[id].first_pair; i < s->pairs.count; i++)
		if (s->pairs.items[i].a == pair->a && s->pairs.items[i].b == pair->b)
			return true;
	return tn_vec_push(s->arena, &s->pairs, *pair);
}

static bool take_pairs(struct scheduling *s, uint32_t id, struct range list)
{
	const struct tn_problem *q = &s->lowered.problem;

	for (uint32_t i = list.begin; i < list.end; i++) {
		const struct tn_pair *from = &q->pairs[i];
		struct tn_schedule_pair to = { .a = from->a, .b = from->b };

		s->out->ops[id].n_variants = q->groups[from->group].n_variants;
		for (uint32_t v = 0; v < s->out->ops[id].n_variants; v++)
			measure(s, from, v, &to);
		if (!add_pair(s, id, &to))
			return false;
	}
	return true;
}

/* In place: the output lies on the input or nowhere near it. */
static bool take_candidates(struct scheduling *s, const struct tn_inplace *possible,
	uint32_t id, struct range list)
{
	for (uint32_t i = list.begin; i < list.end; i++) {
		const struct tn_candidate *c = &possible->list[i];
		struct tn_schedule_pair to = { .a = s->lowered.buffer_of[c->in.i],
			.b = s->lowered.buffer_of[c->out.i] };

		if (c->verdict != VERDICT_PROVED || c->elided || !c->may_overlap ||
			to.a == TN_NONE || to.b == TN_NONE || to.a == to.b ||
			s->t->aliases->of[c->out.i].root.i != c->out.i)
			continue;
		s->out->ops[id].n_variants = 1;
		to.reach_a[0] = s->out->buffers[to.a].size;
		to.reach_b[0] = s->out->buffers[to.b].size;
		to.share[0] = tn_min_i64(to.reach_a[0], to.reach_b[0]);
		if (!add_pair(s, id, &to))
			return false;
	}
	return true;
}

/* By op: its entries in the list that pairs are made from. Both lists are in the given
 * order, so they are neighbours. */
static struct range *ranges(struct scheduling *s, const struct tn_inplace *possible)
{
	const struct tn_problem *q = &s->lowered.problem;
	bool inplace = s->options->overlap == OVERLAP_INPLACE;
	uint32_t n = inplace ? (uint32_t)possible->n : q->n_pairs;
	struct range *of = TN_NEW_ARRAY(s->arena, struct range, s->out->n_ops);

	for (uint32_t i = 0; of && i < n; i++) {
		uint32_t id = inplace ? possible->list[i].op.i
				      : s->lowered.op_of[q->pairs[i].group].i;

		if (id == TN_NONE) /* depends on the order */
			continue;
		if (!of[id].end)
			of[id].begin = i;
		of[id].end = i + 1;
	}
	return of;
}

static enum tn_status list_operands(
	struct scheduling *s, const struct tn_inplace *possible)
{
	struct tn_schedule_problem *out = s->out;
	uint32_t *seen = TN_NEW_ARRAY(s->arena, uint32_t, out->n_buffers);
	struct range *range = ranges(s, possible);

	if (!seen || !range)
		return TN_ERR_NOMEM;
	for (uint32_t id = 0; id < out->n_ops; id++) {
		bool ok;

		out->ops[id].first_touch = (uint32_t)s->touches.count;
		out->ops[id].first_pair = (uint32_t)s->pairs.count;
		ok = touch_all(s, id, seen);
		if (ok && s->options->overlap == OVERLAP_INPLACE)
			ok = take_candidates(s, possible, id, range[id]);
		else if (ok)
			ok = take_pairs(s, id, range[id]);
		if (!ok)
			return TN_ERR_NOMEM;
		if (s->touches.count >= UINT32_MAX || s->pairs.count >= UINT32_MAX)
			return TN_ERR_INPUT;
	}
	out->ops[out->n_ops].first_touch = (uint32_t)s->touches.count;
	out->ops[out->n_ops].first_pair = (uint32_t)s->pairs.count;
	out->touches = s->touches.items;
	out->pairs = s->pairs.items;
	return TN_OK;
}

static enum tn_status look(
	struct scheduling *s, struct tn_inplace *possible, struct tn_diags *diags)
{
	struct tn_tables tables = *s->t;
	struct tn_lower_options options = *s->options;
	enum tn_status status = TN_OK;

	tables.inplace = possible;
	if (options.overlap != OVERLAP_NONE)
		status = tn_inplace_possible(tables.g, tables.order, tables.aliases,
			tables.live, s->arena, possible);
	if (options.overlap == OVERLAP_INPLACE)
		options.overlap = OVERLAP_NONE; /* buffers before any was merged */
	if (status == TN_OK)
		status = tn_lower(&tables, &options, s->arena, diags, &s->lowered);
	return status;
}

enum tn_status tn_lower_schedule(const struct tn_tables *tables,
	const struct tn_hazards *hazards, const struct tn_lower_options *options,
	struct tn_arena *arena, struct tn_diags *diags, struct tn_schedule_problem *out)
{
	struct scheduling s = {
		.t = tables, .options = options, .arena = arena, .out = out
	};
	struct tn_inplace possible = { 0 };
	enum tn_status status = look(&s, &possible, diags);

	*out = (struct tn_schedule_problem){ .n_ops = tables->g->n_ops };
	if (status != TN_OK)
		return status;
	out->ops = TN_NEW_ARRAY(arena, struct tn_schedule_op, (size_t)out->n_ops + 1);
	out->given = TN_NEW_ARRAY(arena, uint32_t, out->n_ops);
	if (!out->ops || !out->given)
		return TN_ERR_NOMEM;
	for (uint32_t p = 0; p < out->n_ops; p++)
		out->given[p] = tables->order->at[p].i;
	status = make_buffers(&s);
	if (status == TN_OK)
		status = list_operands(&s, &possible);
	if (status == TN_OK)
		status = collect_preds(&s, hazards);
	return status;
}
