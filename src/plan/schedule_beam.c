/* Beam search: all states of the beam run one op, the best of what follows make the next
 * beam. Two ways to the same set of ops differ in nothing but their peak, so one stays. */
#include <stdlib.h>

#include "base/checked.h"
#include "plan/schedule_part.h"

#define WIDTH_MAX 64
#define COPIED_PER_NODE                                                                  \
	16 /* numbers that are copied in the time that a step is weighed */

struct child {
	int64_t peak, after;
	uint64_t hash;
	uint32_t parent, op;
};

struct beam {
	const struct tn_part *part;
	int64_t floor;
	uint32_t width;
	struct tn_part_state *now, *next;
	uint32_t n_now;
	struct child *children;
	uint32_t n_children;
	uint32_t *from, *op; /* by step and slot: what led there */
};

static int by_promise(const void *a, const void *b)
{
	const struct child *x = a, *y = b;

	if (x->peak != y->peak)
		return x->peak < y->peak ? -1 : 1;
	if (x->after != y->after)
		return x->after < y->after ? -1 : 1;
	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	return x->op < y->op ? -1 : x->op > y->op;
}

/* What may follow; an op that can do no harm follows alone. */
static void expand(struct beam *b, uint32_t slot, int64_t *nodes)
{
	const struct tn_part_state *s = &b->now[slot];
	uint32_t first = b->n_children;

	for (uint32_t op = 0; op < b->part->n_ops; op++) {
		struct tn_part_step step;
		int64_t peak = tn_max_i64(s->peak, b->floor);
		bool harmless;

		if (!tn_part_ready(s, op))
			continue;
		step = tn_part_weigh(b->part, s, op);
		--*nodes;
		harmless = step.free && step.cost <= peak;
		if (harmless)
			b->n_children = first;
		b->children[b->n_children++] =
			(struct child){ tn_max_i64(peak, step.cost), step.after,
				s->hash ^ tn_part_hash(op), slot, op };
		if (harmless)
			return;
	}
}

static bool chosen_before(const struct beam *b, uint32_t n, uint64_t hash)
{
	for (uint32_t i = 0; i < n; i++)
		if (b->next[i].hash == hash)
			return true;
	return false;
}

static void advance(struct beam *b, uint32_t step)
{
	struct tn_part_state *swap = b->now;
	uint32_t n = 0;

	qsort(b->children, b->n_children, sizeof(*b->children), by_promise);
	for (uint32_t i = 0; i < b->n_children && n < b->width; i++) {
		const struct child *c = &b->children[i];

		if (chosen_before(b, n, c->hash))
			continue;
		tn_part_state_copy(b->part, &b->now[c->parent], &b->next[n]);
		tn_part_run(b->part, &b->next[n], c->op);
		b->from[step * b->width + n] = c->parent;
		b->op[step * b->width + n] = c->op;
		n++;
	}
	b->now = b->next;
	b->next = swap;
	b->n_now = n;
}

/* The widest beam that half of the nodes pay for, 0 when none. */
static uint32_t width_of(const struct tn_part *part, int64_t nodes)
{
	int64_t n = part->n_ops;
	int64_t step = 1 + (n + part->n_buffers + part->n_ranks) / COPIED_PER_NODE;

	return n ? (uint32_t)tn_min_i64(nodes / 2 / step / n, WIDTH_MAX) : 0;
}

static bool prepare(struct beam *b, struct tn_arena *arena)
{
	size_t slots = (size_t)b->width * b->part->n_ops;
	bool ok;

	b->now = TN_NEW_ARRAY(arena, struct tn_part_state, b->width);
	b->next = TN_NEW_ARRAY(arena, struct tn_part_state, b->width);
	b->children = TN_NEW_ARRAY(arena, struct child, slots);
	b->from = TN_NEW_ARRAY(arena, uint32_t, slots);
	b->op = TN_NEW_ARRAY(arena, uint32_t, slots);
	ok = b->now && b->next && b->children && b->from && b->op;
	for (uint32_t i = 0; ok && i < b->width; i++)
		ok = tn_part_state_init(b->part, arena, &b->now[i]) &&
		     tn_part_state_init(b->part, arena, &b->next[i]);
	return ok;
}

static void trace(const struct beam *b, struct tn_part_answer *out)
{
	uint32_t slot = 0; /* the best: children were sorted */

	if (b->now[0].peak >= out->peak)
		return;
	out->peak = b->now[0].peak;
	for (uint32_t step = b->part->n_ops; step-- > 0;) {
		out->order[step] = b->op[step * b->width + slot];
		slot = b->from[step * b->width + slot];
	}
}

enum tn_status tn_part_beam(const struct tn_part *part, int64_t floor, int64_t *nodes,
	struct tn_part_answer *out)
{
	struct beam b = { .part = part, .floor = floor, .n_now = 1 };
	struct tn_arena arena;

	b.width = width_of(part, *nodes);
	if (!b.width)
		return TN_OK;
	tn_arena_init(&arena);
	if (!prepare(&b, &arena)) {
		tn_arena_release(&arena);
		return TN_ERR_NOMEM;
	}
	tn_part_state_start(part, &b.now[0]);
	for (uint32_t step = 0; *nodes > 0 && step < part->n_ops; step++) {
		b.n_children = 0;
		for (uint32_t slot = 0; slot < b.n_now; slot++)
			expand(&b, slot, nodes);
		advance(&b, step);
		*nodes -=
			(int64_t)b.n_now *
			(1 + ((int64_t)part->n_ops + part->n_buffers) / COPIED_PER_NODE);
		if (step + 1 == part->n_ops)
			trace(&b, out);
	}
	*nodes = tn_max_i64(*nodes, 0);
	tn_arena_release(&arena);
	return TN_OK;
}
