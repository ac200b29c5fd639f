/* Which ops may use scratch. A plan is judged by two sums: the peak of its tensors, and the
 * arena with all scratch. Scratch lies in what is free while its op runs, and costs where
 * it sticks out of the peak. A few ways to choose are tried, and the best plan is taken:
 *
 *   any       every op takes what makes its tensors overlap most
 *   spared    no scratch for ops whose moment stays below the peak of `any` without it
 *   none      no scratch at all
 *   buffered  `none`, and in place through a buffer for the ops that would otherwise need
 *             more than the largest moment that no choice can avoid
 *
 * The last two are for the least arena only. */
#include "base/checked.h"
#include "lower/lower.h"

struct choosing {
	const struct tn_tables *t;
	const struct tn_lower_options *options;
	const struct tn_limits *limits;
	bool least_arena;
	struct tn_arena *arena;
	struct tn_diags *diags;
	struct tn_made *best;
	int64_t bound; /* that holds for all that was tried */
	uint8_t *choice; /* by op */
	int64_t *bare, *plain, *buffered; /* by op: bytes that its moment needs without
	                                     scratch, with it, and through a buffer */
};

static enum tn_status attempt(
	struct choosing *c, const uint8_t *choice, struct tn_made *out)
{
	struct tn_lower_options options = *c->options;
	enum tn_status status;

	options.scratch = choice;
	status = tn_lower(c->t, &options, c->arena, c->diags, &out->lowered);
	if (status == TN_OK)
		status = tn_solve(&out->lowered.problem, c->limits, c->arena, c->diags,
			&out->solution);
	if (status == TN_OK)
		status = tn_raise(c->t, &options, &out->lowered, &out->solution, c->arena,
			&out->plan);
	if (status == TN_OK)
		c->bound = tn_min_i64(c->bound, out->solution.bound);
	return status;
}

static bool better(
	const struct choosing *c, const struct tn_plan *a, const struct tn_plan *b)
{
	if (a->arena_bytes != b->arena_bytes && c->least_arena)
		return a->arena_bytes < b->arena_bytes;
	if (a->activation_bytes != b->activation_bytes)
		return a->activation_bytes < b->activation_bytes;
	return a->arena_bytes < b->arena_bytes;
}

static enum tn_status try(struct choosing *c)
{
	struct tn_made made;
	enum tn_status status = attempt(c, c->choice, &made);

	if (status == TN_OK && better(c, &made.plan, &c->best->plan))
		*c->best = made;
	return status;
}

/* Bytes alive at each op, by position; the last entry is beyond the last op. */
static void loads(const struct choosing *c, int64_t *load)
{
	const struct tn_problem *p = &c->best->lowered.problem;
	int64_t n = c->t->order->n;

	for (uint32_t i = 0; i < p->n_buffers; i++) {
		const struct tn_buffer *b = &p->buffers[i];
		int64_t first = tn_max_i64(0, b->begin / 2);
		int64_t end = tn_min_i64(n, (b->end - 1) / 2 + 1), size = b->size;

		(void)tn_align_up_i64(size, b->align, &size);
		if (!size || first >= end)
			continue;
		load[first] += size;
		load[end] -= size;
	}
	for (int64_t k = 1; k <= n; k++)
		load[k] += load[k - 1];
}

/* What in place saves is in the load already. */
static void weigh(struct choosing *c, const struct tn_candidate *k, int64_t load)
{
	int64_t in = c->t->g->tensors[k->in.i].bytes, scratch;
	int64_t out = c->t->g->tensors[k->out.i].bytes;
	uint32_t op = k->op.i;

	bool overlaps = c->options->overlap == OVERLAP_FULL && k->may_overlap;

	for (uint32_t v = 0; v < k->n_variants && overlaps; v++) {
		int64_t need = load - (in + out) +
			       tn_variant_span(in, out, k->d[v], k->variant[v]);

		scratch = tn_contract_scratch(c->t->g, k->op, k->variant[v]);
		c->plain[op] = tn_min_i64(c->plain[op], need + scratch);
		if (!scratch)
			c->bare[op] = tn_min_i64(c->bare[op], need);
	}
	if (k->buffer_bytes)
		c->buffered[op] = load - tn_min_i64(in, out) + k->buffer_bytes;
}

