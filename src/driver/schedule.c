#include "driver/schedule.h"

#include <string.h>

#include "base/checked.h"
#include "driver/trial.h"
#include "lower/schedule.h"

#include "base/banned.h"

#define EVERY_OPS    12 /* larger graphs have too many orders to plan each */
#define EVERY_ORDERS 20000u
#define EVERY_PLANS  500u
#define EVERY_NODES  ((int64_t)2000)

struct tn_outcome tn_outcome_of(const struct tn_run *run)
{
	return (struct tn_outcome){ run->order, run->aliases, run->live, run->hazards,
		run->inplace, run->lowered, run->solution, run->placed, run->plan };
}

void tn_outcome_restore(struct tn_run *run, const struct tn_outcome *to)
{
	run->order = to->order;
	run->aliases = to->aliases;
	run->live = to->live;
	run->hazards = to->hazards;
	run->inplace = to->inplace;
	run->lowered = to->lowered;
	run->solution = to->solution;
	run->placed = to->placed;
	run->plan = to->plan;
}

static bool is_better(const struct tn_plan *plan, const struct tn_plan *than)
{
	if (plan->access_cost != than->access_cost)
		return plan->access_cost < than->access_cost;
	if (plan->activation_bytes != than->activation_bytes)
		return plan->activation_bytes < than->activation_bytes;
	return plan->arena_bytes < than->arena_bytes;
}

enum tn_status tn_schedule_follow(struct tn_run *run, const uint32_t *order)
{
	const struct tn_graph *g = &run->graph;
	enum tn_status status = tn_order_from(g, order, &run->arena, &run->order);

	if (status == TN_OK)
		status = tn_pipeline_alias(run);
	if (status == TN_OK)
		status = tn_liveness_find(
			g, &run->order, &run->aliases, &run->arena, &run->live);
	if (status == TN_OK)
		status = tn_hazards_find(
			g, &run->order, &run->aliases, &run->arena, &run->hazards);
	if (status == TN_OK)
		status = tn_inplace_judge(g, &run->order, &run->aliases, &run->live,
			&run->arena, &run->inplace);
	return status;
}

/* With several memories the least of their alignments, so that the bound holds for all. */
static int64_t least_align(const struct tn_run *run)
{
	int64_t align = run->options->align;

	for (uint32_t r = 0; r < run->memories.n_regions; r++)
		align = tn_min_i64(align, run->memories.regions[r].align);
	return align;
}

/* The search looks at a graph in which every copy is left out that may be: no choice of the
 * planner keeps fewer bytes alive. */
static enum tn_status without_copies(const struct tn_run *run, struct tn_arena *arena,
	struct tn_outcome *o, struct tn_tables *out)
{
	const struct tn_alias_options views = { .align = least_align(run),
		.any_order = true };
	const struct tn_graph *g = &run->graph;
	enum tn_status status = tn_aliases_choose(g, &views, arena, &o->aliases);

	if (status == TN_OK)
		status = tn_liveness_find(g, &run->order, &o->aliases, arena, &o->live);
	if (status == TN_OK)
		status = tn_hazards_find(g, &run->order, &o->aliases, arena, &o->hazards);
	if (status == TN_OK)
		status = tn_inplace_judge(
			g, &run->order, &o->aliases, &o->live, arena, &o->inplace);
	*out = (struct tn_tables){ g, &run->order, &o->aliases, &o->live, &o->inplace };
	return status;
}

static enum tn_status search(struct tn_run *run, struct tn_arena *scratch,
	struct tn_schedule_problem *problem, struct tn_schedule *out)
{
	struct tn_outcome shared;
	struct tn_tables tables;
	const struct tn_lower_options options = {
		.overlap = (enum tn_overlap_mode)run->options->overlap,
		.align = least_align(run),
	};
	enum tn_status status = without_copies(run, scratch, &shared, &tables);

	if (status == TN_OK)
		status = tn_lower_schedule(&tables, &shared.hazards, &options, scratch,
			&run->diags, problem);
	return status == TN_OK ? tn_schedule_search(
					 problem, run->options->nodes, &run->arena, out)
			       : status;
}

/* Plans with another order and keeps the better of the two; `status` is of the plan so
 * far, which may be none. */
static enum tn_status try_order(struct tn_run *run, tn_plan_fn *plan,
	const uint32_t *order, enum tn_status status)
{
	const struct tn_outcome before = tn_outcome_of(run);
	enum tn_status now = tn_schedule_follow(run, order);

	if (now == TN_OK)
		now = plan(run);
	if (now != TN_OK && now != TN_ERR_REFUSED)
		return now;
	if (now == TN_OK && (status != TN_OK || is_better(&run->plan, &before.plan)))
		return TN_OK;
	tn_outcome_restore(run, &before);
	return status;
}

/* ---- all orders of a small graph ---- */

