/* From claims that hold to a plan. */
#include "base/checked.h"
#include "driver/repair.h"

#include "base/banned.h"

struct laying {
	struct tn_run *run;
	const struct tn_graph *g;
	const struct tn_repair *rep;
	struct tn_arena *arena;
	uint32_t *space; /* by tensor: as in the repair, and views that need not run */
	int64_t *at;
	uint32_t *members; /* by space: tensors that claims have put there */
	bool *linked; /* by tensor: lies where its input does, its op does not run */
	uint32_t *buffer; /* by space; TN_NONE: nothing in it needs memory */
	int64_t *lo; /* by space: its first byte */
	struct tn_problem problem;
};

static bool is_placed(const struct laying *l, uint32_t i)
{
	const struct tn_span *span = &l->run->live.tensor[i];

	return l->rep->space[i] != TN_NONE && tn_tensor_is_planned(&l->g->tensors[i]) &&
	       span->first <= span->last;
}

/* What only gives bytes another shape stays where it is, unless claims speak of it. */
static void link_views(struct laying *l)
{
	for (uint32_t i = 0; i < l->g->n_tensors; i++)
		if (l->space[i] != TN_NONE)
			l->members[l->space[i]]++;
	for (uint32_t i = 0; i < l->g->n_tensors; i++) {
		const struct tn_alias *a = &l->run->aliases.of[i];
		uint32_t root = a->root.i;

		if (root == i || l->space[i] == TN_NONE || l->space[root] == TN_NONE ||
			l->members[l->space[i]] > 1 || l->members[l->space[root]] > 1 ||
			l->rep->spaces[l->space[i]].arena)
			continue;
		l->linked[i] = true;
		l->at[i] = l->at[root] + a->offset;
		l->space[i] = l->space[root];
	}
}

static int64_t extent_of(const struct laying *l, uint32_t i)
{
	return tn_max_i64(l->g->tensors[i].bytes, l->run->aliases.of[i].extent);
}

/* One buffer for each space: as long as one of its tensors is needed. */
static bool make_buffers(struct laying *l)
{
	struct tn_buffer *list =
		TN_NEW_ARRAY(l->arena, struct tn_buffer, l->rep->n_spaces);

	if (!list)
		return false;
	for (uint32_t s = 0; s < l->rep->n_spaces; s++)
		l->buffer[s] = TN_NONE;
	for (uint32_t i = 0; i < l->g->n_tensors; i++) {
		uint32_t s = l->space[i];
		const struct tn_span *span =
			&l->run->live.root[l->run->aliases.of[i].root.i];
		struct tn_buffer *b;
		int64_t end, life = tn_span_end(span);

		if (!is_placed(l, i))
			continue;
		if (!tn_add_i64(l->at[i], extent_of(l, i), &end))
			return false;
		if (l->buffer[s] == TN_NONE) {
			l->buffer[s] = l->problem.n_buffers++;
			l->lo[s] = l->rep->spaces[s].arena ? 0 : l->at[i];
			list[l->buffer[s]] = (struct tn_buffer){ span->first, life, 0,
				l->run->options->align, -1 };
		}
		b = &list[l->buffer[s]];
		b->begin = tn_min_i64(b->begin, span->first);
		b->end = tn_max_i64(b->end, life);
		if (l->at[i] < l->lo[s]) {
			b->size += l->lo[s] - l->at[i];
			l->lo[s] = l->at[i];
		}
		b->size = tn_max_i64(b->size, end - l->lo[s]);
	}
	l->problem.buffers = list;
	l->problem.capacity = -1;
	return true;
}