static enum tn_status weigh_all(struct choosing *c)
{
	const struct tn_inplace *in = c->t->inplace;
	int64_t *load = TN_NEW_ARRAY(c->arena, int64_t, (size_t)c->t->order->n + 1);
	size_t n = c->t->g->n_ops;

	c->choice = TN_NEW_ARRAY(c->arena, uint8_t, n);
	c->bare = TN_NEW_ARRAY(c->arena, int64_t, n);
	c->plain = TN_NEW_ARRAY(c->arena, int64_t, n);
	c->buffered = TN_NEW_ARRAY(c->arena, int64_t, n);
	if (!load || !c->choice || !c->bare || !c->plain || !c->buffered)
		return TN_ERR_NOMEM;
	loads(c, load);
	for (size_t i = 0; i < n; i++)
		c->bare[i] = c->plain[i] = c->buffered[i] =
			load[c->t->order->position[i]];
	for (size_t i = 0; i < in->n; i++)
		weigh(c, &in->list[i], load[c->t->order->position[in->list[i].op.i]]);
	return TN_OK;
}

static enum tn_status try_spared(struct choosing *c)
{
	bool all = true;

	for (uint32_t i = 0; i < c->t->g->n_ops; i++) {
		bool spared = c->bare[i] <= c->best->plan.activation_bytes;

		c->choice[i] = spared ? SCRATCH_NONE : SCRATCH_ANY;
		all = all && spared;
	}
	return all && c->least_arena ? TN_OK : try(c); /* `none` is the same */
}

static enum tn_status try_buffered(struct choosing *c)
{
	int64_t most = 0;
	bool any = false;

	for (uint32_t i = 0; i < c->t->g->n_ops; i++) {
		/* in place needs the scratch that it has */
		c->choice[i] = c->options->overlap == OVERLAP_INPLACE ? SCRATCH_ANY
								      : SCRATCH_NONE;
		most = tn_max_i64(most, tn_min_i64(c->plain[i], c->buffered[i]));
	}
	for (uint32_t i = 0; i < c->t->g->n_ops; i++) {
		if (c->buffered[i] >= c->bare[i] ||
			(c->options->overlap == OVERLAP_FULL && c->bare[i] <= most))
			continue;
		c->choice[i] = SCRATCH_BUFFER;
		any = true;
	}
	return any ? try(c) : TN_OK;
}

static enum tn_status try_none(struct choosing *c)
{
	for (uint32_t i = 0; i < c->t->g->n_ops; i++)
		c->choice[i] = SCRATCH_NONE;
	return try(c);
}

enum tn_status tn_make_plan(const struct tn_tables *tables,
	const struct tn_lower_options *options, const struct tn_limits *limits,
	const struct tn_lowered *lowered, const struct tn_solution *solution,
	bool least_arena, struct tn_arena *arena, struct tn_diags *diags,
	struct tn_made *out)
{
	struct choosing c = { .t = tables,
		.options = options,
		.limits = limits,
		.least_arena = least_arena,
		.arena = arena,
		.diags = diags,
		.best = out,
		.bound = solution->bound };
	enum tn_status status;
	bool sticks_out;

	out->lowered = *lowered;
	out->solution = *solution;
	status = tn_raise(tables, options, lowered, solution, arena, &out->plan);

	if (status != TN_OK || options->overlap == OVERLAP_NONE)
		return status;
	sticks_out = out->plan.arena_bytes > out->plan.activation_bytes;
	if (!sticks_out && !least_arena)
		return TN_OK;
	status = weigh_all(&c);
	if (status == TN_OK && sticks_out)
		status = try_spared(&c);
	if (status == TN_OK && sticks_out && least_arena)
		status = try_none(&c);
	if (status == TN_OK && least_arena)
		status = try_buffered(&c);
	out->plan.bound_bytes = c.bound;
	out->plan.optimal = out->plan.activation_bytes == c.bound;
	return status;
}
