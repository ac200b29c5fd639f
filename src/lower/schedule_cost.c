/* A root whose bytes all live equally long is one buffer, as in the problem of the
 * planner, and its pairs are the planner's. Otherwise it is cut where its members begin
 * and end: each piece lives as long as any tensor that has it. */
#include "lower/schedule_cost.h"

#include <stdlib.h>

#include "base/checked.h"
#include "base/vec.h"
#include "plan/share.h"

#define PIECES_MAX 256 /* of a root; more are taken for one, which proves nothing */

/* Buffers [first, end) of the schedule problem. */
struct range {
	uint32_t first, end;
};

struct costing {
	const struct tn_tables *t;
	const struct tn_lower_options *options;
	struct tn_arena *arena;
	struct tn_schedule_problem *out;
	struct tn_lowered lowered; /* with every input taken to die where it may */
	struct tn_inplace possible;
	int64_t cell; /* sizes of whole roots are rounded up to it */
	TN_VEC(struct tn_schedule_buffer) buffers;
	TN_VEC(int64_t) edges; /* by buffer: its lowest byte in its root */
	TN_VEC(uint32_t) touches;
	TN_VEC(struct tn_schedule_pair) pairs;
	TN_VEC(uint32_t) members;
	struct range *of; /* by root's buffer in `lowered` */
	uint32_t next; /* pair in `lowered` */
};

/* ---- buffers ---- */

/* By root's buffer: the tensors that live in it. */
struct parts {
	uint32_t *first, *list;
};

static bool lives(const struct costing *c, uint32_t tensor)
{
	const struct tn_span *span = &c->t->live->tensor[tensor];

	return c->lowered.buffer_of[tensor] != TN_NONE && span->first <= span->last;
}

static bool list_parts(const struct costing *c, struct parts *out)
{
	uint32_t n = c->t->g->n_tensors, n_roots = c->lowered.problem.n_buffers;
	uint32_t *fill = TN_NEW_ARRAY(c->arena, uint32_t, n_roots);

	out->first = TN_NEW_ARRAY(c->arena, uint32_t, (size_t)n_roots + 1);
	out->list = TN_NEW_ARRAY(c->arena, uint32_t, n);
	if (!out->first || !out->list || !fill)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (lives(c, i))
			out->first[c->lowered.buffer_of[i] + 1]++;
	for (uint32_t b = 0; b < n_roots; b++)
		out->first[b + 1] += out->first[b];
	for (uint32_t i = 0; i < n; i++) {
		uint32_t b = c->lowered.buffer_of[i];

		if (lives(c, i))
			out->list[out->first[b] + fill[b]++] = i;
	}
	return true;
}

static int by_value(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* The distinct ends of the parts' bytes, ascending. */
static size_t edges_of(
	const struct costing *c, const uint32_t *part, uint32_t n, int64_t *edges)
{
	size_t kept = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct tn_alias *a = &c->t->aliases->of[part[i]];

		edges[2 * i] = a->offset;
		edges[2 * i + 1] = a->offset + a->extent;
	}
	if (n)
		qsort(edges, 2 * (size_t)n, sizeof(*edges), by_value);
	for (size_t i = 0; i < 2 * (size_t)n; i++)
		if (!kept || edges[kept - 1] != edges[i])
			edges[kept++] = edges[i];
	return kept;
}

static bool covers(const struct tn_alias *a, int64_t lo, int64_t hi)
{
	return a->offset <= lo && hi <= a->offset + a->extent;
}

/* Cells that belong to bytes [lo, hi) of a root and to nothing else: what begins or ends
 * inside a cell may share it, except that nobody else begins where the root ends. */
static enum tn_status count_cells(const struct costing *c, int64_t lo, int64_t hi,
	bool at_end, struct tn_schedule_buffer *out)
{
	int64_t first, end = hi - hi % c->cell;

	if (!tn_align_up_i64(lo, c->cell, &first) ||
		(at_end && !tn_align_up_i64(hi, c->cell, &end)))
		return TN_ERR_INPUT;
	out->size = tn_max_i64(end - first, 0);
	out->pad = out->size ? tn_max_i64(end - hi, 0) : 0;
	return TN_OK;
}

