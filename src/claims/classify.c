#include "claims/facts.h"

#include "claims/scope.h"
#include "claims/steps.h"

static bool claim_is(const struct tn_facts *f, uint32_t claim, const char *kind)
{
	return claim != TN_NONE && tn_claim_is(f->s->claims[claim], kind);
}

static int64_t start_of(const struct tn_facts *f, uint32_t tensor)
{
	uint32_t site = f->s->site_of[tensor];

	return tn_setting_address(f->s, site, f->m->form[site].lo);
}

static bool torn_off(const struct tn_facts *f)
{
	return f->victim != TN_NONE && f->s->site_of[f->victim] == f->victim &&
	       f->m->form[f->victim].root != f->victim;
}

/* An op that a claim drops, and whose result is missed. */
static uint32_t find_dropped(const struct tn_facts *f)
{
	const struct tn_loss *l = f->l;

	if (l->expected != TN_NONE && f->s->fate[l->expected] == FATE_DROPPED)
		return l->expected;
	for (uint32_t op = 0; l->found_nothing && op < f->g->n_ops; op++)
		for (uint32_t k = 0; k < f->g->ops[op].n_outputs; k++)
			if (f->s->fate[op] == FATE_DROPPED &&
				f->g->ops[op].outputs[k].i != TN_NONE &&
				tn_facts_lies_in(
					f, f->g->ops[op].outputs[k].i, l->begin, l->end))
				return op;
	return TN_NONE;
}

/* The value was made by an op that is elided, and what lies there is what the op would
 * have read: its bits, unchanged, are not its result. */
static bool elision_is_wrong(const struct tn_facts *f)
{
	const struct tn_loss *l = f->l;

	return l->expected != TN_NONE && f->s->fate[l->expected] == FATE_ELIDED &&
	       !l->found_after;
}

static enum tn_peril name_missing(const struct tn_facts *f)
{
	const struct tn_op *op = &f->g->ops[f->dropped];
	bool own = false;

	if (f->m->role[f->m->form[f->victim].root] == ROLE_VARIABLE)
		return PERIL_DEAD_STORE_TO_STATE;
	for (uint32_t k = 0; k < op->n_outputs; k++) {
		uint32_t t = op->outputs[k].i;

		own = own ||
		      (t != TN_NONE && tn_facts_lies_in(f, t, f->l->begin, f->l->end) &&
			      tn_setting_address(f->s, t, f->m->form[t].lo) ==
				      tn_setting_address(f->s, f->victim,
					      f->m->form[f->victim].lo) &&
			      f->m->form[t].hi - f->m->form[t].lo ==
				      f->m->form[f->victim].hi -
					      f->m->form[f->victim].lo);
	}
	if (!own || f->l->bits < f->m->form[f->victim].n * f->m->form[f->victim].width)
		return PERIL_UNWRITTEN_SLICE;
	/* an op that only passes its input on: the alias that was not made */
	return f->m->kernel[f->dropped].copies ||
			       f->m->kernel[f->dropped].kind == KERNEL_VIEW
		       ? PERIL_STALE_ALIAS
		       : PERIL_RAW;
}

/* Causes that have a name of their own, whoever misses the bits. */
static enum tn_peril name_cause(const struct tn_facts *f)
{
	if (f->l->found.kind == EVENT_DESTROY)
		return PERIL_DESTRUCTIVE_INPUT;
	if (f->l->found.kind == EVENT_SCRATCH)
		return PERIL_SCRATCH_OVERLAP;
	if (torn_off(f))
		return PERIL_STALE_ALIAS;
	if (f->dropped != TN_NONE)
		return name_missing(f);
	if (elision_is_wrong(f))
		return f->m->kernel[f->l->expected].copies ? PERIL_LAYOUT : PERIL_RAW;
	return PERIL_NONE;
}

static bool stays_home(const struct tn_facts *f)
{
	return f->claim_victim == TN_NONE && f->claim_written == TN_NONE &&
	       f->written != TN_NONE;
}

static uint32_t position(const struct tn_facts *f, uint32_t op)
{
	for (uint32_t i = 0; i < f->g->n_ops; i++)
		if (f->g->schedule[i].i == op)
			return i;
	return TN_NONE;
}

/* Reader and writer are one op: what is it about the kernel that breaks? */
static enum tn_peril name_same_op(const struct tn_facts *f)
{
	const struct tn_loss *l = f->l;
	const struct tn_kernel *k = &f->m->kernel[l->reader];
	const struct tn_form *in = &f->m->form[f->victim];
	const struct tn_form *out = f->written == TN_NONE ? in : &f->m->form[f->written];
	bool aligned = tn_steps_aligned(f->m, l->reader, k, l->operand);

