#include "plan/schedule_part.h"

#include <string.h>

#include "base/checked.h"
#include "plan/sort.h"

/* Array sizes of a part, counted before it is filled. */
struct extent {
	uint32_t ops, buffers, touches, pairs, members, links;
};

static bool allocate(struct tn_part *p, const struct extent *n, struct tn_arena *arena)
{
	p->n_ops = n->ops;
	p->n_buffers = n->buffers;
	p->op = TN_NEW_ARRAY(arena, uint32_t, n->ops);
	p->ops = TN_NEW_ARRAY(arena, struct tn_schedule_op, (size_t)n->ops + 1);
	p->touches = TN_NEW_ARRAY(arena, uint32_t, n->touches);
	p->pairs = TN_NEW_ARRAY(arena, struct tn_schedule_pair, n->pairs);
	p->members = TN_NEW_ARRAY(arena, uint32_t, n->members);
	p->first_next = TN_NEW_ARRAY(arena, uint32_t, (size_t)n->ops + 2);
	p->next = TN_NEW_ARRAY(arena, uint32_t, n->links);
	p->waits = TN_NEW_ARRAY(arena, uint32_t, n->ops);
	p->buffer = TN_NEW_ARRAY(arena, uint32_t, n->buffers);
	p->size = TN_NEW_ARRAY(arena, int64_t, n->buffers);
	p->rank = TN_NEW_ARRAY(arena, uint32_t, n->buffers);
	p->uses = TN_NEW_ARRAY(arena, uint32_t, n->buffers);
	p->there = TN_NEW_ARRAY(arena, bool, n->buffers);
	p->stays = TN_NEW_ARRAY(arena, bool, n->buffers);
	p->sole = TN_NEW_ARRAY(arena, uint32_t, n->buffers);
	p->rank_apart = p->rank_idle = TN_PART_NONE;
	return p->op && p->ops && p->touches && p->pairs && p->members && p->first_next &&
	       p->next && p->waits && p->buffer && p->size && p->rank && p->uses &&
	       p->there && p->stays && p->sole;
}

/* Which op alone may let the buffer lie over an input? */
static void find_sole(struct tn_part *p)
{
	for (uint32_t b = 0; b < p->n_buffers; b++)
		p->sole[b] = TN_PART_NONE;
	for (uint32_t i = 0; i < p->n_ops; i++) {
		for (uint32_t k = p->ops[i].first_pair; k < p->ops[i + 1].first_pair;
			k++) {
			const struct tn_schedule_pair *pair = &p->pairs[k];

			for (uint32_t m = pair->first_b; m < pair->end; m++) {
				uint32_t *sole = &p->sole[p->members[m]];

				*sole = *sole == TN_PART_NONE || *sole == i ? i
									    : p->n_ops;
			}
		}
	}
}

/* The distinct paddings, and each buffer's rank among them. */
static bool rank_pads(
	const struct tn_schedule_problem *p, struct tn_arena *arena, struct tn_part *out)
{
	struct tn_sort_key *keys = TN_NEW_ARRAY(arena, struct tn_sort_key, p->n_buffers);
	int64_t *pad = TN_NEW_ARRAY(arena, int64_t, p->n_buffers);

	if (!keys || !pad)
		return false;
	for (uint32_t b = 0; b < p->n_buffers; b++)
		keys[b] = (struct tn_sort_key){ p->buffers[b].pad, b };
	tn_sort(keys, p->n_buffers);
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		if (!i || keys[i].key != keys[i - 1].key)
			pad[out->n_ranks++] = keys[i].key;
		out->rank[keys[i].id] = out->n_ranks - 1;
	}
	out->pad = pad;
	return true;
}

static uint32_t higher(uint32_t rank, uint32_t other)
{
	return rank == TN_PART_NONE || (other != TN_PART_NONE && other > rank) ? other
									       : rank;
}

/* Preds in the problem's numbers to successors in the part's. */
static void link_whole(const struct tn_schedule_problem *p, const uint32_t *position,
	struct tn_part *out)
{
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < p->n_ops; i++) {
			const struct tn_schedule_op *op = &p->ops[out->op[i]];

			for (uint32_t k = op->first_pred; k < op[1].first_pred; k++) {
				uint32_t from = position[p->preds[k]];

				if (pass == 0) {
					out->first_next[from + 2]++;
					out->waits[i]++;
				} else {
					out->next[out->first_next[from + 1]++] = i;
				}
			}
		}
		for (uint32_t i = 0; pass == 0 && i < p->n_ops; i++)
			out->first_next[i + 2] += out->first_next[i + 1];
	}
}

