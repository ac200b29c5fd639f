#include "lower/choose.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"

#include "base/banned.h"

/* Leaving an op out ties its operands together: a part must be where the whole will be,
 * and what is split stays as long as any of it is needed. That a copy needs less memory is
 * rare but possible: it may be made when there is room, and lets go of the rest.
 *
 * The rule: all that is legal is left out. If running those ops would take fewer bytes,
 * take the better of the two, and change ops one at a time, those with most bytes first,
 * keeping each change that takes fewer bytes, or as many with one copy less. Each trial has
 * a share of the search effort; the choice is solved again with all of it. */
#define TRIALS_MAX  24
#define TRIAL_NODES INT64_C(100000)

struct chooser {
	const struct tn_graph *g;
	const struct tn_order *order;
	const struct tn_lower_options *options;
	const struct tn_limits *limits;
	struct tn_arena *arena;
	struct tn_diags *diags;
	bool *run; /* by op: it runs although it need not */
	int64_t bound; /* of all that was tried */
};

static enum tn_status solve(const struct chooser *c, const struct tn_limits *limits,
	struct tn_arena *arena, struct tn_choice *out)
{
	const struct tn_alias_options views = {
		.align = c->options->align, .run = c->run, .order = c->order
	};
	const struct tn_tables tables = { c->g, c->order, &out->aliases, &out->live,
		&out->inplace };
	enum tn_status status = tn_aliases_choose(c->g, &views, arena, &out->aliases);

	if (status == TN_OK)
		status = tn_liveness_find(
			c->g, c->order, &out->aliases, arena, &out->live);
	if (status == TN_OK)
		status = tn_inplace_judge(
			c->g, c->order, &out->aliases, &out->live, arena, &out->inplace);
	if (status == TN_OK)
		status = tn_lower(&tables, c->options, arena, c->diags, &out->lowered);
	if (status == TN_OK)
		status = tn_solve(
			&out->lowered.problem, limits, arena, c->diags, &out->solution);
	return status;
}

/* The height of the choice that `run` describes. */
static enum tn_status try(struct chooser *c, int64_t *out_height)
{
	struct tn_limits limits = *c->limits;
	struct tn_choice choice;
	struct tn_arena scratch;
	enum tn_status status;

	if (limits.nodes <= 0 || limits.nodes > TRIAL_NODES)
		limits.nodes = TRIAL_NODES;
	limits.seconds /= TRIALS_MAX;
	tn_arena_init(&scratch);
	status = solve(c, &limits, &scratch, &choice);
	if (status == TN_OK) {
		*out_height = choice.solution.height;
		c->bound = tn_min_i64(c->bound, choice.solution.bound);
	}
	tn_arena_release(&scratch);
	return status;
}

struct wish {
	uint32_t op;
	int64_t bytes;
};

static int by_bytes(const void *a, const void *b)
{
	const struct wish *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return x->op < y->op ? -1 : x->op > y->op;
}

/* The elided ops that tie different tensors together; what only renames one never needs a
 * byte more than a copy. */
static uint32_t list_wishes(
	const struct chooser *c, const struct tn_aliases *aliases, struct wish *out)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < aliases->n_no_copy; i++) {
		const struct tn_no_copy *v = &aliases->no_copy[i];
		const struct tn_op *op = &c->g->ops[v->op.i];
		int64_t bytes = v->end - v->begin;

		if (!aliases->elided[v->op.i] ||
			c->g->tensors[op->inputs[v->input].i].bytes ==
				c->g->tensors[op->outputs[v->output].i].bytes)
			continue;
		if (n && out[n - 1].op == v->op.i)
			out[n - 1].bytes += bytes; /* of tensors: no overflow */
		else
			out[n++] = (struct wish){ v->op.i, bytes };
	}
	if (n)
		qsort(out, n, sizeof(*out), by_bytes);
	return n;
}

static enum tn_status improve(
	struct chooser *c, const struct wish *wishes, uint32_t n, int64_t *best)
{
	enum tn_status status = TN_OK;
	uint32_t trials = 0;
	bool better = true;

	while (better && status == TN_OK) {
		better = false;
		for (uint32_t i = 0; i < n && trials < TRIALS_MAX; i++, trials++) {
			bool *run = &c->run[wishes[i].op];
			int64_t height = INT64_MAX;

			*run = !*run;
			status = try(c, &height);
			if (status != TN_OK)
				return status;
			if (height < *best || (height == *best && !*run)) {
				*best = height;
				better = true;
			} else {
				*run = !*run;
			}
		}
		if (trials >= TRIALS_MAX)
			break;
	}
	return status;
}

static enum tn_status choose(
	struct chooser *c, const struct tn_aliases *aliases, int64_t all, bool *out_all)
{
	struct wish *wishes = TN_NEW_ARRAY(c->arena, struct wish, aliases->n_no_copy);
	enum tn_status status;
	uint32_t n;
	int64_t none;

	*out_all = true;
	if (!wishes)
		return TN_ERR_NOMEM;
	n = list_wishes(c, aliases, wishes);
	if (!n)
		return TN_OK;
	for (uint32_t i = 0; i < n; i++)
		c->run[wishes[i].op] = true;
	status = try(c, &none);
	if (status != TN_OK || all <= none)
		return status;
	*out_all = false;
	return improve(c, wishes, n, &none);
}

enum tn_status tn_choose(const struct tn_graph *g, const struct tn_order *order,
	const struct tn_lower_options *options, const struct tn_limits *limits,
	struct tn_arena *arena, struct tn_diags *diags, struct tn_choice *out)
{
	struct chooser c = { .g = g,
		.order = order,
		.options = options,
		.limits = limits,
		.arena = arena,
		.diags = diags,
		.run = TN_NEW_ARRAY(arena, bool, g->n_ops) };
	enum tn_status status;
	struct tn_choice first;
	bool all = true;

	if (!c.run)
		return TN_ERR_NOMEM;
	status = solve(&c, limits, arena, out);
	if (status != TN_OK)
		return status;
	first = *out;
	c.bound = first.solution.bound;
	status = choose(&c, &first.aliases, first.solution.height, &all);
	if (status == TN_OK && !all)
		status = solve(&c, limits, arena, out);
	if (status == TN_OK && !all && out->solution.height >= first.solution.height)
		*out = first; /* with all effort there is nothing to gain */
	if (status != TN_OK)
		return status;
	out->solution.bound = tn_min_i64(out->solution.bound, c.bound);
	out->solution.optimal = out->solution.height == out->solution.bound;
	return status;
}
