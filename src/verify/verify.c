#include "verify/verify.h"

#include <inttypes.h>

#include "contract/contract.h"
#include "verify/check.h"

bool tn_run_holds(struct tn_run *r, const struct tn_touch *t, struct tn_memory *want,
	int64_t begin, int64_t end, bool say, const char *rule)
{
	const struct tn_plan_tensor *p;
	int64_t n;

	if (begin == end)
		return true;
	p = &r->c->plan->tensors[t->at.root];
	n = tn_memory_match(&r->regions[p->region], p->offset + t->at.begin + begin, want,
		begin, end - begin, t->strict);
	if (n < end - begin && say)
		tn_run_refuse_bytes(r, rule, t, want, begin + n);
	return n == end - begin;
}

/* Working memory that the graph has as a tensor: nobody left anything in it. */
static bool is_scratch(const struct tn_run *r, const struct tn_touch *t)
{
	return r->c->g->tensors[t->at.root].role == ROLE_SCRATCH;
}

/* Do all operands hold what they must before the op, or after it? */
static bool intact(struct tn_run *r, bool after, bool say)
{
	bool ok = true;

	for (uint32_t k = 0; k < r->deed->n && (ok || say); k++) {
		struct tn_touch *t = &r->deed->touches[k];

		if ((!after && !t->reads) || is_scratch(r, t))
			continue;
		if (!tn_run_holds(r, t, after ? &t->after : &t->before, 0,
			    t->at.end - t->at.begin, say, NULL))
			ok = false;
	}
	return ok;
}

void tn_run_put(struct tn_run *r, const struct tn_touch *t, struct tn_memory *what,
	int64_t begin, int64_t end)
{
	const struct tn_plan_tensor *p;

	if (begin == end)
		return;
	p = &r->c->plan->tensors[t->at.root];
	if (!tn_memory_copy(&r->regions[p->region], r->c->arena,
		    p->offset + t->at.begin + begin, what, begin, end - begin))
		r->status = TN_ERR_NOMEM;
}

static void write_all(struct tn_run *r)
{
	for (uint32_t k = 0; k < r->deed->n; k++) {
		struct tn_touch *t = &r->deed->touches[k];

		if (t->writes)
			tn_run_put(r, t, &t->made, 0, t->at.end - t->at.begin);
	}
}

/* No order of its accesses is known: what it reads must last until it ends, and what it
 * writes as well. */
static void run_opaque(struct tn_run *r)
{
	r->clean = intact(r, false, true);
	write_all(r);
	(void)intact(r, true, true);
}

/* As before the op: what it wrote is nothing again, what it read is there. */
static void take_back(struct tn_run *r)
{
	struct tn_memory nothing = { 0 };

	for (uint32_t k = r->deed->n; k-- > 0;) { /* outputs, then inputs */
		struct tn_touch *t = &r->deed->touches[k];

		if (!is_scratch(r, t))
			tn_run_put(r, t, t->writes ? &nothing : &t->before, 0,
				t->at.end - t->at.begin);
	}
}

/* If all operands are intact before and after, then no access met another and the order
 * does not matter. Otherwise the steps decide. */
static void run_stepwise(struct tn_run *r, struct tn_variant variant)
{
	r->clean = intact(r, false, false);
	if (r->clean && !r->deed->tangled) {
		write_all(r);
		if (intact(r, true, false))
			return;
		take_back(r);
	}
	r->c->out->replayed++;
	tn_replay(r, variant);
}

/* Garbage of the op in a piece of memory: put there, or (after) still there? */
static bool garbage(
	struct tn_run *r, uint32_t region, int64_t place, int64_t bytes, bool after)
{
	uint32_t value = r->deed->first_value + r->deed->n;
	struct tn_segment s = { 0, bytes, 0, value };
	struct tn_memory want = { &s, 1, 1, 0 };
	struct tn_memory *m;

	if (!bytes || region >= r->c->plan->n_regions)
		return true;
	m = &r->regions[region];
	if (after)
		return tn_memory_match(m, place, &want, 0, bytes, true) == bytes;
	if (!tn_memory_write(m, r->c->arena, place, place + bytes, value, 0))
		r->status = TN_ERR_NOMEM;
	return true;
}

