#include "plan/regions_pack.h"

#include "base/checked.h"
#include "plan/share.h"

struct part {
	struct tn_pack *pack;
	const struct tn_problem *all;
	struct tn_problem sub;
	struct tn_arena arena;
	uint32_t *local; /* by buffer: its number in sub */
	uint32_t *buffer_of; /* by buffer of sub */
	uint32_t *group; /* by group: its number in sub */
	uint32_t *group_of; /* by group of sub */
};

bool tn_pack_counts(const struct tn_region_problem *p, const struct tn_pair *pair,
	const uint32_t *region)
{
	return region[pair->a] == region[pair->b] && region[pair->a] != TN_UNASSIGNED &&
	       tn_buffers_meet(
		       &p->buffers->buffers[pair->a], &p->buffers->buffers[pair->b]);
}

uint32_t tn_pack_split(const struct tn_region_problem *p, const uint32_t *region,
	uint32_t otherwise, uint32_t *out_variant, uint32_t *at_by_group)
{
	const struct tn_problem *q = p->buffers;
	uint32_t n = 0;

	for (uint32_t g = 0; g < q->n_groups; g++) {
		at_by_group[g] = TN_UNASSIGNED;
		out_variant[g] = TN_ANY_VARIANT;
	}
	for (uint32_t i = 0; i < q->n_pairs; i++) {
		const struct tn_pair *pair = &q->pairs[i];
		const uint32_t g = pair->group;

		if (!tn_pack_counts(p, pair, region))
			continue;
		if (at_by_group[g] == TN_UNASSIGNED)
			at_by_group[g] = region[pair->a];
		if (at_by_group[g] == region[pair->a] || out_variant[g] != TN_ANY_VARIANT)
			continue;
		out_variant[g] = otherwise;
		n++;
	}
	return n;
}

static bool take_buffers(struct part *s, uint32_t r)
{
	const struct tn_pack *pack = s->pack;
	const int64_t align = pack->p->regions[r].align;
	struct tn_buffer *list;
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->all->n_buffers; i++)
		n += pack->region[i] == r;
	list = TN_NEW_ARRAY(&s->arena, struct tn_buffer, n);
	s->local = TN_NEW_ARRAY(&s->arena, uint32_t, s->all->n_buffers);
	s->buffer_of = TN_NEW_ARRAY(&s->arena, uint32_t, n);
	if (!list || !s->local || !s->buffer_of)
		return false;
	for (uint32_t i = 0; i < s->all->n_buffers; i++) {
		struct tn_buffer b = s->all->buffers[i];

		if (pack->region[i] != r)
			continue;
		b.align =
			b.align / tn_gcd(b.align, align) * align; /* valid: no overflow */
		s->local[i] = s->sub.n_buffers;
		s->buffer_of[s->sub.n_buffers] = i;
		list[s->sub.n_buffers++] = b;
	}
	s->sub.buffers = list;
	return true;
}

static bool take_pairs(struct part *s, uint32_t r)
{
	const struct tn_pack *pack = s->pack;
	struct tn_pair *pairs;
	struct tn_group *groups;
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->all->n_pairs; i++)
		n += pack->region[s->all->pairs[i].a] == r &&
		     tn_pack_counts(pack->p, &s->all->pairs[i], pack->region);
	pairs = TN_NEW_ARRAY(&s->arena, struct tn_pair, n);
	groups = TN_NEW_ARRAY(&s->arena, struct tn_group, n);
	s->group = TN_NEW_ARRAY(&s->arena, uint32_t, n ? s->all->n_groups : 0);
	s->group_of = TN_NEW_ARRAY(&s->arena, uint32_t, n);
	if (!pairs || !groups || !s->group || !s->group_of)
		return false;
	for (uint32_t g = 0; n && g < s->all->n_groups; g++)
		s->group[g] = UINT32_MAX;
	for (uint32_t i = 0; i < s->all->n_pairs; i++) {
		struct tn_pair pair = s->all->pairs[i];
		const uint32_t g = pair.group;
		const uint32_t only = pack->variant ? pack->variant[g] : TN_ANY_VARIANT;

		if (pack->region[pair.a] != r ||
			!tn_pack_counts(pack->p, &pair, pack->region))
			continue;
		if (s->group[g] == UINT32_MAX) {
			struct tn_group group = s->all->groups[g];

			if (only != TN_ANY_VARIANT)
				group = (struct tn_group){ 1,
					group.descending >> only & 1 };
			s->group[g] = s->sub.n_groups;
			s->group_of[s->sub.n_groups] = g;
			groups[s->sub.n_groups++] = group;
		}
		if (only != TN_ANY_VARIANT)
			pair.d[0] = pair.d[only];
		pair.a = s->local[pair.a];
		pair.b = s->local[pair.b];
		pair.group = s->group[g];
		pairs[s->sub.n_pairs++] = pair;
	}
	s->sub.pairs = pairs;
	s->sub.groups = groups;
	return true;
}

static void give_back(const struct part *s, const struct tn_solution *solution)
{
	struct tn_pack *pack = s->pack;

	pack->height = solution->height;
	for (uint32_t i = 0; pack->offset && i < s->sub.n_buffers; i++)
		pack->offset[s->buffer_of[i]] = solution->offset[i];
	for (uint32_t i = 0; pack->chosen && i < s->sub.n_groups; i++) {
		const uint32_t g = s->group_of[i];
		const uint32_t only = pack->variant ? pack->variant[g] : TN_ANY_VARIANT;

		pack->chosen[g] = only == TN_ANY_VARIANT ? solution->variant[i] : only;
	}
}

enum tn_status tn_pack_region(struct tn_pack *pack, uint32_t r, enum tn_packing *out)
{
	const int64_t capacity = pack->p->regions[r].capacity;
	struct part s = { .pack = pack, .all = pack->p->buffers };
	struct tn_solution solution;
	struct tn_diags ignored; /* given offsets that clash: they do not fit */
	enum tn_status status = TN_ERR_NOMEM;

	tn_arena_init(&s.arena);
	tn_diags_init(&ignored, &s.arena);
	s.sub.capacity = pack->minimise ? -1 : capacity;
	if (take_buffers(&s, r) && take_pairs(&s, r))
		status = tn_solve(&s.sub, &pack->limits, &s.arena, &ignored, &solution);
	if (status == TN_OK) {
		give_back(&s, &solution);
		pack->nodes += solution.nodes + 4 + s.sub.n_buffers;
		*out = solution.height <= capacity ? PACKING_FITS
		       : solution.bound > capacity ? PACKING_NEVER
						   : PACKING_UNKNOWN;
	} else if (status == TN_ERR_INPUT) {
		pack->nodes++;
		*out = PACKING_NEVER;
		status = TN_OK;
	}
	tn_arena_release(&s.arena);
	return status;
}
