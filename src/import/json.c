#include "import/json.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/banned.h"
#include "base/place.h"

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

static void error_at(struct tn_import *im, size_t line, size_t column, const char *rule,
	const char *text)
{
	struct tn_diag *diag =
		tn_diag(im->diags, SEVERITY_ERROR, rule, im->source, NULL, "%s", text);

	if (diag) {
		diag->line = line;
		diag->column = column;
	}
}

/* jansson recurses for each level and allocates for each value: refuse what would exhaust
 * the stack or the memory before it starts. */
static bool within_limits(struct tn_import *im, const char *text, size_t len)
{
	size_t depth = 0, values = 0, line = 1, start = 0;
	const char *why = NULL;

	for (size_t i = 0; i < len && !why; i++) {
		switch (text[i]) {
		case '\n':
			line++;
			start = i + 1;
			break;
		case '"':
			for (i++; i < len && text[i] != '"' && text[i] != '\n'; i++)
				if (text[i] == '\\')
					i++;
			break;
		case '{':
		case '[':
			if (++depth > TN_JSON_DEPTH_MAX)
				why = "the nesting is too deep";
			values++;
			break;
		case '}':
		case ']':
			depth -= depth > 0;
			break;
		case ',':
		case ':':
			if (++values > TN_JSON_VALUES_MAX)
				why = "there are too many values: put constants into "
				      "base64 "
				      "or a side file";
			break;
		default:
			break;
		}
		if (why)
			error_at(im, line, i - start + 1, "json/limit", why);
	}
	return !why;
}

enum tn_status tn_json_load(
	struct tn_import *im, const char *text, size_t len, json_t **out)
{
	json_error_t error;

	if (!within_limits(im, text, len))
		return TN_ERR_INPUT;
	*out = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
	if (*out)
		return TN_OK;
	if (json_error_code(&error) == json_error_out_of_memory)
		return TN_ERR_NOMEM;
	error_at(im, error.line > 0 ? (size_t)error.line : 0,
		error.column > 0 ? (size_t)error.column : 0, "json/syntax", error.text);
	return TN_ERR_INPUT;
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
	return mismatch(
		im, rule, at, value, type == JSON_OBJECT ? "an object" : "a list");
}
