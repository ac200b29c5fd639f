#include "own_plan.h"

#include "inplace/inplace.h"
#include "lower/place.h"

/* The tables of a graph in its own order. */
struct tables {
	struct tn_order order;
	struct tn_aliases aliases;
	struct tn_liveness live;
	struct tn_inplace inplace;
	struct tn_tables all;
	struct tn_diags diags;
};

static const struct tn_limits limits = { 2000, 0 };

static bool find(const struct tn_graph *g, struct tn_arena *arena, struct tables *t)
{
	t->all = (struct tn_tables){ g, &t->order, &t->aliases, &t->live, &t->inplace };
	tn_diags_init(&t->diags, arena);
	return tn_order_given(g, arena, &t->order) == TN_OK &&
	       tn_aliases_find(g, arena, &t->aliases) == TN_OK &&
	       tn_liveness_find(g, &t->order, &t->aliases, arena, &t->live) == TN_OK &&
	       tn_inplace_judge(
		       g, &t->order, &t->aliases, &t->live, arena, &t->inplace) == TN_OK;
}

bool own_plan(const struct tn_graph *g, enum tn_overlap_mode mode, struct tn_arena *arena,
	struct tn_plan *out)
{
	const struct tn_lower_options options = { .overlap = mode, .align = 16 };
	struct tn_lowered lowered;
	struct tn_solution solution;
	struct tables t;

	return find(g, arena, &t) &&
	       tn_lower(&t.all, &options, arena, &t.diags, &lowered) == TN_OK &&
	       tn_solve(&lowered.problem, &limits, arena, &t.diags, &solution) == TN_OK &&
	       tn_raise(&t.all, &options, &lowered, &solution, arena, out) == TN_OK;
}

bool own_plan_in_two(const struct tn_graph *g, int64_t fast, struct tn_arena *arena,
	struct tn_plan *out)
{
	const struct tn_lower_options options = { .overlap = OVERLAP_FULL, .align = 16 };
	struct tn_plan_region *regions = TN_NEW_ARRAY(arena, struct tn_plan_region, 2);
	struct tn_memories memories = { .regions = regions, .n_regions = 2 };
	struct tn_placed placed;
	struct tables t;

	if (!regions)
		return false;
	regions[0] = (struct tn_plan_region){
		.name = "fast", .capacity = fast, .align = 16, .cost = 1
	};
	regions[1] = (struct tn_plan_region){
		.name = "slow", .capacity = 1 << 20, .align = 16, .cost = 4
	};
	return find(g, arena, &t) && tn_place(&t.all, &options, &memories, &limits, arena,
					     &t.diags, &placed, out) == TN_OK;
}
