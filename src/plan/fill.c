/* Building the search's view of a problem: columns, items, who meets whom. */
#include "plan/fill.h"

#include <string.h>

#include "base/checked.h"
#include "plan/conflict.h"
#include "plan/fill_link.h"
#include "plan/improve.h"
#include "plan/share.h"
#include "plan/sort.h"

#define ITEMS_MAX   4000u /* levels of recursion */
#define COUPLES_MAX ((int64_t)8 << 20)
#define MEMO_BITS   18u

/* Columns of each buffer: walking the moments, a column ends with the first death after
 * a birth. Deaths come before births of the same moment. */
static bool make_columns(const struct tn_problem *p, struct tn_arena *scratch,
	uint32_t *lo, uint32_t *hi, uint32_t *out_n)
{
	struct tn_sort_key *begins =
		TN_NEW_ARRAY(scratch, struct tn_sort_key, p->n_buffers);
	struct tn_sort_key *ends =
		TN_NEW_ARRAY(scratch, struct tn_sort_key, p->n_buffers);
	size_t n = 0, born = 0;
	uint32_t column = 0;
	bool open = false;

	if (!begins || !ends)
		return false;
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		if (!p->buffers[i].size)
			continue;
		begins[n] = (struct tn_sort_key){ p->buffers[i].begin, i };
		ends[n++] = (struct tn_sort_key){ p->buffers[i].end, i };
	}
	tn_sort(begins, n);
	tn_sort(ends, n);
	for (size_t died = 0; died < n;) {
		if (born < n && begins[born].key < ends[died].key) {
			lo[begins[born++].id] = column;
			open = true;
			continue;
		}
		column += open;
		open = false;
		hi[ends[died++].id] = column;
	}
	*out_n = column;
	return true;
}

static bool make_items(struct tn_fill *f, const struct tn_problem *p, const uint32_t *lo,
	const uint32_t *hi, struct tn_arena *scratch)
{
	struct tn_sort_key *keys =
		TN_NEW_ARRAY(scratch, struct tn_sort_key, p->n_buffers);

	if (!keys)
		return false;
	for (uint32_t i = 0; i < p->n_buffers; i++) {
		if (!p->buffers[i].size)
			continue;
		f->cell = tn_gcd(p->buffers[i].align, f->cell);
		keys[f->n_items++] = (struct tn_sort_key){ lo[i], i };
	}
	tn_sort(keys, f->n_items);
	f->items = TN_NEW_ARRAY(f->arena, struct tn_fill_item, f->n_items);
	f->from = TN_NEW_ARRAY(f->arena, uint32_t, (size_t)f->n_columns + 1);
	if (!f->items || !f->from)
		return false;
	for (uint32_t i = 0; i < f->n_items; i++) {
		const struct tn_buffer *b = &p->buffers[keys[i].id];
		struct tn_fill_item *it = &f->items[i];

		*it = (struct tn_fill_item){ keys[i].id, lo[keys[i].id], hi[keys[i].id],
			TN_FILL_NONE, b->size, b->size, b->align, b->fixed,
			{ tn_fill_mix(2 * (uint64_t)i + 1),
				tn_fill_mix(2 * (uint64_t)i + 2) } };
		if (!tn_align_up_i64(b->size, f->cell, &it->size))
			return false;
		for (uint32_t j = i; j-- > 0 && f->items[j].lo == it->lo;)
			if (f->items[j].hi == it->hi && f->items[j].raw == it->raw &&
				f->items[j].align == it->align && f->items[j].fixed < 0 &&
				it->fixed < 0) {
				it->twin = j;
				break;
			}
		f->from[it->lo + 1]++;
	}
	for (uint32_t s = 0; s < f->n_columns; s++)
		f->from[s + 1] += f->from[s];
	return true;
}

/* What divides every offset of a solution with the least sum of offsets: each is a sum of
 * sizes, link displacements and fixed offsets. That holds with links only when all
 * alignments are equal: else buffers that hold each other up need not stand on anything. */
static void make_grain(struct tn_fill *f)
{
	bool equal = true;

	f->step = f->cell > 1 ? f->cell : 0;
	for (uint32_t i = 0; i < f->n_items; i++) {
		const struct tn_fill_item *it = &f->items[i];

		equal = equal && it->align == f->items[0].align;
		f->step = tn_gcd(it->size, f->step);
		if (it->align > 1)
			f->step = tn_gcd(it->align, f->step);
		if (it->fixed > 0)
			f->step = tn_gcd(it->fixed, f->step);
	}
	for (uint32_t i = 0; i < f->link_first[f->n_items]; i++) {
		for (uint32_t v = 0; v < TN_GROUP_VARIANTS_MAX; v++) {
			const struct tn_gap gap = f->links[i].gap[v];

			f->step = tn_gcd(gap.lo < 0 ? -gap.lo : gap.lo, f->step);
			f->step = tn_gcd(gap.hi < 0 ? -gap.hi : gap.hi, f->step);
		}
		if (!equal)
			f->step = f->cell;
	}
	f->grain = f->step;
	for (uint32_t i = 0; i < f->n_items; i++)
		f->grain = tn_gcd(f->items[i].raw, f->grain);
	if (!f->n_items)
		f->cell = f->step = f->grain = 1;
}

