/* The moves: placing an item on the floor, raising a floor. Both keep, for every unplaced
 * item, the lowest offset that it can still have and, for every column, how many items
 * can start on its floor; a floor on which none can start rises at once. */
#include "base/checked.h"
#include "plan/fill_link.h"

uint64_t tn_fill_mix(uint64_t x)
{
	x ^= x >> 30;
	x *= UINT64_C(0xbf58476d1ce4e5b9);
	x ^= x >> 27;
	x *= UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

int64_t tn_fill_log2(int64_t x)
{
	/* 2^(1/16) .. 2^(15/16) in units of 2^-16 */
	static const uint32_t steps[] = { 68438, 71468, 74632, 77936, 81386, 84990, 88752,
		92682, 96785, 101070, 105545, 110218, 115098, 120194, 125515 };
	int64_t whole = 0, part = 0;

	while (x >> whole > 1)
		whole++;
	/* the leading one and 16 bits after it */
	x = whole > 16 ? x >> (whole - 16) : x << (16 - whole);
	while (part < 15 && x >= steps[part])
		part++;
	return 16 * whole + part;
}

static int64_t lift_over_pins(const struct tn_fill *f, uint32_t item, int64_t at)
{
	const struct tn_fill_item *it = &f->items[item];

	for (size_t i = f->pinned_first[item]; i < f->pinned_first[item + 1]; i++) {
		const struct tn_fill_item *pin = &f->items[f->pinned[i]];

		if (f->placed[f->pinned[i]] || pin->fixed + pin->raw <= at)
			continue;
		if (at + it->raw <= pin->fixed)
			break;
		(void)tn_align_up_i64(pin->fixed + pin->raw, it->align, &at);
	}
	return at;
}

int64_t tn_fill_lift(const struct tn_fill *f, uint32_t item, int64_t from)
{
	const struct tn_fill_item *it = &f->items[item];
	int64_t at = from, before;

	if (it->fixed >= 0)
		return from <= it->fixed ? it->fixed : INT64_MAX;
	if (it->align > 1)
		(void)tn_align_up_i64(at, it->align, &at);
	do {
		before = at;
		at = lift_over_pins(f, item, at);
		if (tn_fill_linked(f, item))
			at = tn_fill_link_lift(f, item, at);
	} while (at != before);
	return at;
}

static bool fail(struct tn_fill *f, uint32_t column)
{
	f->weight[column]++;
	return false;
}

/* Raises the floors in [lo, hi) on which nothing can start, and looks whether what is
 * left still fits. */
static bool settle(struct tn_fill *f, uint32_t lo, uint32_t hi)
{
	for (uint32_t s = lo; s < hi; s++) {
		struct tn_fill_column *c = &f->columns[s];
		int64_t low = INT64_MAX;
		uint32_t ready = 0;

		if (c->ready || !c->count)
			continue;
		for (size_t i = f->member_first[s]; i < f->member_first[s + 1]; i++) {
			const uint32_t z = f->member[i];

			if (f->placed[z] || f->start[z] > low)
				continue;
			ready = f->start[z] < low ? 1 : ready + 1;
			low = f->start[z];
		}
		f->steps += (int64_t)(f->member_first[s + 1] - f->member_first[s]);
		c->floor = low;
		c->ready = ready;
		if (low > f->ceiling - c->rest)
			return fail(f, s);
	}
	return true;
}

/* z starts higher than `old`: it is no longer ready in columns with that floor. */
static void not_ready(struct tn_fill *f, uint32_t lo, uint32_t hi, int64_t old)
{
	for (uint32_t s = lo; s < hi; s++)
		f->columns[s].ready -= f->columns[s].floor == old;
	f->steps += hi > lo ? hi - lo : 0;
}

static bool lift_rival(struct tn_fill *f, uint32_t z, int64_t top)
{
	f->start[z] = tn_fill_lift(f, z, top);
	return f->start[z] <= f->capacity - f->items[z].raw;
}

/* The item's links may have moved the starts of those at their other ends. */
static bool lift_linked(struct tn_fill *f, uint32_t item, uint32_t *lo, uint32_t *hi)
{
	for (uint32_t i = f->link_first[item]; i < f->link_first[item + 1]; i++) {
		const uint32_t group = f->links[i].group;

		if (i > f->link_first[item] && f->links[i - 1].group == group)
			continue;
		for (uint32_t m = f->groups[group].member_first;
			m < f->groups[group + 1].member_first; m++) {
			const uint32_t z = f->members[m];
			const struct tn_fill_item *iz = &f->items[z];
			const int64_t old = f->start[z];

			if (f->placed[z])
				continue;
			if (!lift_rival(f, z, old))
				return fail(f, iz->lo);
			if (f->start[z] == old)
				continue;
			not_ready(f, iz->lo, iz->hi, old);
			*lo = iz->lo < *lo ? iz->lo : *lo;
			*hi = iz->hi > *hi ? iz->hi : *hi;
		}
	}
	return true;
}

bool tn_fill_put(struct tn_fill *f, uint32_t item, int64_t at)
{
	const struct tn_fill_item *it = &f->items[item];
	const int64_t top = at + it->size;
	uint32_t lo = it->lo, hi = it->hi;

	if (at > f->capacity - it->raw)
		return fail(f, it->lo);
	f->placed[item] = true;
	f->offset[item] = at;
	f->stack[f->n_stack++] = item;
	for (uint32_t s = it->lo; s < it->hi; s++) {
		struct tn_fill_column *c = &f->columns[s];

		c->floor = top;
		c->rest -= it->size;
		c->count--;
		c->ready = 0;
		c->crossing -= s + 1 < it->hi;
	}
	f->columns[it->lo].hash[0] ^= it->hash[0];
	f->columns[it->lo].hash[1] ^= it->hash[1];
	f->steps += (int64_t)(f->rival_first[item + 1] - f->rival_first[item]) + 16;
	for (size_t i = f->rival_first[item]; i < f->rival_first[item + 1]; i++) {
		const uint32_t z = f->rival[i];
		const struct tn_fill_item *iz = &f->items[z];
		const int64_t old = f->start[z];

		if (f->placed[z] || old > top)
			continue;
		if (old < top) {
			if (!lift_rival(f, z, top))
				return fail(f, iz->lo > it->lo ? iz->lo : it->lo);
			not_ready(f, iz->lo, it->lo, old);
			not_ready(f, it->hi, iz->hi, old);
			lo = iz->lo < lo ? iz->lo : lo;
			hi = iz->hi > hi ? iz->hi : hi;
		}
		if (f->start[z] != top)
			continue;
		for (uint32_t s = iz->lo > it->lo ? iz->lo : it->lo;
			s < iz->hi && s < it->hi; s++)
			f->columns[s].ready++;
	}
	if (tn_fill_linked(f, item) &&
		(!tn_fill_link_put(f, item) || !lift_linked(f, item, &lo, &hi)))
		return false;
	return settle(f, lo, hi);
}

bool tn_fill_raise(struct tn_fill *f, uint32_t column, int64_t to)
{
	struct tn_fill_column *c = &f->columns[column];
	uint32_t lo = column, hi = column + 1;

	c->floor = to;
	c->ready = 0;
	if (to > f->ceiling - c->rest)
		return fail(f, column);
	f->steps += (int64_t)(f->member_first[column + 1] - f->member_first[column]) + 16;
	for (size_t i = f->member_first[column]; i < f->member_first[column + 1]; i++) {
		const uint32_t z = f->member[i];
		const struct tn_fill_item *iz = &f->items[z];
		const int64_t old = f->start[z];

		if (f->placed[z])
			continue;
		if (old < to) {
			if (!lift_rival(f, z, to))
				return fail(f, column);
			not_ready(f, iz->lo, column, old);
			not_ready(f, column + 1, iz->hi, old);
			lo = iz->lo < lo ? iz->lo : lo;
			hi = iz->hi > hi ? iz->hi : hi;
		}
		c->ready += f->start[z] == to;
	}
	return settle(f, lo, hi);
}

void tn_fill_unplace(struct tn_fill *f, uint32_t n)
{
	while (f->n_stack > n) {
		const uint32_t item = f->stack[--f->n_stack];

		f->placed[item] = false;
		tn_fill_link_unplace(f, item);
	}
}
