#include "verify/verify.h"

#include <inttypes.h>

#include "base/checked.h"
#include "contract/contract.h"
#include "verify/check.h"

static int64_t length(const struct tn_touch *t)
{
	return t->at.end - t->at.begin;
}

int64_t tn_check_place(
	const struct tn_check *c, const struct tn_touch *t, int64_t at, int64_t *out_run)
{
	const struct tn_plan_tensor *p = &c->plan->tensors[t->at.root];
	const int64_t byte = t->at.begin + at;

	*out_run = p->ring_bytes ? p->ring_bytes - byte % p->ring_bytes : INT64_MAX;
	return p->offset + (p->ring_bytes ? byte % p->ring_bytes : byte);
}

bool tn_check_holds(struct tn_check *c, const struct tn_touch *t, struct tn_memory *want,
	int64_t begin, int64_t end, bool say, const char *rule)
{
	const uint32_t region = c->plan->tensors[t->at.root].region;

	for (int64_t at = begin, len, n; at < end; at += len) {
		const int64_t place = tn_check_place(c, t, at, &len);

		len = tn_min_i64(len, end - at);
		n = tn_memory_match(&c->regions[region], place, want, at, len, t->strict);
		if (n == len)
			continue;
		if (say)
			tn_refuse_bytes(c, rule, t, want, at + n);
		return false;
	}
	return true;
}

void tn_check_put(struct tn_check *c, const struct tn_touch *t, struct tn_memory *what,
	int64_t begin, int64_t end)
{
	const uint32_t region = c->plan->tensors[t->at.root].region;

	for (int64_t at = begin, len; at < end; at += len) {
		const int64_t place = tn_check_place(c, t, at, &len);

		len = tn_min_i64(len, end - at);
		if (!tn_memory_copy(&c->regions[region], c->arena, place, what, at, len))
			c->status = TN_ERR_NOMEM;
	}
}

/* Working memory that the graph has as a tensor: nobody left anything in it. */
static bool is_scratch(const struct tn_check *c, const struct tn_touch *t)
{
	return t->tensor != TN_NONE && c->g->tensors[t->at.root].role == ROLE_SCRATCH;
}

/* Do all operands hold what they must before the op, or after it? */
static bool intact(struct tn_check *c, bool after, bool say)
{
	bool ok = true;

	for (uint32_t k = 0; k < c->deed->n && (ok || say); k++) {
		struct tn_touch *t = &c->deed->touches[k];

		if ((after || t->reads) && !is_scratch(c, t))
			ok = tn_check_holds(c, t, after ? &t->after : &t->before, 0,
				     length(t), say, NULL) &&
			     ok;
	}
	return ok;
}

void tn_check_write_all(struct tn_check *c)
{
	for (uint32_t k = 0; k < c->deed->n; k++) {
		struct tn_touch *t = &c->deed->touches[k];

		if (t->writes)
			tn_check_put(c, t, &t->made, 0, length(t));
	}
}

/* As before the op: what it wrote is nothing again, what it read is there. */
static void take_back(struct tn_check *c)
{
	struct tn_memory nothing = { 0 };

	for (uint32_t k = c->deed->n; k-- > 0;) { /* outputs, then inputs */
		struct tn_touch *t = &c->deed->touches[k];

		if (!is_scratch(c, t))
			tn_check_put(
				c, t, t->writes ? &nothing : &t->before, 0, length(t));
	}
}

/* No order of its accesses is known: what it reads must last until it ends, and what it
 * writes as well. */
static void run_opaque(struct tn_check *c)
{
	c->clean = intact(c, false, true);
	tn_check_write_all(c);
	(void)intact(c, true, true);
}

/* If all operands are intact before and after, then no access met another and the order
 * does not matter. Otherwise the steps decide. */
static void run_stepwise(struct tn_check *c, struct tn_variant variant)
{
	c->clean = intact(c, false, false);
	if (c->clean && !c->deed->tangled) {
		tn_check_write_all(c);
		if (intact(c, true, false))
			return;
		take_back(c);
	}
	c->out->replayed++;
	tn_check_replay(c, variant);
	if (c->lost)
		tn_check_write_all(c); /* what follows is not the fault of its readers */
}

