#include "report/gaps.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/vec.h"

#include "base/banned.h"

#define LOOKS_MAX ((int64_t)20000000)

struct sweep {
	const struct tn_boxes *boxes;
	struct tn_arena *arena;
	uint32_t region;
	uint32_t *live; /* boxes by offset */
	uint32_t n_live;
	TN_VEC(struct tn_gap) open, now, done; /* by offset, but `done` */
	int64_t looks;
};

static void drop_dead(struct sweep *s, int64_t step)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < s->n_live; i++)
		if (s->boxes->list[s->live[i]].end > step)
			s->live[kept++] = s->live[i];
	s->looks += s->n_live;
	s->n_live = kept;
}

static void add_live(struct sweep *s, uint32_t box)
{
	int64_t offset = s->boxes->list[box].offset;
	uint32_t at = s->n_live;

	while (at > 0 && s->boxes->list[s->live[at - 1]].offset > offset)
		at--;
	memmove(&s->live[at + 1], &s->live[at], (s->n_live - at) * sizeof(*s->live));
	s->looks += s->n_live - at + 1;
	s->live[at] = box;
	s->n_live++;
}

/* What lies free below the highest of the live boxes, from `step` on. */
static bool look(struct sweep *s, int64_t step)
{
	int64_t covered = 0;

	s->now.count = 0;
	for (uint32_t i = 0; i < s->n_live; i++) {
		const struct tn_box *b = &s->boxes->list[s->live[i]];
		struct tn_gap gap = { s->region, step, step + 2, covered,
			b->offset - covered };

		if (gap.bytes > 0 && !tn_vec_push(s->arena, &s->now, gap))
			return false;
		covered = tn_max_i64(covered, b->offset + b->bytes);
	}
	s->looks += s->n_live;
	return true;
}

/* A gap that is still there goes on, the others are done. */
static bool join(struct sweep *s)
{
	size_t k = 0;

	for (size_t i = 0; i < s->open.count; i++) {
		const struct tn_gap *was = &s->open.items[i];

		while (k < s->now.count && s->now.items[k].offset < was->offset)
			k++;
		if (k < s->now.count && s->now.items[k].offset == was->offset &&
			s->now.items[k].bytes == was->bytes)
			s->now.items[k].begin = was->begin;
		else if (!tn_vec_push(s->arena, &s->done, *was))
			return false;
	}
	s->open.count = 0;
	for (size_t i = 0; i < s->now.count; i++)
		if (!tn_vec_push(s->arena, &s->open, s->now.items[i]))
			return false;
	return true;
}

static bool region(struct sweep *s, uint32_t n_ops)
{
	uint32_t next = 0;

	s->n_live = 0;
	for (uint32_t p = 0; p < n_ops && s->looks < LOOKS_MAX; p++) {
		int64_t step = 2 * (int64_t)p;

		drop_dead(s, step);
		for (; next < s->boxes->n && s->boxes->list[next].begin < step + 2;
			next++)
			if (s->boxes->list[next].region == s->region)
				add_live(s, next);
		if (!look(s, step) || !join(s))
			return false;
	}
	s->now.count = 0;
	return join(s);
}

enum tn_status tn_gaps_find(const struct tn_view *v, const struct tn_boxes *boxes,
	struct tn_arena *arena, struct tn_gaps *out)
{
	struct sweep s = { .boxes = boxes, .arena = arena };

	*out = (struct tn_gaps){ 0 };
	s.live = TN_NEW_ARRAY(arena, uint32_t, (size_t)boxes->n + 1);
	if (!s.live)
		return TN_ERR_NOMEM;
	for (; s.region < v->plan->n_regions; s.region++)
		if (!region(&s, v->g->n_ops))
			return TN_ERR_NOMEM;
	if (s.looks >= LOOKS_MAX)
		return TN_OK;
	out->list = s.done.items;
	return tn_u32_from_size(s.done.count, &out->n) ? TN_OK : TN_ERR_NOMEM;
}