/* Scratch holds the op's garbage from before its first step until after its last. */
static bool scratch(struct tn_run *r, const struct tn_plan_op *p, bool after)
{
	bool ok =
		garbage(r, p->scratch_region, p->scratch_offset, p->scratch_bytes, after);

	for (uint32_t k = 0; k < r->deed->n; k++) {
		const struct tn_touch *t = &r->deed->touches[k];
		const struct tn_plan_tensor *root;

		if (t->tensor == TN_NONE || !is_scratch(r, t))
			continue;
		root = &r->c->plan->tensors[t->at.root];
		ok = garbage(r, root->region, root->offset + t->at.begin,
			     t->at.end - t->at.begin, after) &&
		     ok;
	}
	return ok;
}

static bool check_variant(
	struct tn_run *r, const struct tn_plan_op *p, struct tn_variant v)
{
	struct tn_verdict bad = {
		.rule = "plan/variant", .op = r->op, .tensor = TN_NONE
	};
	struct tn_variant list[TN_VARIANTS_MAX] = { { false, HOLD_NONE } };
	uint32_t n = tn_contract_variants(r->c->g, (tn_op_id){ r->op }, list), i = 0;
	int64_t need;

	n = n ? n : 1; /* opaque: there is one */
	while (i < n && (list[i].descending != v.descending || list[i].hold != v.hold))
		i++;
	if (i == n || p->descending > 1) {
		tn_check_refuse(r->c, &bad, "has no variant of order %u and hold %u",
			p->descending, p->hold);
		return false;
	}
	need = tn_contract_scratch(r->c->g, (tn_op_id){ r->op }, v);
	bad.rule = "plan/scratch-size";
	if (p->scratch_bytes < need)
		tn_check_refuse(r->c, &bad,
			"has %" PRId64 " bytes of scratch, needs %" PRId64,
			p->scratch_bytes, need);
	return true;
}

/* Nothing runs: where each output is, its value must be already. What it is called does not
 * matter: an op that only copies leaves values of its inputs (verify/copies.c), any other
 * one makes values that are nowhere unless it runs. */
static void check_elided(struct tn_run *r)
{
	const struct tn_op *op = &r->c->g->ops[r->op];

	for (uint32_t k = op->n_inputs; k < r->deed->n; k++) {
		struct tn_touch *out = &r->deed->touches[k];

		(void)tn_run_holds(r, out, &out->made, 0, out->at.end - out->at.begin,
			true, "plan/elided");
	}
	write_all(r); /* what follows is not the fault of its readers */
}

static void run_op(struct tn_run *r)
{
	const struct tn_plan_op *p = &r->c->plan->ops[r->op];
	struct tn_variant v = { p->descending != 0, (enum tn_hold)p->hold };
	struct tn_verdict bad = { .rule = "plan/scratch-overlap",
		.op = r->op,
		.tensor = TN_NONE,
		.region = p->scratch_region,
		.place = p->scratch_offset };
	bool exists = p->elided || check_variant(r, p, v);

	if (r->deed->idle)
		return;
	if (p->elided) {
		check_elided(r);
		return;
	}
	(void)scratch(r, p, false);
	if (!exists)
		write_all(r);
	else if (r->deed->opaque)
		run_opaque(r);
	else
		run_stepwise(r, v);
	r->clean = false;
	if (!scratch(r, p, true))
		tn_check_refuse(r->c, &bad, "writes an output into its scratch");
}

/* Does tensor i hold what it was given, or else what the graph leaves in it? */
static void check_tensor(
	struct tn_run *r, uint32_t i, bool given, bool strict, const char *rule)
{
	struct tn_check *c = r->c;
	struct tn_touch t = { .tensor = i, .at = c->ref.extent[i], .strict = strict };
	int64_t len = t.at.end - t.at.begin;
	struct tn_memory want = { 0 };

	if (c->ref.constant[t.at.root] ||
		c->plan->tensors[t.at.root].region == TN_REGION_NONE)
		return;
	if (given ? !tn_memory_write(&want, c->arena, 0, len, i, 0)
		  : !tn_memory_copy(&want, c->arena, 0, &c->ref.state[t.at.root],
			    t.at.begin, len))
		r->status = TN_ERR_NOMEM;
	else
		(void)tn_run_holds(r, &t, &want, 0, len, true, rule);
}