	if (tn_kernel_reads_target(k, l->operand))
		return PERIL_TARGET_NOT_INPLACE_SAFE;
	if (l->found.kind == EVENT_PREZERO)
		/* in place by a claim, or by the graph's own word */
		return f->claim == TN_NONE || claim_is(f, f->claim, "inplace") ||
				       claim_is(f, f->claim, "donate")
			       ? PERIL_WRITE_BEFORE_READ
			       : PERIL_RAW_SAME_STEP;
	if (l->late_pass)
		return PERIL_RAW_MULTIPASS;
	if (aligned && in->width == out->width) {
		if (tn_setting_address(f->s, f->victim, in->start) !=
			tn_setting_address(f->s, f->written, out->start))
			return PERIL_PARTIAL_OVERLAP;
		if (!tn_form_same_layout(in, out))
			return PERIL_LAYOUT;
	}
	/* a producer was made to write into what it still reads */
	if ((claim_is(f, f->claim_written, "alias") ||
		    claim_is(f, f->claim_written, "elide")) &&
		f->m->form[f->victim].root ==
			f->m->form[f->s->site[f->s->site_of[f->written]].on].root)
		return PERIL_TARGET_NOT_INPLACE_SAFE;
	return PERIL_RAW;
}

static uint32_t readers_of(const struct tn_facts *f, uint32_t tensor)
{
	uint32_t n = 0;

	for (uint32_t op = 0; op < f->g->n_ops; op++)
		n += tn_facts_op_reads(f, op, tensor);
	return n;
}

/* An accumulating kernel makes an intermediate where its one reader still wants the other
 * operand: what a fused kernel does when it accumulates in its destination. */
static bool is_intermediate(const struct tn_facts *f)
{
	const struct tn_loss *l = f->l;

	return l->reader != TN_NONE && l->found.op != TN_NONE &&
	       l->reader != l->found.op && tn_facts_op_reads(f, l->reader, f->written) &&
	       readers_of(f, f->written) == 1 &&
	       f->m->kernel[l->found.op].kind == KERNEL_OPAQUE &&
	       tn_steps_aligned(f->m, l->reader, &f->m->kernel[l->reader], l->operand);
}

/* Is the victim only another name for the storage that was claimed? */
static bool is_alias_of(const struct tn_facts *f, uint32_t on)
{
	if (on == TN_NONE || f->victim == on)
		return false;
	if (f->s->site_of[f->victim] == f->s->site_of[on])
		return true;
	return (claim_is(f, f->claim_victim, "elide") ||
		       claim_is(f, f->claim_victim, "inplace") ||
		       claim_is(f, f->claim_victim, "alias")) &&
	       f->s->site[f->s->site_of[f->victim]].space ==
		       f->s->site[f->s->site_of[on]].space;
}

static enum tn_peril short_life(const struct tn_facts *f)
{
	return f->l->read_before ? PERIL_RAW : PERIL_LIFETIME;
}

static enum tn_peril name_plan(const struct tn_facts *f)
{
	if (start_of(f, f->victim) != start_of(f, f->written))
		return PERIL_PARTIAL_OVERLAP;
	if (f->s->site_of[f->victim] != f->victim ||
		(f->claim_victim != f->claim_written && f->claim_victim != TN_NONE))
		return PERIL_LIFETIME_VIA_ALIAS;
	return short_life(f);
}

/* The victim was placed on the storage that it is now written by its owner. */
static enum tn_peril name_owner_back(const struct tn_facts *f)
{
	if (f->l->old_home)
		return PERIL_WAR;
	return claim_is(f, f->claim_victim, "inplace") ? PERIL_RAW : short_life(f);
}

static enum tn_peril name_tenants(const struct tn_facts *f)
{
	uint32_t on = f->s->site[f->s->site_of[f->written]].on;
	bool both = f->claim_victim != TN_NONE && f->claim_victim != f->claim_written;

	if (claim_is(f, f->claim_written, "donate"))
		return f->l->read_before ? PERIL_RAW : PERIL_WAR;
	if (claim_is(f, f->claim_written, "inplace"))
		return both && claim_is(f, f->claim_victim, "inplace") &&
				       !f->l->read_before &&
				       !tn_facts_op_reads(f, f->l->found.op, f->victim)
			       ? PERIL_WAW
			       : PERIL_RAW;
	if (f->victim == on)
		return is_intermediate(f) ? PERIL_WAW_INTERMEDIATE : short_life(f);
	if (is_alias_of(f, on))
		return PERIL_LIFETIME_VIA_ALIAS;
	if (start_of(f, f->victim) != start_of(f, f->written))
		return PERIL_PARTIAL_OVERLAP;
	return f->l->read_before ? PERIL_RAW : PERIL_WAW;
}

