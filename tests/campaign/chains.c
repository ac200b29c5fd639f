#include "chains.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "chain_plan.h"
#include "gen_part.h"
#include "gen_plan.h"

/* Is there a chain that can take the input's rows as they come? */
static bool has_fed(const struct net *n, const struct chain_tables *t)
{
	static struct tn_chain chain;

	for (uint32_t first = 0; first < n->graph.n_ops; first++)
		for (uint32_t ops = 1; first + ops <= n->graph.n_ops; ops++)
			if (tn_chain_of(&t->view, first, ops, &chain) && chain.fed)
				return true;
	return false;
}

void chains_plan(struct net *n, struct tn_gen *gen, bool fed, struct tn_plan *out)
{
	static struct tn_chain chain;
	struct chain_tables t;
	bool best;

	chain_analyse(n, fed, &t);
	if (fed && !has_fed(n, &t)) { /* somebody else reads the input as well */
		chains_plan(n, gen, false, out);
		return;
	}
	best = !tn_gen_random(gen, 3);
	for (uint32_t tries = 0; tries < 40 && !best; tries++) {
		const uint32_t first = tn_gen_random(gen, n->graph.n_ops - 1);
		const struct tn_stream_pick pick = { first,
			2 + tn_gen_random(gen, n->graph.n_ops - first - 1) };

		if (!tn_chain_of(&t.view, pick.first, pick.n, &chain) ||
			(fed && !chain.fed))
			continue;
		chain_plan(n, &t, pick, CHAIN_ANY, out);
		return;
	}
	chain_best(n, 16, fed, out);
}

void chains_copy(struct tn_gen *gen, const struct tn_plan *from, struct tn_plan *to)
{
	gen_plan_copy(gen, from, to);
	to->n_streams = from->n_streams;
	to->streams = TN_NEW_ARRAY(&gen->arena, struct tn_plan_stream, from->n_streams);
	gen_need(to->streams);
	for (uint32_t i = 0; i < from->n_streams; i++)
		to->streams[i] = chain_unrolled(&gen->arena, &from->streams[i]);
}

static void change_ring(
	struct tn_gen *gen, const struct tn_graph *g, struct tn_plan *plan)
{
	for (uint32_t tries = 0; tries < 30; tries++) {
		const uint32_t i = tn_gen_random(gen, g->n_tensors);
		const struct tn_tensor *t = &g->tensors[i];
		struct tn_plan_tensor *p = &plan->tensors[i];
		int64_t row;

		if (p->region == TN_REGION_NONE || t->shape.rank != 4 ||
			t->shape.dim[1] < 2 || (!p->ring_bytes && tn_gen_random(gen, 4)))
			continue;
		row = t->bytes / t->shape.dim[1];
		p->ring_bytes = tn_plan_tensor_room(p) +
				(tn_gen_random(gen, 3) && p->ring_bytes ? row : -row);
		if (p->ring_bytes >= t->bytes || p->ring_bytes <= 0)
			p->ring_bytes = 0;
		return;
	}
}

/* Rows of what the op makes that are there at once. */
static int64_t rows_held(
	const struct tn_graph *g, const struct tn_plan *plan, uint32_t op)
{
	const uint32_t id = op < g->n_ops ? g->ops[op].outputs[0].i : g->inputs[0].i;
	const int64_t ring = plan->tensors[id].ring_bytes;

	return ring ? ring * g->tensors[id].shape.dim[1] / g->tensors[id].bytes
		    : INT64_MAX;
}

/* An event takes over the rows of the op's next one. At its end all of them should be there,
 * or nobody can look at some; but not all rows are looked at, so that one that is gone may be
 * none that is missed. */
static void join_events(struct tn_gen *gen, const struct tn_graph *g,
	const struct tn_plan *plan, struct tn_plan_loop *l, uint32_t at)
{
	const bool all_held = tn_gen_random(gen, 3) != 0;

	struct tn_plan_event *e = &l->events[at];

	for (uint32_t k = at + 1; k < l->n_events; k++) {
		if (l->events[k].op != e->op)
			continue;
		if (all_held && e->rows + l->events[k].rows > rows_held(g, plan, e->op))
			return;
		e->y = tn_min_i64(e->y, l->events[k].y);
		e->rows += l->events[k].rows;
		memmove(&l->events[k], &l->events[k + 1],
			(l->n_events - k - 1) * sizeof(*e));
		l->n_events--;
		return;
	}
}

