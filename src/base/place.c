#include "base/place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/place_xml.h"

#include "base/banned.h"

#define DEPTH_MAX 512

struct scan {
	const char *text;
	size_t len, at;
};

/* What may stand between two values, a NUL among it. */
static bool is_space(char c)
{
	return c == ' ' || c == '\n' || c == ',' || c == ':' || c == '\t' || c == '\r' ||
	       !c;
}

static void skip_space(struct scan *s)
{
	while (s->at < s->len && is_space(s->text[s->at]))
		s->at++;
}

/* Leaves the scan behind the closing quote. */
static void skip_string(struct scan *s)
{
	s->at++;
	while (s->at < s->len && s->text[s->at] != '"') {
		if (s->text[s->at] == '\\')
			s->at++;
		s->at++;
	}
	if (s->at < s->len)
		s->at++;
	else
		s->at = s->len;
}

static bool is_bracket(char c)
{
	return c == '{' || c == '}' || c == '[' || c == ']';
}

static void skip_bare(struct scan *s)
{
	while (s->at < s->len && !is_space(s->text[s->at]) &&
		!is_bracket(s->text[s->at]) && s->text[s->at] != '"')
		s->at++;
}

static bool is_closing(const struct scan *s)
{
	return s->text[s->at] == '}' || s->text[s->at] == ']';
}

static void skip_value(struct scan *s)
{
	size_t depth = 0;

	do {
		skip_space(s);
		if (s->at >= s->len)
			return;
		switch (s->text[s->at]) {
		case '{':
		case '[':
			depth++;
			s->at++;
			break;
		case '}':
		case ']':
			if (!depth)
				return;
			depth--;
			s->at++;
			break;
		case '"':
			skip_string(s);
			break;
		default:
			skip_bare(s);
		}
		skip_space(s);
	} while (depth && s->at < s->len);
}

/* The next symbol of a pointer: 0 at its end, 1 for a slash, else a byte + 2. So shorter
 * tokens sort before longer ones, and parents before children. */
static int pointer_next(const char **at)
{
	unsigned char c = (unsigned char)**at;

	if (!c)
		return 0;
	(*at)++;
	if (c == '/')
		return 1;
	if (c == '~' && **at && **at != '/')
		return (*(*at)++ == '1' ? '/' : '~') + 2;
	return c + 2;
}

static int compare_pointers(const void *a, const void *b)
{
	const struct tn_place_query *qa = a, *qb = b;
	const char *pa = qa->pointer, *pb = qb->pointer;
	int ca, cb;

	do {
		ca = pointer_next(&pa);
		cb = pointer_next(&pb);
	} while (ca == cb && ca);
	return ca != cb ? ca - cb : (qa->id > qb->id) - (qa->id < qb->id);
}

/* A key of the text, quotes stripped. Escapes other than those of one character are rare
 * in keys and compare as unequal. */
struct key {
	const char *at, *end;
};

static int key_next(struct key *k)
{
	if (k->at == k->end)
		return 0;
	if (*k->at == '\\' && k->at + 1 < k->end)
		k->at++;
	return (unsigned char)*k->at++ + 2;
}

/* The first token of `rest` ("/token/…") against the key, as memcmp says it. */
static int compare_token(const char *rest, struct key k)
{
	int ct, ck;

	if (*rest != '/')
		return -1;
	rest++;
	do {
		ct = pointer_next(&rest);
		if (ct == 1)
			ct = 0;
		ck = key_next(&k);
	} while (ct == ck && ct);
	return ct - ck;
}

struct group {
	size_t lo, hi; /* queries, half-open */
};

static size_t first_not_below(
	const struct tn_place_query *q, struct group in, struct key k)
{
	while (in.lo < in.hi) {
		size_t mid = in.lo + (in.hi - in.lo) / 2;

		if (compare_token(q[mid].rest, k) < 0)
			in.lo = mid + 1;
		else
			in.hi = mid;
	}
	return in.lo;
}

/* The queries of the group that lead through the key. */
static struct group narrow(
	const struct tn_place_query *q, struct group in, const char *key, size_t len)
{
	const struct key k = { key, key + len };
	struct group out;

	out.lo = out.hi = first_not_below(q, in, k);
	while (out.hi < in.hi && compare_token(q[out.hi].rest, k) == 0)
		out.hi++;
	return out;
}

/* Where the scan has counted lines and columns to. */
struct count {
	size_t at;
	struct tn_place place;
	size_t character;
};

static size_t characters(const char *text, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += ((unsigned char)text[i] & 0xc0) != 0x80;
	return n;
}

