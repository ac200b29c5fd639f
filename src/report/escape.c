#include "report/escape.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "report/width.h"

#include "base/banned.h"

#define REPLACEMENT 0xfffd

uint32_t tn_utf8_next(const char **at)
{
	const unsigned char *s = (const unsigned char *)*at;
	uint32_t cp, least;
	size_t more;

	if (!*s)
		return 0;
	(*at)++;
	if (*s < 0x80)
		return *s;
	if (*s >= 0xc2 && *s < 0xe0) {
		more = 1;
		cp = *s & 0x1fu;
		least = 0x80;
	} else if (*s >= 0xe0 && *s < 0xf0) {
		more = 2;
		cp = *s & 0x0fu;
		least = 0x800;
	} else if (*s >= 0xf0 && *s < 0xf5) {
		more = 3;
		cp = *s & 0x07u;
		least = 0x10000;
	} else {
		return REPLACEMENT;
	}
	for (size_t i = 1; i <= more; i++) {
		if ((s[i] & 0xc0) != 0x80) /* the NUL ends it too */
			return REPLACEMENT;
		cp = cp << 6 | (s[i] & 0x3fu);
	}
	if (cp < least || cp > 0x10ffff || (cp >= 0xd800 && cp < 0xe000))
		return REPLACEMENT;
	*at += more;
	return cp;
}

static void add_utf8(struct tn_strbuf *out, uint32_t cp)
{
	char s[4];
	size_t n = 0;

	if (cp < 0x80) {
		s[n++] = (char)cp;
	} else if (cp < 0x800) {
		s[n++] = (char)(0xc0 | cp >> 6);
	} else if (cp < 0x10000) {
		s[n++] = (char)(0xe0 | cp >> 12);
	} else {
		s[n++] = (char)(0xf0 | cp >> 18);
		s[n++] = (char)(0x80 | (cp >> 12 & 0x3f));
	}
	if (cp >= 0x800)
		s[n++] = (char)(0x80 | (cp >> 6 & 0x3f));
	if (cp >= 0x80)
		s[n++] = (char)(0x80 | (cp & 0x3f));
	tn_strbuf_add(out, s, n);
}

/* Bytes at the start that are printable ASCII: most of most names. */
static size_t plain_run(const char *text)
{
	size_t n = 0;

	while (text[n] >= 0x20 && text[n] < 0x7f)
		n++;
	return n;
}

void tn_escape_utf8(struct tn_strbuf *out, const char *text)
{
	uint32_t cp;

	do {
		const size_t n = plain_run(text);

		tn_strbuf_add(out, text, n);
		text += n;
		cp = tn_utf8_next(&text);
		if (cp)
			add_utf8(out, cp);
	} while (cp);
}

struct range {
	uint32_t first, last;
};

static bool in_ranges(const struct range *ranges, size_t n, uint32_t cp)
{
	for (size_t i = 0; i < n; i++)
		if (cp >= ranges[i].first && cp <= ranges[i].last)
			return true;
	return false;
}

#define IN_RANGES(ranges, cp)                                                            \
	in_ranges((ranges), sizeof(ranges) / sizeof(*(ranges)), (cp))

/* Takes no room, turns the direction, breaks a line, or is no character at all. */
static bool is_invisible(uint32_t cp)
{
	static const struct range ranges[] = {
		{ 0x00, 0x1f },
		{ 0x7f, 0x9f },
		{ 0xad, 0xad },
		{ 0x34f, 0x34f },
		{ 0x61c, 0x61c },
		{ 0x115f, 0x1160 },
		{ 0x17b4, 0x17b5 },
		{ 0x180b, 0x180f },
		{ 0x200b, 0x200f },
		{ 0x2028, 0x202e },
		{ 0x2060, 0x206f },
		{ 0x3164, 0x3164 },
		{ 0xfeff, 0xfeff },
		{ 0xffa0, 0xffa0 },
		{ 0xfff0, 0xfffb },
		{ 0xfffe, 0xffff },
		{ 0x1bca0, 0x1bca3 },
		{ 0x1d173, 0x1d17a },
		{ 0xe0000, 0xe0fff },
		{ 0xf0000, 0x10ffff },
	};

	return IN_RANGES(ranges, cp);
}

/* One code point as it is shown; returns its columns. With out NULL it only measures. */
static size_t show(struct tn_strbuf *out, uint32_t cp)
{
	size_t digits = 4;

	if (!is_invisible(cp)) {
		if (out)
			add_utf8(out, cp);
		return tn_width_of(cp);
	}
	if (cp < 0x100) {
		if (out)
			tn_strbuf_printf(out, "\\x%02" PRIx32, cp);
		return 4;
	}
	if (out)
		tn_strbuf_printf(out, "\\u{%04" PRIx32 "}", cp);
	for (uint32_t rest = cp >> 16; rest; rest >>= 4)
		digits++;
	return digits + 4;
}

/* Marks on one letter that are drawn: a stack of hundreds would be painted over other
 * rows. No script needs more. */
#define MARKS_MAX 4

