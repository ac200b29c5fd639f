/* Chains: ops that run in parts, with rings of rows between them. Everything is as for ops,
 * but that an event replays some rows only, and that bytes of a ring come round. */
#include <inttypes.h>

#include "verify/check.h"

/* The caller writes rows of the input. */
static bool run_caller(struct tn_check *c, uint32_t input, const struct tn_turn *t)
{
	const struct tn_tensor *x = &c->g->tensors[input];
	const int64_t row = x->bytes / x->shape.dim[1];
	const struct tn_operand o = { .tensor = input,
		.at = c->ref.storage.extent[input] };

	tn_check_put_value(c, &o, input, t->begin * row, t->end * row);
	return c->status == TN_OK;
}

/* Sums last from the first row to the last, other scratch for an event. */
static bool run_rows(struct tn_check *c, const struct tn_turn *t)
{
	const struct tn_plan_op *p = &c->plan->ops[t->op];
	const struct tn_verdict at = { .op = t->op,
		.tensor = TN_NONE,
		.region = p->scratch_region,
		.place = p->scratch_offset };
	bool held;

	tn_check_enter(c, t->op);
	held = tn_check_scratch(c, t->total && !t->first);
	tn_check_replay(c, t);
	if (c->lost)
		tn_diag_note(c->refusals.diags,
			"in rows %" PRId64 "..%" PRId64 " of '%s'", t->begin, t->end,
			c->g->ops[t->op].name);
	return tn_need(&c->refusals, held && tn_check_scratch(c, true), &at,
		       "plan/scratch-overlap",
		       "does not find its scratch as it left it") &&
	       !c->lost && c->status == TN_OK;
}

/* No event may overwrite rows of the result, read later or not: it is that of an op. */
static bool is_whole(struct tn_check *c, uint32_t op)
{
	struct tn_touch *t;

	tn_check_enter(c, op);
	t = &c->deed->touches[c->g->ops[op].n_inputs]; /* it has one output */
	return tn_check_holds(c, t->o, &t->after, 0, tn_operand_bytes(t->o), true, NULL);
}

void tn_check_chain(struct tn_check *c, const struct tn_plan_stream *s)
{
	const uint32_t *ops = &c->plan->order[s->first];
	struct tn_turns turns;
	struct tn_turn t;
	bool ok = tn_turns_init(&turns, &c->layout, s);

	if (!ok)
		c->status = TN_ERR_NOMEM;
	for (uint32_t i = 0; i < s->n && ok; i++)
		ok = tn_turns_admit(&turns, i, c->ref.deeds[ops[i]].tangled);
	while (ok && tn_turns_next(&turns, &t, &ok))
		ok = t.op == TN_PLAN_CALLER ? run_caller(c, s->input, &t)
					    : run_rows(c, &t);
	if (ok && is_whole(c, ops[s->n - 1])) {
		c->refusals.out->replayed += s->n;
		return;
	}
	for (uint32_t i = 0; i < s->n && c->status == TN_OK; i++) {
		tn_check_enter(c, ops[i]);
		tn_check_write_all(c); /* what follows is not the fault of its readers */
	}
}