static enum tn_peril name_scopes(const struct tn_facts *f)
{
	const struct tn_site *site = &f->s->site[f->s->site_of[f->written]];

	if (f->m->scope[f->victim] == f->m->scope[f->written])
		return PERIL_NONE;
	if (claim_is(f, f->claim, "plan"))
		return PERIL_CROSS_SUBGRAPH_OVERLAP;
	for (uint32_t t = 0; t < f->g->n_tensors; t++)
		if (tn_scope_shadows(f->m, f->victim, t) ||
			(site->on != TN_NONE && tn_scope_shadows(f->m, site->on, t)))
			return PERIL_SCOPE_SHADOW;
	return PERIL_CROSS_SUBGRAPH_OVERLAP;
}

static enum tn_peril in_loop(const struct tn_facts *f, enum tn_peril peril)
{
	int64_t writer, reader;

	if (f->g->trip_count < 2 || f->l->found.op == TN_NONE)
		return peril;
	writer = f->m->iteration[f->l->found.op];
	reader = f->l->reader == TN_NONE ? -1 : f->m->iteration[f->l->reader];
	if (peril == PERIL_WAR && writer >= 0)
		return PERIL_LOOP_CARRIED_WAR;
	if ((peril == PERIL_RAW || peril == PERIL_LIFETIME ||
		    peril == PERIL_LIFETIME_VIA_ALIAS) &&
		writer >= 0 && reader > writer)
		return PERIL_LOOP_CARRIED_RAW;
	return peril;
}

static enum tn_peril for_backward(const struct tn_facts *f, enum tn_peril peril)
{
	switch (peril) {
	case PERIL_RAW:
	case PERIL_WAR:
	case PERIL_WAW:
	case PERIL_LIFETIME:
	case PERIL_LIFETIME_VIA_ALIAS:
	case PERIL_LOOP_CARRIED_RAW:
	case PERIL_LOOP_CARRIED_WAR:
		return f->m->kernel[f->l->reader].gradient &&
				       f->l->reader != f->l->found.op
			       ? PERIL_SAVED_FOR_BACKWARD_WAR
			       : peril;
	default:
		return peril;
	}
}

static enum tn_peril name_owner(const struct tn_facts *f)
{
	uint32_t root = f->m->form[f->victim].root;

	switch (f->m->role[root]) {
	case ROLE_CONST:
		return PERIL_CONST_WRITE;
	case ROLE_INPUT:
		return f->g->tensors[root].clobber ? PERIL_NONE : PERIL_INPUT_WRITE;
	case ROLE_VARIABLE:
		return PERIL_VARIABLE_CLOBBER;
	default:
		return PERIL_NONE;
	}
}

/* Neither victim nor writer was moved: their order is what the claims changed. */
static enum tn_peril name_reordered(const struct tn_facts *f)
{
	return position(f, f->l->found.op) > position(f, f->l->reader) ? PERIL_WAR
								       : PERIL_WAW;
}

static enum tn_peril name_read(const struct tn_facts *f)
{
	const struct tn_loss *l = f->l;
	enum tn_peril peril = name_cause(f);

	if (peril != PERIL_NONE)
		return peril;
	if (l->operand != TN_NONE && l->operand >= f->g->ops[l->reader].n_inputs)
		return PERIL_ACCUMULATE_READS_DEST;
	if (!l->expected_ran && l->expected != l->reader)
		return PERIL_RAW;
	if (stays_home(f) && l->found.op != l->reader && l->found.kind == EVENT_OUTPUT)
		return name_reordered(f);
	peril = name_owner(f);
	if (peril != PERIL_NONE)
		return peril;
	if (f->written == TN_NONE)
		return PERIL_RAW;
	if (l->found.kind == EVENT_TAIL)
		return PERIL_PARTIAL_OVERLAP;
	if (l->found.op == l->reader)
		return name_same_op(f);
	if (f->m->dead[f->written])
		return PERIL_WAW_DEAD_OUTPUT;
	peril = name_scopes(f);
	if (peril != PERIL_NONE)
		return peril;
	if (f->claim_written == TN_NONE)
		peril = name_owner_back(f);
	else if (claim_is(f, f->claim_written, "plan"))
		peril = name_plan(f);
	else
		peril = name_tenants(f);
	return for_backward(f, in_loop(f, peril));
}

