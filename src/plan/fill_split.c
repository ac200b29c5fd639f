/* Building columns and links from pairs. */
#include "base/checked.h"
#include "plan/fill_link.h"
#include "plan/pairs.h"
#include "plan/sort.h"

enum {
	LEFT = 1,
	RIGHT = 2
}; /* not in the right copy of the last column; not in the left
                                 copy of the first */

struct split {
	const struct tn_problem *p;
	const uint32_t *lo, *hi;
	uint8_t *sides; /* by buffer */
	bool *split; /* by column */
};

static bool effective(const struct tn_problem *p, const struct tn_pair *pair)
{
	return tn_buffers_meet(&p->buffers[pair->a], &p->buffers[pair->b]);
}

/* The one column in which the ends of a pair meet; false if they meet in several. */
static bool meeting(const struct split *s, const struct tn_pair *pair, uint32_t *out)
{
	const uint32_t first =
		s->lo[pair->a] > s->lo[pair->b] ? s->lo[pair->a] : s->lo[pair->b];
	const uint32_t end =
		s->hi[pair->a] < s->hi[pair->b] ? s->hi[pair->a] : s->hi[pair->b];

	*out = first;
	return end == first + 1;
}

static bool take_sides(struct split *s, const struct tn_pair *pair)
{
	uint32_t c, left = pair->a, right = pair->b;

	if (!meeting(s, pair, &c))
		return false;
	if (s->hi[left] != c + 1 || s->lo[right] != c) {
		left = pair->b;
		right = pair->a;
	}
	if (s->hi[left] != c + 1 || s->lo[right] != c)
		return false;
	s->sides[left] |= LEFT;
	s->sides[right] |= RIGHT;
	s->split[c] = true;
	/* one column alone cannot have a buffer on both sides */
	return (s->sides[left] != (LEFT | RIGHT) || s->lo[left] + 1 < s->hi[left]) &&
	       (s->sides[right] != (LEFT | RIGHT) || s->lo[right] + 1 < s->hi[right]);
}

/* All pairs of a group must meet in the same column. */
static bool same_border(const struct split *s, uint32_t *column_of_group)
{
	for (uint32_t g = 0; g < s->p->n_groups; g++)
		column_of_group[g] = UINT32_MAX;
	for (uint32_t i = 0; i < s->p->n_pairs; i++) {
		const struct tn_pair *pair = &s->p->pairs[i];
		uint32_t c;

		if (!effective(s->p, pair) || !meeting(s, pair, &c))
			continue;
		if (column_of_group[pair->group] != UINT32_MAX &&
			column_of_group[pair->group] != c)
			return false;
		column_of_group[pair->group] = c;
	}
	return true;
}

enum tn_status tn_fill_split(const struct tn_problem *p, uint32_t *lo, uint32_t *hi,
	uint32_t *n_columns, struct tn_arena *scratch, bool *out_fits)
{
	struct split s = { .p = p, .lo = lo, .hi = hi };
	uint32_t *base = TN_NEW_ARRAY(scratch, uint32_t, (size_t)*n_columns + 1);
	uint32_t *of_group = TN_NEW_ARRAY(scratch, uint32_t, p->n_groups);

	s.sides = TN_NEW_ARRAY(scratch, uint8_t, p->n_buffers);
	s.split = TN_NEW_ARRAY(scratch, bool, (size_t)*n_columns + 1);
	if (!base || !of_group || !s.sides || !s.split)
		return TN_ERR_NOMEM;
	*out_fits = true;
	for (uint32_t i = 0; i < p->n_pairs && *out_fits; i++)
		*out_fits = !effective(p, &p->pairs[i]) || take_sides(&s, &p->pairs[i]);
	*out_fits = *out_fits && same_border(&s, of_group);
	if (!*out_fits)
		return TN_OK;
	for (uint32_t c = 0; c < *n_columns; c++)
		base[c + 1] = base[c] + (s.split[c] ? 2 : 1);
	for (uint32_t x = 0; x < p->n_buffers; x++) {
		if (!p->buffers[x].size)
			continue;
		hi[x] = base[hi[x]] - (s.sides[x] & LEFT ? 1 : 0);
		lo[x] = base[lo[x]] + (s.sides[x] & RIGHT ? 1 : 0);
	}
	*n_columns = base[*n_columns];
	return TN_OK;
}

