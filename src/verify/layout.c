#include <inttypes.h>

#include "base/checked.h"
#include "verify/check.h"

#define SCRATCH_ALIGN 16 /* contract/contract.h */

static const char OUTSIDE[] = "plan/outside-arena", MISALIGNED[] = "plan/misaligned",
		  UNPLACED[] = "plan/unplaced", PIN[] = "plan/pin",
		  ORDER[] = "plan/order";

/* Do two ranges have common bytes? No start is negative. */
static bool meet(int64_t a, int64_t a_bytes, int64_t b, int64_t b_bytes)
{
	return a < b ? b - a < a_bytes : a - b < b_bytes;
}

/* Capacities, and addresses: an aligned offset is only as good as the address that it is
 * added to, and two memories at one address are one. */
static void check_region(struct tn_check *c, struct tn_verdict v)
{
	const struct tn_plan_region *r = &c->plan->regions[v.region],
				    *o = c->plan->regions;
	int64_t end;

	tn_need(c, r->align >= 1, &v, MISALIGNED, "'%s' is aligned to %" PRId64, r->name,
		r->align);
	tn_need(c,
		r->used >= 0 && r->reserved >= 0 &&
			(r->capacity < 0 || r->used <= r->capacity - r->reserved),
		&v, OUTSIDE,
		"'%s' uses %" PRId64 " bytes of %" PRId64 ", of which %" PRId64
		" are reserved",
		r->name, r->used, r->capacity, r->reserved);
	if (!r->has_base)
		return;
	tn_need(c, r->align < 1 || r->base % r->align == 0, &v, MISALIGNED,
		"'%s' starts at %" PRId64 ", no multiple of %" PRId64, r->name, r->base,
		r->align);
	if (tn_need(c, r->base >= 0 && tn_add_i64(r->base, r->used, &end), &v, OUTSIDE,
		    "'%s' has no addresses", r->name))
		for (; o < r; o++)
			tn_need(c,
				!o->has_base || o->base < 0 ||
					!meet(o->base, o->used, r->base, r->used),
				&v, OUTSIDE, "'%s' and '%s' have common addresses",
				o->name, r->name);
}

static void check_regions(struct tn_check *c)
{
	struct tn_verdict v = { .op = TN_NONE, .tensor = TN_NONE };
	int64_t total = 0;

	for (; v.region < c->plan->n_regions; v.region++) {
		int64_t used = c->plan->regions[v.region].used;

		check_region(c, v);
		if (used < 0 || !tn_add_i64(total, used, &total))
			total = INT64_MAX;
	}
	v.region = 0;
	tn_need(c, total <= c->plan->arena_bytes, &v, OUTSIDE,
		"the regions use %" PRId64 " bytes, the arena has %" PRId64, total,
		c->plan->arena_bytes);
}

/* Is it in its region (v.region), at a multiple of `align` and, unless it is part of
 * something else, of the region's alignment? */
static void check_range(struct tn_check *c, struct tn_verdict v, int64_t offset,
	int64_t bytes, int64_t align, bool part)
{
	const struct tn_plan_region *r = &c->plan->regions[v.region];
	int64_t end;

	v.place = offset;
	if (!tn_need(c, v.region < c->plan->n_regions, &v, OUTSIDE,
		    "there is no region %u", v.region))
		return;
	tn_need(c,
		offset >= 0 && bytes >= 0 && tn_add_i64(offset, bytes, &end) &&
			end <= r->used,
		&v, OUTSIDE,
		"%" PRId64 " bytes at %" PRId64 ", but '%s' ends at %" PRId64, bytes,
		offset, r->name, r->used);
	if (!part && r->align > 0 && offset % r->align != 0)
		align = r->align;
	tn_need(c, offset % align == 0, &v, MISALIGNED,
		"the offset %" PRId64 " is no multiple of %" PRId64, offset, align);
}

int64_t tn_check_storage(const struct tn_check *c, uint32_t root)
{
	return tn_max_i64(c->g->tensors[root].bytes, c->ref.extent[root].end);
}

