#include "import/json.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/banned.h"
#include "import/json_plain.h"

#define BYTE_ORDER_MARK "\xEF\xBB\xBF"

void tn_json_error(struct tn_import *im, const char *rule, const struct tn_path *at,
	const char *fmt, ...)
{
	va_list args;
	char *text;

	va_start(args, fmt);
	text = tn_arena_vprintf(im->diags->arena, fmt, args);
	va_end(args);
	if (text)
		tn_diag(im->diags, SEVERITY_ERROR, rule, im->source, at, "%s", text);
	else
		im->diags->failed = true;
}

void tn_json_error_at(
	struct tn_import *im, size_t offset, const char *rule, const char *text)
{
	struct tn_diag *diag =
		tn_diag(im->diags, SEVERITY_ERROR, rule, im->source, NULL, "%s", text);
	size_t line = 1, start = 0;

	for (size_t i = 0; i < offset && i < im->source->len; i++) {
		if (im->source->text[i] == '\n') {
			line++;
			start = i + 1;
		}
	}
	if (diag) {
		diag->line = line;
		diag->column = offset - start + 1;
	}
}

/* jansson recurses for each level and allocates for each value: refuse what would exhaust
 * the stack or the memory before it starts. NULL when all is well. */
static const char *limit(const char *text, size_t len, size_t *out_offset)
{
	size_t depth = 0, values = 0;

	for (size_t i = 0; i < len; i++) {
		*out_offset = i;
		switch (text[i]) {
		case '"':
			for (i++; i < len && text[i] != '"' && text[i] != '\n'; i++)
				if (text[i] == '\\')
					i++;
			break;
		case '{':
		case '[':
			if (++depth > TN_JSON_DEPTH_MAX)
				return "the nesting is too deep";
			values++;
			break;
		case '}':
		case ']':
			depth -= depth > 0;
			break;
		case ',':
		case ':':
			if (++values > TN_JSON_VALUES_MAX)
				return "there are too many values: put constants into "
				       "base64 "
				       "or a side file";
			break;
		default:
			break;
		}
	}
	return NULL;
}

/* What jansson says, which is the word on everything that is not plain. */
static json_t *load(
	struct tn_json_heap *heap, const char *text, size_t len, json_error_t *error)
{
	json_t *root;

	tn_json_heap_enter(heap);
	root = json_loadb(text, len, JSON_REJECT_DUPLICATES, error);
	tn_json_heap_leave();
	return root;
}

/* In most files there is nothing that needs jansson. */
static json_t *load_plain(struct tn_json_heap *heap, const char *text, size_t len)
{
	json_t *root;

	tn_json_heap_enter(heap);
	root = tn_json_plain(text, len);
	tn_json_heap_leave();
	if (!root && !heap->failed)
		tn_json_heap_release(heap);
	return root;
}

enum tn_status tn_json_load(struct tn_import *im, const char *text, size_t len,
	tn_json_map *map, void *user, struct tn_json *out)
{
	json_error_t error;
	size_t offset = 0,
	       mark = len >= 3 && memcmp(text, BYTE_ORDER_MARK, 3) == 0 ? 3 : 0;
	const char *why = NULL;

	text += mark;
	len -= mark;
	*out = (struct tn_json){ .root = NULL };
	out->root = load_plain(&out->heap, text, len);
	if (!out->root && !out->heap.failed) {
		why = limit(text, len, &offset);
		if (!why)
			out->root = load(&out->heap, text, len, &error);
	}
	/* jansson calls a lack of memory a wrong token, or nothing at all */
	if (out->heap.failed || (!out->root && !why && !error.text[0]))
		return TN_ERR_NOMEM;
	if (out->root)
		return TN_OK;
	/* jansson points behind the token that it could not use */
	if (!why)
		offset = error.position > 0 ? (size_t)error.position - 1 : 0;
	offset += mark;
	if (map)
		offset = map(user, offset);
	tn_json_error_at(
		im, offset, why ? "json/limit" : "json/syntax", why ? why : error.text);
	return TN_ERR_INPUT;
}

void tn_json_drop(struct tn_json *json)
{
	tn_json_heap_release(&json->heap);
	json->root = NULL;
}

const char *tn_json_kind(const json_t *value)
{
	if (!value)
		return "nothing";
	switch (json_typeof(value)) {
	case JSON_OBJECT:
		return "an object";
	case JSON_ARRAY:
		return "a list";
	case JSON_STRING:
		return "a string";
	case JSON_INTEGER:
		return "an integer";
	case JSON_REAL:
		return "a real number";
	case JSON_TRUE:
	case JSON_FALSE:
		return "true or false";
	case JSON_NULL:
		break;
	}
	return "null";
}

static bool mismatch(struct tn_import *im, const char *rule, const struct tn_path *at,
	const json_t *value, const char *want)
{
	tn_json_error(im, rule, at, "expected %s, found %s", want, tn_json_kind(value));
	return false;
}

bool tn_json_int(struct tn_import *im, const char *rule, const struct tn_path *at,
	const json_t *value, int64_t low, int64_t high, int64_t *out)
{
	int64_t number;

	if (!json_is_integer(value))
		return mismatch(im, rule, at, value, "an integer");
	number = json_integer_value(value);
	if (number < low || number > high) {
		tn_json_error(im, rule, at,
			"%" PRId64 " is not between %" PRId64 " and %" PRId64, number,
			low, high);
		return false;
	}
	*out = number;
	return true;
}

bool tn_json_bool(struct tn_import *im, const char *rule, const struct tn_path *at,
	const json_t *value, bool *out)
{
	if (!json_is_boolean(value))
		return mismatch(im, rule, at, value, "true or false");
	*out = json_is_true(value);
	return true;
}

bool tn_json_string(struct tn_import *im, const char *rule, const struct tn_path *at,
	const json_t *value, const char **out)
{
	if (!json_is_string(value))
		return mismatch(im, rule, at, value, "a string");
	*out = json_string_value(value);
	return true;
}

bool tn_json_want(struct tn_import *im, const char *rule, const struct tn_path *at,
	const json_t *value, json_type type)
{
	if (value && json_typeof(value) == type)
		return true;
	return mismatch(im, rule, at, value,
		type == JSON_OBJECT  ? "an object"
		: type == JSON_ARRAY ? "a list"
				     : "a string");
}