/* A piece of a root, if any part has it. */
static enum tn_status add_piece(struct costing *c, const uint32_t *part, uint32_t n,
	int64_t lo, int64_t hi, int64_t root_end)
{
	struct tn_schedule_buffer b = { 0 };
	bool whole = lo == 0 && hi == root_end, found = false;
	enum tn_status status = count_cells(c, lo, hi, hi == root_end, &b);

	if (status != TN_OK)
		return status;
	for (uint32_t i = 0; i < n; i++) {
		const struct tn_span *span = &c->t->live->tensor[part[i]];

		if (!whole && !covers(&c->t->aliases->of[part[i]], lo, hi))
			continue;
		found = true;
		b.from_start = b.from_start || span->first == 0;
		b.to_end = b.to_end || span->last == c->t->live->end;
	}
	if (!found)
		return TN_OK;
	return tn_vec_push(c->arena, &c->buffers, b) &&
			       tn_vec_push(c->arena, &c->edges, lo)
		       ? TN_OK
		       : TN_ERR_NOMEM;
}

static enum tn_status make_buffers(struct costing *c)
{
	const struct tn_problem *q = &c->lowered.problem;
	int64_t *edges = TN_NEW_ARRAY(c->arena, int64_t, 2 * (size_t)c->t->g->n_tensors);
	struct parts parts;

	c->of = TN_NEW_ARRAY(c->arena, struct range, q->n_buffers);
	if (!edges || !c->of || !list_parts(c, &parts))
		return TN_ERR_NOMEM;
	for (uint32_t b = 0; b < q->n_buffers; b++)
		c->cell = tn_gcd(q->buffers[b].align, c->cell);
	for (uint32_t b = 0; b < q->n_buffers; b++) {
		const uint32_t *part = &parts.list[parts.first[b]];
		uint32_t n = parts.first[b + 1] - parts.first[b];
		size_t n_edges = edges_of(c, part, n, edges);
		bool whole = n_edges < 3 || n_edges > PIECES_MAX;
		const int64_t end = q->buffers[b].size;
		enum tn_status status = TN_OK;

		c->out->estimated = c->out->estimated || n_edges > PIECES_MAX;
		c->of[b].first = (uint32_t)c->buffers.count;
		if (whole)
			status = add_piece(c, part, n, 0, end, end);
		for (size_t i = 0; i + 1 < n_edges && !whole && status == TN_OK; i++)
			status = add_piece(c, part, n, edges[i], edges[i + 1], end);
		c->of[b].end = (uint32_t)c->buffers.count;
		if (status != TN_OK)
			return status;
		if (c->buffers.count >= UINT32_MAX)
			return TN_ERR_INPUT;
	}
	return TN_OK;
}

/* The buffers that hold the tensor. */
static struct range range_of(const struct costing *c, uint32_t tensor)
{
	const struct tn_alias *a = &c->t->aliases->of[tensor];
	struct range r = c->of[c->lowered.buffer_of[tensor]];

	if (r.end - r.first < 2)
		return r;
	while (r.first < r.end && c->edges.items[r.first] < a->offset)
		r.first++;
	while (r.end > r.first && c->edges.items[r.end - 1] >= a->offset + a->extent)
		r.end--;
	return r;
}

/* ---- what ops touch ---- */

/* Each buffer of the op's operands, once. seen[] holds the op + 1 that met it last. */
static bool touch_all(struct costing *c, uint32_t id, uint32_t *seen)
{
	const struct tn_op *op = &c->t->g->ops[id];

	for (uint32_t k = 0; k < op->n_inputs + op->n_outputs; k++) {
		tn_tensor_id t =
			k < op->n_inputs ? op->inputs[k] : op->outputs[k - op->n_inputs];
		struct range r;

		if (t.i == TN_NONE || c->lowered.buffer_of[t.i] == TN_NONE)
			continue;
		r = range_of(c, t.i);
		for (uint32_t b = r.first; b < r.end; b++) {
			if (seen[b] == id + 1)
				continue;
			seen[b] = id + 1;
			if (!tn_vec_push(c->arena, &c->touches, b))
				return false;
		}
	}
	return true;
}

/* ---- pairs ---- */

/* How far the ends of a pair get into each other under variant v, as the bound counts. */
static void measure(const struct costing *c, int64_t d, bool descending, uint32_t v,
	struct tn_schedule_pair *to)
{
	const int64_t larger = tn_max_i64(to->size_a, to->size_b),
		      outer = descending ? to->size_a : to->size_b;
	int64_t reach = 0;

