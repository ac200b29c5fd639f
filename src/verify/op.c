/* An op that runs as a whole, or not at all. */
#include "verify/check.h"

void tn_check_enter(struct tn_check *c, uint32_t op)
{
	c->op = op;
	c->deed = &c->ref.deeds[op];
	c->ran[op] = true;
	c->clean = false;
}

/* Do all operands hold what they must before the op, or after it? What it still reads when it
 * has begun to write must be there then, though the graph itself has it written over. */
static bool intact(struct tn_check *c, bool after, bool say)
{
	bool ok = true;

	for (uint32_t k = 0; k < c->deed->n && (ok || say); k++) {
		struct tn_touch *t = &c->deed->touches[k];

		if ((after || t->o->reads) && !t->o->scratch)
			ok = tn_check_holds(c, t->o,
				     after && !t->o->again ? &t->after : &t->before, 0,
				     tn_operand_bytes(t->o), say, NULL) &&
			     ok;
	}
	return ok;
}

void tn_check_write_all(struct tn_check *c)
{
	for (uint32_t k = 0; k < c->deed->n; k++) {
		struct tn_touch *t = &c->deed->touches[k];

		if (t->o->writes)
			tn_check_put(c, t->o, &t->made, 0, tn_operand_bytes(t->o));
	}
}

/* As before the op: what it wrote is nothing again, what it read is there. */
static void take_back(struct tn_check *c)
{
	struct tn_memory nothing = { 0 };

	for (uint32_t k = c->deed->n; k-- > 0;) { /* outputs, then inputs */
		struct tn_touch *t = &c->deed->touches[k];

		if (!t->o->scratch)
			tn_check_put(c, t->o, t->o->writes ? &nothing : &t->before, 0,
				tn_operand_bytes(t->o));
	}
}

/* What it writes past the end of an output is no part of the value: bytes of it that nobody
 * expects. */
static void write_tails(struct tn_check *c)
{
	for (uint32_t k = 0; k < c->deed->n; k++) {
		const struct tn_operand *o = c->deed->touches[k].o;
		const int64_t end = tn_operand_bytes(o);

		if (o->tail)
			tn_check_put_value(
				c, o, c->deed->first_value + k, end, end + o->tail);
	}
}

/* No order of its accesses is known: what it reads must last until it ends, and what it
 * writes as well. */
static void run_opaque(struct tn_check *c)
{
	c->clean = intact(c, false, true);
	tn_check_write_all(c);
	write_tails(c);
	(void)intact(c, true, true);
	for (uint32_t k = 0; k < c->deed->n; k++) {
		const struct tn_operand *o = c->deed->touches[k].o;

		if (o->destroys)
			tn_check_put_value(
				c, o, c->deed->garbage, 0, tn_operand_bytes(o));
	}
}

/* If all operands are intact before and after, then no access met another and the order
 * does not matter. Otherwise the steps decide. */
static void run_stepwise(struct tn_check *c)
{
	c->clean = intact(c, false, false);
	if (c->clean && !c->deed->tangled) {
		tn_check_write_all(c);
		if (intact(c, true, false))
			return;
		take_back(c);
	}
	c->refusals.out->replayed++;
	tn_check_replay(c, NULL);
	if (c->lost)
		tn_check_write_all(c); /* what follows is not the fault of its readers */
}

/* Puts garbage of the op, from byte `at` of it on, into a piece of memory, or (after) is it
 * still there? */
static bool garbage(struct tn_check *c, uint32_t region, int64_t place, int64_t bytes,
	int64_t at, bool after)
{
	struct tn_segment s = { 0, bytes, at, c->deed->garbage };
	struct tn_memory want = { .items = &s, .count = 1, .capacity = 1 };

	if (!bytes || region >= c->plan->n_regions)
		return true;
	if (after)
		return tn_memory_match(&c->regions[region], place, &want, 0, bytes,
			       true) == bytes;
	if (!tn_memory_copy(&c->regions[region], c->arena, place, &want, 0, bytes))
		c->status = TN_ERR_NOMEM;
	return true;
}

/* Each piece has bytes of its own, so that no two may meet. */
bool tn_check_scratch(struct tn_check *c, bool after)
{
	const struct tn_plan_op *p = &c->plan->ops[c->op];
	int64_t at = p->scratch_bytes;
	bool ok = garbage(
		c, p->scratch_region, p->scratch_offset, p->scratch_bytes, 0, after);

	for (uint32_t k = 0; k < c->deed->n; k++) {
		const struct tn_operand *o = c->deed->touches[k].o;
		const struct tn_plan_tensor *root = &c->plan->tensors[o->at.root];

		if (!o->scratch)
			continue;
		ok = garbage(c, root->region, root->offset + o->at.begin,
			     tn_operand_bytes(o), at, after) &&
		     ok;
		at += tn_operand_bytes(o);
	}
	return ok;
}

/* Nothing runs: where each output is, its value must be already. What it is called does not
 * matter: an op that only copies leaves values of its inputs (verify/copies.c), any other
 * one makes values that are nowhere unless it runs. */
static void run_elided(struct tn_check *c)
{
	for (uint32_t k = c->g->ops[c->op].n_inputs; k < c->deed->n; k++) {
		struct tn_touch *out = &c->deed->touches[k];

		(void)tn_check_holds(c, out->o, &out->made, 0, tn_operand_bytes(out->o),
			true, "plan/elided");
	}
	tn_check_write_all(c); /* what follows is not the fault of its readers */
}

void tn_check_whole(struct tn_check *c, uint32_t op)
{
	const struct tn_plan_op *p = &c->plan->ops[op];
	const struct tn_verdict at = { .op = op,
		.tensor = TN_NONE,
		.region = p->scratch_region,
		.place = p->scratch_offset };
	bool exists;

	tn_check_enter(c, op);
	if (p->elided) {
		run_elided(c);
		return;
	}
	exists = tn_layout_variant(&c->layout, op);
	(void)tn_check_scratch(c, false);
	if (!exists)
		tn_check_write_all(c);
	else if (c->ref.operands[op].opaque)
		run_opaque(c);
	else
		run_stepwise(c);
	tn_need(&c->refusals, tn_check_scratch(c, true), &at, "plan/scratch-overlap",
		"writes an output into its scratch");
}
