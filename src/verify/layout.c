#include <inttypes.h>

#include "base/checked.h"
#include "verify/check.h"

#define SCRATCH_ALIGN 16 /* contract/contract.h */

/* Is it in its region (v.region), at a multiple of `align` and, unless it is part of
 * something else, of the region's alignment? */
static void check_range(struct tn_check *c, struct tn_verdict v, int64_t offset,
	int64_t bytes, int64_t align, bool part)
{
	const struct tn_plan_region *r = &c->plan->regions[v.region];
	int64_t end;

	v.place = offset;
	v.rule = "plan/outside-arena";
	if (v.region >= c->plan->n_regions) {
		tn_check_refuse(c, &v, "there is no region %u", v.region);
		return;
	}
	if (offset < 0 || bytes < 0 || !tn_add_i64(offset, bytes, &end) || end > r->used)
		tn_check_refuse(c, &v,
			"%" PRId64 " bytes at %" PRId64 ", but '%s' ends at %" PRId64,
			bytes, offset, r->name, r->used);
	v.rule = "plan/misaligned";
	if (!part && r->align > 0 && offset % r->align != 0)
		align = r->align;
	if (offset % align != 0)
		tn_check_refuse(c, &v,
			"the offset %" PRId64 " is no multiple of %" PRId64, offset,
			align);
}

/* An aligned offset is only as good as the address that it is added to; and two memories
 * at one address are one. */
static void check_base(struct tn_check *c, struct tn_verdict v)
{
	const struct tn_plan_region *r = &c->plan->regions[v.region];
	int64_t end, other_end;

	if (!r->has_base)
		return;
	v.rule = "plan/misaligned";
	if (r->align > 0 && r->base % r->align != 0)
		tn_check_refuse(c, &v,
			"'%s' starts at %" PRId64 ", no multiple of %" PRId64, r->name,
			r->base, r->align);
	v.rule = "plan/outside-arena";
	if (r->base < 0 || !tn_add_i64(r->base, r->used, &end)) {
		tn_check_refuse(c, &v, "'%s' has no addresses", r->name);
		return;
	}
	for (uint32_t i = 0; i < v.region; i++) {
		const struct tn_plan_region *o = &c->plan->regions[i];

		if (o->has_base && tn_add_i64(o->base, o->used, &other_end) &&
			o->base < end && r->base < other_end)
			tn_check_refuse(c, &v, "'%s' and '%s' have common addresses",
				o->name, r->name);
	}
}

static void check_regions(struct tn_check *c)
{
	struct tn_verdict v = { .op = TN_NONE, .tensor = TN_NONE };
	int64_t total = 0;

	for (v.region = 0; v.region < c->plan->n_regions; v.region++) {
		const struct tn_plan_region *r = &c->plan->regions[v.region];

		v.rule = "plan/misaligned";
		if (r->align < 1)
			tn_check_refuse(
				c, &v, "'%s' is aligned to %" PRId64, r->name, r->align);
		v.rule = "plan/outside-arena";
		if (r->used < 0 || r->reserved < 0 ||
			(r->capacity >= 0 && r->used > r->capacity - r->reserved))
			tn_check_refuse(c, &v,
				"'%s' uses %" PRId64 " bytes of %" PRId64
				", of which %" PRId64 " are reserved",
				r->name, r->used, r->capacity, r->reserved);
		if (r->used < 0 || !tn_add_i64(total, r->used, &total))
			total = INT64_MAX;
		check_base(c, v);
	}
	v.region = 0;
	if (total > c->plan->arena_bytes)
		tn_check_refuse(c, &v,
			"the regions use %" PRId64 " bytes, the arena has %" PRId64,
			total, c->plan->arena_bytes);
}

static void check_tensor(struct tn_check *c, uint32_t i, bool part)
{
	const struct tn_plan_tensor *p = &c->plan->tensors[i];
	const struct tn_tensor *t = &c->g->tensors[i];
	const struct tn_extent *at = &c->ref.extent[i];
	const struct tn_plan_tensor *root = &c->plan->tensors[at->root];
	struct tn_verdict v = { .op = TN_NONE, .tensor = i, .region = p->region };
	int64_t width = tn_dtype_bits(t->dtype) / 8, place;

	v.rule = "plan/unplaced";
	if (c->ref.given[i] && !c->ref.constant[i] && at->begin < at->end &&
		root->region == TN_REGION_NONE)
		tn_check_refuse(c, &v, "'%s' has no place in memory", t->name);
	if (p->region == TN_REGION_NONE)
		return;
	v.rule = "plan/stale";
	if (p->bytes != t->bytes)
		tn_check_refuse(c, &v, "the plan says %" PRId64 " bytes, it has %" PRId64,
			p->bytes, t->bytes);
	v.rule = "plan/constant-placed";
	if (c->ref.constant[at->root])
		tn_check_refuse(c, &v, "a constant has no place in planned memory");
	v.rule = "plan/view";
	if (at->root == i)
		check_range(c, v, p->offset, tn_max_i64(t->bytes, at->end),
			tn_max_i64(1, tn_min_i64(width, 8)), part);
	else if (p->region != root->region ||
		 !tn_add_i64(root->offset, at->start, &place) || place != p->offset)
		tn_check_refuse(c, &v, "a view of '%s' lies %" PRId64 " bytes into it",
			c->g->tensors[at->root].name, at->start);
}

