/* Moves what the verifier refuses. It says who is overwritten and by whom: one of the two
 * goes where nothing else is while it is needed. Such a move cannot disturb anything, so
 * each tensor moves once at most. Where a copy for the reader alone costs less memory, or
 * nothing can move, it is copied (repair_copy.c). */
#include <stdlib.h>

#include "base/checked.h"
#include "driver/repair_part.h"

#include "base/banned.h"

uint32_t tn_mending_owner(const struct tn_mending *m, uint32_t tensor)
{
	while (m->g->tensors[tensor].view_of.i != TN_NONE)
		tensor = m->g->tensors[tensor].view_of.i;
	return tensor;
}

int64_t tn_mending_end(int64_t offset, int64_t bytes)
{
	int64_t end;

	return tn_add_i64(offset, bytes, &end) ? end : INT64_MAX;
}

static const struct tn_span *life_of(const struct tn_mending *m, uint32_t tensor)
{
	return &m->live.root[m->run->aliases.of[tensor].root.i];
}

int64_t tn_mending_extent(const struct tn_mending *m, uint32_t tensor)
{
	int64_t bytes = m->g->tensors[tensor].bytes;

	for (uint32_t i = 0; i < m->g->n_tensors; i++)
		if (tn_mending_owner(m, i) == tensor)
			bytes = tn_max_i64(
				bytes, m->run->aliases.of[i].offset -
					       m->run->aliases.of[tensor].offset +
					       m->run->aliases.of[i].extent);
	return bytes;
}

struct taken {
	int64_t begin, end;
};

