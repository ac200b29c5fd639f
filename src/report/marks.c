#include "report/marks.h"

#include "base/checked.h"

int64_t tn_budget_of(const struct tn_view *v, uint32_t region)
{
	const struct tn_plan_region *r = &v->plan->regions[region];
	int64_t left;

	if (r->capacity >= 0)
		return tn_sub_i64(r->capacity, r->reserved, &left) ? left : r->capacity;
	return v->plan->n_regions == 1 ? v->budget : 0;
}

int64_t tn_budget_excess(const struct tn_view *v, uint32_t region)
{
	const int64_t room = tn_budget_of(v, region),
		      used = v->plan->regions[region].used;

	return room > 0 && used > room ? used - room : 0;
}

const char *tn_mark_mode(const struct tn_plan *plan)
{
	static const char *const words[] = { [OVERLAP_NONE] = ", without overlap",
		[OVERLAP_INPLACE] = ", in place only",
		[OVERLAP_FULL] = "" };

	return words[plan->overlap];
}

const char *tn_mark_bound(const struct tn_plan *plan)
{
	static const char *const words[][2] = {
		[OVERLAP_NONE] = { "lower bound, without overlap",
			"lower bound, without overlap, says the file" },
		[OVERLAP_INPLACE] = { "lower bound, in place only",
			"lower bound, in place only, says the file" },
		[OVERLAP_FULL] = { "lower bound", "lower bound, says the file" },
	};

	return words[plan->overlap][plan->said.bound];
}

bool tn_mark_optimal(const struct tn_view *v)
{
	const struct tn_plan *p = v->plan;

	return v->verified && p->optimal && !p->said.bound &&
	       p->activation_bytes == p->bound_bytes;
}

size_t tn_marks_of(
	const struct tn_view *v, uint32_t region, struct tn_mark out[TN_MARKS_MAX])
{
	const struct tn_plan *plan = v->plan;
	int64_t budget = tn_budget_of(v, region);
	size_t n = 0;

	if (budget > 0)
		out[n++] = (struct tn_mark){ "budget", "budget", budget };
	if (plan->n_regions != 1)
		return n;
	if (plan->disjoint_bound_bytes > 0)
		out[n++] = (struct tn_mark){ "disjoint",
			plan->said.disjoint ? "without overlap at least, says the file"
					    : "without overlap at least",
			plan->disjoint_bound_bytes };
	out[n++] = (struct tn_mark){ "peak", "plan", plan->activation_bytes };
	if (plan->bound_bytes > 0)
		out[n++] = (struct tn_mark){ "bound", tn_mark_bound(plan),
			plan->bound_bytes };
	return n;
}
