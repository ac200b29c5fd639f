#include "base/place.h"

#include <string.h>

#include "base/digits.h"
#include "base/place_xml.h"
#include "base/qsort.h"

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

/* Inside of an object or array: to the next byte that begins or ends something. */
static void skip_plain(struct scan *s)
{
	static const bool stops[256] = {
		['{'] = true, ['}'] = true, ['['] = true, [']'] = true, ['"'] = true
	};
	const char *at = s->text + s->at;
	const char *end = s->text + s->len;

	while (at < end && !stops[(unsigned char)*at])
		at++;
	s->at = (size_t)(at - s->text);
}

static void skip_value(struct scan *s)
{
	size_t depth = 0;

	skip_space(s);
	while (s->at < s->len) {
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
			if (depth)
				skip_plain(s);
			else
				skip_bare(s);
		}
		if (!depth)
			break;
	}
	skip_space(s);
}

/* The next symbol of a pointer: 0 at its end, 1 for a slash, else a byte + 2. */
static inline int pointer_next(const char **at)
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

/* Symbols of the first token of `rest` ("/token/..."). */
static size_t token_len(const char *rest)
{
	size_t n = 0;

	for (rest++; *rest && *rest != '/'; rest++, n++)
		if (*rest == '~' && rest[1] && rest[1] != '/')
			rest++;
	return n;
}

/* Parents before children, shorter tokens before longer ones: so the elements of a list
 * come in their order. */
static int compare_pointers(const void *a, const void *b)
{
	const struct tn_place_query *qa = a, *qb = b;
	const char *pa = qa->pointer, *pb = qb->pointer;

	while (*pa && *pb) {
		const size_t na = token_len(pa), nb = token_len(pb);
		int ca, cb;

		if (na != nb)
			return na < nb ? -1 : 1;
		pa++;
		pb++;
		for (size_t i = 0; i < na; i++)
			if ((ca = pointer_next(&pa)) != (cb = pointer_next(&pb)))
				return ca - cb;
	}
	if (*pa || *pb)
		return *pa ? 1 : -1;
	return (qa->id > qb->id) - (qa->id < qb->id);
}

/* A key of the text, quotes stripped. Escapes other than those of one character are rare
 * in keys and compare as unequal. */
struct key {
	const char *at, *end;
	size_t len; /* in symbols */
};

static int key_next(struct key *k)
{
	if (k->at == k->end)
		return 0;
	if (*k->at == '\\' && k->at + 1 < k->end)
		k->at++;
	return (unsigned char)*k->at++ + 2;
}

static struct key key_of(const char *text, size_t len)
{
	struct key k = { text, text + len, 0 };
	struct key at = k;

	while (key_next(&at))
		k.len++;
	return k;
}

/* The first token of `rest` against the key, in the order of compare_pointers. */
static int compare_token(const char *rest, struct key k)
{
	size_t len;
	int ct, ck;

	if (*rest != '/')
		return -1;
	len = token_len(rest);
	if (len != k.len)
		return len < k.len ? -1 : 1;
	rest++;
	while (len--)
		if ((ct = pointer_next(&rest)) != (ck = key_next(&k)))
			return ct - ck;
	return 0;
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

/* The queries of the group, from `lo` on, that lead through the key. */
static struct group narrow(
	const struct tn_place_query *q, struct group in, size_t lo, struct key k)
{
	struct group out = { lo, lo };

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
	size_t next; /* query: those before it lead to elements before that */
	bool is_array;
};

static struct group next_element(struct frame *f, const struct tn_place_query *q)
{
	char text[TN_DIGITS_MAX];
	const char *digits = tn_digits(text, f->index++);
	const struct key key =
		key_of(digits, (size_t)(text + TN_DIGITS_MAX - 1 - digits));
	struct group found;

	while (f->next < f->group.hi && compare_token(q[f->next].rest, key) < 0)
		f->next++;
	found = narrow(q, f->group, f->next, key);
	f->next = found.hi;
	return found;
}

/* The queries that lead into the next member or element; leaves the scan at its value. */
static struct group next_child(
	struct scan *s, struct frame *f, const struct tn_place_query *q)
{
	size_t begin = s->at, end;
	struct key key;

	if (f->is_array)
		return next_element(f, q);
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
	key = key_of(s->text + begin, end - begin);
	return narrow(q, f->group, first_not_below(q, f->group, key), key);
}

static bool open_frame(
	struct scan *s, struct frame *stack, size_t *depth, struct group group)
{
	char c = s->at < s->len ? s->text[s->at] : '\0';

	if ((c != '{' && c != '[') || *depth == DEPTH_MAX)
		return false;
	stack[(*depth)++] = (struct frame){ group, 0, group.lo, c == '[' };
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
		tn_qsort(queries, n, sizeof(*queries), compare_pointers);
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
