#include "plan/fill_link.h"

#include "base/checked.h"

static int64_t align_up(int64_t value, int64_t align)
{
	int64_t up = value;
	const bool ok = align == 1 || tn_align_up_i64(value, align, &up);

	(void)ok; /* tn_problem_valid leaves room above every height */
	return up;
}

static bool known(const struct tn_fill *f, uint32_t item)
{
	return f->placed[item] || f->items[item].fixed >= 0;
}

static int64_t offset_of(const struct tn_fill *f, uint32_t item)
{
	return f->placed[item] ? f->offset[item] : f->items[item].fixed;
}

/* The links [from, to) are of one group. */
static int64_t lift_group(const struct tn_fill *f, uint32_t from, uint32_t to, uint32_t v,
	int64_t align, int64_t at)
{
	bool moved = true;

	while (moved) {
		moved = false;
		for (uint32_t i = from; i < to; i++) {
			const struct tn_fill_link *l = &f->links[i];
			int64_t d;

			if (!known(f, l->other))
				continue;
			d = at - offset_of(f, l->other);
			if (l->gap[v].lo < d && d < l->gap[v].hi) {
				at = align_up(
					offset_of(f, l->other) + l->gap[v].hi, align);
				moved = true;
			}
		}
	}
	return at;
}

static uint32_t group_end(const struct tn_fill *f, uint32_t item, uint32_t from)
{
	uint32_t to = from;

	while (to < f->link_first[item + 1] && f->links[to].group == f->links[from].group)
		to++;
	return to;
}

int64_t tn_fill_link_lift(const struct tn_fill *f, uint32_t item, int64_t from)
{
	const int64_t align = f->items[item].align;
	int64_t at = from;
	uint32_t next;

	for (uint32_t i = f->link_first[item]; i < f->link_first[item + 1]; i = next) {
		const uint32_t variants = f->groups[f->links[i].group].variants;
		int64_t best = INT64_MAX;

		next = group_end(f, item, i);
		for (uint32_t v = 0; variants >> v && best > at; v++)
			if (variants >> v & 1)
				best = tn_min_i64(
					best, lift_group(f, i, next, v, align, at));
		if (best > at) {
			at = best;
			next = f->link_first[item]; /* again from the first group */
		}
	}
	return at;
}

/* While a group is half placed, its placed offsets and variants matter to the columns of
 * those that are not: they are part of the key of a state. */
static void toggle_memory(struct tn_fill *f, const struct tn_fill_group *g)
{
	const uint64_t memory = tn_fill_mix(g->memory ^ (uint64_t)g->variants << 56);

	if (!g->memory)
		return;
	for (uint32_t side = 0; side < 2; side++) {
		struct tn_fill_column *c = &f->columns[g->border + side];

		if (!g->waiting[side])
			continue;
		c->hash[0] ^= memory;
		c->hash[1] ^= tn_fill_mix(memory);
	}
}

static void group_put(struct tn_fill *f, struct tn_fill_group *g, uint32_t item,
	uint32_t from, uint32_t to)
{
	const struct tn_fill_item *it = &f->items[item];
	const uint32_t side = it->lo > g->border;
	const int64_t at = f->offset[item];

	toggle_memory(f, g);
	if (g->waiting[0] && g->waiting[1] && g->waiting[side] == 1)
		f->columns[g->border].crossing--;
	g->waiting[side]--;
	g->memory += tn_fill_mix(it->hash[0] ^ (uint64_t)at);
	for (uint32_t v = 0; g->variants >> v; v++)
		if (lift_group(f, from, to, v, it->align, at) != at)
			g->variants &= (uint8_t) ~(1u << v);
	toggle_memory(f, g);
}

bool tn_fill_link_put(struct tn_fill *f, uint32_t item)
{
	bool possible = true;
	uint32_t next;

	for (uint32_t i = f->link_first[item]; i < f->link_first[item + 1]; i = next) {
		const uint32_t group = f->links[i].group;

		next = group_end(f, item, i);
		f->undo[f->n_undo++] =
			(struct tn_fill_undo){ item, group, f->groups[group] };
		group_put(f, &f->groups[group], item, i, next);
		possible = possible && f->groups[group].variants;
		f->steps += 8 * (int64_t)(next - i);
	}
	return possible;
}

void tn_fill_link_unplace(struct tn_fill *f, uint32_t item)
{
	while (f->n_undo && f->undo[f->n_undo - 1].item == item) {
		f->n_undo--;
		f->groups[f->undo[f->n_undo].group] = f->undo[f->n_undo].was;
	}
}

int64_t tn_fill_link_next(const struct tn_fill *f, uint32_t item, int64_t above)
{
	const int64_t align = f->items[item].align;
	int64_t next = INT64_MAX;

	for (uint32_t i = f->link_first[item]; i < f->link_first[item + 1]; i++) {
		const struct tn_fill_link *l = &f->links[i];
		const uint32_t variants = f->groups[l->group].variants;

		for (uint32_t v = 0; variants >> v; v++) {
			int64_t at;

			if (!(variants >> v & 1) || l->gap[v].lo >= l->gap[v].hi)
				continue;
			if (known(f, l->other)) {
				at = align_up(
					offset_of(f, l->other) + l->gap[v].hi, align);
				if (at > above)
					next = tn_min_i64(next, at);
			} else {
				at = align_up(f->start[l->other] + l->gap[v].hi, align);
				next = tn_min_i64(next, tn_max_i64(at, above + f->step));
			}
		}
	}
	return next;
}