/* Where nothing runs, outputs and inputs are the same bytes: one pin is a pin of all. */
static void spread_pins(const struct tn_check *c, bool *pinned)
{
	const struct tn_graph *g = c->g;
	bool again = true;

	while (again) {
		again = false;
		for (uint32_t i = 0; i < g->n_ops; i++) {
			const struct tn_op *op = &g->ops[i];
			const uint32_t n = op->n_inputs + op->n_outputs;
			bool any = false;

			for (uint32_t pass = 0; pass < 2 && c->plan->ops[i].elided;
				pass++) {
				for (uint32_t k = 0; k < n; k++) {
					const uint32_t id =
						k < op->n_inputs
							? op->inputs[k].i
							: op->outputs[k - op->n_inputs].i;
					bool *own =
						id == TN_NONE
							? NULL
							: &pinned[c->ref.extent[id].root];

					if (!own)
						continue;
					again = again || (pass && any && !*own);
					*own = *own || (pass && any);
					any = any || *own;
				}
			}
		}
	}
}

/* Pinned tensors are where they must be. */
static void check_pins(struct tn_check *c, bool *pinned)
{
	const struct tn_plan *plan = c->plan;
	struct tn_verdict v = { .rule = "plan/pin", .op = TN_NONE };

	for (uint32_t i = 0; i < plan->n_pins; i++) {
		const struct tn_plan_pin *pin = &plan->pins[i];
		const struct tn_plan_tensor *p;

		v.tensor = pin->tensor < plan->n_tensors ? pin->tensor : TN_NONE;
		if (v.tensor == TN_NONE || pin->region >= plan->n_regions) {
			tn_check_refuse(c, &v, "pin %u names nothing", i);
			continue;
		}
		p = &plan->tensors[pin->tensor];
		v.region = p->region;
		pinned[c->ref.extent[pin->tensor].root] = true;
		if (p->region != pin->region)
			tn_check_refuse(c, &v, "it is pinned to '%s' but not there",
				plan->regions[pin->region].name);
		else if (pin->offset >= 0 && p->offset != pin->offset)
			tn_check_refuse(c, &v,
				"it is pinned to offset %" PRId64 " but lies at %" PRId64,
				pin->offset, p->offset);
	}
}

/* Nothing but pinned tensors is in what the caller owns, who may use the rest. */
static void check_owned(struct tn_check *c, const bool *pinned)
{
	const struct tn_plan *plan = c->plan;
	struct tn_verdict v = { .rule = "plan/pin", .op = TN_NONE };

	for (uint32_t i = 0; i < c->g->n_tensors; i++) {
		v.tensor = i;
		v.region = plan->tensors[i].region;
		if (v.region < plan->n_regions && plan->regions[v.region].owned &&
			!pinned[c->ref.extent[i].root])
			tn_check_refuse(c, &v,
				"'%s' belongs to the caller, and the tensor is not "
				"pinned to it",
				plan->regions[v.region].name);
	}
}

static void check_op(struct tn_check *c, uint32_t op)
{
	const struct tn_plan_op *p = &c->plan->ops[op];
	const struct tn_deed *deed = &c->ref.deeds[op];
	struct tn_verdict v = {
		.op = op, .tensor = TN_NONE, .region = p->scratch_region
	};

	if (p->scratch_bytes && v.region < c->plan->n_regions &&
		c->plan->regions[v.region].owned) {
		v.rule = "plan/pin";
		tn_check_refuse(c, &v,
			"scratch lies in '%s', which belongs to the caller",
			c->plan->regions[v.region].name);
	}
	if (p->scratch_bytes)
		check_range(
			c, v, p->scratch_offset, p->scratch_bytes, SCRATCH_ALIGN, false);
	for (uint32_t k = 0; k < deed->n && !deed->idle; k++) {
		const struct tn_touch *t = &deed->touches[k];
		const char *name;

		v.tensor = t->tensor;
		if (t->at.begin == t->at.end)
			continue;
		name = c->g->tensors[t->tensor].name;
		v.rule = "plan/constant-overwrite";
		if (c->ref.constant[t->at.root])
			tn_check_refuse(c, &v, "writes the constant '%s'", name);
		v.rule = "plan/unplaced";
		if (!c->ref.constant[t->at.root] &&
			c->plan->tensors[t->at.root].region == TN_REGION_NONE)
			tn_check_refuse(c, &v, "'%s' has no place in memory", name);
	}
}

/* Ops on state that no tensor shows run in the order that the graph gives. */
static bool is_stateful(const struct tn_op *op)
{
	return op->n_outputs == 0 || op->kind == OP_IF || op->kind == OP_WHILE ||
	       op->kind == OP_VAR_HANDLE || op->kind == OP_READ_VARIABLE;
}