static bool has_place(const struct tn_check *c, uint32_t tensor)
{
	const struct tn_extent *at = &c->ref.extent[tensor];

	return at->begin == at->end || c->ref.constant[at->root] ||
	       c->plan->tensors[at->root].region != TN_REGION_NONE;
}

static void check_tensor(struct tn_check *c, uint32_t i, bool part)
{
	const struct tn_plan_tensor *p = &c->plan->tensors[i];
	const struct tn_tensor *t = &c->g->tensors[i];
	const struct tn_extent *at = &c->ref.extent[i];
	const struct tn_plan_tensor *root = &c->plan->tensors[at->root];
	const struct tn_verdict v = { .op = TN_NONE, .tensor = i, .region = p->region };
	const int64_t width = tn_dtype_bits(t->dtype) / 8;
	int64_t place;

	tn_need(c, !c->ref.given[i] || has_place(c, i), &v, UNPLACED,
		"'%s' has no place in memory", t->name);
	if (p->region == TN_REGION_NONE)
		return;
	tn_need(c, p->bytes == t->bytes, &v, "plan/stale",
		"the plan says %" PRId64 " bytes, it has %" PRId64, p->bytes, t->bytes);
	tn_need(c, !c->ref.constant[at->root], &v, "plan/constant-placed",
		"a constant has no place in planned memory");
	if (at->root == i)
		check_range(c, v, p->offset,
			p->ring_bytes ? p->ring_bytes : tn_check_storage(c, i),
			tn_max_i64(1, tn_min_i64(width, 8)), part);
	else
		tn_need(c,
			p->region == root->region &&
				tn_add_i64(root->offset, at->start, &place) &&
				place == p->offset,
			&v, "plan/view", "a view of '%s' lies %" PRId64 " bytes into it",
			c->g->tensors[at->root].name, at->start);
}

/* Does it lie within a tensor that is pinned? */
static bool within_pin(const struct tn_check *c, uint32_t tensor)
{
	const uint32_t id = c->ref.extent[tensor].root;
	const struct tn_plan_tensor *p = &c->plan->tensors[id];

	for (uint32_t i = 0; i < c->plan->n_pins; i++) {
		const uint32_t t = c->plan->pins[i].tensor;
		const uint32_t root = t < c->g->n_tensors ? c->ref.extent[t].root : id;
		const struct tn_plan_tensor *q = &c->plan->tensors[root];

		if (t < c->g->n_tensors && p->region == q->region && q->offset >= 0 &&
			p->offset >= q->offset &&
			p->offset - q->offset <=
				tn_check_storage(c, root) - tn_check_storage(c, id))
			return true;
	}
	return false;
}

/* Pinned tensors are where they must be, and nothing else is in what the caller owns, who
 * may use the rest. */
static void check_pins(struct tn_check *c)
{
	const struct tn_plan *plan = c->plan;
	struct tn_verdict v = { .op = TN_NONE };

	for (uint32_t i = 0; i < plan->n_pins; i++) {
		const struct tn_plan_pin *pin = &plan->pins[i];
		const struct tn_plan_tensor *p = &plan->tensors[pin->tensor];

		v.tensor = pin->tensor < plan->n_tensors ? pin->tensor : TN_NONE;
		if (!tn_need(c, v.tensor != TN_NONE && pin->region < plan->n_regions, &v,
			    PIN, "pin %u names nothing", i))
			continue;
		v.region = p->region;
		if (tn_need(c, p->region == pin->region, &v, PIN,
			    "it is pinned to '%s' but not there",
			    plan->regions[pin->region].name))
			tn_need(c, pin->offset < 0 || p->offset == pin->offset, &v, PIN,
				"it is pinned to offset %" PRId64 " but lies at %" PRId64,
				pin->offset, p->offset);
	}
	for (uint32_t i = 0; i < c->g->n_tensors; i++) {
		v.tensor = i;
		v.region = plan->tensors[i].region;
		if (v.region < plan->n_regions && plan->regions[v.region].owned)
			tn_need(c, within_pin(c, i), &v, PIN,
				"'%s' belongs to the caller, and the tensor is not "
				"pinned to it",
				plan->regions[v.region].name);
	}
}

