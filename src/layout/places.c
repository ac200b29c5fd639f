/* Where regions, tensors and scratch are. */
#include <inttypes.h>

#include "base/checked.h"
#include "layout/part.h"

#define SCRATCH_ALIGN 16 /* contract/contract.h */

static const char OUTSIDE[] = "plan/outside-arena", MISALIGNED[] = "plan/misaligned",
		  UNPLACED[] = "plan/unplaced";

/* Do two ranges have common bytes? No start is negative. */
static bool meet(int64_t a, int64_t a_bytes, int64_t b, int64_t b_bytes)
{
	return a < b ? b - a < a_bytes : a - b < b_bytes;
}

/* Capacities, and addresses: an aligned offset is only as good as the address that it is
 * added to, and two memories at one address are one. */
static void check_region(const struct tn_layout *l, struct tn_verdict v)
{
	const struct tn_plan_region *r = &l->plan->regions[v.region],
				    *o = l->plan->regions;
	int64_t end;

	tn_need(l->refusals, r->align >= 1, &v, MISALIGNED, "'%s' is aligned to %" PRId64,
		r->name, r->align);
	tn_need(l->refusals,
		r->used >= 0 && r->reserved >= 0 &&
			(r->capacity < 0 || r->used <= r->capacity - r->reserved),
		&v, OUTSIDE,
		"'%s' uses %" PRId64 " bytes of %" PRId64 ", of which %" PRId64
		" are reserved",
		r->name, r->used, r->capacity, r->reserved);
	if (!r->has_base)
		return;
	tn_need(l->refusals, r->align < 1 || r->base % r->align == 0, &v, MISALIGNED,
		"'%s' starts at %" PRId64 ", no multiple of %" PRId64, r->name, r->base,
		r->align);
	if (tn_need(l->refusals, r->base >= 0 && tn_add_i64(r->base, r->used, &end), &v,
		    OUTSIDE, "'%s' has no addresses", r->name))
		for (; o < r; o++)
			tn_need(l->refusals,
				!o->has_base || o->base < 0 ||
					!meet(o->base, o->used, r->base, r->used),
				&v, OUTSIDE, "'%s' and '%s' have common addresses",
				o->name, r->name);
}

void tn_layout_regions(const struct tn_layout *l)
{
	struct tn_verdict v = { .op = TN_NONE, .tensor = TN_NONE };
	int64_t total = 0;

	for (; v.region < l->plan->n_regions; v.region++) {
		int64_t used = l->plan->regions[v.region].used;

		check_region(l, v);
		if (used < 0 || !tn_add_i64(total, used, &total))
			total = INT64_MAX;
	}
	v.region = 0;
	tn_need(l->refusals, total <= l->plan->arena_bytes, &v, OUTSIDE,
		"the regions use %" PRId64 " bytes, the arena has %" PRId64, total,
		l->plan->arena_bytes);
}

/* Is it in its region (v.region), at a multiple of `align` and, unless it is part of
 * something else, of the region's alignment? */
static void check_range(const struct tn_layout *l, struct tn_verdict v, int64_t offset,
	int64_t bytes, int64_t align, bool part)
{
	const struct tn_plan_region *r = &l->plan->regions[v.region];
	int64_t end;

	v.place = offset;
	if (!tn_need(l->refusals, v.region < l->plan->n_regions, &v, OUTSIDE,
		    "there is no region %u", v.region))
		return;
	tn_need(l->refusals,
		offset >= 0 && bytes >= 0 && tn_add_i64(offset, bytes, &end) &&
			end <= r->used,
		&v, OUTSIDE,
		"%" PRId64 " bytes at %" PRId64 ", but '%s' ends at %" PRId64, bytes,
		offset, r->name, r->used);
	if (!part && r->align > 0 && offset % r->align != 0)
		align = r->align;
	tn_need(l->refusals, offset % align == 0, &v, MISALIGNED,
		"the offset %" PRId64 " is no multiple of %" PRId64, offset, align);
}

static bool has_place(const struct tn_layout *l, uint32_t tensor)
{
	const struct tn_extent *at = &l->storage->extent[tensor];

	return at->begin == at->end || l->storage->constant[at->root] ||
	       l->plan->tensors[at->root].region != TN_REGION_NONE;
}

static void check_tensor(const struct tn_layout *l, uint32_t i, bool part)
{
	const struct tn_plan_tensor *p = &l->plan->tensors[i];
	const struct tn_tensor *t = &l->g->tensors[i];
	const struct tn_extent *at = &l->storage->extent[i];
	const struct tn_plan_tensor *root = &l->plan->tensors[at->root];
	const struct tn_verdict v = { .op = TN_NONE, .tensor = i, .region = p->region };
	const int64_t width = tn_dtype_bits(t->dtype) / 8;
	int64_t place;

	tn_need(l->refusals, !l->storage->given[i] || has_place(l, i), &v, UNPLACED,
		"'%s' has no place in memory", t->name);
	if (p->region == TN_REGION_NONE)
		return;
	tn_need(l->refusals, p->bytes == t->bytes, &v, "plan/stale",
		"the plan says %" PRId64 " bytes, it has %" PRId64, p->bytes, t->bytes);
	tn_need(l->refusals, !l->storage->constant[at->root], &v, "plan/constant-placed",
		"a constant has no place in planned memory");
	if (at->root == i)
		check_range(l, v, p->offset,
			p->ring_bytes ? p->ring_bytes : tn_storage_bytes(l->storage, i),
			tn_max_i64(1, tn_min_i64(width, 8)), part);
	else
		tn_need(l->refusals,
			p->region == root->region &&
				tn_add_i64(root->offset, at->start, &place) &&
				place == p->offset,
			&v, "plan/view", "a view of '%s' lies %" PRId64 " bytes into it",
			l->g->tensors[at->root].name, at->start);
}