	if (d <= outer - larger)
		reach = larger;
	else if (d < outer && tn_align_up_i64(d, c->cell, &d))
		reach = tn_max_i64(0, outer - d);
	to->reach_a[v] = tn_min_i64(reach, to->size_a);
	to->reach_b[v] = tn_min_i64(reach, to->size_b);
	to->share[v] = tn_min_i64(reach, tn_min_i64(to->size_a, to->size_b));
}

static bool same_range(
	const struct costing *c, uint32_t first, uint32_t n, struct range r)
{
	return n == r.end - r.first && (n == 0 || c->members.items[first] == r.first);
}

/* The number of this input (or output) among the op's pairs: a new one when none has it. */
static uint32_t number_of(
	const struct costing *c, size_t from, struct range r, bool input)
{
	uint32_t next = 0;

	for (size_t i = from; i < c->pairs.count; i++) {
		const struct tn_schedule_pair *p = &c->pairs.items[i];
		uint32_t own = input ? p->a : p->b;

		if (input ? same_range(c, p->first_a, p->first_b - p->first_a, r)
			  : same_range(c, p->first_b, p->end - p->first_b, r))
			return own;
		next = own >= next ? own + 1 : next;
	}
	return next;
}

static bool push_members(struct costing *c, struct range r)
{
	for (uint32_t b = r.first; b < r.end; b++)
		if (!tn_vec_push(c->arena, &c->members, b))
			return false;
	return true;
}

/* Bytes that an end can give: its root's, or the tensor's when the root is in pieces. */
static bool end_size(const struct costing *c, uint32_t tensor, int64_t *out)
{
	struct range all = c->of[c->lowered.buffer_of[tensor]];

	if (all.end - all.first == 1) {
		*out = c->buffers.items[all.first].size;
		return true;
	}
	return tn_align_up_i64(c->t->aliases->of[tensor].extent, c->cell, out);
}

static bool writes_any(const struct costing *c, uint32_t id, struct range r)
{
	const struct tn_op *op = &c->t->g->ops[id];

	for (uint32_t k = 0; k < op->n_outputs; k++) {
		struct range w;

		if (op->outputs[k].i == TN_NONE ||
			c->lowered.buffer_of[op->outputs[k].i] == TN_NONE)
			continue;
		w = range_of(c, op->outputs[k].i);
		if (w.first < r.end && r.first < w.end)
			return true;
	}
	return false;
}

/* A couple once for an op; an input that the op writes to does not die in it. `rule` is
 * the planner's pair for whole roots, or NULL. */
static enum tn_status add_pair(struct costing *c, size_t from,
	const struct tn_candidate *cand, const struct tn_pair *rule)
{
	const struct range a = range_of(c, cand->in.i), b = range_of(c, cand->out.i);
	struct tn_schedule_pair p = { .a = number_of(c, from, a, true),
		.b = number_of(c, from, b, false),
		.first_a = (uint32_t)c->members.count };
	bool inplace = c->options->overlap == OVERLAP_INPLACE;
	struct tn_schedule_op *op = &c->out->ops[cand->op.i];

	if (a.first == a.end || b.first == b.end || writes_any(c, cand->op.i, a))
		return TN_OK;
	for (size_t i = from; i < c->pairs.count; i++)
		if (c->pairs.items[i].a == p.a && c->pairs.items[i].b == p.b)
			return TN_OK;
	if (!end_size(c, cand->in.i, &p.size_a) || !end_size(c, cand->out.i, &p.size_b))
		return TN_ERR_INPUT;
	op->n_variants = inplace ? 1 : cand->n_variants;
	for (uint32_t v = 0; v < op->n_variants; v++)
		measure(c,
			inplace ? TN_D_FREE
			: rule	? rule->d[v]
				: cand->d[v],
			cand->variant[v].descending, v, &p);
	if (!push_members(c, a))
		return TN_ERR_NOMEM;
	p.first_b = (uint32_t)c->members.count;
	if (!push_members(c, b))
		return TN_ERR_NOMEM;
	p.end = (uint32_t)c->members.count;
	if (!tn_vec_push(c->arena, &c->pairs, p))
		return TN_ERR_NOMEM;
	return c->members.count < UINT32_MAX ? TN_OK : TN_ERR_INPUT;
}

/* The planner's pairs are in the order of the candidates that they are made from. */
static const struct tn_pair *rule_of(struct costing *c, uint32_t a, uint32_t b)
{
	const struct tn_problem *q = &c->lowered.problem;

	if (c->next >= q->n_pairs || q->pairs[c->next].a != a || q->pairs[c->next].b != b)
		return NULL;
	return &q->pairs[c->next++];
}

