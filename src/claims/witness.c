/* Who destroys what, and who misses it. */
#include "claims/facts.h"

bool tn_facts_lies_in(
	const struct tn_facts *f, uint32_t tensor, int64_t begin, int64_t end)
{
	const struct tn_form *form = &f->m->form[tensor];

	return tn_setting_address(f->s, tensor, form->lo) < end &&
	       begin < tn_setting_address(f->s, tensor, form->hi);
}

bool tn_facts_op_reads(const struct tn_facts *f, uint32_t op, uint32_t tensor)
{
	for (uint32_t k = 0; k < f->g->ops[op].n_inputs; k++) {
		uint32_t t = f->g->ops[op].inputs[k].i;

		if (t != TN_NONE && f->m->form[t].root == f->m->form[tensor].root)
			return true;
	}
	return false;
}

bool tn_facts_escapes(const struct tn_facts *f, uint32_t tensor)
{
	for (uint32_t op = 0; op < f->g->n_ops; op++)
		if (f->m->kernel[op].yields && tn_facts_op_reads(f, op, tensor))
			return true;
	return false;
}

static struct tn_actor actor_op(const struct tn_facts *f, uint32_t op)
{
	if (op == TN_NONE)
		return (struct tn_actor){ ACTOR_NONE, { TN_NONE }, NULL };
	return (struct tn_actor){ ACTOR_OP, { op }, f->g->ops[op].name };
}

static struct tn_actor actor(enum tn_actor_kind kind, const char *name)
{
	return (struct tn_actor){ kind, { TN_NONE }, name };
}

/* Does the op read where the loss is? Then it was meant to work in place. */
static bool reads_there(const struct tn_facts *f, uint32_t op)
{
	for (uint32_t k = 0; op != TN_NONE && k < f->g->ops[op].n_inputs; k++) {
		uint32_t t = f->g->ops[op].inputs[k].i;

		if (t != TN_NONE && tn_facts_lies_in(f, t, f->l->begin, f->l->end))
			return true;
	}
	return false;
}

/* The first op that misses what the writer has taken, or what a dropped op has not left. */
static const struct tn_loss *missed_by(const struct tn_facts *f, bool any_run)
{
	for (size_t i = 0; i < f->n->losses->list.count; i++) {
		const struct tn_loss *l = &f->n->losses->list.items[i];

		if (l->kind != LOSS_READ || (!any_run && l->run != f->l->run) ||
			l->begin >= f->l->end || f->l->begin >= l->end)
			continue;
		if (f->dropped != TN_NONE ? l->expected == f->dropped
					  : l->found.op == f->l->found.op &&
						    (l->reader != l->found.op ||
							    l->run > l->found.run))
			return l;
	}
	return NULL;
}

static void witness_end(const struct tn_facts *f, struct tn_claim_witness *w)
{
	enum tn_role role = f->m->role[f->m->form[f->victim].root];
	bool state = f->l->kind == LOSS_VARIABLE;
	const struct tn_loss *missed = NULL;

	if (state || reads_there(f, f->l->found.op))
		missed = missed_by(f, state);
	if (missed) {
		w->reader = actor_op(f, missed->reader);
		w->invocation = missed->run + 1;
	} else if (f->l->kind == LOSS_SAVED) {
		w->reader = actor_op(f, f->l->reader);
		w->reader.kind = ACTOR_BACKWARD;
	} else if (f->l->kind == LOSS_OBSERVED && !tn_facts_escapes(f, f->victim)) {
		w->reader = actor(ACTOR_OBSERVER, "observer");
	} else if (role == ROLE_CONST || role == ROLE_VARIABLE) {
		w->reader = actor(ACTOR_NEXT_RUN, "next run");
	} else {
		w->reader = actor(ACTOR_CALLER, "caller");
	}
}

/* Of two that are given at one place, who misses the one that counts? Its owner; of an
 * input that may be overwritten, the first who reads it. */
static struct tn_actor reader_of_given(const struct tn_facts *f)
{
	const uint32_t root = f->victim;

	if (f->m->role[root] == ROLE_CONST || f->m->role[root] == ROLE_VARIABLE)
		return actor(ACTOR_NEXT_RUN, "next run");
	for (uint32_t i = 0; f->g->tensors[root].clobber && i < f->g->n_ops; i++)
		if (tn_facts_op_reads(f, f->s->order[i], root))
			return actor_op(f, f->s->order[i]);
	return actor(ACTOR_CALLER, "caller");
}

void tn_facts_witness(
	const struct tn_facts *f, enum tn_peril peril, struct tn_claim_witness *w)
{
	const struct tn_loss *l = f->l;
	uint32_t writer = l->found.op;

	*w = (struct tn_claim_witness){ .writer = actor_op(f, writer),
		.victim = { l->victim },
		.reader = actor_op(f, l->reader),
		.other = { f->written != l->victim ? f->written : TN_NONE },
		.need = l->need,
		.have = l->have,
		.align = l->align,
		.begin = -1,
		.end = -1,
		.invocation = l->run + 1 };
	if (l->is_static && l->end >= 0) {
		w->begin = l->begin / 8;
		w->end = (l->end + 7) / 8;
	} else if (!l->is_static) {
		int64_t base = tn_setting_space(f->s, l->victim)->base;

		w->begin = (l->begin - base) / 8;
		w->end = (l->end - base + 7) / 8;
	}
	if (writer == TN_NONE && l->found.tensor != TN_NONE && !l->is_static)
		w->writer = actor(ACTOR_CALLER, "caller");
	if (peril == PERIL_ACCUMULATE_READS_DEST)
		w->writer = w->reader;
	/* bits that should have been there by then: who was to bring them? */
	if (!l->is_static && l->kind != LOSS_SHARED && l->kind != LOSS_SELF &&
		!l->expected_ran && l->expected != TN_NONE && f->dropped == TN_NONE)
		w->writer = actor_op(f, l->expected);
	if (f->dropped != TN_NONE)
		w->writer = peril == PERIL_DEAD_STORE_TO_STATE ? actor_op(f, f->dropped)
							       : actor(ACTOR_NONE, NULL);
	if (peril == PERIL_STALE_ALIAS)
		w->writer = actor(ACTOR_NONE, NULL);
	switch (l->kind) {
	case LOSS_CONST:
	case LOSS_INPUT:
	case LOSS_VARIABLE:
	case LOSS_INOUT:
	case LOSS_OUTPUT:
	case LOSS_OBSERVED:
	case LOSS_SAVED:
		witness_end(f, w);
		break;
	case LOSS_GIVEN:
	case LOSS_INITIAL:
		w->reader = reader_of_given(f);
		break;
	case LOSS_SHARED:
		w->writer = actor(ACTOR_CALLER, "caller");
		w->reader =
			peril == PERIL_OUTPUT_ALIAS || peril == PERIL_INPUT_OUTPUT_SHARED
				? actor(ACTOR_CALLER, "caller")
				: actor(ACTOR_NEXT_RUN, "next run");
		w->other.i = l->other;
		break;
	case LOSS_ALLOCATION:
		w->writer =
			actor(ACTOR_ALLOCATION, tn_arena_printf(f->n->arena, "alloc@%s",
							f->g->branches[l->other].name));
		w->other.i = TN_NONE;
		break;
	case LOSS_FOLD:
		if (writer == TN_NONE)
			w->writer = actor(ACTOR_CALLER, "caller");
		if (l->reader == TN_NONE)
			w->reader = actor(ACTOR_CALLER, "caller");
		break;
	default:
		break;
	}
}
