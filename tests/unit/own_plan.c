#include "own_plan.h"

#include "inplace/inplace.h"

bool own_plan(const struct tn_graph *g, enum tn_overlap_mode mode, struct tn_arena *arena,
	struct tn_plan *out)
{
	struct tn_diags diags;
	struct tn_order order;
	struct tn_aliases aliases;
	struct tn_liveness live;
	struct tn_inplace inplace;
	struct tn_lowered lowered;
	struct tn_solution solution;
	const struct tn_lower_options options = { .overlap = mode, .align = 16 };
	const struct tn_limits limits = { 2000, 0 };
	const struct tn_tables tables = { g, &order, &aliases, &live, &inplace };

	tn_diags_init(&diags, arena);
	return tn_order_given(g, arena, &order) == TN_OK &&
	       tn_aliases_find(g, arena, &aliases) == TN_OK &&
	       tn_liveness_find(g, &order, &aliases, arena, &live) == TN_OK &&
	       tn_inplace_judge(g, &order, &aliases, &live, arena, &inplace) == TN_OK &&
	       tn_lower(&tables, &options, arena, &diags, &lowered) == TN_OK &&
	       tn_solve(&lowered.problem, &limits, arena, &diags, &solution) == TN_OK &&
	       tn_raise(&tables, &options, &lowered, &solution, arena, out) == TN_OK;
}
