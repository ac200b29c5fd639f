#include "import/flatc.h"

#include <string.h>

#include "import/json.h"

#include "base/banned.h"

enum container { OBJECT, LIST };

struct level {
	enum container container;
	bool wants_key; /* of an object: the next word is a key */
	size_t element; /* of a list: the index of the current element */
	const char *key; /* of an object: the current key, without quotes */
	size_t key_len;
};

struct pass {
	const char *text;
	size_t len, at;
	struct level levels[TN_JSON_DEPTH_MAX];
	size_t depth;
	struct tn_strbuf *out; /* NULL: only counted */
	size_t out_len, stop; /* bytes put out; the pass ends at `stop` */
	bool stopped;
	size_t stopped_at; /* in the text */

	struct tn_import *im; /* of the first pass: takes the constants */
	struct tn_flatc *flatc;
	enum tn_status status;
};

static void put(struct pass *p, const char *text, size_t len)
{
	if (p->out)
		tn_strbuf_add(p->out, text, len);
	if (!p->stopped && p->out_len + len > p->stop) {
		p->stopped = true;
		p->stopped_at = p->at;
	}
	p->out_len += len;
}

static bool word_char(char c)
{
	return c && !strchr(" \t\r\n,:{}[]\"", c);
}

static bool word_is(const char *word, size_t len, const char *text)
{
	return len == strlen(text) && memcmp(word, text, len) == 0;
}

/* An integer that a 64-bit one does not hold for sure. */
static bool too_long(const char *word, size_t len)
{
	size_t sign = len && word[0] == '-';

	for (size_t i = sign; i < len; i++)
		if (word[i] < '0' || word[i] > '9')
			return false;
	return len - sign > 19 ||
	       (len - sign == 19 && memcmp(word + sign, "9223372036854775807", 19) > 0);
}

static void take_string(struct pass *p)
{
	size_t begin = p->at;

	p->at++;
	while (p->at < p->len && p->text[p->at] != '"') {
		if (p->text[p->at] == '\\' && p->at + 1 < p->len) {
			if (p->text[p->at + 1] == 'x') {
				size_t left = p->len - p->at;

				put(p, p->text + begin, p->at - begin);
				put(p, "\\ufffd", 6);
				p->at += left < 4 ? left : 4;
				begin = p->at;
				continue;
			}
			p->at++;
		}
		p->at++;
	}
	p->at += p->at < p->len;
	put(p, p->text + begin, p->at - begin);
}

static void take_word(struct pass *p, bool as_key)
{
	const char *word = p->text + p->at;
	size_t len = 0;
	bool quote;

	while (p->at + len < p->len && word_char(word[len]))
		len++;
	if (len == 0) /* no character of a value: the parser will say so */
		len = 1;
	quote = as_key || word_is(word, len, "nan") || word_is(word, len, "-nan") ||
		word_is(word, len, "inf") || word_is(word, len, "-inf") ||
		word_is(word, len, "+inf") || word_is(word, len, "NaN") ||
		word_is(word, len, "Infinity") || word_is(word, len, "-Infinity") ||
		too_long(word, len);
	if (quote)
		put(p, "\"", 1);
	put(p, word, len);
	if (quote)
		put(p, "\"", 1);
	p->at += len;
}

static bool fail(struct pass *p, const char *text)
{
	if (p->im)
		tn_json_error_at(p->im, p->at, "tflite/data", text);
	p->status = TN_ERR_INPUT;
	return false;
}

/* Most bytes of a large file are asked this. */
static bool between(char c)
{
	return c == ' ' || c == ',' || c == '\n' || c == '\r' || c == '\t';
}

/* Counts (out NULL) or copies the numbers of the list at p->at, which stays. Returns the
 * position behind the list, or 0 after a report. */
static size_t scan_bytes(struct pass *p, uint8_t *out, size_t *out_n)
{
	size_t start = p->at, i = p->at + 1, n = 0;

	for (;;) {
		unsigned value = 0;
		size_t digits = 0;

		while (i < p->len && between(p->text[i]))
			i++;
		if (i < p->len && p->text[i] == ']')
			break;
		for (; i < p->len && p->text[i] >= '0' && p->text[i] <= '9' && digits < 4;
			i++) {
			value = value * 10 + (unsigned)(p->text[i] - '0');
			digits++;
		}
		if (!digits || value > 255) {
			p->at = i;
			fail(p, "expected a byte, a number from 0 to 255");
			p->at = start;
			return 0;
		}
		if (out)
			out[n] = (uint8_t)value;
		n++;
	}
	*out_n = n;
	return i + 1;
}

