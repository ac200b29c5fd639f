#include "plan/plan.h"

#include "base/checked.h"

const char *const tn_overlap_names[3] = {
	[OVERLAP_NONE] = "none", [OVERLAP_INPLACE] = "inplace", [OVERLAP_FULL] = "full"
};

enum tn_status tn_plan_init(struct tn_plan *plan, struct tn_arena *arena,
	uint32_t n_tensors, uint32_t n_ops, uint32_t n_regions)
{
	*plan = (struct tn_plan){ .n_tensors = n_tensors,
		.n_ops = n_ops,
		.n_regions = n_regions,
		.overlap = OVERLAP_FULL };
	plan->tensors = TN_NEW_ARRAY(arena, struct tn_plan_tensor, n_tensors);
	plan->ops = TN_NEW_ARRAY(arena, struct tn_plan_op, n_ops);
	plan->order = TN_NEW_ARRAY(arena, uint32_t, n_ops);
	plan->regions = TN_NEW_ARRAY(arena, struct tn_plan_region, n_regions);
	if (!plan->tensors || !plan->ops || !plan->order || !plan->regions)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < n_tensors; i++)
		plan->tensors[i].region = TN_REGION_NONE;
	for (uint32_t i = 0; i < n_ops; i++)
		plan->order[i] = i;
	for (uint32_t i = 0; i < n_regions; i++)
		plan->regions[i] = (struct tn_plan_region){
			.name = "arena", .capacity = -1, .align = 16, .cost = 1
		};
	return TN_OK;
}

const struct tn_plan_stream *tn_plan_stream_at(
	const struct tn_plan *plan, uint32_t position)
{
	uint32_t lo = 0, hi = plan->n_streams;

	while (lo < hi) { /* the first that ends behind the position */
		const uint32_t mid = lo + (hi - lo) / 2;

		if (plan->streams[mid].first + plan->streams[mid].n <= position)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < plan->n_streams && plan->streams[lo].first <= position
		       ? &plan->streams[lo]
		       : NULL;
}

bool tn_plan_is_fed(const struct tn_plan *plan, uint32_t tensor)
{
	for (uint32_t i = 0; i < plan->n_streams; i++)
		if (plan->streams[i].fed && plan->streams[i].input == tensor)
			return true;
	return false;
}

int64_t tn_plan_no_reuse(const struct tn_plan *plan, const int64_t *tails)
{
	int64_t sum = 0, bytes;

	for (uint32_t i = 0; i < plan->n_tensors; i++) {
		const struct tn_plan_tensor *t = &plan->tensors[i];

		if (t->region >= plan->n_regions)
			continue;
		if (!tn_add_i64(t->bytes, tails[i], &bytes) ||
			!tn_align_up_i64(bytes,
				tn_max_i64(1, plan->regions[t->region].align), &bytes) ||
			!tn_add_i64(sum, bytes, &sum))
			return INT64_MAX;
	}
	return sum;
}
