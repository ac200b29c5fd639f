#include "driver/schedule.h"

#include "base/checked.h"
#include "lower/schedule.h"

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

static enum tn_status search(struct tn_run *run, struct tn_schedule *out)
{
	struct tn_outcome shared;
	struct tn_tables tables;
	const struct tn_lower_options options = {
		.overlap = (enum tn_overlap_mode)run->options->overlap,
		.align = least_align(run),
	};
	struct tn_schedule_problem problem;
	struct tn_arena scratch;
	enum tn_status status;

	tn_arena_init(&scratch);
	status = without_copies(run, &scratch, &shared, &tables);
	if (status == TN_OK)
		status = tn_lower_schedule(&tables, &shared.hazards, &options, &scratch,
			&run->diags, &problem);
	if (status == TN_OK)
		status = tn_schedule_search(
			&problem, run->options->nodes, &run->arena, out);
	tn_arena_release(&scratch);
	return status;
}

enum tn_status tn_schedule_improve(
	struct tn_run *run, tn_plan_fn *plan, enum tn_status given)
{
	const struct tn_outcome before = tn_outcome_of(run);
	struct tn_schedule found;
	enum tn_status status;

	if (given != TN_OK && given != TN_ERR_REFUSED)
		return given;
	status = search(run, &found);
	if (status != TN_OK)
		return status;
	if (found.peak < found.given_peak) {
		status = tn_schedule_follow(run, found.order);
		if (status == TN_OK)
			status = plan(run);
		if (status != TN_OK && status != TN_ERR_REFUSED)
			return status;
		if (status == TN_ERR_REFUSED ||
			(given == TN_OK && !is_better(&run->plan, &before.plan))) {
			tn_outcome_restore(run, &before);
			status = given;
		}
	} else {
		status = given;
	}
	/* what holds for every order holds for this one */
	if (status == TN_OK && !run->memories.n_regions) {
		run->plan.bound_bytes = tn_max_i64(run->plan.bound_bytes, found.bound);
		run->plan.optimal = run->plan.activation_bytes == run->plan.bound_bytes;
	}
	run->plan.schedule = (struct tn_plan_schedule){ .searched = true,
		.optimal = run->plan.activation_bytes == found.bound,
		.bound_bytes = found.bound,
		.given_bytes = given == TN_OK ? before.plan.activation_bytes : -1 };
	return status;
}
