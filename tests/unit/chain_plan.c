#include "chain_plan.h"

#include "suite.h"

void chain_analyse(struct net *n, bool fed, struct chain_tables *t)
{
	const struct tn_graph *g = &n->graph;

	ck_assert_int_eq(tn_order_given(g, &n->arena, &t->order), TN_OK);
	ck_assert_int_eq(tn_aliases_find(g, &n->arena, &t->aliases), TN_OK);
	ck_assert_int_eq(
		tn_liveness_find(g, &t->order, &t->aliases, &n->arena, &t->live), TN_OK);
	ck_assert_int_eq(tn_inplace_judge(g, &t->order, &t->aliases, &t->live, &n->arena,
				 &t->inplace),
		TN_OK);
	ck_assert_int_eq(tn_stream_view_make(g, &t->order, &t->aliases, &t->live,
				 fed ? g->inputs[0].i : TN_NONE, &n->arena, &t->view),
		TN_OK);
}

/* Leaves only the way in that direction, with its rings. */
static void choose(struct net *n, const struct chain_tables *t, struct tn_streamed *all,
	enum chain_way want, int64_t align)
{
	struct tn_stream *s = all->list[0];

	if (want == CHAIN_ANY)
		return;
	s->n_ways = 1;
	s->ways[0].descending = want == CHAIN_DESCENDING;
	ck_assert_int_eq(tn_events_make(&t->view, &s->chain, s->ways[0].descending, align,
				 &n->arena, &s->ways[0].events),
		TN_OK);
	for (uint32_t i = 0; i + 1 < s->chain.n; i++)
		all->ring_bytes[s->chain.ops[i].out] = s->ways[0].events.ring[i];
}

void chain_plan(struct net *n, const struct chain_tables *t, struct tn_stream_pick pick,
	enum chain_way way, struct tn_plan *out)
{
	const int64_t align = n->graph.tensors[0].dtype == DTYPE_I8 ? 1 : 4;
	struct tn_streamed *streamed = TN_NEW(&n->arena, struct tn_streamed);
	struct tn_lower_options options = {
		.overlap = OVERLAP_FULL, .align = align, .streamed = streamed
	};
	const struct tn_limits limits = { 0 };
	struct tn_inplace inplace = {
		TN_NEW_ARRAY(&n->arena, struct tn_candidate, t->inplace.n + 1), 0
	};
	struct tn_tables all = { &n->graph, &t->order, &t->aliases, NULL, &inplace };
	struct tn_lowered lowered;
	struct tn_solution solution;

	ck_assert_int_eq(
		tn_streamed_make(&t->view, &pick, 1, align, &n->arena, streamed), TN_OK);
	choose(n, t, streamed, way, align);
	for (size_t i = 0; i < t->inplace.n; i++)
		if (streamed->of_op[t->inplace.list[i].op.i] == TN_NONE)
			inplace.list[inplace.n++] = t->inplace.list[i];
	all.live = &streamed->live;
	ck_assert_int_eq(tn_lower(&all, &options, &n->arena, &n->diags, &lowered), TN_OK);
	ck_assert_int_eq(
		tn_solve(&lowered.problem, &limits, &n->arena, &n->diags, &solution),
		TN_OK);
	ck_assert_int_eq(
		tn_raise(&all, &options, &lowered, &solution, &n->arena, out), TN_OK);
}

void chain_best(struct net *n, int64_t align, bool input, struct tn_plan *out)
{
	const struct tn_streaming how = { .input = input };
	const struct tn_limits limits = { 0 };
	const struct tn_lower_options options = { .overlap = OVERLAP_FULL,
		.align = align };
	struct chain_tables t;
	struct tn_tables all = { &n->graph, &t.order, &t.aliases, &t.live, &t.inplace };
	struct tn_made made = { 0 };
	struct tn_lowered lowered;
	struct tn_solution solution;

	chain_analyse(n, false, &t);
	ck_assert_int_eq(tn_lower(&all, &options, &n->arena, &n->diags, &lowered), TN_OK);
	ck_assert_int_eq(
		tn_solve(&lowered.problem, &limits, &n->arena, &n->diags, &solution),
		TN_OK);
	ck_assert_int_eq(tn_make_plan(&all, &options, &limits, &lowered, &solution, false,
				 &n->arena, &n->diags, &made),
		TN_OK);
	ck_assert_int_eq(tn_make_streamed(&all, &options, &limits, &how, false, &n->arena,
				 &n->diags, &made),
		TN_OK);
	*out = made.plan;
}

struct tn_plan_stream chain_unrolled(
	struct tn_arena *arena, const struct tn_plan_stream *s)
{
	struct tn_plan_stream out = *s;
	int64_t count = 2; /* room for more */

	for (uint32_t i = 0; i < s->n_loops; i++)
		count += s->loops[i].times * s->loops[i].n_events;
	out.loops = TN_NEW(arena, struct tn_plan_loop);
	ck_assert(out.loops);
	out.n_loops = 1;
	out.loops->times = 1;
	out.loops->events = TN_NEW_ARRAY(arena, struct tn_plan_event, (size_t)count);
	ck_assert(out.loops->events);
	for (uint32_t i = 0; i < s->n_loops; i++)
		for (int64_t t = 0; t < s->loops[i].times; t++)
			for (uint32_t k = 0; k < s->loops[i].n_events; k++) {
				struct tn_plan_event e = s->loops[i].events[k];

				e.y += t * e.step;
				e.step = 0;
				out.loops->events[out.loops->n_events++] = e;
			}
	return out;
}
