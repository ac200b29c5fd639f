/* Chains in the problem and in the plan: for the planner a chain is an op like any other. */
#include "base/checked.h"
#include "lower/lowering.h"
#include "lower/raising.h"

static const struct tn_chain_op *last_of(const struct tn_stream *s)
{
	return &s->chain.ops[s->chain.n - 1];
}

/* ---- the problem ---- */

enum tn_status tn_stream_states(struct tn_lowering *l)
{
	const struct tn_streamed *streamed = l->options->streamed;

	l->out->state_of = TN_NEW_ARRAY(l->arena, uint32_t, streamed->n);
	if (!l->out->state_of)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < streamed->n; i++) {
		const struct tn_chain *c = &streamed->list[i]->chain;
		const struct tn_buffer b = { .begin = 2 * (int64_t)c->first,
			.end = 2 * (int64_t)tn_chain_end(c),
			.size = last_of(streamed->list[i])->rows.state,
			.align = tn_max_i64(l->options->align, 16), /* it is scratch */
			.fixed = -1 };

		l->out->state_of[i] = TN_NONE;
		if (!b.size)
			continue;
		l->out->state_of[i] = (uint32_t)l->buffers.count;
		if (!tn_vec_push(l->arena, &l->buffers, b) ||
			!tn_vec_push(l->arena, &l->roots, ((tn_tensor_id){ TN_NONE })))
			return TN_ERR_NOMEM;
	}
	return TN_OK;
}

/* The rule of tensor `p` in this way, for the buffers that hold it and the output. */
static int64_t rule_of(const struct tn_lowering *l, const struct tn_way *way,
	const struct tn_chain_pair *p, uint32_t out)
{
	int64_t shift = l->out->shift_of[p->tensor] - l->out->shift_of[out];

	if (p->d == TN_DISPLACEMENT_FREE)
		return TN_D_FREE;
	return p->d + (way->descending ? shift : -shift);
}

/* Several inputs may be parts of one buffer: the widest rule counts. */
static enum tn_status pair_of(
	struct tn_lowering *l, const struct tn_stream *s, uint32_t index, size_t first)
{
	const uint32_t out = last_of(s)->out;
	const struct tn_chain_pair *of = &s->ways[0].events.pairs[index];
	struct tn_pair p = { l->out->buffer_of[of->tensor], l->out->buffer_of[out],
		(uint32_t)l->groups.count - 1, { 0 } };
	struct tn_pair_source source = { tn_chain_end(&s->chain) - 1,
		l->out->shift_of[out],
		l->out->shift_of[out] + l->t->g->tensors[out].bytes };
	struct tn_pair *same = NULL;

	if (p.a == TN_NONE || p.b == TN_NONE || p.a == p.b)
		return TN_OK;
	for (size_t i = first; i < l->pairs.count; i++)
		if (l->pairs.items[i].a == p.a)
			same = &l->pairs.items[i];
	for (uint32_t v = 0; v < s->n_ways; v++) {
		p.d[v] = rule_of(l, &s->ways[v], &s->ways[v].events.pairs[index], out);
		if (same)
			same->d[v] = tn_max_i64(same->d[v], p.d[v]);
	}
	if (same)
		return TN_OK;
	return tn_vec_push(l->arena, &l->pairs, p) &&
			       tn_vec_push(l->arena, &l->sources, source)
		       ? TN_OK
		       : TN_ERR_NOMEM;
}

enum tn_status tn_stream_pairs(struct tn_lowering *l)
{
	const struct tn_streamed *streamed = l->options->streamed;
	enum tn_status status = TN_OK;

	for (uint32_t i = 0; i < streamed->n && status == TN_OK; i++) {
		const struct tn_stream *s = streamed->list[i];
		struct tn_group group = { .n_variants = s->n_ways };
		const size_t first = l->pairs.count;

		if (!s->ways[0].events.n_pairs)
			continue;
		for (uint32_t v = 0; v < s->n_ways; v++)
			if (s->ways[v].descending)
				group.descending |= (uint8_t)(1u << v);
		if (!tn_vec_push(l->arena, &l->groups, group))
			return TN_ERR_NOMEM;
		for (uint32_t k = 0; k < s->ways[0].events.n_pairs && status == TN_OK;
			k++)
			status = pair_of(l, s, k, first);
	}
	return status;
}

/* ---- the plan ---- */

static bool allows(
	const struct tn_plan *plan, const struct tn_stream *s, const struct tn_way *way)
{
	const struct tn_plan_tensor *out = &plan->tensors[last_of(s)->out];

	for (uint32_t i = 0; i < way->events.n_pairs; i++) {
		const struct tn_chain_pair *p = &way->events.pairs[i];
		const struct tn_plan_tensor *in = &plan->tensors[p->tensor];
		const int64_t lead = in->offset - out->offset;

		if (in->region != out->region || in->offset + in->bytes <= out->offset ||
			out->offset + out->bytes <= in->offset ||
			p->d == TN_DISPLACEMENT_FREE ||
			(way->descending ? -lead : lead) >= p->d)
			continue;
		return false;
	}
	return true;
}

enum tn_status tn_stream_raise(
	const struct tn_lowered *l, struct tn_arena *arena, struct tn_plan *plan)
{
	const struct tn_streamed *streamed = l->streamed;

	plan->streams = TN_NEW_ARRAY(arena, struct tn_plan_stream, streamed->n);
	if (!plan->streams)
		return TN_ERR_NOMEM;
	plan->n_streams = streamed->n;
	for (uint32_t i = 0; i < streamed->n; i++) {
		const struct tn_stream *s = streamed->list[i];
		struct tn_plan_stream *out = &plan->streams[i];
		enum tn_status status;
		uint32_t v = 0;

		while (v < s->n_ways && !allows(plan, s, &s->ways[v]))
			v++;
		if (v == s->n_ways)
			return TN_ERR_INTERNAL; /* the solver promised one */
		*out = (struct tn_plan_stream){ .first = s->chain.first,
			.n = tn_chain_end(&s->chain) - s->chain.first,
			.descending = s->ways[v].descending,
			.fed = s->chain.fed,
			.input = s->chain.fed ? s->chain.ops[0].out : 0 };
		status = tn_events_fold(&s->chain, &s->ways[v].events, arena, out);
		if (status != TN_OK)
			return status;
	}
	return TN_OK;
}

void tn_stream_raise_op(const struct tn_graph *g, const struct tn_lowered *l,
	struct tn_plan *plan, tn_op_id op)
{
	const uint32_t index = l->streamed->of_op[op.i];
	const struct tn_chain_op *last = last_of(l->streamed->list[index]);
	const struct tn_variant v = { plan->streams[index].descending, HOLD_NONE };
	struct tn_plan_op *p = &plan->ops[op.i];

	p->descending = v.descending;
	p->hold = (uint8_t)v.hold;
	p->scratch_bytes = last->op.i == op.i && last->rows.state
				   ? last->rows.state
				   : tn_contract_scratch(g, op, v);
}

uint32_t tn_stream_state_of(const struct tn_lowered *l, uint32_t op)
{
	const uint32_t index = l->streamed->of_op[op];

	if (index == TN_NONE || last_of(l->streamed->list[index])->op.i != op)
		return TN_NONE;
	return l->state_of[index];
}