/* From `text` up to `end`, without what is too much. */
static void show_part(struct tn_strbuf *out, const char *text, const char *end)
{
	size_t marks = 0;

	while (text < end) {
		const size_t plain = plain_run(text), left = (size_t)(end - text);
		const size_t n = plain < left ? plain : left;
		uint32_t cp;

		tn_strbuf_add(out, text, n);
		text += n;
		cp = text < end ? tn_utf8_next(&text) : 0;
		if (!cp)
			return;
		marks = n ? 0 : marks;
		marks = !is_invisible(cp) && !tn_width_of(cp) ? marks + 1 : 0;
		if (marks <= MARKS_MAX)
			show(out, cp);
	}
}

void tn_escape_visible(struct tn_strbuf *out, const char *text)
{
	uint32_t cp;

	do {
		const size_t n = plain_run(text);

		tn_strbuf_add(out, text, n);
		text += n;
		cp = tn_utf8_next(&text);
		if (cp)
			show(out, cp);
	} while (cp);
}

void tn_escape_lines(struct tn_strbuf *out, const char *text)
{
	struct tn_strbuf part;

	tn_strbuf_init(&part);
	while (*text) {
		const size_t n = strcspn(text, "\n\t");

		part.len = 0;
		tn_strbuf_add(&part, text, n);
		if (n && !part.failed)
			tn_escape_visible(out, part.text);
		text += n;
		if (*text)
			tn_strbuf_putc(out, *text++);
	}
	out->failed = out->failed || part.failed;
	tn_strbuf_release(&part);
}

size_t tn_escape_width(const char *text)
{
	size_t width = 0;
	uint32_t cp;

	do {
		const size_t n = plain_run(text);

		width += n;
		text += n;
		cp = tn_utf8_next(&text);
		width += cp ? show(NULL, cp) : 0;
	} while (cp);
	return width;
}

/* Behind the letter that starts here, with all that belongs to it; NULL at the end. */
static const char *letter_end(const char *text, size_t *out_width)
{
	uint32_t cp = tn_utf8_next(&text), before;
	size_t flags = tn_width_flag(cp);
	const char *next = text;

	if (!cp)
		return NULL;
	*out_width = show(NULL, cp);
	for (before = cp; (cp = tn_utf8_next(&next)); before = cp, text = next) {
		if (!tn_width_joins(before, cp, flags))
			break;
		flags = 0;
		*out_width += show(NULL, cp);
	}
	return text;
}

/* The end of a name says more than its start ("…/Conv2d_3_pointwise/Relu6"). */
static void cut_in_the_middle(
	struct tn_strbuf *out, const char *text, size_t width, size_t columns)
{
	size_t head, tail, letter = 0;
	const char *at = text, *end;

	head = (columns - 2) / 3;
	tail = columns - 2 - head;
	while ((end = letter_end(at, &letter)) && letter <= head) {
		head -= letter;
		width -= letter;
		at = end;
	}
	show_part(out, text, at);
	text = at;
	tn_strbuf_puts(out, "..");
	for (; width > tail && (end = letter_end(text, &letter)); text = end)
		width -= letter;
	show_part(out, text, text + strlen(text));
}

/* Converters join the names of all that they have fused, with semicolons: the first one
 * is that of the result. */
static void cut_joined(
	struct tn_strbuf *out, const char *text, const char *join, size_t columns)
{
	struct tn_strbuf first;
	size_t width;

	tn_strbuf_init(&first);
	tn_strbuf_add(&first, text, (size_t)(join - text));
	out->failed = out->failed || first.failed;
	if (!first.failed) {
		width = tn_escape_width(first.text);
		if (width + 2 <= columns) {
			tn_escape_visible(out, first.text);
			tn_strbuf_puts(out, "..");
		} else {
			cut_in_the_middle(out, first.text, width, columns);
		}
	}
	tn_strbuf_release(&first);
}

void tn_escape_short(struct tn_strbuf *out, const char *text, size_t columns)
{
	const size_t width = tn_escape_width(text);
	const char *join = strchr(text, ';');

	if (width <= columns)
		show_part(out, text, text + strlen(text));
	else if (join && join > text)
		cut_joined(out, text, join, columns);
	else
		cut_in_the_middle(out, text, width, columns);
}

void tn_escape_words(struct tn_strbuf *out, const char *text, size_t columns)
{
	struct tn_strbuf word;

	tn_strbuf_init(&word);
	while (*text) {
		const size_t gap = strspn(text, " "), n = strcspn(text + gap, " ");

		tn_strbuf_add(out, text, gap);
		word.len = 0;
		tn_strbuf_add(&word, text + gap, n);
		if (n && !word.failed)
			tn_escape_short(out, word.text, columns);
		text += gap + n;
	}
	out->failed = out->failed || word.failed;
	tn_strbuf_release(&word);
}

void tn_escape_number(struct tn_strbuf *out, int64_t value)
{
	uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
	char text[32];
	size_t at = sizeof(text);

	for (int digits = 0; left || !digits; digits++, left /= 10) {
		if (digits && digits % 3 == 0)
			text[--at] = ',';
		text[--at] = (char)('0' + left % 10);
	}
	if (value < 0)
		text[--at] = '-';
	tn_strbuf_add(out, text + at, sizeof(text) - at);
}