static void count_to(struct count *c, const struct scan *s)
{
	const char *newline;

	while (c->at < s->at &&
		(newline = memchr(s->text + c->at, '\n', s->at - c->at)) != NULL) {
		c->at = (size_t)(newline - s->text) + 1;
		c->place = (struct tn_place){ c->place.line + 1, 1 };
		c->character = 1;
	}
	if (c->at < s->at) {
		c->place.column += s->at - c->at;
		c->character += characters(s->text + c->at, s->at - c->at);
		c->at = s->at;
	}
}

/* The queries of the group have come as far as here; does one lead further? */
static bool arrive(
	const struct count *c, struct tn_place_query *q, struct group g, bool token)
{
	bool further = false;

	for (size_t i = g.lo; i < g.hi; i++) {
		q[i].place = c->place;
		q[i].character = c->character;
		if (token)
			q[i].rest += 1 + strcspn(q[i].rest + 1, "/");
		further = further || *q[i].rest == '/';
	}
	return further;
}

/* Back to the parent, so that the group's queries sort among their siblings again. */
static void leave(struct tn_place_query *q, struct group g)
{
	for (size_t i = g.lo; i < g.hi; i++)
		do {
			q[i].rest--;
		} while (*q[i].rest != '/');
}

/* An open object or array, and the queries that lead into it. */
struct frame {
	struct group group;
	size_t index; /* of the next element */
	bool is_array;
};

/* The queries that lead into the next member or element; leaves the scan at its value. */
static struct group next_child(
	struct scan *s, struct frame *f, const struct tn_place_query *q)
{
	size_t begin = s->at, end;
	char digits[24];

	if (f->is_array) {
		int len = snprintf(digits, sizeof(digits), "%zu", f->index++);

		return narrow(q, f->group, digits, (size_t)len);
	}
	if (s->text[s->at] == '"') {
		skip_string(s);
		begin++;
		end = s->at - 1 > begin ? s->at - 1 : begin;
	} else {
		skip_bare(s);
		if (s->at == begin)
			s->at++; /* no key at all: whatever it is, move on */
		end = s->at;
	}
	skip_space(s);
	return narrow(q, f->group, s->text + begin, end - begin);
}

static bool open_frame(
	struct scan *s, struct frame *stack, size_t *depth, struct group group)
{
	char c = s->at < s->len ? s->text[s->at] : '\0';

	if ((c != '{' && c != '[') || *depth == DEPTH_MAX)
		return false;
	stack[(*depth)++] = (struct frame){ group, 0, c == '[' };
	s->at++;
	return true;
}

bool tn_place_find_all(
	const char *text, size_t len, struct tn_place_query *queries, size_t n)
{
	struct frame stack[DEPTH_MAX];
	struct scan s = { text, len, 0 };
	struct count count = { 0, { 1, 1 }, 1 };
	static const char mark[] = "\xef\xbb\xbf"; /* of the byte order; no column */
	struct group all = { 0, n };
	size_t depth = 0;

	if (tn_place_is_xml(text, len)) {
		tn_place_find_xml(text, len, queries, n);
		return true;
	}
	for (size_t i = 0; i < n; i++)
		queries[i].rest = queries[i].pointer;
	if (n)
		qsort(queries, n, sizeof(*queries), compare_pointers);
	if (len >= 3 && memcmp(text, mark, 3) == 0)
		s.at = count.at = 3;
	skip_space(&s);
	if (s.at >= s.len)
		return false;
	count_to(&count, &s);
	if (arrive(&count, queries, all, false))
		open_frame(&s, stack, &depth, all);
	while (depth) {
		struct group group;

		skip_space(&s);
		if (s.at >= s.len)
			break;
		if (is_closing(&s)) {
			s.at++;
			if (--depth)
				leave(queries, stack[depth].group);
			continue;
		}
		group = next_child(&s, &stack[depth - 1], queries);
		if (group.lo == group.hi || s.at >= s.len) {
			skip_value(&s);
			continue;
		}
		count_to(&count, &s);
		if (arrive(&count, queries, group, true) &&
			open_frame(&s, stack, &depth, group))
			continue;
		skip_value(&s);
		leave(queries, group);
	}
	return true;
}

bool tn_place_find(
	const char *text, size_t len, const char *pointer, struct tn_place *out)
{
	struct tn_place_query query = { .pointer = pointer };

	if (!tn_place_find_all(text, len, &query, 1))
		return false;
	*out = query.place;
	return true;
}
