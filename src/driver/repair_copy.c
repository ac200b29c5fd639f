/* Copies for `plan --repair`: a reader that comes too late gets what it reads from a copy that
 * was made in time. */
#include <string.h>

#include "base/checked.h"
#include "driver/repair_part.h"
#include "import/plan_json.h"
#include "rewrite/insert.h"

#include "base/banned.h"

static bool meets(const struct tn_plan_tensor *a, const struct tn_plan_tensor *b)
{
	return a->region == b->region &&
	       a->offset < tn_mending_end(b->offset, b->bytes) &&
	       b->offset < tn_mending_end(a->offset, a->bytes);
}

/* The first op that overwrites what the reader finds no more: back from the reader to the op
 * that made it. TN_NONE: none does. */
static uint32_t first_overwriter(
	const struct tn_mending *m, uint32_t tensor, uint32_t reader)
{
	const uint32_t owner = tn_mending_owner(m, tensor);
	uint32_t found = TN_NONE;

	for (uint32_t p = m->order.position[reader] + 1; p-- > 0;) {
		const uint32_t id = m->plan->order[p];
		const struct tn_op *op = &m->g->ops[id];

		for (uint32_t k = 0; k < op->n_outputs; k++) {
			const uint32_t t = op->outputs[k].i;

			if (t == TN_NONE)
				continue;
			if (tn_mending_owner(m, t) == owner)
				return found;
			if (meets(&m->plan->tensors[t], &m->plan->tensors[tensor]))
				found = id;
		}
	}
	return found;
}

/* A longer list with room for one more behind the n of the old one; NULL: no memory. */
static void *longer(struct tn_mending *m, const void *list, uint32_t n, size_t size)
{
	void *more = tn_arena_array(m->arena, (size_t)n + 1, size);

	if (more && n)
		memcpy(more, list, n * size);
	if (!more)
		m->status = TN_ERR_NOMEM;
	return more;
}

#define LONGER(m, list, n) ((list) = longer((m), (list), (n), sizeof(*(list))))

/* The plan knows the copy: where it lies, and when its op runs. */
static bool extend(struct tn_mending *m, const struct tn_plan_copy *copy, uint32_t region,
	int64_t place)
{
	struct tn_plan *p = m->plan;
	const uint32_t at = (uint32_t)tn_min_i64(
		m->order.position[copy->before], m->order.position[copy->reader]);

	if (!LONGER(m, p->tensors, p->n_tensors) || !LONGER(m, p->ops, p->n_ops) ||
		!LONGER(m, p->order, p->n_ops) || !LONGER(m, p->copies, p->n_copies) ||
		!LONGER(m, m->moved, p->n_tensors) ||
		!LONGER(m, m->run_again, p->n_ops) || !LONGER(m, m->tried, p->n_ops) ||
		!LONGER(m, m->order.at, p->n_ops) ||
		!LONGER(m, m->order.position, p->n_ops))
		return false;
	p->tensors[p->n_tensors++] = (struct tn_plan_tensor){ .region = region,
		.offset = place,
		.bytes = m->g->tensors[copy->tensor].bytes };
	p->ops[p->n_ops] = (struct tn_plan_op){ .scratch_region = TN_REGION_NONE };
	memmove(&p->order[at + 1], &p->order[at], (p->n_ops - at) * sizeof(*p->order));
	p->order[at] = p->n_ops++;
	p->copies[p->n_copies++] = *copy;
	for (uint32_t i = 0; i < p->n_ops; i++) {
		m->order.at[i].i = p->order[i];
		m->order.position[p->order[i]] = i;
	}
	m->order.n = p->n_ops;
	return true;
}

/* The lives of all, in the order with the copy. */
static bool live_again(struct tn_mending *m)
{
	if (m->status == TN_OK)
		m->status = tn_repair_tables(m->run, NULL, m->plan->n_copies);
	if (m->status == TN_OK)
		m->status = tn_liveness_find(
			m->g, &m->order, &m->run->aliases, m->arena, &m->live);
	for (uint32_t i = 0; m->status == TN_OK && i < m->plan->n_tensors; i++) {
		m->plan->tensors[i].first = m->live.tensor[i].first;
		m->plan->tensors[i].last = m->live.tensor[i].last;
	}
	return m->status == TN_OK;
}

bool tn_mending_copy(struct tn_mending *m, const struct tn_verdict *v, int64_t limit)
{
	struct tn_plan_copy copy = { v->tensor, TN_NONE, v->op };
	int64_t begin, end, bytes, place;
	uint32_t bad;

	if (v->op == TN_NONE || v->tensor == TN_NONE || v->begin == v->end ||
		m->plan->n_copies >= TN_PLAN_COPIES_MAX ||
		v->op >= m->g->n_ops - m->plan->n_copies)
		return false;
	copy.before = first_overwriter(m, v->tensor, v->op);
	if (copy.before == TN_NONE)
		return false;
	bytes = m->g->tensors[v->tensor].bytes;
	begin = 2 * (int64_t)m->order.position[copy.before];
	end = 2 * (int64_t)m->order.position[v->op] + 1;
	if (v->region >= m->plan->n_regions)
		return false;
	place = tn_mending_place(m, v->region, TN_NONE, TN_NONE, begin, end, bytes,
		tn_max_i64(m->run->options->align, 16));
	if (place < 0 || place >= limit - bytes ||
		place > tn_mending_room(m, v->region) - bytes)
		return false;
	m->status = tn_rewrite_insert_copies(&m->run->graph, &copy, 1, m->arena,
		&m->run->strings, &m->run->graph, &bad);
	if (m->status == TN_ERR_INPUT) /* the graph would mean something else */
		m->status = TN_OK;
	else if (m->status == TN_OK)
		return extend(m, &copy, v->region, place) && live_again(m);
	return false;
}

bool tn_mending_spare(struct tn_mending *m)
{
	uint32_t bad;

	for (uint32_t i = 0; i < m->run->n_spared && m->status == TN_OK; i++) {
		const struct tn_plan_copy *copy = &m->run->spared[i];
		const int64_t step = 2 * (int64_t)m->order.position[copy->reader];
		const int64_t bytes = m->g->tensors[copy->tensor].bytes;
		const uint32_t home = m->plan->tensors[copy->tensor].region;
		const uint32_t n = m->plan->n_regions;
		uint32_t region = TN_REGION_NONE;
		int64_t place = -1;

		for (uint32_t k = 0; k < n && region == TN_REGION_NONE; k++) {
			const uint32_t r = home < n ? (home + k) % n : k;

			place = tn_mending_place(m, r, TN_NONE, TN_NONE, step, step + 2,
				bytes, tn_max_i64(m->run->options->align, 16));
			if (place >= 0 && place <= tn_mending_room(m, r) - bytes)
				region = r;
		}
		if (region == TN_REGION_NONE)
			m->status = TN_ERR_REFUSED;
		else
			m->status = tn_rewrite_insert_copies(&m->run->graph, copy, 1,
				m->arena, &m->run->strings, &m->run->graph, &bad);
		if (m->status == TN_OK && extend(m, copy, region, place))
			(void)live_again(m);
	}
	return m->status == TN_OK;
}