/* With the buffers' numbers in the part, if they have others there. */
static void copy_pair(struct tn_part *out, const struct tn_schedule_pair *from,
	const uint32_t *members, const uint32_t *local, struct tn_schedule_pair *to)
{
	*to = *from;
	to->first_a = out->n_members;
	to->first_b = to->first_a + (from->first_b - from->first_a);
	for (uint32_t m = from->first_a; m < from->end; m++)
		out->members[out->n_members++] = local ? local[members[m]] : members[m];
	to->end = out->n_members;
}

static uint32_t count_members(const struct tn_schedule_pair *pairs, uint32_t n)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < n; i++)
		count += pairs[i].end - pairs[i].first_a;
	return count;
}

static void copy_op(const struct tn_schedule_problem *p, struct tn_part *out, uint32_t i)
{
	const struct tn_schedule_op *from = &p->ops[out->op[i]];
	struct tn_schedule_op *to = &out->ops[i];
	uint32_t n_touches = from[1].first_touch - from->first_touch;
	uint32_t n_pairs = from[1].first_pair - from->first_pair;

	to->n_variants = from->n_variants;
	to->idle = from->idle;
	to[1].first_touch = to->first_touch + n_touches;
	to[1].first_pair = to->first_pair + n_pairs;
	for (uint32_t k = 0; k < n_touches; k++) {
		uint32_t b = p->touches[from->first_touch + k];

		out->touches[to->first_touch + k] = b;
		out->uses[b]++;
	}
	for (uint32_t k = 0; k < n_pairs; k++)
		copy_pair(out, &p->pairs[from->first_pair + k], p->members, NULL,
			&out->pairs[to->first_pair + k]);
}

enum tn_status tn_part_whole(
	const struct tn_schedule_problem *p, struct tn_arena *arena, struct tn_part *out)
{
	const struct tn_schedule_op *last = &p->ops[p->n_ops];
	const struct extent n = { p->n_ops, p->n_buffers, last->first_touch,
		last->first_pair, count_members(p->pairs, last->first_pair),
		last->first_pred };
	uint32_t *position = TN_NEW_ARRAY(arena, uint32_t, p->n_ops);

	*out = (struct tn_part){ 0 };
	if (!position || !allocate(out, &n, arena) || !rank_pads(p, arena, out))
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < p->n_ops; i++) {
		out->op[i] = p->given[i];
		position[p->given[i]] = i;
		copy_op(p, out, i);
	}
	link_whole(p, position, out);
	for (uint32_t b = 0; b < p->n_buffers; b++) {
		const struct tn_schedule_buffer *buffer = &p->buffers[b];

		out->buffer[b] = b;
		out->size[b] = buffer->size;
		out->there[b] = buffer->from_start;
		out->stays[b] = buffer->to_end;
		if (buffer->from_start && (out->uses[b] || buffer->to_end))
			out->load += buffer->size;
		else if (buffer->from_start) {
			out->idle += buffer->size;
			out->rank_idle = higher(out->rank_idle, out->rank[b]);
		}
		if (buffer->from_start && buffer->to_end && !out->uses[b])
			out->rank_apart = higher(out->rank_apart, out->rank[b]);
	}
	find_sole(out);
	return TN_OK;
}

/* Ops [begin, end) of the whole: how much they touch, link and pair. The buffers are
 * numbered in the order in which they are met; local[] keeps the numbers. */
static void measure(const struct tn_part *whole, uint32_t begin, uint32_t end,
	uint32_t *local, struct extent *n)
{
	n->ops = end - begin;
	n->touches = whole->ops[end].first_touch - whole->ops[begin].first_touch;
	n->pairs = whole->ops[end].first_pair - whole->ops[begin].first_pair;
	n->members = count_members(&whole->pairs[whole->ops[begin].first_pair], n->pairs);
	n->links = whole->first_next[end] - whole->first_next[begin];
	for (uint32_t k = whole->ops[begin].first_touch; k < whole->ops[end].first_touch;
		k++) {
		uint32_t b = whole->touches[k];

		if (local[b] == TN_PART_NONE)
			local[b] = n->buffers++;
	}
}

