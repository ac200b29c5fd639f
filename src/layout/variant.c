/* Which kernel runs. */
#include <inttypes.h>

#include "layout/layout.h"

struct tn_variant tn_layout_variant_of(const struct tn_plan_op *p)
{
	return (struct tn_variant){ p->descending != 0, (enum tn_hold)p->hold };
}

bool tn_layout_variant(const struct tn_layout *l, uint32_t op)
{
	const tn_op_id id = { op };
	const struct tn_plan_op *p = &l->plan->ops[op];
	const struct tn_variant v = tn_layout_variant_of(p);
	const struct tn_verdict at = { .op = op, .tensor = TN_NONE };
	struct tn_variant list[TN_VARIANTS_MAX] = { { false, HOLD_NONE } };
	uint32_t n = tn_contract_variants(l->g, id, list), i = 0;
	int64_t need;

	n = n ? n : 1; /* opaque: there is one */
	while (i < n && (list[i].descending != v.descending || list[i].hold != v.hold))
		i++;
	if (!tn_need(l->refusals, i < n && p->descending <= 1, &at, "plan/variant",
		    "has no variant of order %u and hold %u", p->descending, p->hold))
		return false;
	need = tn_contract_scratch(l->g, id, v);
	tn_need(l->refusals, p->scratch_bytes >= need, &at, "plan/scratch-size",
		"has %" PRId64 " bytes of scratch, needs %" PRId64, p->scratch_bytes,
		need);
	return true;
}
