/* Dynamic programming over the sets of ops that may have run (each closed under
 * predecessors; what is ready to run next is an antichain). How a set was reached matters
 * only by its peak, so the set with the least peak is expanded first, and the first time
 * that all ops have run the peak is the least there is. An op that cannot do harm is the
 * only one that is tried: it frees at least what it takes and its step is no new peak, so
 * any order can be changed to run it at once. */
#include <string.h>

#include "base/checked.h"
#include "base/vec.h"
#include "plan/schedule_part.h"

#define BYTES_MAX	 ((size_t)24 << 20) /* of sets of ops and what is known of them */
#define OPS_MAX		 4096 /* a set is a bit for each op */
#define DECODED_PER_NODE 16 /* numbers that are written in the time of weighing a step */

struct node {
	int64_t peak;
	uint32_t parent, op;
	uint32_t depth; /* ops that have run */
	bool closed;
};

struct entry {
	int64_t peak;
	uint32_t depth, node;
};

struct exact {
	const struct tn_part *part;
	int64_t floor;
	int64_t limit; /* peak that must be undercut */
	struct tn_arena arena;
	TN_VEC(struct node) nodes;
	TN_VEC(uint64_t) sets; /* words of each node */
	TN_VEC(struct entry) heap;
	uint32_t *table; /* open addressing: node + 1, or 0 */
	size_t n_table; /* a power of two */
	size_t words, max_nodes;
	uint64_t *set; /* of a child */
	uint32_t *path;
	struct tn_part_state state;
	bool full; /* no room for more nodes */
};

static bool before(const struct entry *x, const struct entry *y)
{
	if (x->peak != y->peak)
		return x->peak < y->peak;
	if (x->depth != y->depth)
		return x->depth > y->depth; /* with equal promise, on to the end */
	return x->node < y->node;
}

static bool push(struct exact *e, uint32_t node)
{
	const struct entry item = { e->nodes.items[node].peak, e->nodes.items[node].depth,
		node };
	size_t i = e->heap.count;

	if (!tn_vec_push(&e->arena, &e->heap, item))
		return false;
	for (; i && before(&item, &e->heap.items[(i - 1) / 2]); i = (i - 1) / 2)
		e->heap.items[i] = e->heap.items[(i - 1) / 2];
	e->heap.items[i] = item;
	return true;
}

static struct entry pop(struct exact *e)
{
	struct entry *heap = e->heap.items, first = heap[0];
	struct entry item = heap[--e->heap.count];
	size_t i = 0, n = e->heap.count;

	for (;;) {
		size_t child = 2 * i + 1;

		if (child + 1 < n && before(&heap[child + 1], &heap[child]))
			child++;
		if (child >= n || !before(&heap[child], &item))
			break;
		heap[i] = heap[child];
		i = child;
	}
	if (n)
		heap[i] = item;
	return first;
}

static uint64_t *set_of(const struct exact *e, size_t node)
{
	return &e->sets.items[node * e->words];
}

static size_t slot_of(const struct exact *e, const uint64_t *set)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	size_t slot;

	for (size_t w = 0; w < e->words; w++) {
		hash = (hash ^ set[w]) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 29;
	}
	slot = (size_t)hash & (e->n_table - 1);
	while (e->table[slot] &&
		memcmp(set_of(e, e->table[slot] - 1), set, e->words * sizeof(*set)) != 0)
		slot = (slot + 1) & (e->n_table - 1);
	return slot;
}

static bool grow_table(struct exact *e)
{
	if (2 * (e->nodes.count + 1) < e->n_table)
		return true;
	e->n_table = e->n_table ? 2 * e->n_table : 1024;
	e->table = TN_NEW_ARRAY(&e->arena, uint32_t, e->n_table);
	if (!e->table)
		return false;
	for (size_t i = 0; i < e->nodes.count; i++)
		e->table[slot_of(e, set_of(e, i))] = (uint32_t)i + 1;
	return true;
}

/* The set e->set is reached with this peak. */
static bool reach(struct exact *e, int64_t peak, uint32_t parent, uint32_t op)
{
	struct node fresh = { peak, parent, op, 0, false };
	size_t slot;
	uint32_t old;

	if (peak >= e->limit)
		return true;
	if (!grow_table(e))
		return false;
	slot = slot_of(e, e->set);
	old = e->table[slot];
	if (old) {
		struct node *n = &e->nodes.items[old - 1];

		if (n->closed || n->peak <= peak)
			return true;
		n->peak = peak;
		n->parent = parent;
		n->op = op;
		return push(e, old - 1);
	}
	if (e->nodes.count >= e->max_nodes) {
		e->full = true;
		return true;
	}
	if (e->nodes.count)
		fresh.depth = e->nodes.items[parent].depth + 1;
	for (size_t w = 0; w < e->words; w++)
		if (!tn_vec_push(&e->arena, &e->sets, e->set[w]))
			return false;
	if (!tn_vec_push(&e->arena, &e->nodes, fresh))
		return false;
	e->table[slot] = (uint32_t)e->nodes.count;
	return push(e, (uint32_t)e->nodes.count - 1);
}

