#include "base/place.h"

#include <stdlib.h>
#include <string.h>

#include "base/banned.h"

#define DEPTH_MAX 512

struct scan {
	const char *text;
	size_t len, at;
};

static void skip_space(struct scan *s)
{
	while (s->at < s->len && strchr(" \t\r\n,:", s->text[s->at]))
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

static void skip_bare(struct scan *s)
{
	while (s->at < s->len && !strchr(" \t\r\n,:[]{}\"", s->text[s->at]))
		s->at++;
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

/* Does the key text[begin..end) (quotes stripped, escapes as in the file) equal the
 * pointer token? Escaped keys other than \/ and \" are rare and compare as unequal. */
static bool key_equals(const char *key, size_t len, const char *token, size_t token_len)
{
	size_t i = 0, j = 0;

	while (i < len && j < token_len) {
		char want = token[j++];
		char have = key[i++];

		if (want == '~' && j < token_len)
			want = token[j++] == '1' ? '/' : '~';
		if (have == '\\' && i < len)
			have = key[i++];
		if (want != have)
			return false;
	}
	return i == len && j == token_len;
}

static bool enter_member(struct scan *s, const char *token, size_t token_len)
{
	s->at++;
	for (;;) {
		size_t begin, end;

		skip_space(s);
		if (s->at >= s->len || s->text[s->at] == '}')
			return false;
		begin = s->at;
		if (s->text[s->at] == '"') {
			skip_string(s);
			begin++;
			end = s->at - 1;
		} else {
			skip_bare(s);
			end = s->at;
			if (end == begin)
				return false;
		}
		skip_space(s);
		if (end >= begin &&
			key_equals(s->text + begin, end - begin, token, token_len))
			return true;
		skip_value(s);
	}
}

static bool enter_element(struct scan *s, const char *token, size_t token_len)
{
	size_t index = 0;

	for (size_t i = 0; i < token_len; i++) {
		if (token[i] < '0' || token[i] > '9' || index > 100000000)
			return false;
		index = index * 10 + (size_t)(token[i] - '0');
	}
	s->at++;
	for (;;) {
		size_t before;

		skip_space(s);
		if (s->at >= s->len || s->text[s->at] == ']')
			return false;
		if (!index--)
			return true;
		before = s->at;
		skip_value(s);
		if (s->at == before)
			return false;
	}
}

bool tn_place_find(
	const char *text, size_t len, const char *pointer, struct tn_place *out)
{
	struct scan s = { text, len, 0 };
	size_t found;

	skip_space(&s);
	if (s.at >= s.len)
		return false;
	found = s.at;
	for (size_t depth = 0; *pointer == '/' && depth < DEPTH_MAX; depth++) {
		const char *token = ++pointer;
		size_t token_len = strcspn(token, "/");
		bool ok = s.at < s.len &&
			  ((text[s.at] == '{' && enter_member(&s, token, token_len)) ||
				  (text[s.at] == '[' &&
					  enter_element(&s, token, token_len)));

		if (!ok)
			break;
		found = s.at;
		pointer += token_len;
	}
	*out = (struct tn_place){ 1, 1 };
	for (size_t i = 0; i < found && i < len; i++) {
		if (text[i] == '\n')
			*out = (struct tn_place){ out->line + 1, 1 };
		else
			out->column++;
	}
	return true;
}