/* Before the first op: all that is given is there, so no two of it may meet. */
static void start(struct tn_run *r)
{
	const struct tn_check *c = r->c;

	for (uint32_t i = 0; i < c->g->n_tensors; i++) {
		const struct tn_extent *at = &c->ref.extent[i];
		const struct tn_plan_tensor *p = &c->plan->tensors[at->root];

		if (c->ref.given[i] && !c->ref.constant[i] &&
			p->region != TN_REGION_NONE &&
			!tn_memory_write(&r->regions[p->region], c->arena,
				p->offset + at->begin, p->offset + at->end, i, 0))
			r->status = TN_ERR_NOMEM;
	}
	for (uint32_t i = 0; i < c->g->n_tensors; i++)
		if (c->ref.given[i])
			check_tensor(r, i, true, true, "plan/overlap");
}

/* After the last op: what the caller, or the next invocation, will look at. One invocation
 * is enough to judge all: only variables are taken to survive between two, and they must
 * hold what the graph leaves in them, so the next one starts from the same state. */
static void finish(struct tn_run *r)
{
	const struct tn_graph *g = r->c->g;

	r->op = TN_NONE;
	for (uint32_t i = 0; i < g->n_tensors; i++) {
		const struct tn_tensor *t = &g->tensors[i];

		if (t->role == ROLE_VARIABLE)
			check_tensor(r, i, false, false, "plan/variable-lost");
		else if (r->c->ref.given[i] && !t->clobber)
			check_tensor(r, i, true, true, "plan/input-lost");
		else if (t->observed || (t->role == ROLE_INPUT && !t->clobber))
			check_tensor(r, i, false, false, "plan/observed-lost");
		else if (t->role == ROLE_OUTPUT)
			check_tensor(r, i, false, !t->has_strides, "plan/output-lost");
	}
	for (uint32_t i = 0; i < g->n_outputs; i++)
		if (g->outputs[i].i != TN_NONE)
			check_tensor(r, g->outputs[i].i, false,
				!g->tensors[g->outputs[i].i].has_strides,
				"plan/output-lost");
}

static enum tn_status execute(struct tn_check *c)
{
	struct tn_run r = { .c = c, .op = TN_NONE };

	r.regions = TN_NEW_ARRAY(c->arena, struct tn_memory, c->plan->n_regions);
	r.told = TN_NEW_ARRAY(c->arena, bool, c->ref.n_values);
	if (!r.regions || !r.told)
		return TN_ERR_NOMEM;
	start(&r);
	for (uint32_t i = 0; i < c->g->n_ops && r.status == TN_OK; i++) {
		r.op = c->plan->order[i];
		r.deed = &c->ref.deeds[r.op];
		run_op(&r);
	}
	if (r.status == TN_OK)
		finish(&r);
	return r.status;
}

enum tn_status tn_verify(const struct tn_graph *g, const struct tn_plan *plan,
	struct tn_arena *scratch, struct tn_diags *diags, struct tn_verdict *out)
{
	struct tn_check c = {
		.g = g, .plan = plan, .arena = scratch, .diags = diags, .out = out
	};
	struct tn_verdict stale = {
		.rule = "plan/stale", .op = TN_NONE, .tensor = TN_NONE
	};
	enum tn_status status;

	*out = (struct tn_verdict){ .op = TN_NONE, .tensor = TN_NONE };
	if (plan->n_tensors != g->n_tensors || plan->n_ops != g->n_ops) {
		tn_check_refuse(&c, &stale,
			"the plan is for %u tensors and %u ops, the graph has %u and %u",
			plan->n_tensors, plan->n_ops, g->n_tensors, g->n_ops);
		return TN_ERR_REFUSED;
	}
	status = tn_reference_run(g, scratch, &c.ref);
	if (status != TN_OK) /* tn_validate refuses views that do not resolve */
		return status == TN_ERR_INPUT ? TN_ERR_INTERNAL : status;
	if (!tn_check_layout(&c))
		return TN_ERR_NOMEM;
	if (!out->refusals)
		status = execute(&c);
	if (status == TN_OK && out->refusals)
		status = TN_ERR_REFUSED;
	out->accepted = status == TN_OK;
	return status;
}