/* Two ops both write their results where both results should stay. */
static bool both_claim(const struct tn_facts *f)
{
	const struct tn_loss *l = f->l;
	uint32_t made = tn_model_producer(f->m, f->victim);

	return f->claim_written != TN_NONE && f->claim_victim != TN_NONE &&
	       !claim_is(f, f->claim_written, "plan") && l->found.op != TN_NONE &&
	       made != TN_NONE && f->s->fate[made] == FATE_RUNS &&
	       !tn_facts_op_reads(f, l->found.op, f->victim);
}

static enum tn_peril name_result(const struct tn_facts *f)
{
	const struct tn_loss *l = f->l;
	enum tn_peril peril = name_cause(f);

	if (peril != PERIL_NONE)
		return peril;
	if (!l->expected_ran)
		return PERIL_RAW;
	if (stays_home(f) && l->found.kind == EVENT_OUTPUT)
		return PERIL_WAW;
	if (f->written != TN_NONE && l->found.kind == EVENT_TAIL)
		return PERIL_PARTIAL_OVERLAP;
	if (f->written != TN_NONE && l->found.op != TN_NONE && f->m->dead[f->written])
		return PERIL_WAW_DEAD_OUTPUT;
	if (l->old_home && f->g->trip_count > 1 && l->found.op != TN_NONE &&
		f->m->iteration[l->found.op] >= 0)
		return PERIL_LOOP_CARRIED_WAR;
	if (f->written != TN_NONE && both_claim(f))
		return PERIL_WAW;
	return l->kind != LOSS_OBSERVED || tn_facts_escapes(f, f->victim)
		       ? PERIL_OUTPUT_CLOBBER
		       : PERIL_OBSERVED_CLOBBER;
}

static enum tn_peril name_input(const struct tn_facts *f)
{
	enum tn_peril peril = name_cause(f);

	if (peril != PERIL_NONE)
		return peril;
	if (f->written != TN_NONE && f->l->found.op != TN_NONE &&
		f->m->output[f->written] &&
		(claim_is(f, f->claim, "plan") || claim_is(f, f->claim, "reuse") ||
			claim_is(f, f->claim, "alias")))
		return PERIL_INPUT_OUTPUT_SHARED;
	return PERIL_INPUT_WRITE;
}

static enum tn_peril name_state(const struct tn_facts *f)
{
	enum tn_peril peril = name_cause(f);

	if (peril != PERIL_NONE)
		return peril;
	if (!f->l->expected_ran)
		return PERIL_RAW;
	if (stays_home(f) && f->l->found.kind == EVENT_OUTPUT)
		return PERIL_WAW;
	return PERIL_VARIABLE_CLOBBER;
}

static enum tn_peril name_const(const struct tn_facts *f)
{
	enum tn_peril peril = name_cause(f);

	return peril == PERIL_DESTRUCTIVE_INPUT || peril == PERIL_SCRATCH_OVERLAP
		       ? peril
		       : PERIL_CONST_WRITE;
}

static enum tn_peril name_shared(const struct tn_facts *f)
{
	switch (f->m->role[f->m->form[f->victim].root]) {
	case ROLE_CONST:
		return PERIL_OUTPUT_IS_CONST;
	case ROLE_INPUT:
		return f->m->output[f->victim] ? PERIL_OUTPUT_ALIAS
					       : PERIL_INPUT_OUTPUT_SHARED;
	case ROLE_VARIABLE:
		return f->m->output[f->victim] ? PERIL_OUTPUT_ALIAS
					       : PERIL_VARIABLE_CLOBBER;
	default:
		return PERIL_OUTPUT_ALIAS;
	}
}

static enum tn_peril name_of(const struct tn_facts *f)
{
	enum tn_peril peril;

