#include "base/place_xml.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/banned.h"

/* The child of the parent that the pointer asks for; SIZE_MAX: it leads nowhere. `rest` is
 * set behind the parent's name. */
static size_t number_of(const struct tn_place_query *q)
{
	const char *digits = strchr(q->pointer + (*q->pointer == '/'), '/');
	size_t n = 0;

	if (!digits || !digits[1])
		return SIZE_MAX;
	for (digits++; *digits && *digits != '/'; digits++) {
		if (*digits < '0' || *digits > '9' || n > SIZE_MAX / 16)
			return SIZE_MAX;
		n = 10 * n + (size_t)(*digits - '0');
	}
	return n;
}

static int by_number(const void *a, const void *b)
{
	const size_t x = number_of(a), y = number_of(b);

	return x < y ? -1 : x > y;
}

struct scan {
	const char *text;
	size_t len, at;
	size_t counted; /* up to here lines are counted */
	size_t line, start; /* of this one, and where it begins */
};

static void count(struct scan *s)
{
	const char *newline;

	while (s->counted < s->at && (newline = memchr(s->text + s->counted, '\n',
					      s->at - s->counted)) != NULL) {
		s->counted = s->start = (size_t)(newline - s->text) + 1;
		s->line++;
	}
	s->counted = s->at;
}

static void put(struct scan *s, struct tn_place_query *q)
{
	count(s);
	q->place = (struct tn_place){ s->line, s->at - s->start + 1 };
	q->character = 1;
	for (size_t i = s->start; i < s->at; i++)
		q->character += ((unsigned char)s->text[i] & 0xC0) != 0x80;
}

static bool starts(const struct scan *s, const char *what)
{
	const size_t n = strlen(what);

	return s->len - s->at >= n && memcmp(s->text + s->at, what, n) == 0;
}

/* Behind the next `what`, or at the end. */
static void skip_to(struct scan *s, const char *what)
{
	const size_t n = strlen(what);

	while (s->at < s->len && !starts(s, what)) {
		const char *next =
			memchr(s->text + s->at + 1, what[0], s->len - s->at - 1);

		s->at = next ? (size_t)(next - s->text) : s->len;
	}
	s->at = s->at + n <= s->len ? s->at + n : s->len;
}

/* Behind a tag, whose values may hold '>'; true when it has no content. */
static bool skip_tag(struct scan *s)
{
	char quote = 0;

	for (s->at++; s->at < s->len; s->at++) {
		const char c = s->text[s->at];

		if (quote ? c == quote : c == '"' || c == '\'')
			quote = quote ? 0 : c;
		else if (!quote && c == '>')
			break;
	}
	s->at += s->at < s->len;
	return s->at >= 2 && s->text[s->at - 2] == '/';
}

/* Leaves the scan at the next element's start or end; false when there is none. */
static bool next_tag(struct scan *s)
{
	for (;;) {
		const char *next = s->at < s->len
					   ? memchr(s->text + s->at, '<', s->len - s->at)
					   : NULL;

		s->at = next ? (size_t)(next - s->text) : s->len;
		if (!next)
			return false;
		if (starts(s, "<!--"))
			skip_to(s, "-->");
		else if (starts(s, "<![CDATA["))
			skip_to(s, "]]>");
		else if (starts(s, "<?"))
			skip_to(s, "?>");
		else if (starts(s, "<!"))
			skip_to(s, ">");
		else
			return true;
	}
}

/* Is the element at the scan the parent that the pointer names? */
static bool is_parent(const struct scan *s, const char *pointer)
{
	const size_t n = *pointer == '/' ? strcspn(pointer + 1, "/") : 0;

	return *pointer == '/' && s->len - s->at > n + 1 &&
	       memcmp(s->text + s->at + 1, pointer + 1, n) == 0 &&
	       strchr(" \t\r\n>/", s->text[s->at + 1 + n]) != NULL;
}

bool tn_place_is_xml(const char *text, size_t len)
{
	size_t i = len >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;

	while (i < len && strchr(" \t\r\n", text[i]) && text[i])
		i++;
	return i < len && text[i] == '<';
}

void tn_place_find_xml(
	const char *text, size_t len, struct tn_place_query *queries, size_t n)
{
	struct scan s = { .text = text, .len = len, .line = 1 };
	size_t depth = 0, child = 0, next = 0;
	bool inside = false; /* of the parent that is asked for */

	if (n)
		qsort(queries, n, sizeof(*queries), by_number);
	while (next_tag(&s) && (next < n || !depth)) {
		const bool closing = starts(&s, "</");

		if (!depth && !closing)
			for (size_t i = 0; i < n; i++)
				put(&s, &queries[i]);
		if (depth == 1 && !closing) {
			inside = next < n && is_parent(&s, queries[next].pointer);
			child = 0;
		}
		if (depth == 2 && !closing && inside) {
			for (; next < n && number_of(&queries[next]) <= child; next++)
				if (number_of(&queries[next]) == child)
					put(&s, &queries[next]);
			child++;
		}
		if (skip_tag(&s))
			continue;
		if (!closing)
			depth++;
		else if (depth)
			depth--;
	}
}
