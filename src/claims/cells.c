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
		if (bit < m->items[i].end && (i == 0 || m->items[i - 1].end <= bit)) {
			m->hint = i;
			return i;
		}
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (m->items[mid].end <= bit)
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
	if (m->items[i].begin > bit) {
		c.end = m->items[i].begin;
		return c;
	}
	c = m->items[i];
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

/* Makes room for n ranges where [i, j) are: their contents are to be written. */
static bool make_room(
	struct tn_cells *m, struct tn_arena *arena, size_t i, size_t j, size_t n)
{
	size_t count = m->count - (j - i) + n;

	if (count > m->capacity) {
		size_t capacity = count < 4 ? 4 : 2 * count;
		struct tn_cell *items = TN_NEW_ARRAY(arena, struct tn_cell, capacity);

		if (!items)
			return false;
		if (m->count)
			memcpy(items, m->items, m->count * sizeof(*items));
		m->items = items;
		m->capacity = capacity;
	}
	if (n != j - i && j < m->count)
		memmove(&m->items[i + n], &m->items[j],
			(m->count - j) * sizeof(*m->items));
	m->count = count;
	return true;
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

	while (j < m->count && m->items[j].begin < end)
		j++;
	if (i > 0)
		b.before[b.n_before++] = m->items[i - 1];
	if (i < j && m->items[i].begin < begin) {
		b.before[b.n_before] = m->items[i];
		b.before[b.n_before++].end = begin;
	}
	if (i < j && m->items[j - 1].end > end) {
		b.after[b.n_after] = m->items[j - 1];
		cut_begin(&b.after[b.n_after++], end);
	}
	if (j < m->count)
		b.after[b.n_after++] = m->items[j++];
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
	if (!make_room(m, arena, b.i, b.j, n))
		return false;
	if (n)
		memcpy(&m->items[b.i], list, n * sizeof(*list));
	return true;
}

/* How many ranges have bits there. */
static size_t pieces_until(struct tn_cells *from, int64_t begin, int64_t end)
{
	size_t first = find(from, begin), last = first;

	while (last < from->count && from->items[last].begin < end)
		last++;
	return last - first;
}

/* All at once: a piece at a time would move what is behind them as often. */
bool tn_cells_copy(struct tn_cells *to, struct tn_arena *arena, int64_t to_begin,
	struct tn_cells *from, int64_t from_begin, int64_t len, uint32_t event)
{
	size_t pieces, room, n = 0;
	struct tn_cell *list;
	struct border b;

	assert(to != from);
	if (len <= 0)
		return true;
	pieces = pieces_until(from, from_begin, from_begin + len);
	b = border_of(to, to_begin, to_begin + len);
	room = b.n_before + pieces + b.n_after;
	if (!make_room(to, arena, b.i, b.j, room))
		return false;
	list = &to->items[b.i];
	for (size_t i = 0; i < b.n_before; i++)
		n = append(list, n, b.before[i]);
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
	for (size_t i = 0; i < b.n_after; i++)
		n = append(list, n, b.after[i]);
	if (n < room) { /* some continued others */
		memmove(&list[n], &list[room],
			(to->count - b.i - room) * sizeof(*list));
		to->count -= room - n;
	}
	return true;
}