/* Every op comes after those that produce what it reads, as in the graph's order; at[] is
 * the place of an op in the plan's order. That a copy elsewhere happens to hold the same
 * bytes already is no excuse. */
static bool check_producers(struct tn_check *c, const uint32_t *at)
{
	const struct tn_graph *g = c->g;
	uint32_t *writer = TN_NEW_ARRAY(c->arena, uint32_t, g->n_tensors);

	if (!writer)
		return false;
	for (uint32_t i = 0; i < g->n_tensors; i++)
		writer[i] = TN_NONE;
	for (uint32_t i = 0; i < g->n_ops; i++) {
		const struct tn_op *op = &g->ops[g->schedule[i].i];
		struct tn_verdict v = { .rule = "plan/order", .op = g->schedule[i].i };

		for (uint32_t k = 0; k < op->n_inputs; k++) {
			uint32_t w;

			v.tensor = op->inputs[k].i;
			w = v.tensor == TN_NONE ? TN_NONE : writer[v.tensor];
			if (w != TN_NONE && at[w] > at[v.op])
				tn_check_refuse(c, &v,
					"reads '%s' before '%s' has produced it",
					g->tensors[v.tensor].name, g->ops[w].name);
		}
		for (uint32_t k = 0; k < op->n_outputs; k++)
			if (op->outputs[k].i != TN_NONE)
				writer[op->outputs[k].i] = v.op;
	}
	return true;
}

static bool check_order(struct tn_check *c)
{
	const struct tn_graph *g = c->g;
	struct tn_verdict v = { .rule = "plan/order", .op = TN_NONE, .tensor = TN_NONE };
	uint32_t *at = TN_NEW_ARRAY(c->arena, uint32_t, g->n_ops), last = TN_NONE;
	bool whole = true;

	if (!at)
		return false;
	for (uint32_t i = 0; i < g->n_ops; i++)
		at[i] = TN_NONE;
	for (uint32_t i = 0; i < g->n_ops; i++) {
		uint32_t id = c->plan->order[i];

		v.op = id < g->n_ops ? id : TN_NONE;
		if (v.op != TN_NONE && at[id] == TN_NONE) {
			at[id] = i;
			continue;
		}
		whole = false;
		tn_check_refuse(c, &v, "op %u, at position %u of the order, %s", id, i,
			v.op == TN_NONE ? "does not exist" : "has run before");
	}
	for (uint32_t i = 0; whole && i < g->n_ops; i++) {
		v.op = g->schedule[i].i;
		if (!is_stateful(&g->ops[v.op]))
			continue;
		if (last != TN_NONE && at[last] > at[v.op])
			tn_check_refuse(c, &v,
				"acts on state before '%s', in the graph after it",
				g->ops[last].name);
		last = v.op;
	}
	return !whole || check_producers(c, at);
}

/* The operands of an elided op are parts of each other and lie where that puts them. What
 * the caller fills or reads is aligned all the same: it may be a target of DMA. */
static void mark_parts(const struct tn_check *c, const struct tn_op *op, bool *part)
{
	for (uint32_t k = 0; k < op->n_inputs + op->n_outputs; k++) {
		tn_tensor_id id = k < op->n_inputs ? op->inputs[k]
						   : op->outputs[k - op->n_inputs];
		const struct tn_tensor *t;

		if (id.i == TN_NONE)
			continue;
		id.i = c->ref.extent[id.i].root;
		t = &c->g->tensors[id.i];
		if (t->role != ROLE_INPUT && t->role != ROLE_OUTPUT &&
			!tn_graph_is_input(c->g, id) && !tn_graph_is_output(c->g, id))
			part[id.i] = true;
	}
}

bool tn_check_layout(struct tn_check *c)
{
	const struct tn_graph *g = c->g;
	bool *part = TN_NEW_ARRAY(c->arena, bool, g->n_tensors);
	bool *pinned = TN_NEW_ARRAY(c->arena, bool, g->n_tensors);

	if (!part || !pinned)
		return false;
	for (uint32_t i = 0; i < g->n_ops; i++)
		if (c->plan->ops[i].elided)
			mark_parts(c, &g->ops[i], part);
	check_regions(c);
	check_pins(c, pinned);
	spread_pins(c, pinned);
	check_owned(c, pinned);
	for (uint32_t i = 0; i < g->n_tensors; i++)
		check_tensor(c, i, part[i]);
	for (uint32_t i = 0; i < g->n_ops; i++)
		check_op(c, i);
	for (uint32_t i = 0; i < g->n_outputs; i++) {
		uint32_t id = g->outputs[i].i;
		const struct tn_extent *at = id == TN_NONE ? NULL : &c->ref.extent[id];
		struct tn_verdict v = {
			.rule = "plan/unplaced", .op = TN_NONE, .tensor = id
		};

		if (at && at->begin < at->end && !c->ref.constant[at->root] &&
			c->plan->tensors[at->root].region == TN_REGION_NONE)
			tn_check_refuse(c, &v, "the output has no place in memory");
	}
	return check_order(c);
}