static bool make_members(struct tn_fill *f, struct tn_arena *scratch)
{
	size_t *at = TN_NEW_ARRAY(scratch, size_t, (size_t)f->n_columns + 1);

	f->member_first = TN_NEW_ARRAY(f->arena, size_t, (size_t)f->n_columns + 1);
	if (!at || !f->member_first)
		return false;
	for (uint32_t i = 0; i < f->n_items; i++)
		for (uint32_t s = f->items[i].lo; s < f->items[i].hi; s++)
			f->member_first[s + 1]++;
	for (uint32_t s = 0; s < f->n_columns; s++) {
		f->member_first[s + 1] += f->member_first[s];
		at[s + 1] = f->member_first[s + 1];
	}
	f->member = TN_NEW_ARRAY(f->arena, uint32_t, f->member_first[f->n_columns]);
	if (!f->member)
		return false;
	for (uint32_t i = 0; i < f->n_items; i++)
		for (uint32_t s = f->items[i].lo; s < f->items[i].hi; s++)
			f->member[at[s]++] = i;
	return true;
}

/* Items that share a column with i: those that begin in i's columns, and the members of
 * its first column. Fixed ones are listed a second time, by offset. */
static size_t meet(const struct tn_fill *f, uint32_t i, uint32_t *out)
{
	const struct tn_fill_item *it = &f->items[i];
	size_t n = 0;

	for (size_t m = f->member_first[it->lo]; m < f->member_first[it->lo + 1]; m++) {
		if (f->member[m] == i)
			continue;
		if (out)
			out[n] = f->member[m];
		n++;
	}
	for (uint32_t j = f->from[it->lo + 1]; j < f->from[it->hi]; j++) {
		if (out)
			out[n] = j;
		n++;
	}
	return n;
}

static bool make_rivals(struct tn_fill *f, struct tn_arena *scratch)
{
	struct tn_sort_key *keys = TN_NEW_ARRAY(scratch, struct tn_sort_key, f->n_items);
	size_t total = 0, pins = 0;

	f->rival_first = TN_NEW_ARRAY(f->arena, size_t, (size_t)f->n_items + 1);
	f->pinned_first = TN_NEW_ARRAY(f->arena, size_t, (size_t)f->n_items + 1);
	if (!keys || !f->rival_first || !f->pinned_first)
		return false;
	for (uint32_t i = 0; i < f->n_items; i++) {
		total += meet(f, i, NULL);
		f->rival_first[i + 1] = total;
	}
	f->rival = TN_NEW_ARRAY(f->arena, uint32_t, total);
	if (!f->rival)
		return false;
	for (uint32_t i = 0; i < f->n_items; i++)
		meet(f, i, &f->rival[f->rival_first[i]]);
	for (size_t r = 0; r < total; r++)
		pins += f->items[f->rival[r]].fixed >= 0;
	f->pinned = TN_NEW_ARRAY(f->arena, uint32_t, pins);
	if (!f->pinned)
		return false;
	pins = 0;
	for (uint32_t i = 0; i < f->n_items; i++) {
		size_t n = 0;

		for (size_t r = f->rival_first[i]; r < f->rival_first[i + 1]; r++)
			if (f->items[f->rival[r]].fixed >= 0)
				keys[n++] =
					(struct tn_sort_key){ f->items[f->rival[r]].fixed,
						f->rival[r] };
		tn_sort(keys, n);
		for (size_t k = 0; k < n; k++)
			f->pinned[pins++] = keys[k].id;
		f->pinned_first[i + 1] = pins;
	}
	return true;
}

static void make_fresh_column(struct tn_fill *f, uint32_t s)
{
	struct tn_fill_column *c = &f->fresh[s];

	c->floor = INT64_MAX;
	for (size_t m = f->member_first[s]; m < f->member_first[s + 1]; m++) {
		const uint32_t i = f->member[m];
		const struct tn_fill_item *it = &f->items[i];

		c->count++;
		c->rest += it->size;
		c->crossing += it->hi > s + 1;
		if (it->lo == s) {
			c->hash[0] ^= it->hash[0];
			c->hash[1] ^= it->hash[1];
		}
		if (f->fresh_start[i] > c->floor)
			continue;
		c->ready = f->fresh_start[i] < c->floor ? 1 : c->ready + 1;
		c->floor = f->fresh_start[i];
	}
}

