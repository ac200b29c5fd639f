/* Which chains a plan has: by what is live, then by the plan that comes of it. */
#include "base/checked.h"
#include "lower/lower.h"
#include "stream/choose.h"

#define ROUNDS_MAX 4

struct streaming {
	const struct tn_tables *t;
	const struct tn_lower_options *options;
	const struct tn_limits *limits;
	bool least_arena;
	struct tn_arena *arena;
	struct tn_diags *diags;
	struct tn_stream_view view;
};

/* What the outputs of the op add to what is there, as it runs by itself. */
static int64_t outputs_of(const struct streaming *s, uint32_t position,
	const struct tn_candidate *c, size_t n)
{
	const struct tn_graph *g = s->t->g;
	const struct tn_op *op = &g->ops[s->t->order->at[position].i];
	int64_t sum = 0;

	for (uint32_t k = 0; k < op->n_outputs; k++) {
		const uint32_t id = op->outputs[k].i;
		const uint32_t root =
			id == TN_NONE ? TN_NONE : s->t->aliases->of[id].root.i;
		int64_t least;

		if (root == TN_NONE || !tn_tensor_is_planned(&g->tensors[root]) ||
			s->t->live->root[root].first != 2 * (int64_t)position + 1)
			continue;
		least = g->tensors[root].bytes;
		for (size_t i = 0; i < n && s->options->overlap == OVERLAP_FULL; i++)
			if (c[i].out.i == id && c[i].may_overlap)
				least = tn_min_i64(
					least, g->tensors[id].bytes - c[i].saves_bytes);
		if (tn_align_up_i64(least, s->options->align, &least))
			sum += least; /* of tensors: fits */
	}
	return sum;
}

static bool reads(const struct streaming *s, uint32_t position, uint32_t tensor)
{
	const struct tn_op *op = &s->t->g->ops[s->t->order->at[position].i];

	for (uint32_t k = 0; k < op->n_inputs && tensor != TN_NONE; k++)
		if (op->inputs[k].i == tensor)
			return true;
	return false;
}

/* By position: what is live when its op runs by itself. */
static int64_t *alone_of(const struct streaming *s)
{
	const struct tn_inplace *in = s->t->inplace;
	int64_t *alone = tn_stream_loads(&s->view, s->options->align, s->arena);
	size_t first = 0;

	for (uint32_t p = 0; alone && p < s->t->order->n; p++) {
		size_t end = first;

		while (end < in->n && in->list[end].op.i == s->t->order->at[p].i)
			end++;
		alone[p] += outputs_of(s, p, &in->list[first], end - first);
		if (reads(s, p, s->view.input))
			alone[p] = INT64_MAX; /* there is no such moment */
		first = end;
	}
	return alone;
}

static enum tn_status without_chains(const struct streaming *s,
	const struct tn_streamed *streamed, struct tn_inplace *out)
{
	const struct tn_inplace *in = s->t->inplace;

	*out = (struct tn_inplace){ TN_NEW_ARRAY(s->arena, struct tn_candidate, in->n),
		0 };
	if (!out->list)
		return TN_ERR_NOMEM;
	for (size_t i = 0; i < in->n; i++)
		if (streamed->of_op[in->list[i].op.i] == TN_NONE)
			out->list[out->n++] = in->list[i];
	return TN_OK;
}

static enum tn_status plan_with(struct streaming *s, const struct tn_stream_pick *picks,
	uint32_t n, struct tn_made *out)
{
	struct tn_streamed *streamed = TN_NEW(s->arena, struct tn_streamed);
	struct tn_lower_options options = *s->options;
	struct tn_inplace inplace;
	struct tn_lowered lowered;
	struct tn_solution solution;
	struct tn_tables t = *s->t;
	enum tn_status status;

	if (!streamed)
		return TN_ERR_NOMEM;
	status = tn_streamed_make(&s->view, picks, n, options.align, s->arena, streamed);
	if (status == TN_OK)
		status = without_chains(s, streamed, &inplace);
	if (status != TN_OK)
		return status;
	t.live = &streamed->live;
	t.inplace = &inplace;
	options.streamed = streamed;
	status = tn_lower(&t, &options, s->arena, s->diags, &lowered);
	if (status == TN_OK)
		status = tn_solve(
			&lowered.problem, s->limits, s->arena, s->diags, &solution);
	if (status == TN_OK)
		status = tn_make_plan(&t, &options, s->limits, &lowered, &solution,
			s->least_arena, s->arena, s->diags, out);
	return status;
}

