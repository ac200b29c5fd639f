#include "claims/cells.h"

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

/* Replaces the ranges [i, j) by the n of list. */
static bool splice(struct tn_cells *m, struct tn_arena *arena, size_t i, size_t j,
	const struct tn_cell *list, size_t n)
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
	if (n)
		memcpy(&m->items[i], list, n * sizeof(*list));
	m->count = count;
	return true;
}

bool tn_cells_put(struct tn_cells *m, struct tn_arena *arena, struct tn_cell cell)
{
	struct tn_cell list[5]; /* neighbour, left rest, new, right rest, neighbour */
	size_t i, j, n = 0;

	if (cell.begin >= cell.end)
		return true;
	i = j = find(m, cell.begin);
	while (j < m->count && m->items[j].begin < cell.end)
		j++;
	if (i > 0)
		n = append(list, n, m->items[i - 1]);
	if (i < j && m->items[i].begin < cell.begin) {
		struct tn_cell left = m->items[i];

		left.end = cell.begin;
		n = append(list, n, left);
	}
	if (cell.value != CELL_EMPTY)
		n = append(list, n, cell);
	if (i < j && m->items[j - 1].end > cell.end) {
		struct tn_cell right = m->items[j - 1];

		cut_begin(&right, cell.end);
		n = append(list, n, right);
	}
	if (j < m->count)
		n = append(list, n, m->items[j++]);
	return splice(m, arena, i > 0 ? i - 1 : i, j, list, n);
}

bool tn_cells_copy(struct tn_cells *to, struct tn_arena *arena, int64_t to_begin,
	struct tn_cells *from, int64_t from_begin, int64_t len, uint32_t event)
{
	for (int64_t done = 0; done < len;) {
		struct tn_cell c = tn_cells_at(from, from_begin + done);
		int64_t n = tn_min_i64(c.end - c.begin, len - done);

		c.begin = to_begin + done;
		c.end = c.begin + n;
		if (event != EVENT_NONE)
			c.event = event;
		if (!tn_cells_put(to, arena, c))
			return false;
		done += n;
	}
	return true;
}