static void change_events(struct tn_gen *gen, const struct tn_graph *g,
	const struct tn_plan *plan, struct tn_plan_loop *l)
{
	const uint32_t at = tn_gen_random(gen, l->n_events);
	struct tn_plan_event *e = &l->events[at], kept = *e;

	switch (tn_gen_random(gen, 10)) {
	case 0: /* lost */
		memmove(e, e + 1, (l->n_events - at - 1) * sizeof(*e));
		l->n_events--;
		break;
	case 1: /* twice */
		memmove(e + 1, e, (l->n_events - at) * sizeof(*e));
		l->n_events++;
		break;
	case 2: /* other rows */
		e->y += (int64_t)tn_gen_random(gen, 3) - 1;
		e->rows += (int64_t)tn_gen_random(gen, 3) - 1;
		break;
	case 3:
	case 4:
	case 5:
		join_events(gen, g, plan, l, at);
		break;
	default: /* a little earlier or later */
		if (at + 1 < l->n_events) {
			*e = e[1];
			e[1] = kept;
		}
		break;
	}
}

static void change_order(struct tn_gen *gen, struct tn_plan *plan)
{
	const struct tn_plan_stream *s =
		&plan->streams[tn_gen_random(gen, plan->n_streams)];
	uint32_t *a = &plan->order[s->first + tn_gen_random(gen, s->n)];
	uint32_t *b = &plan->order[s->first + tn_gen_random(gen, s->n)], kept = *a;

	*a = *b;
	*b = kept;
}

/* By an element, a row, or to where another tensor is. */
static void move(struct tn_gen *gen, const struct tn_graph *g, struct tn_plan *plan)
{
	for (uint32_t tries = 0; tries < 30; tries++) {
		const uint32_t i = tn_gen_random(gen, g->n_tensors);
		const uint32_t k = tn_gen_random(gen, g->n_tensors);
		struct tn_plan_tensor *p = &plan->tensors[i];
		const struct tn_tensor *t = &g->tensors[i];
		const int64_t width = tn_dtype_bits(t->dtype) / 8;
		const int64_t row = t->shape.rank == 4 && t->shape.dim[1]
					    ? t->bytes / t->shape.dim[1]
					    : width;

		if (p->region == TN_REGION_NONE ||
			plan->tensors[k].region == TN_REGION_NONE)
			continue;
		if (!tn_gen_random(gen, 3))
			p->offset = plan->tensors[k].offset;
		else
			p->offset += ((int64_t)tn_gen_random(gen, 7) - 3) *
				     (tn_gen_random(gen, 2) ? width : row);
		p->offset = tn_max_i64(p->offset, 0);
		return;
	}
}

void chains_change(struct tn_gen *gen, const struct tn_graph *g, struct tn_plan *plan)
{
	struct tn_plan_stream *s;

	if (!plan->n_streams) {
		move(gen, g, plan);
		gen_plan_settle(g, plan);
		return;
	}
	s = &plan->streams[tn_gen_random(gen, plan->n_streams)];
	switch (tn_gen_random(gen, 12)) {
	case 0:
	case 1:
	case 2:
		change_ring(gen, g, plan);
		break;
	case 3:
	case 4:
		change_events(gen, g, plan, s->loops);
		break;
	case 5:
		change_order(gen, plan);
		break;
	case 6:
		switch (tn_gen_random(gen, 3)) {
		case 0:
			s->descending = !s->descending;
			break;
		case 1:
			s->fed = !s->fed;
			break;
		default:
			plan->n_streams--; /* what was a ring may be one no more */
			break;
		}
		break;
	case 7:
		gen_plan_mutate(gen, g, plan, MUTANT_SCRATCH);
		break;
	default:
		move(gen, g, plan);
		break;
	}
	gen_plan_settle(g, plan);
}
