/* Moves what the verifier refuses. It says who is overwritten and by whom: one of the two
 * goes where nothing else is while it is needed. Such a move cannot disturb anything, so
 * each tensor moves once at most. Where a copy for the reader alone costs less memory, or
 * nothing can move, it is copied (repair_copy.c). */
#include <inttypes.h>
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
			list[n++] = (struct taken){ p->offset, p->offset + p->bytes };
	}
	for (uint32_t i = 0; i < m->g->n_ops; i++) {
		const struct tn_plan_op *p = &m->plan->ops[i];
		int64_t step = 2 * (int64_t)m->order.position[i];

		if (p->scratch_bytes && p->scratch_region == region && i != self_op &&
			step < end && begin < step + 2)
			list[n++] = (struct taken){ p->scratch_offset,
				p->scratch_offset + p->scratch_bytes };
	}
	qsort(list, n, sizeof(*list), compare_taken);
	for (size_t i = 0; i < n && list[i].begin - at < bytes; i++) {
		at = tn_max_i64(at, list[i].end);
		if (!tn_align_up_i64(at, align, &at))
			return -1;
	}
	return at;
}

static int64_t place_for(const struct tn_mending *m, uint32_t owner)
{
	const struct tn_span *s = life_of(m, owner);
	uint32_t region = m->plan->tensors[owner].region;

	return tn_mending_place(m, region == TN_REGION_NONE ? 0 : region, owner, TN_NONE,
		s->first, tn_max_i64(tn_span_end(s), s->first + 2),
		tn_mending_extent(m, owner), tn_max_i64(m->run->options->align, 16));
}

static void move(struct tn_mending *m, uint32_t owner, int64_t to)
{
	int64_t shift = to - m->plan->tensors[owner].offset;

	if (m->plan->tensors[owner].region == TN_REGION_NONE)
		m->plan->tensors[owner].region = 0;
	for (uint32_t i = 0; i < m->g->n_tensors; i++)
		if (tn_mending_owner(m, i) == owner &&
			(i == owner || m->plan->tensors[i].region != TN_REGION_NONE))
			m->plan->tensors[i].offset =
				i == owner ? to : m->plan->tensors[i].offset + shift;
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
	tn_diag_at(&m->run->diags, SEVERITY_NOTE, "plan/repaired", m->run->source,
		m->g->tensors[owner].pointer, m->g->tensors[owner].name,
		"'%s' is placed at %" PRId64 " instead", m->g->tensors[owner].name, to);
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
	int64_t step = 2 * (int64_t)m->order.position[op], at;

	p->scratch_bytes = needed_scratch(m, op);
	if (!p->scratch_bytes)
		return true;
	if (p->scratch_region >= m->plan->n_regions)
		p->scratch_region = 0;
	at = tn_mending_place(m, p->scratch_region, TN_NONE, op, step, step + 2,
		p->scratch_bytes, tn_max_i64(m->run->options->align, 16));
	p->scratch_offset = at;
	return at >= 0;
}

/* Sizes follow from what lies where. */
static bool measure(struct tn_mending *m)
{
	struct tn_plan *plan = m->plan;
	int64_t total = 0, tensors = 0, scratch = 0, used = 0;

	for (uint32_t r = 0; r < plan->n_regions; r++) {
		used = 0;
		for (uint32_t i = 0; i < plan->n_tensors; i++)
			if (plan->tensors[i].region == r)
				used = tn_max_i64(used,
					plan->tensors[i].offset +
						tn_mending_extent(
							m, tn_mending_owner(m, i)) *
							(tn_mending_owner(m, i) == i));
		tensors += used;
		for (uint32_t i = 0; i < plan->n_ops; i++) {
			const struct tn_plan_op *p = &plan->ops[i];

			scratch = tn_max_i64(scratch, p->scratch_bytes);
			if (p->scratch_bytes && p->scratch_region == r)
				used = tn_max_i64(
					used, p->scratch_offset + p->scratch_bytes);
		}
		plan->regions[r].used = used;
		if (plan->regions[r].capacity >= 0 && used > plan->regions[r].capacity)
			plan->regions[r].capacity = used;
		if (!tn_add_i64(total, used, &total))
			return false;
	}
	plan->arena_bytes = total;
	plan->activation_bytes = tensors;
	plan->scratch_bytes = scratch;
	return true;
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

/* The one of two that costs less to move; TN_NONE: both have been moved. If that takes more
 * memory than a copy for the reader that `v` names, then that. */
static bool move_one(
	struct tn_mending *m, uint32_t a, uint32_t b, const struct tn_verdict *v)
{
	const struct tn_tensor *t = m->g->tensors;
	int64_t at_a = INT64_MAX, at_b = INT64_MAX, end_a = INT64_MAX, end_b = INT64_MAX;
	int64_t used = v && v->region < m->plan->n_regions
			       ? m->plan->regions[v->region].used
			       : INT64_MAX;

	a = a == TN_NONE ? TN_NONE : tn_mending_owner(m, a);
	b = b == TN_NONE ? TN_NONE : tn_mending_owner(m, b);
	a = a != TN_NONE && (m->moved[a] || !tn_tensor_is_planned(&t[a])) ? TN_NONE : a;
	b = b != TN_NONE && (m->moved[b] || !tn_tensor_is_planned(&t[b])) ? TN_NONE : b;
	if (a != TN_NONE) {
		at_a = place_for(m, a);
		end_a = at_a + tn_mending_extent(m, a);
	}
	if (b != TN_NONE) {
		at_b = place_for(m, b);
		end_b = at_b + tn_mending_extent(m, b);
	}
	if (at_a < 0 || at_b < 0)
		return false;
	if (tn_min_i64(end_a, end_b) > used &&
		tn_mending_copy(m, v, tn_min_i64(end_a, end_b)))
		return true;
	if (m->status != TN_OK || (a == TN_NONE && b == TN_NONE))
		return false;
	if (end_a <= end_b)
		move(m, a, at_a);
	else
		move(m, b, at_b);
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
	bool own = v->op != TN_NONE && v->found.op == v->op;

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
	return move_one(m, v->found.tensor, v->tensor, v) || moves_outputs(m, v);
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
	struct tn_verdict verdict;
	enum tn_status status = TN_ERR_REFUSED;

	for (int i = 0; i < CHANGES_MAX && status == TN_ERR_REFUSED; i++) {
		if (!measure(m))
			return TN_ERR_REFUSED;
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

/* A view is where its owner is, whatever the plan says. */
static void place_views(struct tn_mending *m)
{
	for (uint32_t i = 0; i < m->g->n_tensors; i++) {
		const uint32_t owner = tn_mending_owner(m, i);
		const struct tn_plan_tensor *to = &m->plan->tensors[owner];
		struct tn_plan_tensor *p = &m->plan->tensors[i];
		const struct tn_alias *of = m->run->aliases.of;

		if (i == owner || p->region == TN_REGION_NONE)
			continue;
		p->region = to->region;
		if (!tn_add_i64(to->offset, of[i].offset - of[owner].offset, &p->offset))
			p->offset = to->offset;
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

	if (!allocate(&m))
		return TN_ERR_NOMEM;
	place_views(&m);
	for (int again = 0; again < 2; again++) {
		status = tn_liveness_find(m.g, &m.order, &run->aliases, m.arena, &m.live);
		for (uint32_t i = 0; i < m.g->n_ops && status == TN_OK; i++)
			if (m.plan->ops[i].scratch_bytes < needed_scratch(&m, i) &&
				!place_scratch(&m, i))
				status = TN_ERR_NOMEM;
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
	return status;
}