static bool make_state(struct tn_fill *f)
{
	const size_t n = f->n_items, k = f->n_columns;

	f->floor_hash = tn_arena_array(f->arena, k, sizeof(*f->floor_hash));
	f->columns = TN_NEW_ARRAY(f->arena, struct tn_fill_column, k);
	f->fresh = TN_NEW_ARRAY(f->arena, struct tn_fill_column, k);
	f->start = TN_NEW_ARRAY(f->arena, int64_t, n);
	f->fresh_start = TN_NEW_ARRAY(f->arena, int64_t, n);
	f->offset = TN_NEW_ARRAY(f->arena, int64_t, n);
	f->placed = TN_NEW_ARRAY(f->arena, bool, n);
	f->stack = TN_NEW_ARRAY(f->arena, uint32_t, n);
	f->weight = TN_NEW_ARRAY(f->arena, uint32_t, k);
	f->rank = TN_NEW_ARRAY(f->arena, int64_t, n);
	f->score = TN_NEW_ARRAY(f->arena, double, n);
	f->levels = TN_NEW_ARRAY(f->arena, struct tn_fill_level, n + 1);
	f->memo_bits = MEMO_BITS;
	f->memo = TN_NEW_ARRAY(f->arena, struct tn_fill_memo, (size_t)1 << f->memo_bits);
	if (!f->floor_hash || !f->columns || !f->fresh || !f->start || !f->fresh_start ||
		!f->offset || !f->placed || !f->stack || !f->weight || !f->rank ||
		!f->score || !f->levels || !f->memo)
		return false;
	memcpy(f->groups, f->fresh_groups,
		((size_t)f->n_groups + 1) * sizeof(*f->groups));
	for (uint32_t i = 0; i < n; i++)
		f->fresh_start[i] = tn_fill_lift(f, i, 0);
	for (uint32_t s = 0; s < k; s++) {
		f->floor_hash[s][0] = tn_fill_mix(4 * (uint64_t)s + 3);
		f->floor_hash[s][1] = tn_fill_mix(4 * (uint64_t)s + 5);
		make_fresh_column(f, s);
	}
	for (uint32_t g = 0; g < f->n_groups; g++)
		if (f->groups[g].waiting[0] && f->groups[g].waiting[1])
			f->fresh[f->groups[g].border].crossing++;
	return true;
}

static enum tn_status build(struct tn_fill *f, const struct tn_problem *p,
	struct tn_arena *scratch, bool *out_fits)
{
	uint32_t *lo = TN_NEW_ARRAY(scratch, uint32_t, p->n_buffers);
	uint32_t *hi = TN_NEW_ARRAY(scratch, uint32_t, p->n_buffers);
	enum tn_status status;

	if (!lo || !hi || !make_columns(p, scratch, lo, hi, &f->n_columns))
		return TN_ERR_NOMEM;
	status = tn_fill_split(p, lo, hi, &f->n_columns, scratch, out_fits);
	if (status != TN_OK || !*out_fits)
		return status;
	if (!make_items(f, p, lo, hi, scratch) || !make_members(f, scratch) ||
		!make_rivals(f, scratch))
		return TN_ERR_NOMEM;
	status = tn_fill_links(f, p, scratch);
	if (status != TN_OK)
		return status;
	make_grain(f);
	return make_state(f) ? TN_OK : TN_ERR_NOMEM;
}

enum tn_status tn_fill_new(
	const struct tn_problem *p, struct tn_arena *arena, struct tn_fill **out)
{
	struct tn_arena scratch;
	struct tn_fill *f;
	enum tn_status status;
	bool fits;

	*out = NULL;
	if (p->n_buffers > ITEMS_MAX || tn_conflicts_count(p) > COUPLES_MAX)
		return TN_OK;
	f = TN_NEW(arena, struct tn_fill);
	if (!f)
		return TN_ERR_NOMEM;
	f->arena = arena;
	tn_arena_init(&scratch);
	status = build(f, p, &scratch, &fits);
	tn_arena_release(&scratch);
	if (status == TN_OK && fits)
		*out = f;
	return status;
}

int64_t tn_fill_grain(const struct tn_fill *f)
{
	return f->grain;
}

void tn_fill_capacity(struct tn_fill *f, int64_t capacity)
{
	if (capacity > f->capacity)
		memset(f->memo, 0, sizeof(*f->memo) << f->memo_bits);
	f->capacity = capacity;
	(void)tn_align_up_i64(capacity, f->cell ? f->cell : 1, &f->ceiling);
}

void tn_fill_limit(struct tn_fill *f, int64_t steps, double until)
{
	f->stop_at = steps;
	f->until = until;
}

int64_t tn_fill_steps(const struct tn_fill *f)
{
	return f->steps;
}

bool tn_fill_exhausted(const struct tn_fill *f)
{
	return f->steps >= f->stop_at || (f->until > 0 && tn_clock() >= f->until);
}

uint32_t tn_fill_items(const struct tn_fill *f)
{
	return f->n_items;
}

void tn_fill_answer(const struct tn_fill *f, int64_t *offset)
{
	for (uint32_t i = 0; i < f->n_items; i++)
		offset[f->items[i].id] = f->offset[i];
}