/* Runs the ops that led to the node. */
static void decode(struct exact *e, uint32_t node)
{
	uint32_t n = e->nodes.items[node].depth;

	for (uint32_t i = n, at = node; i-- > 0; at = e->nodes.items[at].parent)
		e->path[i] = e->nodes.items[at].op;
	tn_part_state_start(e->part, &e->state);
	for (uint32_t i = 0; i < n; i++)
		tn_part_run(e->part, &e->state, e->path[i]);
}

static bool reach_by(struct exact *e, uint32_t node, uint32_t op, int64_t cost)
{
	memcpy(e->set, set_of(e, node), e->words * sizeof(*e->set));
	e->set[op / 64] |= UINT64_C(1) << (op % 64);
	return reach(e, tn_max_i64(e->nodes.items[node].peak, cost), node, op);
}

static bool expand(struct exact *e, uint32_t node, int64_t *nodes)
{
	const struct tn_part *part = e->part;
	const int64_t peak = e->nodes.items[node].peak;

	decode(e, node);
	*nodes -= 1 + e->nodes.items[node].depth +
		  (part->n_ops + part->n_buffers) / DECODED_PER_NODE;
	for (uint32_t op = 0; op < part->n_ops; op++) {
		struct tn_part_step step;

		if (!tn_part_ready(&e->state, op))
			continue;
		step = tn_part_weigh(part, &e->state, op);
		--*nodes;
		if (step.free && step.cost <= peak)
			return reach_by(e, node, op, step.cost);
	}
	for (uint32_t op = 0; op < part->n_ops; op++) {
		if (!tn_part_ready(&e->state, op))
			continue;
		if (!reach_by(e, node, op, tn_part_weigh(part, &e->state, op).cost))
			return false;
		--*nodes;
	}
	return true;
}

static void found(struct exact *e, uint32_t node, struct tn_part_answer *out)
{
	out->peak = e->nodes.items[node].peak;
	for (uint32_t i = e->part->n_ops; i-- > 0; node = e->nodes.items[node].parent)
		out->order[i] = e->nodes.items[node].op;
}

/* Peaks are given back not below the floor: that they are no less than it is known. */
static enum tn_status search(struct exact *e, int64_t *nodes, struct tn_part_answer *out)
{
	if (!reach(e, e->floor, 0, 0))
		return TN_ERR_NOMEM;
	while (e->heap.count && !e->full) {
		const struct entry top = pop(e);
		struct node *n = &e->nodes.items[top.node];

		if (n->closed || n->peak != top.peak)
			continue;
		out->bound = top.peak;
		if (n->depth == e->part->n_ops) {
			found(e, top.node, out);
			return TN_OK;
		}
		if (*nodes <= 0)
			return TN_OK; /* nothing undercuts the bound so far */
		n->closed = true;
		if (!expand(e, top.node, nodes))
			return TN_ERR_NOMEM;
	}
	if (!e->full) /* nothing undercuts what was known */
		out->bound = out->peak;
	return TN_OK;
}

enum tn_status tn_part_exact(const struct tn_part *part, int64_t floor, int64_t *nodes,
	struct tn_part_answer *out)
{
	struct exact e = { .part = part,
		.floor = floor,
		.limit = out->peak,
		.words = ((size_t)part->n_ops + 63) / 64 };
	enum tn_status status = TN_ERR_NOMEM;

	out->bound = floor;
	if (part->n_ops > OPS_MAX)
		return TN_OK;
	e.max_nodes = BYTES_MAX / (sizeof(struct node) + 2 * sizeof(struct entry) +
					  4 * sizeof(uint32_t) + 8 * e.words);
	tn_arena_init(&e.arena);
	e.set = TN_NEW_ARRAY(&e.arena, uint64_t, e.words);
	e.path = TN_NEW_ARRAY(&e.arena, uint32_t, part->n_ops);
	if (e.set && e.path && tn_part_state_init(part, &e.arena, &e.state))
		status = search(&e, nodes, out);
	*nodes = tn_max_i64(*nodes, 0);
	tn_arena_release(&e.arena);
	return status;
}