/* A link before it is filed under its item. */
struct raw {
	uint32_t item;
	struct tn_fill_link link;
};

struct filing {
	struct tn_fill *f;
	const struct tn_problem *p;
	struct tn_arena *scratch;
	TN_VEC(struct raw) raws; /* by group */
	TN_VEC(struct tn_fill_group) groups;
	uint32_t *item_of; /* by buffer */
};

/* The largest multiple of cell <= value, and the least >= value. */
static int64_t cells_down(const struct tn_fill *f, int64_t value)
{
	int64_t up;

	return tn_align_up_i64(-value, f->cell, &up) ? -up : value;
}

static int64_t cells_up(const struct tn_fill *f, int64_t value)
{
	int64_t up;

	return tn_align_up_i64(value, f->cell, &up) ? up : value;
}

static bool file(struct filing *w, uint32_t a, uint32_t b, uint32_t n_variants,
	const struct tn_gap *gaps)
{
	struct raw of_a = { a, { .other = b, .group = (uint32_t)w->groups.count - 1 } };
	struct raw of_b = { b, { .other = a, .group = (uint32_t)w->groups.count - 1 } };

	for (uint32_t v = 0; v < n_variants; v++) {
		if (gaps[v].lo >= gaps[v].hi)
			continue;
		of_a.link.gap[v].lo = cells_down(w->f, gaps[v].lo);
		of_a.link.gap[v].hi = cells_up(w->f, gaps[v].hi);
		of_b.link.gap[v].lo = -of_a.link.gap[v].hi;
		of_b.link.gap[v].hi = -of_a.link.gap[v].lo;
	}
	return tn_vec_push(w->scratch, &w->raws, of_a) &&
	       tn_vec_push(w->scratch, &w->raws, of_b);
}

static bool open_group(struct filing *w, uint32_t n_variants, uint32_t a, uint32_t b)
{
	const uint32_t left = w->f->items[a].hi <= w->f->items[b].lo ? a : b;
	const struct tn_fill_group group = { .border = w->f->items[left].hi - 1,
		.variants = (uint8_t)((1u << n_variants) - 1) };

	return tn_vec_push(w->scratch, &w->groups, group);
}

static bool file_pairs(struct filing *w)
{
	const struct tn_problem *p = w->p;
	struct tn_sort_key *keys =
		TN_NEW_ARRAY(w->scratch, struct tn_sort_key, p->n_pairs);
	uint32_t n = 0;

	if (!keys)
		return false;
	for (uint32_t i = 0; i < p->n_pairs; i++)
		if (effective(p, &p->pairs[i]))
			keys[n++] = (struct tn_sort_key){ p->pairs[i].group, i };
	tn_sort(keys, n);
	for (uint32_t i = 0; i < n; i++) {
		const struct tn_pair *pair = &p->pairs[keys[i].id];
		const uint32_t a = w->item_of[pair->a], b = w->item_of[pair->b];
		const uint32_t n_variants = p->groups[pair->group].n_variants;
		struct tn_gap gaps[TN_GROUP_VARIANTS_MAX];

		for (uint32_t v = 0; v < n_variants; v++)
			gaps[v] = tn_pair_gap(p, pair, v);
		if ((!i || keys[i - 1].key != keys[i].key) &&
			!open_group(w, n_variants, a, b))
			return false;
		if (!file(w, a, b, n_variants, gaps))
			return false;
	}
	return true;
}

/* Couples that no pair links and that were parted by a split all the same: they must be
 * disjoint. */