static bool is_whole(const struct costing *c, uint32_t root)
{
	return c->of[root].end - c->of[root].first == 1;
}

static enum tn_status take_candidate(
	struct costing *c, size_t from, const struct tn_candidate *cand)
{
	uint32_t a = c->lowered.buffer_of[cand->in.i];
	uint32_t b = c->lowered.buffer_of[cand->out.i];
	const struct tn_pair *rule;

	if (!cand->may_overlap || cand->elided || a == TN_NONE || b == TN_NONE || a == b)
		return TN_OK;
	/* an op that counts as nothing has its turn among the pairs, too */
	rule = rule_of(c, a, b);
	if (c->out->ops[cand->op.i].idle)
		return TN_OK;
	if (c->options->overlap == OVERLAP_INPLACE)
		return cand->verdict == VERDICT_PROVED ? add_pair(c, from, cand, NULL)
						       : TN_OK;
	return add_pair(c, from, cand, is_whole(c, a) && is_whole(c, b) ? rule : NULL);
}

/* ---- what other choices may do ---- */

/* By tensor: how many ops that run read it; one more if it is kept to the end. */
static uint32_t *count_wishes(const struct costing *c)
{
	const struct tn_graph *g = c->t->g;
	uint32_t *wishes = TN_NEW_ARRAY(c->arena, uint32_t, g->n_tensors);
	uint32_t *seen = TN_NEW_ARRAY(c->arena, uint32_t, g->n_tensors);

	if (!wishes || !seen)
		return NULL;
	for (uint32_t i = 0; i < g->n_ops; i++)
		for (uint32_t k = 0; k < g->ops[i].n_inputs; k++) {
			uint32_t t = g->ops[i].inputs[k].i;

			if (t == TN_NONE || c->t->aliases->elided[i] || seen[t] == i + 1)
				continue;
			seen[t] = i + 1;
			wishes[t]++;
		}
	for (uint32_t i = 0; i < g->n_tensors; i++)
		wishes[i] += c->t->live->tensor[i].reason > LIFE_READ;
	return wishes;
}

static bool meet(const struct tn_alias *a, const struct tn_alias *b)
{
	return a->offset < b->offset + b->extent && b->offset < a->offset + a->extent;
}

/* An op that runs here and may be left out in another order, or when others run, is counted
 * as if it were nothing: before it are its operands, behind it is the result. When others
 * want an operand's bytes as well, a plan may need less than that. */
static void count_idle(struct costing *c, uint32_t id, const struct parts *members,
	const uint32_t *wishes)
{
	const struct tn_aliases *al = c->t->aliases;
	const struct tn_op *op = &c->t->g->ops[id];

	for (uint32_t k = 0; k < op->n_inputs; k++) {
		uint32_t in = op->inputs[k].i, b;

		if (in == TN_NONE || c->lowered.buffer_of[in] == TN_NONE)
			continue;
		b = c->lowered.buffer_of[in];
		for (uint32_t i = members->first[b]; i < members->first[b + 1]; i++) {
			uint32_t m = members->list[i];

			if ((m == in ? wishes[m] > 1
				     : m != al->of[in].root.i && wishes[m] &&
						    meet(&al->of[m], &al->of[in])))
				c->out->estimated = true;
		}
	}
}

/* A part that is wanted longer than the whole keeps others out of the whole. A copy of it
 * would not: a plan that runs the op may need less than one that leaves it out. */
static void count_parts(struct costing *c, const struct parts *members, uint32_t buffer,
	const uint32_t *wishes)
{
	const struct tn_aliases *al = c->t->aliases;
	uint32_t first = members->first[buffer], end = members->first[buffer + 1];

	if (first == end || !al->parted[al->of[members->list[first]].root.i])
		return;
	if (end - first > PIECES_MAX)
		c->out->estimated = true;
	for (uint32_t i = first; i < end && !c->out->estimated; i++)
		for (uint32_t k = first; k < i; k++) {
			const struct tn_alias *a = &al->of[members->list[i]];
			const struct tn_alias *b = &al->of[members->list[k]];

			if (wishes[members->list[i]] && wishes[members->list[k]] &&
				a->extent != b->extent && meet(a, b))
				c->out->estimated = true;
		}
}

static enum tn_status count_choices(struct costing *c)
{
	const uint32_t *wishes = count_wishes(c);
	struct parts members;

