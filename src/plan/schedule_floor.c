/* What an op finds alive in every order: what its ancestors have made (or was there) and
 * its descendants still touch (or must stay), and what it touches itself. */
#include "base/checked.h"
#include "plan/schedule_part.h"

#define OPS_MAX		4096 /* a bit for each couple of ops */
#define MARKED_PER_NODE 16

struct surely {
	const struct tn_part *part;
	uint64_t *ancestors; /* by op, words of a set */
	size_t words;
	/* by buffer, the number of the op (+ 1) for which it holds */
	uint32_t *early; /* an ancestor touches it: it is born */
	uint32_t *late; /* a descendant touches it: it does not die */
	uint32_t *own; /* the op touches it */
	int64_t *shared; /* zero between uses */
	bool *active; /* by pair of an op */
	int64_t apart; /* bytes alive that the part does not touch */
};

static bool precedes(const struct surely *s, uint32_t op, uint32_t other)
{
	return s->ancestors[other * s->words + op / 64] >> (op % 64) & 1;
}

static void find_ancestors(struct surely *s)
{
	const struct tn_part *p = s->part;

	for (uint32_t i = 0; i < p->n_ops; i++) {
		for (uint32_t k = p->first_next[i]; k < p->first_next[i + 1]; k++) {
			uint64_t *to = &s->ancestors[p->next[k] * s->words];

			for (size_t w = 0; w < s->words; w++)
				to[w] |= s->ancestors[i * s->words + w];
			to[i / 64] |= UINT64_C(1) << (i % 64);
		}
	}
}

static void mark(
	const struct tn_part *p, uint32_t *by_buffer, uint32_t op, uint32_t for_op)
{
	for (uint32_t k = p->ops[op].first_touch; k < p->ops[op + 1].first_touch; k++)
		by_buffer[p->touches[k]] = for_op + 1;
}

static bool born(const struct surely *s, uint32_t buffer, uint32_t op)
{
	return s->part->there[buffer] || s->early[buffer] == op + 1;
}

static bool lasts(const struct surely *s, uint32_t buffer, uint32_t op)
{
	return s->part->stays[buffer] || s->late[buffer] == op + 1;
}

/* As in a state, with every buffer dead that may be and none born that need not be. */
static int64_t saving(struct surely *s, uint32_t op)
{
	uint32_t first = s->part->ops[op].first_pair;

	for (uint32_t i = first; i < s->part->ops[op + 1].first_pair; i++) {
		const struct tn_schedule_pair *pair = &s->part->pairs[i];

		bool active = true;

		for (uint32_t m = pair->first_a; m < pair->first_b && active; m++)
			active = !lasts(s, s->part->members[m], op);
		for (uint32_t m = pair->first_b; m < pair->end && active; m++)
			active = !born(s, s->part->members[m], op);
		s->active[i - first] = active;
	}
	return tn_part_saving(s->part, op, s->active, s->shared);
}

static int64_t least_cost(struct surely *s, uint32_t op)
{
	const struct tn_part *p = s->part;
	int64_t load = s->apart,
		pad = p->rank_apart == TN_PART_NONE ? 0 : p->pad[p->rank_apart];

	for (uint32_t i = 0; i < p->n_ops; i++) {
		if (i == op)
			mark(p, s->own, i, op);
		else if (precedes(s, i, op))
			mark(p, s->early, i, op);
		else if (precedes(s, op, i))
			mark(p, s->late, i, op);
	}
	for (uint32_t b = 0; b < p->n_buffers; b++) {
		if (s->own[b] != op + 1 && (!born(s, b, op) || !lasts(s, b, op)))
			continue;
		load += p->size[b];
		pad = tn_max_i64(pad, p->pad[p->rank[b]]);
	}
	return load - pad - saving(s, op);
}

enum tn_status tn_part_floor(
	const struct tn_part *part, int64_t *nodes, int64_t *out_floor)
{
	struct surely s = { .part = part,
		.words = ((size_t)part->n_ops + 63) / 64,
		.apart = part->load };
	const int64_t each =
		1 + ((int64_t)part->n_ops + part->n_buffers) / MARKED_PER_NODE;
	struct tn_arena arena;
	enum tn_status status = TN_ERR_NOMEM;

	*out_floor = 0;
	if (part->n_ops > OPS_MAX || each * part->n_ops > *nodes / 2)
		return TN_OK;
	*nodes -= each * part->n_ops;
	tn_arena_init(&arena);
	s.ancestors = TN_NEW_ARRAY(&arena, uint64_t, part->n_ops * s.words);
	s.early = TN_NEW_ARRAY(&arena, uint32_t, part->n_buffers);
	s.late = TN_NEW_ARRAY(&arena, uint32_t, part->n_buffers);
	s.own = TN_NEW_ARRAY(&arena, uint32_t, part->n_buffers);
	s.shared = TN_NEW_ARRAY(&arena, int64_t, tn_part_pairs_max(part));
	s.active = TN_NEW_ARRAY(&arena, bool, tn_part_pairs_max(part));
	if (s.ancestors && s.early && s.late && s.own && s.shared && s.active) {
		find_ancestors(&s);
		for (uint32_t b = 0; b < part->n_buffers; b++)
			s.apart -= part->there[b] ? part->size[b] : 0;
		for (uint32_t i = 0; i < part->n_ops; i++)
			if (!part->ops[i].idle)
				*out_floor = tn_max_i64(*out_floor, least_cost(&s, i));
		status = TN_OK;
	}
	tn_arena_release(&arena);
	return status;
}
