#include "claims/cells.h"

#include <assert.h>
#include <string.h>

#include "base/banned.h"
#include "base/checked.h"

/* The first range that ends after the bit. Steps of kernels go on where they were, hence
 * the hint. */
static size_t find(struct tn_cells *m, int64_t bit)
{
	size_t lo = 0, hi = m->count;

	for (size_t i = m->hint; i < m->count && i < m->hint + 2; i++)
		if (bit < tn_cells_item(m, i)->end &&
			(i == 0 || tn_cells_item(m, i - 1)->end <= bit)) {
			m->hint = i;
			return i;
		}
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (tn_cells_item(m, mid)->end <= bit)
			lo = mid + 1;
		else
			hi = mid;
	}
	m->hint = lo;
	return lo;
}

static bool moves(const struct tn_cell *c)
{
	return c->value != CELL_GARBAGE && c->value != CELL_EMPTY;
}

static void cut_begin(struct tn_cell *c, int64_t begin)
{
	if (moves(c))
		c->at += begin - c->begin;
	c->begin = begin;
}

struct tn_cell tn_cells_at(struct tn_cells *m, int64_t bit)
{
	size_t i = find(m, bit);
	struct tn_cell c = { bit, INT64_MAX, 0, CELL_EMPTY, EVENT_NONE };

	if (i == m->count)
		return c;
	if (tn_cells_item(m, i)->begin > bit) {
		c.end = tn_cells_item(m, i)->begin;
		return c;
	}
	c = *tn_cells_item(m, i);
	cut_begin(&c, bit);
	return c;
}

static bool continues(const struct tn_cell *a, const struct tn_cell *b)
{
	return a->end == b->begin && a->value == b->value && a->event == b->event &&
	       (moves(a) ? a->at + (a->end - a->begin) == b->at : true);
}

static size_t append(struct tn_cell *list, size_t n, struct tn_cell c)
{
	if (n && continues(&list[n - 1], &c)) {
		list[n - 1].end = c.end;
		return n;
	}
	list[n] = c;
	return n + 1;
}

#define CELLS_OF_A_LOOK 8 /* that are moved in the time of one look */

/* A larger array, with the gap where it was. */
static bool grow(struct tn_cells *m, struct tn_arena *arena, size_t capacity)
{
	struct tn_cell *items = TN_NEW_ARRAY(arena, struct tn_cell, capacity);
	const size_t behind = m->count - m->gap;

	if (!items)
		return false;
	if (m->items) {
		memcpy(items, m->items, m->gap * sizeof(*items));
		memcpy(&items[capacity - behind], &m->items[m->capacity - behind],
			behind * sizeof(*items));
	}
	m->items = items;
	m->capacity = capacity;
	return true;
}

/* Takes [i, j) out; n ranges can be put there, into the gap. NULL when memory ran out. */
static struct tn_cell *take_out(
	struct tn_cells *m, struct tn_arena *arena, size_t i, size_t j, size_t n)
{
	const size_t unused = m->capacity - m->count;

	m->cost += (int64_t)(m->gap < j ? j - m->gap : m->gap - j) / CELLS_OF_A_LOOK + 1;
	if (m->gap < j)
		memmove(&m->items[m->gap], &m->items[m->gap + unused],
			(j - m->gap) * sizeof(*m->items));
	else if (m->gap > j)
		memmove(&m->items[j + unused], &m->items[j],
			(m->gap - j) * sizeof(*m->items));
	m->gap = i;
	m->count -= j - i;
	if ((!m->items || m->count + n > m->capacity) &&
		!grow(m, arena, 2 * (m->count + n) + 4)) /* not the last time */
		return NULL;
	return &m->items[m->gap];
}

static void put_in(struct tn_cells *m, size_t n)
{
	m->gap += n;
	m->count += n;
}

/* Puts n ranges where [i, j) are; as many as there were leave the gap where it is. */
static bool replace(struct tn_cells *m, struct tn_arena *arena, size_t i, size_t j,
	const struct tn_cell *list, size_t n)
{
	struct tn_cell *to;

	for (size_t k = 0; k < n && n == j - i; k++)
		*tn_cells_item(m, i + k) = list[k];
	if (n == j - i)
		return true;
	to = take_out(m, arena, i, j, n);
	if (to && n)
		memcpy(to, list, n * sizeof(*list));
	if (to)
		put_in(m, n);
	return to;
}

