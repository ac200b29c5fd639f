#include "report/apart.h"

#include <stdlib.h>

#include "base/checked.h"

#include "base/banned.h"

struct entry {
	int64_t first;
	uint32_t tensor;
};

static int by_first(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return (x->tensor > y->tensor) - (x->tensor < y->tensor);
}

static int64_t first_use(const struct tn_view *v, uint32_t tensor)
{
	return v->live ? v->live->tensor[tensor].first : v->plan->tensors[tensor].first;
}

static void stack(const struct tn_view *v, const struct entry *list, uint32_t n,
	const int64_t *tails, struct tn_plan *out)
{
	struct tn_plan_region *r = &out->regions[0];

	for (uint32_t i = 0; i < n; i++) {
		struct tn_plan_tensor *t = &out->tensors[list[i].tensor];
		int64_t end;

		/* what is written behind it is its own as well */
		*t = v->plan->tensors[list[i].tensor];
		t->region = 0;
		t->ring_bytes = 0;
		t->offset = r->used;
		if (!tn_add_i64(r->used, t->bytes, &end) ||
			!tn_add_i64(end, tails[list[i].tensor], &end) ||
			!tn_align_up_i64(end, r->align, &end)) {
			t->region = TN_REGION_NONE;
			continue;
		}
		r->used = end;
	}
}

enum tn_status tn_apart_make(const struct tn_view *v, struct tn_arena *arena,
	struct tn_plan *out_plan, struct tn_view *out_view)
{
	const struct tn_plan *plan = v->plan;
	struct entry *list = TN_NEW_ARRAY(arena, struct entry, plan->n_tensors);
	int64_t align = plan->n_regions ? plan->regions[0].align : 1;
	enum tn_status status =
		tn_plan_init(out_plan, arena, plan->n_tensors, plan->n_ops, 1);
	bool *elided = TN_NEW_ARRAY(arena, bool, plan->n_ops);
	const int64_t *tails;
	uint32_t n = 0;

	if (status != TN_OK || !list || !elided)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < plan->n_ops; i++) {
		out_plan->order[i] = plan->order[i];
		out_plan->ops[i] =
			(struct tn_plan_op){ .scratch_region = TN_REGION_NONE };
		elided[i] = plan->ops[i].elided;
	}
	tails = tn_graph_tails(v->g, elided, arena);
	if (!tails)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < plan->n_tensors; i++)
		if (plan->tensors[i].region < plan->n_regions &&
			plan->tensors[i].bytes > 0)
			list[n++] = (struct entry){ first_use(v, i), i };
	if (n)
		qsort(list, n, sizeof(*list), by_first);
	out_plan->regions[0].align = align > 0 ? align : 1;
	stack(v, list, n, tails, out_plan);
	out_plan->arena_bytes = out_plan->activation_bytes = out_plan->no_reuse_bytes =
		out_plan->regions[0].used;
	*out_view = *v;
	out_view->plan = out_plan;
	out_view->aliases = NULL;
	out_view->inplace = NULL;
	out_view->verified = false;
	out_view->refusal = NULL;
	return TN_OK;
}
