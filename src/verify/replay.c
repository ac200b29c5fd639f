#include "verify/check.h"

/* The touch that an access means; NULL, with r->status, when it has no such bytes. */
static struct tn_touch *touch_of(struct tn_run *r, const struct tn_access *a, bool write)
{
	uint32_t inputs = r->c->g->ops[r->op].n_inputs;
	uint32_t room = write ? r->deed->n - inputs : inputs;
	struct tn_touch *t = r->deed->touches + (write ? inputs : 0) + a->operand;

	if (a->operand < room && t->at.begin == t->at.end) /* not in planned memory */
		return NULL;
	if (a->operand < room && a->begin >= 0 && a->begin <= a->end &&
		a->end <= t->at.end - t->at.begin)
		return t;
	r->status = TN_ERR_INTERNAL;
	return NULL;
}

static bool replay_step(void *user, const struct tn_step *step)
{
	struct tn_run *r = user;

	for (uint32_t i = 0; i < step->n_reads; i++) {
		const struct tn_access *a = &step->reads[i];
		struct tn_touch *t = touch_of(r, a, false);

		if (t)
			(void)tn_run_holds(
				r, t, &t->before, a->begin, a->end, true, NULL);
	}
	for (uint32_t i = 0; i < step->n_writes; i++) {
		const struct tn_access *a = &step->writes[i];
		struct tn_touch *t = touch_of(r, a, true);

		if (t)
			tn_run_put(r, t, &t->made, a->begin, a->end);
	}
	return r->status == TN_OK;
}

bool tn_replay_runs_ahead(struct tn_run *r, struct tn_variant variant)
{
	uint32_t inputs = r->c->g->ops[r->op].n_inputs;
	const struct tn_touch *out = &r->deed->touches[inputs];
	const struct tn_plan_tensor *to = &r->c->plan->tensors[out->at.root];

	for (uint32_t k = 0; k < inputs; k++) {
		const struct tn_touch *in = &r->deed->touches[k];
		const struct tn_plan_tensor *from;
		int64_t lead;

		if (in->at.begin == in->at.end)
			continue;
		from = &r->c->plan->tensors[in->at.root];
		lead = from->offset + in->at.begin - to->offset - out->at.begin;
		if (from->region == to->region && lead < out->at.end - out->at.begin &&
			-lead < in->at.end - in->at.begin &&
			(variant.descending ? lead > 0 : lead < 0))
			return false;
	}
	return tn_contract_is_uniform(r->c->g, (tn_op_id){ r->op });
}

void tn_replay(struct tn_run *r, struct tn_variant variant)
{
	enum tn_status status =
		tn_contract_walk(r->c->g, (tn_op_id){ r->op }, variant, replay_step, r);

	if (r->status == TN_OK && status != TN_OK)
		r->status = status == TN_ERR_NOMEM ? status : TN_ERR_INTERNAL;
}