static void check_op(struct tn_check *c, uint32_t op)
{
	const struct tn_plan_op *p = &c->plan->ops[op];
	const struct tn_deed *deed = &c->ref.deeds[op];
	const struct tn_plan_region *r = &c->plan->regions[p->scratch_region];
	struct tn_verdict v = {
		.op = op, .tensor = TN_NONE, .region = p->scratch_region
	};

	if (p->scratch_bytes) {
		tn_need(c, v.region >= c->plan->n_regions || !r->owned, &v, PIN,
			"scratch lies in memory that belongs to the caller");
		check_range(
			c, v, p->scratch_offset, p->scratch_bytes, SCRATCH_ALIGN, false);
	}
	for (uint32_t k = 0; k < deed->n; k++) {
		const struct tn_touch *t = &deed->touches[k];

		if (t->at.begin == t->at.end)
			continue;
		v.tensor = t->tensor;
		tn_need(c, !c->ref.constant[t->at.root], &v, "plan/constant-overwrite",
			"writes the constant '%s'", c->g->tensors[t->tensor].name);
		tn_need(c, has_place(c, t->tensor), &v, UNPLACED,
			"'%s' has no place in memory", c->g->tensors[t->tensor].name);
	}
}

/* Ops on state that no tensor shows run in the order that the graph gives. */
static bool is_stateful(const struct tn_op *op)
{
	return op->n_outputs == 0 || op->kind == OP_IF || op->kind == OP_WHILE ||
	       op->kind == OP_VAR_HANDLE || op->kind == OP_READ_VARIABLE;
}

/* A permutation. Whether each op comes after those that produce what it reads shows when
 * the plan runs. */
static bool check_order(struct tn_check *c)
{
	const struct tn_graph *g = c->g;
	struct tn_verdict v = { .op = TN_NONE, .tensor = TN_NONE };
	uint32_t *at = TN_NEW_ARRAY(c->arena, uint32_t, g->n_ops), last = TN_NONE;
	bool whole = true;

	if (!at)
		return false;
	for (uint32_t i = 0; i < g->n_ops; i++)
		at[i] = TN_NONE;
	for (uint32_t i = 0; i < g->n_ops; i++) {
		uint32_t id = c->plan->order[i];

		v.op = id < g->n_ops ? id : TN_NONE;
		if (tn_need(c, v.op != TN_NONE && at[id] == TN_NONE, &v, ORDER,
			    "op %u, at position %u of the order, %s", id, i,
			    v.op == TN_NONE ? "does not exist" : "has run before"))
			at[id] = i;
		else
			whole = false;
	}
	for (uint32_t i = 0; whole && i < g->n_ops; i++) {
		v.op = g->schedule[i].i;
		if (!is_stateful(&g->ops[v.op]))
			continue;
		if (last != TN_NONE)
			tn_need(c, at[last] < at[v.op], &v, ORDER,
				"acts on state before '%s', in the graph after it",
				g->ops[last].name);
		last = v.op;
	}
	return true;
}

/* The operands of an elided op are parts of each other and lie where that puts them. What
 * the caller fills or reads is aligned all the same: it may be a target of DMA. */
static void mark_parts(const struct tn_check *c, const struct tn_op *op, bool *part)
{
	for (uint32_t k = 0; k < op->n_inputs + op->n_outputs; k++) {
		tn_tensor_id id =
			k < op->n_inputs ? op->inputs[k] : op->outputs[k - op->n_inputs];
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

	if (!part)
		return false;
	for (uint32_t i = 0; i < g->n_ops; i++)
		if (c->plan->ops[i].elided)
			mark_parts(c, &g->ops[i], part);
	check_regions(c);
	check_pins(c);
	for (uint32_t i = 0; i < g->n_tensors; i++)
		check_tensor(c, i, part[i]);
	for (uint32_t i = 0; i < g->n_ops; i++)
		check_op(c, i);
	for (uint32_t i = 0; i < g->n_outputs; i++) {
		const struct tn_verdict v = { .op = TN_NONE, .tensor = g->outputs[i].i };

		tn_need(c, v.tensor == TN_NONE || has_place(c, v.tensor), &v, UNPLACED,
			"the output has no place in memory");
	}
	return check_order(c) && (c->out->refusals || tn_check_streams(c));
}
