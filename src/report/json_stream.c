#include "report/json_stream.h"

#include <stdint.h>
#include <string.h>

#include "base/banned.h"

static void comma(struct tn_json_stream *s)
{
	if (s->more)
		tn_strbuf_putc(s->out, ',');
	s->more = true;
}

/* A key is a word of ours. */
static void name(struct tn_json_stream *s, const char *key)
{
	comma(s);
	if (!key)
		return;
	tn_strbuf_putc(s->out, '"');
	tn_strbuf_puts(s->out, key);
	tn_strbuf_puts(s->out, "\":");
}

void tn_json_open(struct tn_json_stream *s, const char *key, char bracket)
{
	name(s, key);
	tn_strbuf_putc(s->out, bracket);
	s->more = false;
}

void tn_json_close(struct tn_json_stream *s, char bracket)
{
	tn_strbuf_putc(s->out, bracket == '[' ? ']' : bracket == '{' ? '}' : bracket);
	s->more = true;
}

/* A script element ends at the first "</": what could be markup stands inside strings
 * only. */
static int append(const char *text, size_t len, void *user)
{
	struct tn_strbuf *out = user;
	size_t from = 0;

	for (size_t i = 0; i < len; i++) {
		if (text[i] != '<' && text[i] != '>' && text[i] != '&')
			continue;
		tn_strbuf_add(out, text + from, i - from);
		tn_strbuf_printf(out, "\\u%04x", (unsigned)text[i]);
		from = i + 1;
	}
	tn_strbuf_add(out, text + from, len - from);
	return out->failed ? -1 : 0;
}

void tn_json_member(struct tn_json_stream *s, const char *key, json_t *value)
{
	name(s, key);
	if (!value || json_dump_callback(value, append, s->out,
			      JSON_COMPACT | JSON_ENSURE_ASCII | JSON_ENCODE_ANY) != 0)
		s->out->failed = true;
	json_decref(value);
}

void tn_json_element(struct tn_json_stream *s, json_t *value)
{
	tn_json_member(s, NULL, value);
}

void tn_json_numbers(struct tn_json_stream *s, const int64_t *values, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char digits[24];
		size_t at = sizeof(digits);
		uint64_t left =
			values[i] < 0 ? 0 - (uint64_t)values[i] : (uint64_t)values[i];

		comma(s);
		do
			digits[--at] = (char)('0' + left % 10);
		while (left /= 10);
		if (values[i] < 0)
			digits[--at] = '-';
		tn_strbuf_add(s->out, digits + at, sizeof(digits) - at);
	}
}