	switch (f->l->kind) {
	case LOSS_UNKNOWN_SIZE:
		return PERIL_UNKNOWN_SIZE;
	case LOSS_SIZE:
		return PERIL_SIZE;
	case LOSS_ARENA:
		return PERIL_OUT_OF_ARENA;
	case LOSS_ALIGN:
	case LOSS_NATURAL_ALIGN:
		return PERIL_MISALIGNED;
	case LOSS_SCRATCH_SIZE:
		return PERIL_SCRATCH_SIZE;
	case LOSS_TWICE:
		return PERIL_WAW;
	case LOSS_FOLD:
		return PERIL_MUTATED_CONST;
	case LOSS_ALLOCATION:
		return PERIL_NON_DOMINATING_STORAGE;
	case LOSS_GIVEN:
	case LOSS_INITIAL:
		peril = name_owner(f);
		return peril == PERIL_NONE ? PERIL_WAW : peril;
	case LOSS_READ:
	case LOSS_UNMOVED:
		return name_read(f);
	case LOSS_SCRATCH:
		return f->l->found.kind == EVENT_SCRATCH ? PERIL_SCRATCH_OVERLAP
							 : PERIL_SCRATCH_CLOBBERED;
	case LOSS_SELF:
		return PERIL_SELF_OVERLAP_WAW;
	case LOSS_CONST:
		return name_const(f);
	case LOSS_INPUT:
		return name_input(f);
	case LOSS_VARIABLE:
		return name_state(f);
	case LOSS_INOUT:
	case LOSS_OUTPUT:
	case LOSS_OBSERVED:
		return name_result(f);
	case LOSS_SAVED:
		return PERIL_SAVED_FOR_BACKWARD_WAR;
	case LOSS_SHARED:
		return name_shared(f);
	case LOSS_UNORDERED:
		return f->l->both_write ? PERIL_WAW : PERIL_WAR_UNORDERED;
	}
	return PERIL_RAW;
}

/* What is told first when several things go wrong. */
static int rank_of(const struct tn_loss *l)
{
	switch (l->kind) {
	case LOSS_UNKNOWN_SIZE:
		return 0;
	case LOSS_SIZE:
	case LOSS_ARENA:
	case LOSS_SCRATCH_SIZE:
		return 1;
	case LOSS_ALIGN:
		return 2;
	case LOSS_FOLD:
	case LOSS_ALLOCATION:
	case LOSS_TWICE:
		return 3;
	case LOSS_SELF:
		return 4;
	case LOSS_GIVEN:
	case LOSS_CONST:
	case LOSS_INPUT:
	case LOSS_VARIABLE:
	case LOSS_INOUT:
	case LOSS_OUTPUT:
	case LOSS_OBSERVED:
	case LOSS_SAVED:
		return 5;
	case LOSS_SHARED:
		return 6;
	case LOSS_READ:
	case LOSS_SCRATCH:
		return 7;
	case LOSS_UNORDERED:
		return l->both_write ? 9 : 8;
	case LOSS_NATURAL_ALIGN:
	case LOSS_INITIAL:
		return 10;
	case LOSS_UNMOVED:
		return 11;
	}
	return 11;
}

static uint32_t claim_to_blame(const struct tn_facts *f)
{
	uint32_t expected = f->l->expected;

	if (f->l->is_static || f->l->kind == LOSS_FOLD)
		return f->l->claim;
	if (f->dropped != TN_NONE)
		return f->s->fate_claim[f->dropped];
	if (f->claim != TN_NONE)
		return f->claim;
	if (expected != TN_NONE && f->s->fate_claim[expected] != TN_NONE)
		return f->s->fate_claim[expected];
	return f->s->has_order ? f->s->order_claim : TN_NONE;
}

bool tn_classify(
	const struct tn_naming *n, const struct tn_loss *loss, struct tn_named *out)
{
	struct tn_facts f = { .n = n,
		.m = n->m,
		.g = n->m->g,
		.s = n->s,
		.l = loss,
		.victim = loss->victim,
		.written = loss->found.tensor,
		.claim_victim = TN_NONE,
		.claim_written = TN_NONE,
		.dropped = TN_NONE };

	if (f.victim != TN_NONE)
		f.claim_victim = tn_setting_claim_of(n->s, f.victim);
	if (f.written != TN_NONE)
		f.claim_written = tn_setting_claim_of(n->s, f.written);
	f.claim = f.claim_written != TN_NONE ? f.claim_written : f.claim_victim;
	if (!loss->is_static && f.victim != TN_NONE)
		f.dropped = find_dropped(&f);
	*out = (struct tn_named){
		.loss = loss,
		.rank = rank_of(loss),
		.claim = claim_to_blame(&f),
		.direct = f.claim_written != TN_NONE,
	};
	out->peril = name_of(&f);
	if (out->peril == PERIL_DEAD_STORE_TO_STATE)
		out->rank = 3;
	tn_facts_witness(&f, out->peril, &out->witness);
	return out->witness.writer.kind != ACTOR_ALLOCATION || out->witness.writer.name;
}