static void cut_ops(const struct tn_part *whole, uint32_t begin, uint32_t end,
	const uint32_t *local, struct tn_part *out)
{
	const struct tn_schedule_op *base = &whole->ops[begin];
	uint32_t links = 0;

	for (uint32_t i = 0; i <= end - begin; i++) {
		const struct tn_schedule_op *op = &base[i];

		out->ops[i] =
			(struct tn_schedule_op){ 0, op->first_touch - base->first_touch,
				op->first_pair - base->first_pair, op->n_variants,
				i < end - begin && op->idle };
		out->first_next[i] = links;
		if (i == end - begin)
			break;
		out->op[i] = whole->op[begin + i];
		for (uint32_t k = whole->first_next[begin + i];
			k < whole->first_next[begin + i + 1]; k++) {
			uint32_t to = whole->next[k];

			if (to >= end)
				continue;
			out->next[links++] = to - begin;
			out->waits[to - begin]++;
		}
	}
	for (uint32_t k = 0; k < out->ops[out->n_ops].first_touch; k++)
		out->touches[k] = local[whole->touches[base->first_touch + k]];
	for (uint32_t k = 0; k < out->ops[out->n_ops].first_pair; k++) {
		const struct tn_schedule_pair *from = &whole->pairs[base->first_pair + k];

		copy_pair(out, from, whole->members, local, &out->pairs[k]);
	}
}

enum tn_status tn_part_cut(const struct tn_part *whole, struct tn_part_state *at,
	uint32_t begin, uint32_t end, uint32_t *local, struct tn_arena *arena,
	struct tn_part *out)
{
	struct extent n = { 0 };

	*out = (struct tn_part){ 0 };
	measure(whole, begin, end, local, &n);
	if (!allocate(out, &n, arena))
		return TN_ERR_NOMEM;
	cut_ops(whole, begin, end, local, out);
	for (uint32_t k = 0; k < out->ops[out->n_ops].first_touch; k++) {
		uint32_t b = out->touches[k];

		out->buffer[b] = whole->touches[whole->ops[begin].first_touch + k];
		out->uses[b]++;
	}
	for (uint32_t b = 0; b < out->n_buffers; b++)
		local[out->buffer[b]] = TN_PART_NONE;
	for (uint32_t i = 0; i < out->n_buffers; i++) {
		uint32_t b = out->buffer[i];

		out->size[i] = whole->size[b];
		out->rank[i] = whole->rank[b];
		out->there[i] = whole->there[b] || at->left[b] < whole->uses[b];
		out->stays[i] = whole->stays[b] || at->left[b] > out->uses[i];
		if (out->there[i])
			at->pads[out->rank[i]]--;
	}
	out->n_ranks = whole->n_ranks;
	out->pad = whole->pad;
	for (uint32_t r = at->top; r-- > 0 && out->rank_apart == TN_PART_NONE;)
		if (at->pads[r])
			out->rank_apart = r;
	for (uint32_t i = 0; i < out->n_buffers; i++)
		if (out->there[i])
			at->pads[out->rank[i]]++;
	out->load = at->load;
	if (begin == 0) {
		out->idle = whole->idle;
		out->rank_idle = whole->rank_idle;
	}
	find_sole(out);
	return TN_OK;
}

uint32_t tn_part_pairs_max(const struct tn_part *part)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < part->n_ops; i++) {
		uint32_t n = part->ops[i + 1].first_pair - part->ops[i].first_pair;

		most = n > most ? n : most;
	}
	return most;
}

bool tn_part_state_init(
	const struct tn_part *part, struct tn_arena *arena, struct tn_part_state *out)
{
	*out = (struct tn_part_state){ 0 };
	out->waits = TN_NEW_ARRAY(arena, uint32_t, part->n_ops);
	out->left = TN_NEW_ARRAY(arena, uint32_t, part->n_buffers);
	out->pads = TN_NEW_ARRAY(arena, uint32_t, part->n_ranks);
	out->shared = TN_NEW_ARRAY(arena, int64_t, tn_part_pairs_max(part));
	out->active = TN_NEW_ARRAY(arena, bool, tn_part_pairs_max(part));
	return out->waits && out->left && out->pads && out->shared && out->active;
}

static void add_pad(struct tn_part_state *s, uint32_t rank)
{
	s->pads[rank]++;
	s->top = rank < s->top ? s->top : rank + 1;
}

static void drop_pad(struct tn_part_state *s, uint32_t rank)
{
	s->pads[rank]--;
	while (s->top && !s->pads[s->top - 1])
		s->top--;
}

