/* What is there before the first op, and what must be there after the last. */
#include "base/checked.h"
#include "verify/check.h"

/* Does tensor i hold what it was given, or else what the graph leaves in it? */
static void check_tensor(
	struct tn_check *c, uint32_t i, bool given, bool strict, const char *rule)
{
	const struct tn_operand o = {
		.tensor = i, .at = c->ref.storage.extent[i], .strict = strict
	};
	struct tn_memory want = { 0 };

	if (c->ref.storage.constant[o.at.root] ||
		c->plan->tensors[o.at.root].region == TN_REGION_NONE)
		return;
	if (given ? !tn_memory_write(&want, c->arena, 0, tn_operand_bytes(&o), i, 0)
		  : !tn_memory_copy(&want, c->arena, 0, &c->ref.state[o.at.root],
			    o.at.begin, tn_operand_bytes(&o)))
		c->status = TN_ERR_NOMEM;
	else
		(void)tn_check_holds(c, &o, &want, 0, tn_operand_bytes(&o), true, rule);
}

/* Before the first op: all that is given is there, but for what comes row by row, so no two
 * of it may meet. */
void tn_check_start(struct tn_check *c)
{
	const struct tn_storage *s = &c->ref.storage;

	for (uint32_t i = 0; i < c->g->n_tensors; i++) {
		const struct tn_extent *at = &s->extent[i];
		const struct tn_plan_tensor *p = &c->plan->tensors[at->root];

		if (s->given[i] && !s->constant[i] && !tn_plan_is_fed(c->plan, i) &&
			p->region != TN_REGION_NONE &&
			!tn_memory_write(&c->regions[p->region], c->arena,
				p->offset + at->begin, p->offset + at->end, i, 0))
			c->status = TN_ERR_NOMEM;
	}
	for (uint32_t i = 0; i < c->g->n_tensors; i++)
		if (s->given[i] && !tn_plan_is_fed(c->plan, i))
			check_tensor(c, i, true, true, "plan/overlap");
}

/* An input that may be overwritten, and that the graph itself writes, is a result where it
 * does: where what it holds is not what was given. What ops write as a whole may be what was
 * there before, and is a result all the same. */
static void check_result(struct tn_check *c, uint32_t i)
{
	struct tn_operand o = { .tensor = i, .at = c->ref.storage.extent[i] };
	struct tn_memory *want = &c->ref.state[i];

	if (o.at.root != i || c->plan->tensors[i].region == TN_REGION_NONE)
		return;
	o.at.begin = 0; /* want starts with the storage */
	for (size_t k = 0; k < want->count; k++) {
		const struct tn_segment s = *tn_memory_item(want, k);

		if (s.value != i || s.at != s.begin - c->ref.storage.extent[i].begin)
			(void)tn_check_holds(
				c, &o, want, s.begin, s.end, true, "plan/input-lost");
	}
}

/* After the last op: what the caller, or the next invocation, will look at. One invocation
 * is enough to judge all: only variables are taken to survive between two, and they must
 * hold what the graph leaves in them, so the next one starts from the same state. */
void tn_check_finish(struct tn_check *c)
{
	const struct tn_graph *g = c->g;
	const bool *given = c->ref.storage.given;
	const bool *updated = tn_graph_updated_inputs(g, c->arena);

	c->op = TN_NONE;
	if (!updated)
		c->status = TN_ERR_NOMEM;
	for (uint32_t i = 0; updated && i < g->n_tensors; i++) {
		const struct tn_tensor *t = &g->tensors[i];

		if (t->role == ROLE_VARIABLE)
			check_tensor(c, i, false, false, "plan/variable-lost");
		else if (given[i] && !t->clobber)
			check_tensor(c, i, true, true, "plan/input-lost");
		else if (t->observed || (t->role == ROLE_INPUT && !t->clobber))
			check_tensor(c, i, false, false, "plan/observed-lost");
		else if (t->role == ROLE_OUTPUT)
			check_tensor(c, i, false, !t->has_strides, "plan/output-lost");
		else if (updated[i] && !t->has_strides)
			check_tensor(c, i, false, false, "plan/input-lost");
		else if (given[i])
			check_result(c, i);
	}
	for (uint32_t i = 0; i < g->n_outputs; i++)
		if (g->outputs[i].i != TN_NONE)
			check_tensor(c, g->outputs[i].i, false,
				!g->tensors[g->outputs[i].i].has_strides,
				"plan/output-lost");
	if (c->status == TN_OK && !c->refusals.out->refusals &&
		!tn_layout_owners(&c->layout))
		c->status = TN_ERR_NOMEM;
}