/* The search weighs orders by a bound; what their plans need only plans can tell. */
struct every {
	struct tn_run *run;
	tn_plan_fn *plan;
	const struct tn_schedule_problem *p;
	int64_t best; /* activation_bytes of the best plan so far */
	uint32_t order[EVERY_OPS], found[EVERY_OPS]; /* found[]: the best plan's order */
	uint32_t n, orders, plans;
	bool placed[EVERY_OPS];
	bool better;
};

/* The bytes of this order's plan, with a small limit of nodes; INT64_MAX: no plan. */
static enum tn_status weigh(struct every *e, int64_t *out)
{
	struct tn_trial t;
	enum tn_status status = TN_ERR_NOMEM;

	*out = INT64_MAX;
	if (tn_trial_start(&t, e->run)) {
		t.options.nodes = EVERY_NODES;
		status = tn_schedule_follow(&t.run, e->order);
	}
	if (status == TN_OK)
		status = e->plan(&t.run);
	if (status == TN_OK)
		*out = t.run.plan.activation_bytes;
	tn_trial_end(&t);
	return status == TN_ERR_REFUSED ? TN_OK : status;
}

static enum tn_status visit_order(struct every *e)
{
	struct tn_arena scratch;
	int64_t bytes = 0;
	enum tn_status status = TN_OK;

	e->orders++;
	if (!e->p->estimated) {
		tn_arena_init(&scratch);
		status = tn_schedule_peak(e->p, e->order, &scratch, &bytes);
		tn_arena_release(&scratch);
	}
	if (status != TN_OK || bytes >= e->best)
		return status;
	e->plans++;
	status = weigh(e, &bytes);
	if (status == TN_OK && bytes < e->best) {
		e->best = bytes;
		e->better = true;
		memcpy(e->found, e->order, e->n * sizeof(*e->found));
	}
	return status;
}

static bool may_run(const struct every *e, uint32_t op)
{
	for (uint32_t k = e->p->ops[op].first_pred; k < e->p->ops[op + 1].first_pred; k++)
		if (!e->placed[e->p->preds[k]])
			return false;
	return !e->placed[op];
}

static enum tn_status visit_all(struct every *e)
{
	enum tn_status status = TN_OK;

	if (e->n == e->p->n_ops)
		return visit_order(e);
	for (uint32_t op = 0; op < e->p->n_ops && status == TN_OK &&
			      e->orders < EVERY_ORDERS && e->plans < EVERY_PLANS;
		op++) {
		if (!may_run(e, op))
			continue;
		e->placed[op] = true;
		e->order[e->n++] = op;
		status = visit_all(e); /* as deep as there are ops: few */
		e->n--;
		e->placed[op] = false;
	}
	return status;
}

static enum tn_status try_every_order(struct tn_run *run, tn_plan_fn *plan,
	const struct tn_schedule_problem *p, enum tn_status status)
{
	struct every e = { .run = run, .plan = plan, .p = p };
	enum tn_status now;

	if (status != TN_OK || p->n_ops > EVERY_OPS || run->memories.n_regions)
		return status;
	e.best = run->plan.activation_bytes;
	now = visit_all(&e);
	if (now != TN_OK)
		return now;
	return e.better ? try_order(run, plan, e.found, status) : status;
}

/* The bound is of ops that run one after the other. Where the whole arena counts, ops may go
 * through buffers, with which tensors may lie closer than it knows. */
static bool bounds_all(const struct tn_run *run)
{
	return !run->plan.n_streams &&
	       (run->options->objective != TENURE_OBJECTIVE_ARENA ||
		       run->options->overlap == TENURE_OVERLAP_NONE);
}

enum tn_status tn_schedule_improve(
	struct tn_run *run, tn_plan_fn *plan, enum tn_status given)
{
	const int64_t before = run->plan.activation_bytes;
	struct tn_schedule_problem problem;
	struct tn_schedule found;
	struct tn_arena scratch;
	enum tn_status status;

	if (given != TN_OK && given != TN_ERR_REFUSED)
		return given;
	tn_arena_init(&scratch);
	status = search(run, &scratch, &problem, &found);
	if (status != TN_OK) {
		tn_arena_release(&scratch);
		return status;
	}
	status = found.peak < found.given_peak ? try_order(run, plan, found.order, given)
					       : given;
	if (status == TN_OK && run->plan.activation_bytes > found.bound)
		status = try_every_order(run, plan, &problem, status);
	tn_arena_release(&scratch);
	if (status != TN_OK && status != TN_ERR_REFUSED)
		return status;
	if (!bounds_all(run))
		found.bound = 0;
	/* what holds for every order holds for this one */
	if (status == TN_OK && !run->memories.n_regions) {
		run->plan.bound_bytes = tn_max_i64(run->plan.bound_bytes, found.bound);
		run->plan.optimal = run->plan.activation_bytes == run->plan.bound_bytes;
	}
	run->plan.schedule = (struct tn_plan_schedule){ .searched = true,
		.optimal = run->plan.activation_bytes == found.bound,
		.bound_bytes = found.bound,
		.given_bytes = given == TN_OK ? before : -1 };
	return status;
}