/* Puts garbage of the op into a piece of memory, or (after) is it still there? */
bool tn_check_garbage(
	struct tn_check *c, uint32_t region, int64_t place, int64_t bytes, bool after)
{
	uint32_t value = c->deed->garbage;
	struct tn_segment s = { 0, bytes, 0, value };
	struct tn_memory want = { &s, 1, 1, 0 };

	if (!bytes || region >= c->plan->n_regions)
		return true;
	if (after)
		return tn_memory_match(&c->regions[region], place, &want, 0, bytes,
			       true) == bytes;
	if (!tn_memory_write(
		    &c->regions[region], c->arena, place, place + bytes, value, 0))
		c->status = TN_ERR_NOMEM;
	return true;
}

/* Scratch, of the plan or the graph, holds garbage from before the op's first step until
 * after its last. */
static bool scratch(struct tn_check *c, const struct tn_plan_op *p, bool after)
{
	bool ok = tn_check_garbage(
		c, p->scratch_region, p->scratch_offset, p->scratch_bytes, after);

	for (uint32_t k = 0; k < c->deed->n; k++) {
		const struct tn_touch *t = &c->deed->touches[k];
		const struct tn_plan_tensor *root = &c->plan->tensors[t->at.root];

		if (is_scratch(c, t))
			ok = tn_check_garbage(c, root->region, root->offset + t->at.begin,
				     length(t), after) &&
			     ok;
	}
	return ok;
}

bool tn_check_variant(struct tn_check *c, const struct tn_plan_op *p, struct tn_variant v)
{
	const tn_op_id id = { c->op };
	const struct tn_verdict at = { .op = c->op, .tensor = TN_NONE };
	struct tn_variant list[TN_VARIANTS_MAX] = { { false, HOLD_NONE } };
	uint32_t n = tn_contract_variants(c->g, id, list), i = 0;
	int64_t need;

	n = n ? n : 1; /* opaque: there is one */
	while (i < n && (list[i].descending != v.descending || list[i].hold != v.hold))
		i++;
	if (!tn_need(c, i < n && p->descending <= 1, &at, "plan/variant",
		    "has no variant of order %u and hold %u", p->descending, p->hold))
		return false;
	need = tn_contract_scratch(c->g, id, v);
	tn_need(c, p->scratch_bytes >= need, &at, "plan/scratch-size",
		"has %" PRId64 " bytes of scratch, needs %" PRId64, p->scratch_bytes,
		need);
	return true;
}

/* Nothing runs: where each output is, its value must be already. What it is called does not
 * matter: an op that only copies leaves values of its inputs (verify/copies.c), any other
 * one makes values that are nowhere unless it runs. */
static void check_elided(struct tn_check *c)
{
	for (uint32_t k = c->g->ops[c->op].n_inputs; k < c->deed->n; k++) {
		struct tn_touch *out = &c->deed->touches[k];

		(void)tn_check_holds(
			c, out, &out->made, 0, length(out), true, "plan/elided");
	}
	tn_check_write_all(c); /* what follows is not the fault of its readers */
}

static void run_op(struct tn_check *c, uint32_t op)
{
	const struct tn_plan_op *p = &c->plan->ops[op];
	const struct tn_variant v = { p->descending != 0, (enum tn_hold)p->hold };
	const struct tn_verdict at = { .op = op,
		.tensor = TN_NONE,
		.region = p->scratch_region,
		.place = p->scratch_offset };
	bool exists;

	c->op = op;
	c->deed = &c->ref.deeds[op];
	c->ran[op] = true;
	c->clean = false;
	exists = p->elided || tn_check_variant(c, p, v);
	if (p->elided) {
		check_elided(c);
		return;
	}
	(void)scratch(c, p, false);
	if (!exists)
		tn_check_write_all(c);
	else if (c->deed->opaque)
		run_opaque(c);
	else
		run_stepwise(c, v);
	tn_need(c, scratch(c, p, true), &at, "plan/scratch-overlap",
		"writes an output into its scratch");
}

/* Does tensor i hold what it was given, or else what the graph leaves in it? */
static void check_tensor(
	struct tn_check *c, uint32_t i, bool given, bool strict, const char *rule)
{
	struct tn_touch t = { .tensor = i, .at = c->ref.extent[i], .strict = strict };
	struct tn_memory want = { 0 };

