/* What a repair has changed, told once it is done. */
#include <inttypes.h>

#include "driver/repair_part.h"

void tn_mending_tell(const struct tn_mending *m)
{
	const struct tn_plan *plan = m->plan;

	for (uint32_t i = 0; i < m->n_was; i++) {
		const struct tn_plan_tensor *p = &plan->tensors[i], *was = &m->was[i];
		const struct tn_tensor *t = &m->g->tensors[i];

		if (tn_mending_owner(m, i) != i || p->region == TN_REGION_NONE ||
			(p->region == was->region && p->offset == was->offset))
			continue;
		tn_diag_at(&m->run->diags, SEVERITY_NOTE, "plan/repaired", m->run->source,
			t->pointer, t->name, "'%s' is placed at %" PRId64 "%s%s instead",
			t->name, p->offset, plan->n_regions > 1 ? " of " : "",
			plan->n_regions > 1 ? plan->regions[p->region].name : "");
	}
	for (uint32_t i = 0; i < m->n_ran; i++) {
		const struct tn_plan_op *p = &plan->ops[i], *ran = &m->ran[i];
		const struct tn_op *op = &m->g->ops[i];

		if (p->elided != ran->elided || p->descending != ran->descending ||
			p->hold != ran->hold)
			tn_diag_at(&m->run->diags, SEVERITY_NOTE, "plan/repaired",
				m->run->source, op->pointer, op->name,
				p->elided != ran->elided
					? "'%s' runs: what it copies is not there"
					: "'%s' runs another variant of its kernel",
				op->name);
	}
	for (uint32_t i = m->n_copies; i < plan->n_copies; i++) {
		const struct tn_plan_copy *c = &plan->copies[i];
		const struct tn_tensor *t = &m->g->tensors[c->tensor];

		tn_diag_at(&m->run->diags, SEVERITY_NOTE, "plan/repaired", m->run->source,
			t->pointer, t->name,
			"'%s' is copied to %" PRId64 " before '%s' runs, for '%s'",
			t->name, plan->tensors[m->n_was + i - m->n_copies].offset,
			m->g->ops[c->before].name, m->g->ops[c->reader].name);
	}
}

bool tn_mending_remember(struct tn_mending *m)
{
	m->n_was = m->g->n_tensors;
	m->n_copies = m->plan->n_copies;
	m->n_ran = m->g->n_ops;
	m->was = TN_NEW_ARRAY(m->arena, struct tn_plan_tensor, m->n_was);
	m->ran = TN_NEW_ARRAY(m->arena, struct tn_plan_op, m->n_ran);
	for (uint32_t i = 0; m->ran && i < m->n_ran; i++)
		m->ran[i] = m->plan->ops[i];
	for (uint32_t i = 0; m->was && i < m->n_was; i++)
		m->was[i] = m->plan->tensors[i];
	return m->was && m->ran;
}