/* What an op writes past the end of its output lies in the region, and not in memory that
 * the caller has for himself. */
static void check_tail(
	const struct tn_layout *l, struct tn_verdict v, const struct tn_operand *o)
{
	const struct tn_plan_tensor *root = &l->plan->tensors[o->at.root];
	const struct tn_plan_region *r = &l->plan->regions[root->region];
	int64_t end;

	if (!tn_need(l->refusals, root->region < l->plan->n_regions, &v, UNPLACED,
		    "writes past the end of '%s', which has no place in memory",
		    l->g->tensors[o->tensor].name))
		return;
	v.region = root->region;
	v.place = root->offset;
	tn_need(l->refusals,
		tn_add_i64(root->offset, o->at.end, &end) &&
			tn_add_i64(end, o->tail, &end) && end <= r->used,
		&v, OUTSIDE,
		"writes %" PRId64
		" bytes past the end of '%s', but '%s' ends at %" PRId64,
		o->tail, l->g->tensors[o->tensor].name, r->name, r->used);
	tn_need(l->refusals, !r->owned, &v, "plan/pin",
		"writes past the end of '%s', in memory that belongs to the caller",
		l->g->tensors[o->tensor].name);
}

static void check_op(const struct tn_layout *l, uint32_t op)
{
	const struct tn_plan_op *p = &l->plan->ops[op];
	const struct tn_operands *o = &l->operands[op];
	const struct tn_plan_region *r = &l->plan->regions[p->scratch_region];
	struct tn_verdict v = {
		.op = op, .tensor = TN_NONE, .region = p->scratch_region
	};

	if (p->scratch_bytes) {
		tn_need(l->refusals, v.region >= l->plan->n_regions || !r->owned, &v,
			"plan/pin", "scratch lies in memory that belongs to the caller");
		check_range(
			l, v, p->scratch_offset, p->scratch_bytes, SCRATCH_ALIGN, false);
	}
	for (uint32_t k = 0; k < o->n; k++) {
		const struct tn_operand *t = &o->list[k];

		v.tensor = t->tensor;
		if (t->tail && !p->elided)
			check_tail(l, v, t);
		if (t->at.begin == t->at.end)
			continue;
		tn_need(l->refusals, !l->storage->constant[t->at.root], &v,
			"plan/constant-overwrite", "writes the constant '%s'",
			l->g->tensors[t->tensor].name);
		tn_need(l->refusals, has_place(l, t->tensor), &v, UNPLACED,
			"'%s' has no place in memory", l->g->tensors[t->tensor].name);
	}
}

/* The operands of an elided op are parts of each other and lie where that puts them. What
 * the caller fills or reads is aligned all the same: it may be a target of DMA. */
static void mark_parts(const struct tn_layout *l, const struct tn_op *op, bool *part)
{
	for (uint32_t k = 0; k < op->n_inputs + op->n_outputs; k++) {
		tn_tensor_id id =
			k < op->n_inputs ? op->inputs[k] : op->outputs[k - op->n_inputs];
		const struct tn_tensor *t;

		if (id.i == TN_NONE)
			continue;
		id.i = l->storage->extent[id.i].root;
		t = &l->g->tensors[id.i];
		if (t->role != ROLE_INPUT && t->role != ROLE_OUTPUT &&
			!tn_graph_is_input(l->g, id) && !tn_graph_is_output(l->g, id))
			part[id.i] = true;
	}
}

bool tn_layout_places(const struct tn_layout *l)
{
	const struct tn_graph *g = l->g;
	bool *part = TN_NEW_ARRAY(l->arena, bool, g->n_tensors);

	if (!part)
		return false;
	for (uint32_t i = 0; i < g->n_ops; i++)
		if (l->plan->ops[i].elided)
			mark_parts(l, &g->ops[i], part);
	for (uint32_t i = 0; i < g->n_tensors; i++)
		check_tensor(l, i, part[i]);
	for (uint32_t i = 0; i < g->n_ops; i++)
		check_op(l, i);
	for (uint32_t i = 0; i < g->n_outputs; i++) {
		const struct tn_verdict v = { .op = TN_NONE, .tensor = g->outputs[i].i };

		tn_need(l->refusals, v.tensor == TN_NONE || has_place(l, v.tensor), &v,
			UNPLACED, "the output has no place in memory");
	}
	return true;
}