	if (c->ref.constant[t.at.root] ||
		c->plan->tensors[t.at.root].region == TN_REGION_NONE)
		return;
	if (given ? !tn_memory_write(&want, c->arena, 0, length(&t), i, 0)
		  : !tn_memory_copy(&want, c->arena, 0, &c->ref.state[t.at.root],
			    t.at.begin, length(&t)))
		c->status = TN_ERR_NOMEM;
	else
		(void)tn_check_holds(c, &t, &want, 0, length(&t), true, rule);
}

/* Before the first op: all that is given is there, but for what comes row by row, so no two
 * of it may meet. */
static void start(struct tn_check *c)
{
	for (uint32_t i = 0; i < c->g->n_tensors; i++) {
		const struct tn_extent *at = &c->ref.extent[i];
		const struct tn_plan_tensor *p = &c->plan->tensors[at->root];

		if (c->ref.given[i] && !c->ref.constant[i] && !tn_check_is_fed(c, i) &&
			p->region != TN_REGION_NONE &&
			!tn_memory_write(&c->regions[p->region], c->arena,
				p->offset + at->begin, p->offset + at->end, i, 0))
			c->status = TN_ERR_NOMEM;
	}
	for (uint32_t i = 0; i < c->g->n_tensors; i++)
		if (c->ref.given[i] && !tn_check_is_fed(c, i))
			check_tensor(c, i, true, true, "plan/overlap");
}

/* An input that may be overwritten, and that the graph itself writes, is a result where it
 * does. */
static void check_result(struct tn_check *c, uint32_t i)
{
	struct tn_touch t = { .tensor = i, .at = c->ref.extent[i] };
	struct tn_memory *want = &c->ref.state[i];

	if (t.at.root != i || c->plan->tensors[i].region == TN_REGION_NONE)
		return;
	t.at.begin = 0; /* want starts with the storage */
	for (size_t k = 0; k < want->count; k++) {
		const struct tn_segment s = want->items[k];

		if (s.value != i || s.at != s.begin - c->ref.extent[i].begin)
			(void)tn_check_holds(
				c, &t, want, s.begin, s.end, true, "plan/input-lost");
	}
}

/* After the last op: what the caller, or the next invocation, will look at. One invocation
 * is enough to judge all: only variables are taken to survive between two, and they must
 * hold what the graph leaves in them, so the next one starts from the same state. */
static void finish(struct tn_check *c)
{
	const struct tn_graph *g = c->g;

	c->op = TN_NONE;
	for (uint32_t i = 0; i < g->n_tensors; i++) {
		const struct tn_tensor *t = &g->tensors[i];

		if (t->role == ROLE_VARIABLE)
			check_tensor(c, i, false, false, "plan/variable-lost");
		else if (c->ref.given[i] && !t->clobber)
			check_tensor(c, i, true, true, "plan/input-lost");
		else if (t->observed || (t->role == ROLE_INPUT && !t->clobber))
			check_tensor(c, i, false, false, "plan/observed-lost");
		else if (t->role == ROLE_OUTPUT)
			check_tensor(c, i, false, !t->has_strides, "plan/output-lost");
		else if (c->ref.given[i])
			check_result(c, i);
	}
	for (uint32_t i = 0; i < g->n_outputs; i++)
		if (g->outputs[i].i != TN_NONE)
			check_tensor(c, g->outputs[i].i, false,
				!g->tensors[g->outputs[i].i].has_strides,
				"plan/output-lost");
}

/* Tensor i has its bytes for itself when all is over, an output more than others: does it
 * meet one that is noted already? */