	if (!wishes || !list_parts(c, &members))
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < c->out->n_ops; i++) {
		c->out->ops[i].idle = c->t->aliases->may_elide[i];
		if (c->out->ops[i].idle)
			count_idle(c, i, &members, wishes);
	}
	for (uint32_t b = 0; b < c->lowered.problem.n_buffers; b++)
		count_parts(c, &members, b, wishes);
	return TN_OK;
}

/* ---- all of it ---- */

/* By op: its candidates. They are in the given order, so an op's are neighbours. */
static struct range *candidates(const struct costing *c)
{
	struct range *of = TN_NEW_ARRAY(c->arena, struct range, c->out->n_ops);

	for (size_t i = 0; of && i < c->possible.n; i++) {
		struct range *r = &of[c->possible.list[i].op.i];

		if (!r->end)
			r->first = (uint32_t)i;
		r->end = (uint32_t)i + 1;
	}
	return of;
}

/* Pairs are taken in the given order, as the planner's were made. */
static enum tn_status make_pairs(struct costing *c, struct range *pairs)
{
	struct range *cands = candidates(c);

	if (!cands)
		return TN_ERR_NOMEM;
	for (uint32_t p = 0; p < c->out->n_ops; p++) {
		uint32_t id = c->out->given[p];
		size_t from = c->pairs.count;

		for (uint32_t i = cands[id].first; i < cands[id].end; i++) {
			enum tn_status status =
				take_candidate(c, from, &c->possible.list[i]);

			if (status != TN_OK)
				return status;
		}
		pairs[id] = (struct range){ (uint32_t)from, (uint32_t)c->pairs.count };
	}
	return TN_OK;
}

static enum tn_status list_operands(struct costing *c)
{
	struct tn_schedule_problem *out = c->out;
	uint32_t *seen = TN_NEW_ARRAY(c->arena, uint32_t, out->n_buffers);
	struct range *pairs = TN_NEW_ARRAY(c->arena, struct range, out->n_ops);
	enum tn_status status = pairs ? make_pairs(c, pairs) : TN_ERR_NOMEM;
	uint32_t n = 0;

	if (status != TN_OK || !seen)
		return status == TN_OK ? TN_ERR_NOMEM : status;
	out->pairs = TN_NEW_ARRAY(c->arena, struct tn_schedule_pair, c->pairs.count);
	if (!out->pairs)
		return TN_ERR_NOMEM;
	for (uint32_t id = 0; id < out->n_ops; id++) {
		out->ops[id].first_touch = (uint32_t)c->touches.count;
		out->ops[id].first_pair = n;
		for (uint32_t i = pairs[id].first; i < pairs[id].end; i++)
			out->pairs[n++] = c->pairs.items[i];
		if (!touch_all(c, id, seen))
			return TN_ERR_NOMEM;
		if (c->touches.count >= UINT32_MAX)
			return TN_ERR_INPUT;
	}
	out->ops[out->n_ops].first_touch = (uint32_t)c->touches.count;
	out->ops[out->n_ops].first_pair = n;
	out->touches = c->touches.items;
	out->members = c->members.items;
	return TN_OK;
}

static enum tn_status look(struct costing *c, struct tn_diags *diags)
{
	struct tn_tables tables = *c->t;
	struct tn_lower_options options = *c->options;
	enum tn_status status = TN_OK;

	tables.inplace = &c->possible;
	if (options.overlap != OVERLAP_NONE)
		status = tn_inplace_possible(tables.g, tables.order, tables.aliases,
			tables.live, c->arena, &c->possible);
	if (options.overlap == OVERLAP_INPLACE)
		options.overlap = OVERLAP_NONE; /* buffers before any was merged */
	if (status == TN_OK)
		status = tn_lower(&tables, &options, c->arena, diags, &c->lowered);
	return status;
}

enum tn_status tn_schedule_cost(const struct tn_tables *tables,
	const struct tn_lower_options *options, struct tn_arena *arena,
	struct tn_diags *diags, struct tn_schedule_problem *out)
{
	struct costing c = {
		.t = tables, .options = options, .arena = arena, .out = out
	};
	enum tn_status status = look(&c, diags);

	if (status == TN_OK)
		status = count_choices(&c);
	if (status == TN_OK)
		status = make_buffers(&c);
	out->buffers = c.buffers.items;
	out->n_buffers = (uint32_t)c.buffers.count;
	return status == TN_OK ? list_operands(&c) : status;
}
