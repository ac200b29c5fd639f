#include "planned.h"

#include <check.h>

#include "analysis/alias.h"
#include "analysis/liveness.h"
#include "analysis/order.h"
#include "inplace/inplace.h"

void planned(const struct tn_graph *g, enum tn_overlap_mode overlap, int64_t align,
	struct tn_arena *arena, struct tn_diags *diags, struct tn_plan *out)
{
	const struct tn_lower_options options = { .overlap = overlap, .align = align };
	const struct tn_limits limits = { 0 };
	struct tn_order order;
	struct tn_aliases aliases;
	struct tn_liveness live;
	struct tn_inplace inplace;
	struct tn_lowered lowered;
	struct tn_solution solution;
	struct tn_tables tables = { g, &order, &aliases, &live, &inplace };

	ck_assert_int_eq(tn_order_given(g, arena, &order), TN_OK);
	ck_assert_int_eq(tn_aliases_find(g, arena, &aliases), TN_OK);
	ck_assert_int_eq(tn_liveness_find(g, &order, &aliases, arena, &live), TN_OK);
	ck_assert_int_eq(
		tn_inplace_judge(g, &order, &aliases, &live, arena, &inplace), TN_OK);
	ck_assert_int_eq(tn_lower(&tables, &options, arena, diags, &lowered), TN_OK);
	ck_assert_int_eq(
		tn_solve(&lowered.problem, &limits, arena, diags, &solution), TN_OK);
	ck_assert_int_eq(
		tn_raise(&tables, &options, &lowered, &solution, arena, out), TN_OK);
}