static void own(struct tn_check *c, struct tn_memory *owned, uint32_t i, bool output)
{
	const struct tn_extent *at = &c->ref.extent[i];
	const struct tn_plan_tensor *p = &c->plan->tensors[at->root];
	const int64_t begin = p->offset + at->begin, end = p->offset + at->end;
	struct tn_verdict v = { .op = TN_NONE, .tensor = i, .region = p->region };

	if (c->ref.constant[at->root] || p->region == TN_REGION_NONE)
		return;
	for (v.place = begin; output && v.place < end;) {
		const struct tn_content there = tn_memory_at(&owned[p->region], v.place);
		const uint32_t other = there.value == TN_NOTHING ? i : there.value;

		v.begin = v.place - begin;
		v.end = v.begin + tn_min_i64(there.run, end - v.place);
		v.found = (struct tn_seen){ SEEN_GIVEN, other, TN_NONE, there.at,
			there.at + v.end - v.begin };
		if (!tn_need(c, c->ref.extent[other].root == at->root, &v,
			    "plan/output-shared",
			    "the caller is given '%s' in the bytes of '%s'",
			    c->g->tensors[i].name, c->g->tensors[other].name))
			return;
		v.place += v.end - v.begin;
	}
	if (!tn_memory_write(&owned[p->region], c->arena, begin, end, i, 0))
		c->status = TN_ERR_NOMEM;
}

/* The caller may write into what it is given: an output shares bytes neither with another
 * one nor with what lasts, whatever values are there, unless the graph itself makes them one
 * storage. */
static void check_owners(struct tn_check *c)
{
	const struct tn_graph *g = c->g;
	struct tn_memory *owned =
		TN_NEW_ARRAY(c->arena, struct tn_memory, c->plan->n_regions);

	if (!owned) {
		c->status = TN_ERR_NOMEM;
		return;
	}
	for (uint32_t i = 0; i < g->n_tensors; i++)
		if (c->ref.given[i] && !g->tensors[i].clobber)
			own(c, owned, i, false);
	for (uint32_t i = 0; i < g->n_tensors; i++)
		if (g->tensors[i].role == ROLE_OUTPUT)
			own(c, owned, i, true);
	for (uint32_t i = 0; i < g->n_outputs; i++)
		if (g->outputs[i].i != TN_NONE)
			own(c, owned, g->outputs[i].i, true);
}

static enum tn_status execute(struct tn_check *c)
{
	c->regions = TN_NEW_ARRAY(c->arena, struct tn_memory, c->plan->n_regions);
	c->told = TN_NEW_ARRAY(c->arena, bool, c->ref.n_values);
	c->ran = TN_NEW_ARRAY(c->arena, bool, c->g->n_ops);
	c->position = TN_NEW_ARRAY(c->arena, uint32_t, c->g->n_ops);
	if (!c->regions || !c->told || !c->ran || !c->position)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < c->g->n_ops; i++)
		c->position[c->plan->order[i]] = i;
	start(c);
	for (uint32_t i = 0; i < c->g->n_ops && c->status == TN_OK; i++) {
		const struct tn_plan_stream *s = tn_plan_stream_at(c->plan, i);

		if (!s)
			run_op(c, c->plan->order[i]);
		else if (s->first == i)
			tn_check_stream(c, s);
	}
	if (c->status == TN_OK)
		finish(c);
	if (c->status == TN_OK && !c->out->refusals)
		check_owners(c);
	return c->status;
}

enum tn_status tn_verify(const struct tn_graph *g, const struct tn_plan *plan,
	struct tn_arena *scratch, struct tn_diags *diags, struct tn_verdict *out)
{
	const struct tn_verdict none = { .op = TN_NONE, .tensor = TN_NONE };
	struct tn_check c = { .g = g,
		.plan = plan,
		.arena = scratch,
		.diags = diags,
		.out = out,
		.op = TN_NONE };
	enum tn_status status;

	*out = none;
	if (!tn_need(&c, plan->n_tensors == g->n_tensors && plan->n_ops == g->n_ops,
		    &none, "plan/stale",
		    "the plan is for %u tensors and %u ops, the graph has %u and %u",
		    plan->n_tensors, plan->n_ops, g->n_tensors, g->n_ops))
		return TN_ERR_REFUSED;
	status = tn_reference_run(g, scratch, &c.ref);
	if (status != TN_OK) /* tn_validate refuses views that do not resolve */
		return status == TN_ERR_INPUT ? TN_ERR_INTERNAL : status;
	if (!tn_check_layout(&c))
		return TN_ERR_NOMEM;
	if (!out->refusals)
		status = execute(&c);
	if (status == TN_OK && !tn_check_figures(&c))
		status = TN_ERR_NOMEM;
	if (status == TN_OK && out->refusals)
		status = TN_ERR_REFUSED;
	out->accepted = status == TN_OK;
	return status;
}