void tn_part_state_start(const struct tn_part *part, struct tn_part_state *s)
{
	memcpy(s->waits, part->waits, part->n_ops * sizeof(*s->waits));
	memcpy(s->left, part->uses, part->n_buffers * sizeof(*s->left));
	memset(s->pads, 0, part->n_ranks * sizeof(*s->pads));
	s->top = 0;
	for (uint32_t b = 0; b < part->n_buffers; b++)
		if (part->there[b] && part->uses[b])
			add_pad(s, part->rank[b]);
	if (part->rank_apart != TN_PART_NONE)
		add_pad(s, part->rank_apart);
	s->load = part->load;
	s->peak = 0;
	s->done = 0;
	s->hash = 0;
}

void tn_part_state_copy(const struct tn_part *part, const struct tn_part_state *from,
	struct tn_part_state *to)
{
	memcpy(to->waits, from->waits, part->n_ops * sizeof(*to->waits));
	memcpy(to->left, from->left, part->n_buffers * sizeof(*to->left));
	memcpy(to->pads, from->pads, part->n_ranks * sizeof(*to->pads));
	to->top = from->top;
	to->load = from->load;
	to->peak = from->peak;
	to->done = from->done;
	to->hash = from->hash;
}

static bool is_born(
	const struct tn_part *part, const struct tn_part_state *s, uint32_t buffer)
{
	return part->there[buffer] || s->left[buffer] < part->uses[buffer];
}

static bool dies(
	const struct tn_part *part, const struct tn_part_state *s, uint32_t buffer)
{
	return s->left[buffer] == 1 && !part->stays[buffer];
}

/* What the op saves: with inputs that die and outputs that are born. */
static int64_t saving(
	const struct tn_part *part, const struct tn_part_state *s, uint32_t op)
{
	uint32_t first = part->ops[op].first_pair;

	for (uint32_t i = first; i < part->ops[op + 1].first_pair; i++) {
		const struct tn_schedule_pair *pair = &part->pairs[i];
		bool active = true;

		for (uint32_t m = pair->first_a; m < pair->first_b && active; m++)
			active = dies(part, s, part->members[m]);
		for (uint32_t m = pair->first_b; m < pair->end && active; m++)
			active = !is_born(part, s, part->members[m]);
		s->active[i - first] = active;
	}
	return tn_part_saving(part, op, s->active, s->shared);
}

struct tn_part_step tn_part_weigh(
	const struct tn_part *part, const struct tn_part_state *s, uint32_t op)
{
	int64_t born = 0, dead = 0, idle = s->done ? 0 : part->idle;
	uint32_t top = higher(s->done ? TN_PART_NONE : part->rank_idle,
		s->top ? s->top - 1 : TN_PART_NONE);
	int64_t padded = 0;
	bool free = true;

	for (uint32_t k = part->ops[op].first_touch; k < part->ops[op + 1].first_touch;
		k++) {
		uint32_t b = part->touches[k];

		if (!is_born(part, s, b)) {
			born += part->size[b];
			top = higher(top, part->rank[b]);
			free = free &&
			       (part->sole[b] == TN_PART_NONE || part->sole[b] == op);
		}
		if (dies(part, s, b)) {
			dead += part->size[b];
			padded = tn_max_i64(padded, part->pad[part->rank[b]]);
		}
	}
	return (struct tn_part_step){
		.cost = s->load + idle +
			(part->ops[op].idle ? tn_max_i64(born - dead, 0) : born) -
			(top == TN_PART_NONE ? 0 : part->pad[top]) - saving(part, s, op),
		.after = s->load + born - dead,
		.free = free && padded <= dead - born,
	};
}

uint64_t tn_part_hash(uint32_t op)
{
	uint64_t x = (uint64_t)op + UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

void tn_part_run(const struct tn_part *part, struct tn_part_state *s, uint32_t op)
{
	struct tn_part_step step = tn_part_weigh(part, s, op);

	for (uint32_t k = part->ops[op].first_touch; k < part->ops[op + 1].first_touch;
		k++) {
		uint32_t b = part->touches[k];

		if (!is_born(part, s, b))
			add_pad(s, part->rank[b]);
		if (dies(part, s, b))
			drop_pad(s, part->rank[b]);
		s->left[b]--;
	}
	for (uint32_t k = part->first_next[op]; k < part->first_next[op + 1]; k++)
		s->waits[part->next[k]]--;
	s->waits[op] = TN_PART_DONE;
	s->load = step.after;
	s->peak = tn_max_i64(s->peak, step.cost);
	s->done++;
	s->hash ^= tn_part_hash(op);
}