static bool store(struct pass *p, size_t buffer, const uint8_t *bytes, size_t n)
{
	struct tn_flatc_data none = { NULL, 0 };

	while (p->flatc->buffers.count <= buffer)
		if (!tn_vec_push(p->im->arena, &p->flatc->buffers, none)) {
			p->status = TN_ERR_NOMEM;
			return false;
		}
	p->flatc->buffers.items[buffer] = (struct tn_flatc_data){ bytes, n };
	return true;
}

/* The list at p->at is a buffer's data. */
static bool take_data(struct pass *p)
{
	size_t buffer = p->levels[1].element, n = 0;
	size_t end = scan_bytes(p, NULL, &n);
	uint8_t *bytes;

	if (!end)
		return false;
	if (p->flatc) {
		bytes = tn_arena_alloc(p->im->arena, n);
		if (!bytes) {
			p->status = TN_ERR_NOMEM;
			return false;
		}
		scan_bytes(p, bytes, &n);
		if (!store(p, buffer, bytes, n))
			return false;
	}
	put(p, "[]", 2);
	p->at = end;
	return true;
}

/* Are we at the value of /buffers/<i>/data? */
static bool at_data(const struct pass *p)
{
	return p->depth == 3 && p->levels[0].container == OBJECT &&
	       word_is(p->levels[0].key, p->levels[0].key_len, "buffers") &&
	       p->levels[1].container == LIST && p->levels[2].container == OBJECT &&
	       word_is(p->levels[2].key, p->levels[2].key_len, "data");
}

static bool open_container(struct pass *p, char c)
{
	if (p->depth == TN_JSON_DEPTH_MAX)
		return fail(p, "the nesting is too deep");
	p->levels[p->depth++] = (struct level){
		.container = c == '{' ? OBJECT : LIST, .wants_key = c == '{', .key = ""
	};
	put(p, &c, 1);
	p->at++;
	return true;
}

static void take_key(struct pass *p, struct level *level)
{
	size_t begin = p->at;

	if (p->text[p->at] == '"')
		take_string(p);
	else
		take_word(p, true);
	level->key = p->text + begin;
	level->key_len = p->at - begin;
	if (*level->key == '"' && level->key_len >= 2) {
		level->key++;
		level->key_len -= 2;
	}
	level->wants_key = false;
}

static bool step(struct pass *p)
{
	struct level *level = p->depth ? &p->levels[p->depth - 1] : NULL;
	char c = p->text[p->at];

	switch (c) {
	case '{':
	case '[':
		return c == '[' && at_data(p) ? take_data(p) : open_container(p, c);
	case '}':
	case ']':
		p->depth -= p->depth > 0;
		break;
	case ',':
		if (level) {
			level->element++;
			level->wants_key = level->container == OBJECT;
		}
		break;
	case ' ':
	case '\t':
	case '\r':
	case '\n':
	case ':':
		break;
	default:
		if (level && level->wants_key)
			take_key(p, level);
		else if (c == '"')
			take_string(p);
		else
			take_word(p, false);
		return true;
	}
	put(p, &c, 1);
	p->at++;
	return true;
}

static void run(struct pass *p)
{
	while (p->at < p->len && !p->stopped && step(p))
		;
}

enum tn_status tn_flatc_read(struct tn_import *im, struct tn_flatc *out)
{
	struct pass p = { .text = im->source->text,
		.len = im->source->len,
		.out = &out->json,
		.stop = SIZE_MAX,
		.im = im,
		.flatc = out };

	*out = (struct tn_flatc){ .buffers.count = 0 };
	tn_strbuf_init(&out->json);
	run(&p);
	if (out->json.failed)
		p.status = TN_ERR_NOMEM;
	return p.status;
}

enum tn_status tn_flatc_clean(struct tn_import *im, struct tn_strbuf *out)
{
	struct pass p = { .text = im->source->text,
		.len = im->source->len,
		.out = out,
		.stop = SIZE_MAX,
		.im = im };

	run(&p);
	return out->failed ? TN_ERR_NOMEM : p.status;
}

void tn_flatc_release(struct tn_flatc *flatc)
{
	tn_strbuf_release(&flatc->json);
}

size_t tn_flatc_origin(const struct tn_source *source, size_t offset)
{
	struct pass p = { .text = source->text, .len = source->len, .stop = offset };

	run(&p);
	return p.stopped ? p.stopped_at : p.at;
}