static bool file_parted(struct filing *w, const struct tn_pairs *pairs)
{
	struct tn_fill *f = w->f;
	bool *seen = TN_NEW_ARRAY(w->scratch, bool, f->n_columns);
	const size_t n_groups = w->groups.count;

	if (!seen)
		return false;
	for (size_t g = 0; g < n_groups; g++) {
		const uint32_t border = w->groups.items[g].border;

		if (seen[border])
			continue;
		seen[border] = true;
		for (size_t m = f->member_first[border]; m < f->member_first[border + 1];
			m++) {
			const uint32_t a = f->member[m];

			if (f->items[a].hi != border + 1)
				continue;
			for (uint32_t b = f->from[border + 1]; b < f->from[border + 2];
				b++) {
				const struct tn_buffer *x =
					&w->p->buffers[f->items[a].id];
				const struct tn_buffer *y =
					&w->p->buffers[f->items[b].id];
				const struct tn_gap never = { -x->size, y->size };

				if (tn_buffers_meet(x, y) &&
					!tn_pairs_linked(w->p, pairs, f->items[a].id,
						f->items[b].id) &&
					(!open_group(w, 1, a, b) ||
						!file(w, a, b, 1, &never)))
					return false;
			}
		}
	}
	return true;
}

static bool shelve_links(struct filing *w)
{
	struct tn_fill *f = w->f;
	uint32_t *at = TN_NEW_ARRAY(w->scratch, uint32_t, (size_t)f->n_items + 1);

	f->link_first = TN_NEW_ARRAY(f->arena, uint32_t, (size_t)f->n_items + 1);
	f->links = TN_NEW_ARRAY(f->arena, struct tn_fill_link, w->raws.count);
	f->undo = TN_NEW_ARRAY(f->arena, struct tn_fill_undo, w->raws.count);
	if (!at || !f->link_first || !f->links || !f->undo)
		return false;
	for (size_t i = 0; i < w->raws.count; i++)
		f->link_first[w->raws.items[i].item + 1]++;
	for (uint32_t i = 0; i < f->n_items; i++) {
		f->link_first[i + 1] += f->link_first[i];
		at[i + 1] = f->link_first[i + 1];
	}
	for (size_t i = 0; i < w->raws.count; i++)
		f->links[at[w->raws.items[i].item]++] = w->raws.items[i].link;
	return true;
}

/* Linked items are like no other. */
static void part_twins(struct tn_fill *f)
{
	for (uint32_t i = 0; i < f->n_items; i++) {
		struct tn_fill_item *it = &f->items[i];

		if (it->twin != TN_FILL_NONE &&
			(tn_fill_linked(f, i) || tn_fill_linked(f, it->twin)))
			it->twin = TN_FILL_NONE;
	}
}

/* Members of each group, and how many wait on each side. */
static bool shelve_groups(struct filing *w)
{
	struct tn_fill *f = w->f;
	uint32_t *last = TN_NEW_ARRAY(w->scratch, uint32_t, f->n_items);
	uint32_t n = 0;

	f->n_groups = (uint32_t)w->groups.count;
	f->fresh_groups =
		TN_NEW_ARRAY(f->arena, struct tn_fill_group, w->groups.count + 1);
	f->groups = TN_NEW_ARRAY(f->arena, struct tn_fill_group, w->groups.count + 1);
	f->members = TN_NEW_ARRAY(f->arena, uint32_t, w->raws.count);
	if (!last || !f->fresh_groups || !f->groups || !f->members)
		return false;
	for (size_t i = 0, g = 0; g < w->groups.count; g++) {
		struct tn_fill_group *group = &f->fresh_groups[g];

		*group = w->groups.items[g];
		group->member_first = n;
		for (; i < w->raws.count && w->raws.items[i].link.group == g; i++) {
			const uint32_t item = w->raws.items[i].item;

			if (last[item] == g + 1)
				continue;
			last[item] = (uint32_t)g + 1;
			group->waiting[f->items[item].lo > group->border]++;
			f->members[n++] = item;
		}
	}
	f->fresh_groups[w->groups.count].member_first = n;
	return true;
}

enum tn_status tn_fill_links(
	struct tn_fill *f, const struct tn_problem *p, struct tn_arena *scratch)
{
	struct filing w = { .f = f, .p = p, .scratch = scratch };
	struct tn_pairs pairs;

	w.item_of = TN_NEW_ARRAY(scratch, uint32_t, p->n_buffers);
	if (!w.item_of || tn_pairs_build(p, scratch, &pairs) != TN_OK)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < f->n_items; i++)
		w.item_of[f->items[i].id] = i;
	if (!file_pairs(&w) || !file_parted(&w, &pairs) || !shelve_links(&w) ||
		!shelve_groups(&w))
		return TN_ERR_NOMEM;
	part_twins(f);
	return TN_OK;
}
