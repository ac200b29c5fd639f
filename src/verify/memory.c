#include "verify/memory.h"

#include <string.h>

#include "base/banned.h"
#include "base/checked.h"

/* The first segment that ends after `at`. A kernel's next access is nearly always where
 * its last one was, hence the hint. */
static size_t find(struct tn_memory *m, int64_t at)
{
	size_t lo = 0, hi = m->count, i = m->hint;

	if (i < hi && at < tn_memory_item(m, i)->end &&
		(i == 0 || tn_memory_item(m, i - 1)->end <= at))
		return i;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (tn_memory_item(m, mid)->end <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	m->hint = lo;
	return lo;
}

struct tn_content tn_memory_at(struct tn_memory *m, int64_t at)
{
	size_t i = find(m, at);
	const struct tn_segment *s = i < m->count ? tn_memory_item(m, i) : NULL;

	if (!s)
		return (struct tn_content){ TN_NOTHING, 0, INT64_MAX - at };
	if (s->begin > at)
		return (struct tn_content){ TN_NOTHING, 0, s->begin - at };
	return (struct tn_content){ s->value, s->at + (at - s->begin), s->end - at };
}

/* Puts s behind the n segments of list, as part of the last one if it continues it. */
static size_t append(struct tn_segment *list, size_t n, struct tn_segment s)
{
	struct tn_segment *last = n ? &list[n - 1] : NULL;

	if (last && last->end == s.begin && last->value == s.value &&
		last->at + (last->end - last->begin) == s.at) {
		last->end = s.end;
		return n;
	}
	list[n] = s;
	return n + 1;
}

/* A larger array; the gap stays where it is. */
static bool grow(struct tn_memory *m, struct tn_arena *arena, size_t capacity)
{
	const size_t size = sizeof(*m->items), behind = m->count - m->gap;
	struct tn_segment *items = TN_NEW_ARRAY(arena, struct tn_segment, capacity);

	if (!items)
		return false;
	if (m->gap)
		memcpy(items, m->items, m->gap * size);
	if (behind)
		memcpy(&items[capacity - behind], &m->items[m->capacity - behind],
			behind * size);
	m->items = items;
	m->capacity = capacity;
	return true;
}

/* Replaces the segments [i, j) by the n of list. */
static bool splice(struct tn_memory *m, struct tn_arena *arena, size_t i, size_t j,
	const struct tn_segment *list, size_t n)
{
	const size_t size = sizeof(*list), count = m->count - (j - i) + n;
	size_t unused;

	/* if it grows, this will not be the last time */
	if (count > m->capacity && !grow(m, arena, m->count ? 2 * count : count))
		return false;
	unused = m->capacity - m->count;
	if (n == j - i) {
		for (size_t k = 0; k < n; k++)
			*tn_memory_item(m, i + k) = list[k];
		return true;
	}
	if (m->gap < j)
		memmove(&m->items[m->gap], &m->items[m->gap + unused],
			(j - m->gap) * size);
	else if (m->gap > j)
		memmove(&m->items[j + unused], &m->items[j], (m->gap - j) * size);
	if (n)
		memcpy(&m->items[i], list, n * size);
	m->gap = i + n;
	m->count = count;
	return true;
}

bool tn_memory_write(struct tn_memory *m, struct tn_arena *arena, int64_t begin,
	int64_t end, uint32_t value, int64_t at)
{
	struct tn_segment list[5]; /* neighbour, left rest, new, right rest, neighbour */
	size_t i, j, n = 0;

	if (begin >= end)
		return true;
	i = j = find(m, begin);
	while (j < m->count && tn_memory_item(m, j)->begin < end)
		j++;
	if (i > 0)
		n = append(list, n, *tn_memory_item(m, i - 1));
	if (i < j && tn_memory_item(m, i)->begin < begin) {
		n = append(list, n, *tn_memory_item(m, i));
		list[n - 1].end = begin;
	}
	if (value != TN_NOTHING)
		n = append(list, n, (struct tn_segment){ begin, end, at, value });
	if (i < j && tn_memory_item(m, j - 1)->end > end) {
		struct tn_segment rest = *tn_memory_item(m, j - 1);

		rest.at += end - rest.begin;
		rest.begin = end;
		n = append(list, n, rest);
	}
	if (j < m->count)
		n = append(list, n, *tn_memory_item(m, j++));
	return splice(m, arena, i > 0 ? i - 1 : i, j, list, n);
}

bool tn_memory_copy(struct tn_memory *to, struct tn_arena *arena, int64_t begin,
	struct tn_memory *from, int64_t from_begin, int64_t len)
{
	int64_t n;

	for (int64_t done = 0; done < len; done += n) {
		struct tn_content c = tn_memory_at(from, from_begin + done);

		n = tn_min_i64(c.run, len - done);
		if (!tn_memory_write(
			    to, arena, begin + done, begin + done + n, c.value, c.at))
			return false;
	}
	return true;
}

int64_t tn_memory_match(struct tn_memory *m, int64_t begin, struct tn_memory *want,
	int64_t want_begin, int64_t len, bool strict)
{
	int64_t done = 0;

	while (done < len) {
		struct tn_content w = tn_memory_at(want, want_begin + done);
		struct tn_content c = tn_memory_at(m, begin + done);
		bool any = w.value == TN_NOTHING;

		if (any ? strict : c.value != w.value || c.at != w.at)
			return done;
		done += any ? w.run : tn_min_i64(w.run, c.run);
	}
	return len;
}