static int compare_taken(const void *a, const void *b)
{
	const struct taken *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

int64_t tn_mending_place(const struct tn_mending *m, uint32_t region, uint32_t self,
	uint32_t self_op, int64_t begin, int64_t end, int64_t bytes, int64_t align)
{
	struct taken *list = TN_NEW_ARRAY(
		m->arena, struct taken, (size_t)m->g->n_tensors + m->g->n_ops);
	int64_t at = 0;
	size_t n = 0;

	if (!list)
		return -1;
	for (uint32_t i = 0; i < m->g->n_tensors; i++) {
		const struct tn_plan_tensor *p = &m->plan->tensors[i];
		const struct tn_span *s = life_of(m, i);

		if (p->region == region && tn_mending_owner(m, i) != self &&
			s->first < end && begin < tn_span_end(s))
			list[n++] = (struct taken){ p->offset,
				tn_mending_end(p->offset, p->bytes) };
	}
	for (uint32_t i = 0; i < m->g->n_ops; i++) {
		const struct tn_plan_op *p = &m->plan->ops[i];
		int64_t step = 2 * (int64_t)m->order.position[i];

		if (p->scratch_bytes && p->scratch_region == region && i != self_op &&
			step < end && begin < step + 2)
			list[n++] = (struct taken){ p->scratch_offset,
				tn_mending_end(p->scratch_offset, p->scratch_bytes) };
	}
	qsort(list, n, sizeof(*list), compare_taken);
	for (size_t i = 0; i < n && list[i].begin - at < bytes; i++) {
		at = tn_max_i64(at, list[i].end);
		if (!tn_align_up_i64(at, align, &at))
			return -1;
	}
	return at;
}

int64_t tn_mending_room(const struct tn_mending *m, uint32_t region)
{
	const struct tn_plan_region *r = &m->plan->regions[region];

	if (r->owned)
		return -1;
	return r->capacity < 0 ? INT64_MAX : r->capacity - r->reserved;
}

/* Where something might go. */
struct spot {
	uint32_t region;
	int64_t at, end; /* end INT64_MAX: nowhere */
};

static const struct spot nowhere = { TN_REGION_NONE, -1, INT64_MAX };

/* A place for so many bytes in the half-steps [begin, end): in their region, or in the first
 * other one that has room. */
static struct spot find_spot(struct tn_mending *m, uint32_t home, uint32_t self,
	uint32_t self_op, int64_t begin, int64_t end, int64_t bytes)
{
	const uint32_t n = m->plan->n_regions;

	for (uint32_t k = 0; k < n; k++) {
		const uint32_t region = home < n ? (home + k) % n : k;
		const int64_t align = tn_max_i64(m->plan->regions[region].align,
			tn_max_i64(m->run->options->align, 16));
		struct spot s = { region, 0, INT64_MAX };

		if (tn_mending_room(m, region) < bytes)
			continue;
		s.at = tn_mending_place(
			m, region, self, self_op, begin, end, bytes, align);
		if (s.at >= 0 && s.at <= tn_mending_room(m, region) - bytes) {
			s.end = s.at + bytes;
			return s;
		}
	}
	return nowhere;
}

static bool is_pinned(const struct tn_mending *m, uint32_t owner)
{
	for (uint32_t i = 0; i < m->plan->n_pins; i++)
		if (tn_mending_owner(m, m->plan->pins[i].tensor) == owner)
			return true;
	return false;
}

/* Nowhere for what cannot move, or has moved. */
static struct spot spot_for(struct tn_mending *m, uint32_t tensor)
{
	uint32_t owner;
	const struct tn_span *s;

	if (tensor == TN_NONE)
		return nowhere;
	owner = tn_mending_owner(m, tensor);
	s = life_of(m, owner);
	if (m->moved[owner] || !tn_tensor_is_planned(&m->g->tensors[owner]) ||
		is_pinned(m, owner))
		return nowhere;
	return find_spot(m, m->plan->tensors[owner].region, owner, TN_NONE, s->first,
		tn_max_i64(tn_span_end(s), s->first + 2), tn_mending_extent(m, owner));
}

static void move(struct tn_mending *m, uint32_t tensor, const struct spot *to)
{
	const uint32_t owner = tn_mending_owner(m, tensor);
	int64_t shift = to->at - m->plan->tensors[owner].offset;

	m->plan->tensors[owner].region = to->region;
	for (uint32_t i = 0; i < m->g->n_tensors; i++)
		if (tn_mending_owner(m, i) == owner &&
			(i == owner || m->plan->tensors[i].region != TN_REGION_NONE)) {
			m->plan->tensors[i].region = to->region;
			m->plan->tensors[i].offset =
				i == owner ? to->at : m->plan->tensors[i].offset + shift;
		}
	m->moved[owner] = true;
	/* what lay where its input lies has to be copied there now */
	for (uint32_t i = 0; i < m->g->n_ops; i++) {
		const struct tn_op *op = &m->g->ops[i];

		for (uint32_t k = 0; k < op->n_inputs + op->n_outputs; k++) {
			uint32_t t = k < op->n_inputs ? op->inputs[k].i
						      : op->outputs[k - op->n_inputs].i;

			if (t != TN_NONE && tn_mending_owner(m, t) == owner &&
				!(op->n_outputs && op->outputs[0].i != TN_NONE &&
					m->g->tensors[op->outputs[0].i].view_of.i !=
						TN_NONE))
				m->plan->ops[i].elided = false;
		}
	}
}

static int64_t needed_scratch(const struct tn_mending *m, uint32_t op)
{
	const struct tn_plan_op *p = &m->plan->ops[op];

	return p->elided ? 0
			 : tn_contract_scratch(m->g, (tn_op_id){ op },
				   (struct tn_variant){
					   p->descending != 0, (enum tn_hold)p->hold });
}

static bool place_scratch(struct tn_mending *m, uint32_t op)
{
	struct tn_plan_op *p = &m->plan->ops[op];
	int64_t step = 2 * (int64_t)m->order.position[op];
	struct spot s;

	p->scratch_bytes = needed_scratch(m, op);
	if (!p->scratch_bytes)
		return true;
	s = find_spot(
		m, p->scratch_region, TN_NONE, op, step, step + 2, p->scratch_bytes);
	if (s.end == INT64_MAX)
		return false;
	p->scratch_region = s.region;
	p->scratch_offset = s.at;
	return true;
}

/* Sizes follow from what lies where; the room that regions have does not. */
static void measure(struct tn_mending *m)
{
	struct tn_plan *plan = m->plan;

	plan->arena_bytes = plan->activation_bytes = plan->scratch_bytes = 0;
	for (uint32_t r = 0; r < plan->n_regions; r++) {
		int64_t used = 0;

		for (uint32_t i = 0; i < plan->n_tensors; i++)
			if (plan->tensors[i].region == r && tn_mending_owner(m, i) == i)
				used = tn_max_i64(
					used, tn_mending_end(plan->tensors[i].offset,
						      tn_mending_extent(m, i)));
		plan->activation_bytes = tn_mending_end(plan->activation_bytes, used);
		for (uint32_t i = 0; i < plan->n_ops; i++) {
			const struct tn_plan_op *p = &plan->ops[i];

			plan->scratch_bytes =
				tn_max_i64(plan->scratch_bytes, p->scratch_bytes);
			if (p->scratch_bytes && p->scratch_region == r)
				used = tn_max_i64(used, tn_mending_end(p->scratch_offset,
								p->scratch_bytes));
		}
		plan->regions[r].used = used;
		plan->arena_bytes = tn_mending_end(plan->arena_bytes, used);
	}
}

/* Another variant of the kernel, before anything moves. */
static bool turn(struct tn_mending *m, uint32_t op)
{
	struct tn_variant list[TN_VARIANTS_MAX];
	uint32_t n = tn_contract_variants(m->g, (tn_op_id){ op }, list), v;

	if (m->plan->ops[op].elided || m->tried[op] >= n)
		return false;
	v = m->tried[op]++;
	m->plan->ops[op].descending = list[v].descending;
	m->plan->ops[op].hold = (uint8_t)list[v].hold;
	return place_scratch(m, op);
}

/* Does something that goes there make its region larger? */
static bool grows(const struct tn_mending *m, const struct spot *s)
{
	return s->region == TN_REGION_NONE || s->end > m->plan->regions[s->region].used;
}

/* Moves the one of two for which that costs less. If it takes more memory than a copy for
 * the reader that `v` names, then that. False: neither can move, nor be copied. */
static bool move_one(
	struct tn_mending *m, uint32_t a, uint32_t b, const struct tn_verdict *v)
{
	const struct spot at_a = spot_for(m, a), at_b = spot_for(m, b);
	const struct spot *best = at_a.end <= at_b.end ? &at_a : &at_b;

	if (v && grows(m, best) && tn_mending_copy(m, v, best->end))
		return true;
	if (m->status != TN_OK || best->region == TN_REGION_NONE)
		return false;
	move(m, best == &at_a ? a : b, best);
	return true;
}

static bool moves_outputs(struct tn_mending *m, const struct tn_verdict *v)
{
	const struct tn_op *op = v->op == TN_NONE ? NULL : &m->g->ops[v->op];

	for (uint32_t k = 0; op && k < op->n_outputs; k++)
		if (op->outputs[k].i != TN_NONE &&
			move_one(m, op->outputs[k].i, TN_NONE, NULL))
			return true;
	return false;
}

/* Changes one thing for one refusal; false: nothing is left to change. */
static bool change(struct tn_mending *m, const struct tn_verdict *v)
{
	const uint32_t found =
		v->found.kind == SEEN_GIVEN || v->found.kind == SEEN_WRITTEN
			? v->found.tensor
			: TN_NONE;
	bool own =
		v->op != TN_NONE && v->found.kind != SEEN_NOTHING && v->found.op == v->op;

	if (v->op != TN_NONE && m->plan->ops[v->op].elided && !m->run_again[v->op]) {
		m->run_again[v->op] = true;
		m->plan->ops[v->op].elided = false;
		return place_scratch(m, v->op);
	}
	if (v->found.kind == SEEN_GARBAGE && !m->run_again[v->found.op]) {
		m->run_again[v->found.op] = true;
		return place_scratch(m, v->found.op);
	}
	if ((own || (v->op != TN_NONE && v->tensor == TN_NONE)) && turn(m, v->op))
		return true;
	return move_one(m, found, v->tensor, v) || moves_outputs(m, v);
}

static enum tn_status verify(struct tn_mending *m, struct tn_verdict *out)
{
	struct tn_arena scratch;
	struct tn_diags quiet;
	enum tn_status status;

	tn_arena_init(&scratch);
	tn_diags_init(&quiet, &scratch);
	status = tn_verify(m->g, m->plan, &scratch, &quiet, out);
	tn_arena_release(&scratch);
	return status;
}

#define CHANGES_MAX 1000 /* each costs a run of the verifier */

static enum tn_status mend(struct tn_mending *m)
{
	struct tn_verdict verdict = { 0 };
	enum tn_status status = TN_ERR_REFUSED;

	for (int i = 0; i < CHANGES_MAX && status == TN_ERR_REFUSED; i++) {
		measure(m);
		status = verify(m, &verdict);
		if (status == TN_ERR_REFUSED && !change(m, &verdict))
			break;
		if (m->status != TN_OK)
			return m->status;
	}
	if (status == TN_OK)
		m->run->verdict = verdict;
	return status;
}

/* The plan's order as far as it is one; else the graph's. */
static bool take_order(struct tn_mending *m)
{
	uint32_t n = m->g->n_ops;
	bool whole = true;

	m->order = (struct tn_order){ TN_NEW_ARRAY(m->arena, tn_op_id, n),
		TN_NEW_ARRAY(m->arena, uint32_t, n), n };
	if (!m->order.at || !m->order.position)
		return false;
	for (uint32_t i = 0; i < n; i++)
		m->order.position[i] = TN_NONE;
	for (uint32_t i = 0; i < n && whole; i++) {
		uint32_t op = m->plan->order[i];

		whole = op < n && m->order.position[op] == TN_NONE;
		if (whole)
			m->order.position[op] = i;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (!whole) {
			m->plan->order[i] = m->g->schedule[i].i;
			m->order.position[m->plan->order[i]] = i;
		}
		m->order.at[i].i = m->plan->order[i];
	}
	return true;
}

/* A tensor has the size that it has, and a view is where its owner is, whatever the plan
 * says. */
static void place_views(struct tn_mending *m)
{
	for (uint32_t i = 0; i < m->g->n_tensors; i++) {
		const uint32_t owner = tn_mending_owner(m, i);
		const struct tn_plan_tensor *to = &m->plan->tensors[owner];
		struct tn_plan_tensor *p = &m->plan->tensors[i];
		const struct tn_alias *of = m->run->aliases.of;

		if (p->region == TN_REGION_NONE)
			continue;
		p->bytes = m->g->tensors[i].bytes;
		if (i == owner)
			continue;
		p->region = to->region;
		if (!tn_add_i64(to->offset, of[i].offset - of[owner].offset, &p->offset))
			p->offset = to->offset;
	}
}

/* What is pinned lies there, whatever the plan says. */
static void place_pins(struct tn_mending *m)
{
	for (uint32_t i = 0; i < m->plan->n_pins; i++) {
		const struct tn_plan_pin *pin = &m->plan->pins[i];
		struct tn_plan_tensor *p = &m->plan->tensors[pin->tensor];

		if (tn_mending_owner(m, pin->tensor) != pin->tensor)
			continue;
		p->offset = pin->offset >= 0				 ? pin->offset
			    : p->region == pin->region && p->offset >= 0 ? p->offset
									 : 0;
		p->region = pin->region;
	}
}

static bool allocate(struct tn_mending *m)
{
	m->moved = TN_NEW_ARRAY(m->arena, bool, m->g->n_tensors);
	m->run_again = TN_NEW_ARRAY(m->arena, bool, m->g->n_ops);
	m->tried = TN_NEW_ARRAY(m->arena, uint32_t, m->g->n_ops);
	return m->moved && m->run_again && m->tried && take_order(m);
}

enum tn_status tn_repair_plan(struct tn_run *run)
{
	struct tn_mending m = {
		.run = run, .g = &run->graph, .plan = &run->plan, .arena = &run->arena
	};
	enum tn_status status = TN_OK;

	if (!allocate(&m) || !tn_mending_remember(&m))
		return TN_ERR_NOMEM;
	place_pins(&m);
	place_views(&m);
	for (int again = 0; again < 2; again++) {
		status = tn_liveness_find(m.g, &m.order, &run->aliases, m.arena, &m.live);
		/* a plan of claims has its copies already */
		if (status == TN_OK && !again && run->options->plan &&
			!tn_mending_spare(&m))
			status = m.status;
		for (uint32_t i = 0; i < m.g->n_ops && status == TN_OK; i++)
			if (m.plan->ops[i].scratch_bytes < needed_scratch(&m, i) &&
				!place_scratch(&m, i))
				status = TN_ERR_REFUSED;
		if (status == TN_OK)
			status = mend(&m);
		if (status != TN_ERR_REFUSED)
			break;
		/* once more in the order of the graph, which is right for sure */
		for (uint32_t i = 0; i < m.g->n_ops; i++)
			m.plan->order[i] = m.g->schedule[i].i;
		if (!allocate(&m))
			return TN_ERR_NOMEM;
	}
	run->verified = status == TN_OK;
	if (status == TN_OK)
		tn_mending_tell(&m);
	return status;
}
