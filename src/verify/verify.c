#include "verify/verify.h"

#include "verify/check.h"

/* The ops in the plan's order, one by one or chain by chain. */
static enum tn_status execute(struct tn_check *c)
{
	c->regions = TN_NEW_ARRAY(c->arena, struct tn_memory, c->plan->n_regions);
	c->told = TN_NEW_ARRAY(c->arena, bool, c->ref.n_values);
	c->ran = TN_NEW_ARRAY(c->arena, bool, c->g->n_ops);
	if (!c->regions || !c->told || !c->ran)
		return TN_ERR_NOMEM;
	tn_check_start(c);
	for (uint32_t i = 0; i < c->g->n_ops && c->status == TN_OK; i++) {
		const struct tn_plan_stream *s = tn_plan_stream_at(c->plan, i);

		if (!s)
			tn_check_whole(c, c->plan->order[i]);
		else if (s->first == i)
			tn_check_chain(c, s);
	}
	if (c->status == TN_OK)
		tn_check_finish(c);
	return c->status;
}

enum tn_status tn_verify(const struct tn_graph *g, const struct tn_plan *plan,
	struct tn_arena *scratch, struct tn_diags *diags, struct tn_verdict *out)
{
	const struct tn_verdict none = { .op = TN_NONE, .tensor = TN_NONE };
	struct tn_check c = { .g = g,
		.plan = plan,
		.refusals = { g, diags, out },
		.arena = scratch,
		.op = TN_NONE };
	enum tn_status status;

	*out = none;
	if (!tn_need(&c.refusals,
		    plan->n_tensors == g->n_tensors && plan->n_ops == g->n_ops, &none,
		    "plan/stale",
		    "the plan is for %u tensors and %u ops, the graph has %u and %u",
		    plan->n_tensors, plan->n_ops, g->n_tensors, g->n_ops))
		return TN_ERR_REFUSED;
	status = tn_reference_run(g, scratch, &c.ref);
	if (status != TN_OK) /* tn_validate refuses views that do not resolve */
		return status == TN_ERR_INPUT ? TN_ERR_INTERNAL : status;
	c.layout = (struct tn_layout){ g, plan, &c.ref.storage, c.ref.operands,
		&c.refusals, scratch, NULL };
	if (!tn_layout_check(&c.layout))
		return TN_ERR_NOMEM;
	if (!out->refusals)
		status = execute(&c);
	if (status == TN_OK && !tn_layout_figures(&c.layout, &out->figures))
		status = TN_ERR_NOMEM;
	if (status == TN_OK && out->refusals)
		status = TN_ERR_REFUSED;
	out->accepted = status == TN_OK;
	return status;
}
