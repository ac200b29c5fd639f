#include "verify/memory.h"

#include <string.h>

#include "base/banned.h"
#include "base/checked.h"

/* The first segment that ends after `at`. A kernel's next access is nearly always where
 * its last one was, hence the hint. */
static size_t find(struct tn_memory *m, int64_t at)
{
	size_t lo = 0, hi = m->count, i = m->hint;

	if (i < hi && at < m->items[i].end && (i == 0 || m->items[i - 1].end <= at))
		return i;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (m->items[mid].end <= at)
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
	const struct tn_segment *s = i < m->count ? &m->items[i] : NULL;

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

/* Replaces the segments [i, j) by the n of list. */
static bool splice(struct tn_memory *m, struct tn_arena *arena, size_t i, size_t j,
	const struct tn_segment *list, size_t n)
{
	const size_t size = sizeof(*list), count = m->count - (j - i) + n;
	struct tn_segment *items = m->items;

	if (count > m->capacity) {
		/* if it grows, this will not be the last time */
		m->capacity = m->count ? 2 * count : count;
		items = TN_NEW_ARRAY(arena, struct tn_segment, m->capacity);
		if (!items)
			return false;
		if (i)
			memcpy(items, m->items, i * size);
	}
	if (j < m->count && (items != m->items || n != j - i))
		memmove(&items[i + n], &m->items[j], (m->count - j) * size);
	if (n)
		memcpy(&items[i], list, n * size);
	m->items = items;
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
	while (j < m->count && m->items[j].begin < end)
		j++;
	if (i > 0)
		n = append(list, n, m->items[i - 1]);
	if (i < j && m->items[i].begin < begin) {
		n = append(list, n, m->items[i]);
		list[n - 1].end = begin;
	}
	if (value != TN_NOTHING)
		n = append(list, n, (struct tn_segment){ begin, end, at, value });
	if (i < j && m->items[j - 1].end > end) {
		struct tn_segment rest = m->items[j - 1];

		rest.at += end - rest.begin;
		rest.begin = end;
		n = append(list, n, rest);
	}
	if (j < m->count)
		n = append(list, n, m->items[j++]);
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
