/* What the user has pinned, and memory that is the caller's. */
#include <inttypes.h>

#include "base/checked.h"
#include "layout/part.h"

static const char PIN[] = "plan/pin";

/* Does it lie within a tensor that is pinned? */
static bool within_pin(const struct tn_layout *l, uint32_t tensor)
{
	const uint32_t id = l->storage->extent[tensor].root;
	const struct tn_plan_tensor *p = &l->plan->tensors[id];

	for (uint32_t i = 0; i < l->plan->n_pins; i++) {
		const uint32_t t = l->plan->pins[i].tensor;
		const uint32_t root =
			t < l->g->n_tensors ? l->storage->extent[t].root : id;
		const struct tn_plan_tensor *q = &l->plan->tensors[root];

		if (t < l->g->n_tensors && p->region == q->region && q->offset >= 0 &&
			p->offset >= q->offset &&
			p->offset - q->offset <= tn_storage_bytes(l->storage, root) -
							 tn_storage_bytes(l->storage, id))
			return true;
	}
	return false;
}

/* Pinned tensors are where they must be, and nothing else is in what the caller owns, who
 * may use the rest. */
void tn_layout_pins(const struct tn_layout *l)
{
	const struct tn_plan *plan = l->plan;
	struct tn_verdict v = { .op = TN_NONE };

	for (uint32_t i = 0; i < plan->n_pins; i++) {
		const struct tn_plan_pin *pin = &plan->pins[i];
		const struct tn_plan_tensor *p = &plan->tensors[pin->tensor];

		v.tensor = pin->tensor < plan->n_tensors ? pin->tensor : TN_NONE;
		if (!tn_need(l->refusals,
			    v.tensor != TN_NONE && pin->region < plan->n_regions, &v, PIN,
			    "pin %u names nothing", i))
			continue;
		v.region = p->region;
		if (tn_need(l->refusals, p->region == pin->region, &v, PIN,
			    "it is pinned to '%s' but not there",
			    plan->regions[pin->region].name))
			tn_need(l->refusals, pin->offset < 0 || p->offset == pin->offset,
				&v, PIN,
				"it is pinned to offset %" PRId64 " but lies at %" PRId64,
				pin->offset, p->offset);
	}
	for (uint32_t i = 0; i < l->g->n_tensors; i++) {
		v.tensor = i;
		v.region = plan->tensors[i].region;
		if (v.region < plan->n_regions && plan->regions[v.region].owned)
			tn_need(l->refusals, within_pin(l, i), &v, PIN,
				"'%s' belongs to the caller, and the tensor is not "
				"pinned to it",
				plan->regions[v.region].name);
	}
}
