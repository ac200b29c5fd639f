/* Only what is surely right is read here. Numbers of many digits make the whole text
 * jansson's, strings that are not plain ASCII are given to it one by one. */
#include "import/json_plain.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/banned.h"
#include "import/json.h"

#define KEY_MAX	   64 /* bytes of a key that is copied to the stack, with a NUL */
#define DIGITS_MAX 18 /* always fit in 64 bits */

struct reader {
	const char *at, *end;
	size_t values; /* counted as tn_json_load counts them */
	unsigned depth;
};

static json_t *read_value(struct reader *r);

/* The byte behind what may stand between tokens; NUL, which is nowhere right, at the end. */
static char next(struct reader *r)
{
	while (r->at < r->end &&
		(*r->at == ' ' || *r->at == '\n' || *r->at == '\t' || *r->at == '\r'))
		r->at++;
	return r->at < r->end ? *r->at : '\0';
}

/* Past a comma or a colon, of which there may not be too many. */
static bool pass(struct reader *r)
{
	r->at++;
	return ++r->values <= TN_JSON_VALUES_MAX;
}

/* A string, the quote at hand. When its bytes are its value, they are given and *out_odd is
 * NULL; else jansson reads it. */
static bool read_text(
	struct reader *r, const char **out_text, size_t *out_len, json_t **out_odd)
{
	const char *begin = r->at, *at = begin + 1;
	json_error_t error;

	*out_odd = NULL;
	while (at < r->end && *at >= ' ' && *at < 0x7f && *at != '"' && *at != '\\')
		at++;
	if (at < r->end && *at == '"') {
		*out_text = begin + 1;
		*out_len = (size_t)(at - *out_text);
		r->at = at + 1;
		return true;
	}
	for (; at < r->end && *at != '"'; at++)
		if (*at == '\\' && at + 1 < r->end)
			at++;
	if (at == r->end)
		return false;
	r->at = at + 1;
	*out_odd = json_loadb(begin, (size_t)(r->at - begin), JSON_DECODE_ANY, &error);
	return *out_odd;
}

static json_t *read_string(struct reader *r)
{
	const char *text;
	size_t len;
	json_t *odd;

	if (!read_text(r, &text, &len, &odd))
		return NULL;
	return odd ? odd : json_stringn_nocheck(text, len);
}

static bool is_digit(const struct reader *r)
{
	return r->at < r->end && *r->at >= '0' && *r->at <= '9';
}

/* At least one. */
static bool skip_digits(struct reader *r)
{
	const char *begin = r->at;

	while (is_digit(r))
		r->at++;
	return r->at > begin;
}

/* The rest of a number that begins at `begin`, from its point or exponent on. */
static json_t *read_real(struct reader *r, const char *begin)
{
	double value;
	char *end;

	if (*r->at == '.') {
		r->at++;
		if (!skip_digits(r))
			return NULL;
	}
	if (r->at < r->end && (*r->at == 'e' || *r->at == 'E')) {
		r->at++;
		if (r->at < r->end && (*r->at == '+' || *r->at == '-'))
			r->at++;
		if (!skip_digits(r))
			return NULL;
	}
	if (r->at == r->end) /* where strtod would read on */
		return NULL;
	value = strtod(begin, &end); /* which stops early where a comma is the point */
	return end == r->at ? json_real(value) : NULL;
}

static json_t *read_number(struct reader *r)
{
	const char *begin = r->at, *digits;
	const bool negative = *begin == '-';
	int64_t value = 0;

	r->at += negative;
	digits = r->at;
	while (is_digit(r) && r->at - digits < DIGITS_MAX)
		value = 10 * value + (*r->at++ - '0');
	if (r->at == digits || is_digit(r) || (*digits == '0' && r->at > digits + 1))
		return NULL;
	if (r->at < r->end && (*r->at == '.' || *r->at == 'e' || *r->at == 'E'))
		return read_real(r, begin);
	return json_integer(negative ? -value : value);
}

static json_t *read_word(struct reader *r, const char *word, json_t *value)
{
	const size_t len = strlen(word);

	if ((size_t)(r->end - r->at) < len || memcmp(r->at, word, len) != 0)
		return NULL;
	r->at += len;
	return value;
}

static bool read_member(struct reader *r, json_t *object)
{
	const size_t before = json_object_size(object);
	char copy[KEY_MAX];
	const char *key = copy;
	json_t *odd, *value;
	size_t len;

	if (next(r) != '"' || !read_text(r, &key, &len, &odd))
		return false;
	if (!odd && len >= sizeof(copy))
		odd = json_stringn_nocheck(key, len);
	if (odd) {
		key = json_string_value(odd);
	} else {
		memcpy(copy, key, len);
		copy[len] = '\0';
		key = copy;
	}
	if (!key || next(r) != ':' || !pass(r))
		return false;
	value = read_value(r);
	/* an object does not grow by a key that it has */
	return value && json_object_set_new_nocheck(object, key, value) == 0 &&
	       json_object_size(object) > before;
}

static bool read_element(struct reader *r, json_t *array)
{
	json_t *value = read_value(r);

	return value && json_array_append_new(array, value) == 0;
}

/* The members or elements up to the closing bracket. */
static json_t *read_list(struct reader *r, json_t *list,
	bool read(struct reader *r, json_t *list), char closing)
{
	bool ok;

	r->values++;
	r->at++;
	if (!list || ++r->depth > TN_JSON_DEPTH_MAX)
		return NULL;
	ok = next(r) == closing || read(r, list);
	while (ok && next(r) == ',')
		ok = pass(r) && read(r, list);
	if (!ok || next(r) != closing)
		return NULL;
	r->at++;
	r->depth--;
	return list;
}

static json_t *read_value(struct reader *r)
{
	switch (next(r)) {
	case '\0': /* the end, where nothing may be read */
		return NULL;
	case '{':
		return read_list(r, json_object(), read_member, '}');
	case '[':
		return read_list(r, json_array(), read_element, ']');
	case '"':
		return read_string(r);
	case 't':
		return read_word(r, "true", json_true());
	case 'f':
		return read_word(r, "false", json_false());
	case 'n':
		return read_word(r, "null", json_null());
	default:
		return read_number(r);
	}
}

json_t *tn_json_plain(const char *text, size_t len)
{
	struct reader r = { .at = text, .end = text + len };
	const char first = next(&r);
	json_t *root = first == '{' || first == '[' ? read_value(&r) : NULL;

	(void)next(&r);
	return r.at == r.end ? root : NULL;
}