static void fill_tensors(
	const struct laying *l, const struct tn_solution *s, struct tn_plan *out)
{
	for (uint32_t i = 0; i < l->g->n_tensors; i++) {
		struct tn_plan_tensor *p = &out->tensors[i];
		const struct tn_span *span = &l->run->live.tensor[i];

		p->bytes = l->g->tensors[i].bytes;
		if (!is_placed(l, i))
			continue;
		p->region = 0;
		p->offset =
			s->offset[l->buffer[l->space[i]]] + l->at[i] - l->lo[l->space[i]];
		p->first = span->first;
		p->last = span->last;
	}
	for (uint32_t i = 0; i < l->g->n_tensors; i++) {
		const struct tn_tensor *t = &l->g->tensors[i];
		struct tn_plan_tensor *p = &out->tensors[i];
		const struct tn_span *span = &l->run->live.tensor[i];
		uint32_t own = i;

		while (l->g->tensors[own].view_of.i != TN_NONE)
			own = l->g->tensors[own].view_of.i;
		if (t->view_of.i == TN_NONE ||
			out->tensors[own].region == TN_REGION_NONE ||
			span->first > span->last)
			continue;
		p->region = 0;
		/* both are seen from one root */
		p->offset = out->tensors[own].offset + l->run->aliases.of[i].offset -
			    l->run->aliases.of[own].offset;
		p->first = span->first;
		p->last = span->last;
	}
}

static void fill_ops(const struct laying *l, struct tn_plan *out)
{
	for (uint32_t i = 0; i < l->g->n_ops; i++) {
		struct tn_variant list[TN_VARIANTS_MAX] = { { false, HOLD_NONE } };
		const struct tn_op *op = &l->g->ops[i];
		uint32_t o = op->n_outputs ? op->outputs[0].i : TN_NONE;
		struct tn_plan_op *p = &out->ops[i];

		*p = (struct tn_plan_op){ .scratch_region = TN_REGION_NONE };
		p->elided =
			l->rep->elided[i] ||
			(l->run->aliases.elided[i] && o != TN_NONE &&
				(l->linked[o] || l->g->tensors[o].view_of.i != TN_NONE));
		if (p->elided || !tn_contract_variants(l->g, (tn_op_id){ i }, list))
			continue;
		if (l->rep->has_variant[i])
			list[0] = l->rep->variant[i];
		p->descending = list[0].descending;
		p->hold = (uint8_t)list[0].hold;
	}
}

/* The largest power of two up to the wanted alignment that all offsets have. */
static int64_t common_align(const struct tn_plan *plan, int64_t wanted)
{
	for (uint32_t i = 0; i < plan->n_tensors; i++)
		while (plan->tensors[i].region == 0 && wanted > 1 &&
			plan->tensors[i].offset % wanted != 0)
			wanted /= 2;
	return wanted;
}

enum tn_status tn_repair_layout(
	struct tn_run *run, const struct tn_repair *repair, struct tn_plan *out)
{
	struct laying l = {
		.run = run, .g = &run->graph, .rep = repair, .arena = &run->arena
	};
	const struct tn_limits limits = { run->options->nodes, run->options->time_limit };
	struct tn_solution solution;
	uint32_t n = l.g->n_tensors;
	enum tn_status status;

	l.space = TN_NEW_ARRAY(l.arena, uint32_t, n);
	l.at = TN_NEW_ARRAY(l.arena, int64_t, n);
	l.linked = TN_NEW_ARRAY(l.arena, bool, n);
	l.members = TN_NEW_ARRAY(l.arena, uint32_t, repair->n_spaces);
	l.buffer = TN_NEW_ARRAY(l.arena, uint32_t, repair->n_spaces);
	l.lo = TN_NEW_ARRAY(l.arena, int64_t, repair->n_spaces);
	if (!l.space || !l.at || !l.linked || !l.members || !l.buffer || !l.lo)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < n; i++) {
		l.space[i] = repair->space[i];
		l.at[i] = repair->at[i];
	}
	link_views(&l);
	if (!make_buffers(&l))
		return TN_ERR_NOMEM;
	status = tn_solve(&l.problem, &limits, l.arena, &run->diags, &solution);
	if (status == TN_OK)
		status = tn_plan_init(out, l.arena, n, l.g->n_ops, 1);
	if (status != TN_OK)
		return status;
	fill_tensors(&l, &solution, out);
	fill_ops(&l, out);
	for (uint32_t i = 0; i < l.g->n_ops; i++)
		out->order[i] = repair->order[i];
	out->regions[0].align = common_align(out, run->options->align);
	return TN_OK;
}