/* What is around a range that is about to be replaced. */
struct border {
	size_t i, j; /* the ranges that go, neighbours included */
	struct tn_cell before[2], after[2]; /* and what of them stays */
	size_t n_before, n_after;
};

static struct border border_of(struct tn_cells *m, int64_t begin, int64_t end)
{
	struct border b = { 0 };
	size_t i = find(m, begin), j = i;

	while (j < m->count && tn_cells_item(m, j)->begin < end)
		j++;
	if (i > 0)
		b.before[b.n_before++] = *tn_cells_item(m, i - 1);
	if (i < j && tn_cells_item(m, i)->begin < begin) {
		b.before[b.n_before] = *tn_cells_item(m, i);
		b.before[b.n_before++].end = begin;
	}
	if (i < j && tn_cells_item(m, j - 1)->end > end) {
		b.after[b.n_after] = *tn_cells_item(m, j - 1);
		cut_begin(&b.after[b.n_after++], end);
	}
	if (j < m->count)
		b.after[b.n_after++] = *tn_cells_item(m, j++);
	b.i = i > 0 ? i - 1 : i;
	b.j = j;
	return b;
}

bool tn_cells_put(struct tn_cells *m, struct tn_arena *arena, struct tn_cell cell)
{
	struct tn_cell list[5];
	struct border b;
	size_t n = 0;

	if (cell.begin >= cell.end)
		return true;
	b = border_of(m, cell.begin, cell.end);
	for (size_t i = 0; i < b.n_before; i++)
		n = append(list, n, b.before[i]);
	if (cell.value != CELL_EMPTY)
		n = append(list, n, cell);
	for (size_t i = 0; i < b.n_after; i++)
		n = append(list, n, b.after[i]);
	return replace(m, arena, b.i, b.j, list, n);
}

/* How many ranges have bits there. */
static size_t pieces_until(struct tn_cells *from, int64_t begin, int64_t end)
{
	size_t first = find(from, begin), last = first;

	while (last < from->count && tn_cells_item(from, last)->begin < end)
		last++;
	return last - first;
}

/* What is around the border, with copies of these bits between: how many ranges that is. */
static size_t fill(struct tn_cell *list, const struct border *b, struct tn_cells *from,
	int64_t from_begin, int64_t to_begin, int64_t len, uint32_t event)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n_before; i++)
		n = append(list, n, b->before[i]);
	for (int64_t done = 0; done < len;) {
		struct tn_cell c = tn_cells_at(from, from_begin + done);
		int64_t bits = tn_min_i64(c.end - c.begin, len - done);

		c.begin = to_begin + done;
		c.end = c.begin + bits;
		if (event != EVENT_NONE)
			c.event = event;
		if (c.value != CELL_EMPTY)
			n = append(list, n, c);
		done += bits;
	}
	for (size_t i = 0; i < b->n_after; i++)
		n = append(list, n, b->after[i]);
	return n;
}

#define FEW 4 /* pieces: an element */

bool tn_cells_copy(struct tn_cells *to, struct tn_arena *arena, int64_t to_begin,
	struct tn_cells *from, int64_t from_begin, int64_t len, uint32_t event)
{
	struct tn_cell few[2 + FEW + 2], *list;
	struct border b;
	size_t pieces;

	assert(to != from);
	if (len <= 0)
		return true;
	pieces = pieces_until(from, from_begin, from_begin + len);
	to->cost += (int64_t)pieces;
	b = border_of(to, to_begin, to_begin + len);
	if (pieces <= FEW)
		return replace(to, arena, b.i, b.j, few,
			fill(few, &b, from, from_begin, to_begin, len, event));
	list = take_out(to, arena, b.i, b.j, b.n_before + pieces + b.n_after);
	if (list)
		put_in(to, fill(list, &b, from, from_begin, to_begin, len, event));
	return list;
}