static bool is_less(const struct streaming *s, const struct tn_made *a,
	const struct tn_made *b, bool or_same)
{
	const struct tn_plan *x = &a->plan, *y = &b->plan;
	int64_t first = s->least_arena ? x->arena_bytes - y->arena_bytes
				       : x->activation_bytes - y->activation_bytes;
	int64_t then = s->least_arena ? x->activation_bytes - y->activation_bytes
				      : x->arena_bytes - y->arena_bytes;

	return first < 0 || (first == 0 && (then < 0 || (then == 0 && or_same)));
}

/* What is live is a lower bound of a plan. If the plan needs more, then fewer ops in chains
 * may do for as much. */
static enum tn_status try_all(
	struct streaming *s, const struct tn_stream_costs *costs, struct tn_made *made)
{
	const struct tn_made without = *made;
	const bool fed = s->view.input != TN_NONE;
	int64_t bytes;
	enum tn_status status = tn_stream_least(costs, &bytes);

	for (uint32_t i = 0; i < ROUNDS_MAX && status == TN_OK; i++) {
		struct tn_stream_pick *picks;
		struct tn_made next = { 0 };
		uint32_t n;

		if (fed ? bytes == INT64_MAX : bytes >= without.plan.activation_bytes)
			break;
		status = tn_stream_pick(costs, bytes, s->arena, &picks, &n);
		if (status != TN_OK || !n)
			break;
		status = plan_with(s, picks, n, &next);
		if (status != TN_OK)
			break;
		if ((fed && !made->plan.n_streams) ||
			is_less(s, &next, made, made->plan.n_streams > 0))
			*made = next;
		if (next.plan.activation_bytes <= bytes)
			break;
		bytes = next.plan.activation_bytes;
	}
	return status;
}

/* The input that may come row by row: the largest one that is an image. */
static uint32_t input_of(const struct tn_graph *g)
{
	uint32_t best = TN_NONE;

	for (uint32_t k = 0; k < g->n_inputs; k++) {
		const uint32_t id = g->inputs[k].i;

		if (tn_tensor_is_planned(&g->tensors[id]) &&
			g->tensors[id].shape.rank == 4 &&
			(best == TN_NONE ||
				g->tensors[id].bytes > g->tensors[best].bytes))
			best = id;
	}
	return best;
}

/* What keeps the rows of an input from being used up. */
static const char *why_not(const struct streaming *s, const struct tn_tensor *t)
{
	if (t->shape.dim[0] != 1)
		return "rows are of one image at a time";
	if (s->t->live->root[s->view.input].reason > LIFE_READ)
		return "its value is kept to the end, so that none of its rows may go";
	return "all ops that read it must be in one chain, which runs row by row and "
	       "whose inner tensors nobody else needs";
}

static enum tn_status refuse_input(const struct streaming *s)
{
	static const char rule[] = "command/stream-input";
	const struct tn_graph *g = s->t->g;
	const struct tn_tensor *t;

	if (s->view.input == TN_NONE) {
		tn_diag_at(s->diags, SEVERITY_ERROR, rule, g->source, NULL, NULL,
			"the graph has no input that is an image");
		return TN_ERR_INPUT;
	}
	t = &g->tensors[s->view.input];
	tn_diag_at(s->diags, SEVERITY_ERROR, rule, g->source, t->pointer, t->name,
		"no chain of ops takes the rows of input '%s' as they come", t->name);
	tn_diag_note(s->diags, "%s", why_not(s, t));
	return TN_ERR_INPUT;
}

enum tn_status tn_make_streamed(const struct tn_tables *tables,
	const struct tn_lower_options *options, const struct tn_limits *limits,
	const struct tn_streaming *how, bool least_arena, struct tn_arena *arena,
	struct tn_diags *diags, struct tn_made *made)
{
	const struct tn_stream_limits bounds = { options->align, how->max_ops };
	struct streaming s = { .t = tables,
		.options = options,
		.limits = limits,
		.least_arena = least_arena,
		.arena = arena,
		.diags = diags };
	struct tn_stream_costs costs;
	int64_t *alone;
	enum tn_status status = tn_stream_view_make(tables->g, tables->order,
		tables->aliases, tables->live, how->input ? input_of(tables->g) : TN_NONE,
		arena, &s.view);

	if (status != TN_OK)
		return status;
	alone = alone_of(&s);
	if (!alone)
		return TN_ERR_NOMEM;
	status = tn_stream_costs_find(&s.view, alone, &bounds, arena, &costs);
	if (status == TN_OK)
		status = try_all(&s, &costs, made);
	if (status == TN_OK && how->input && !tn_plan_is_fed(&made->plan, s.view.input))
		return refuse_input(&s);
	return status;
}
