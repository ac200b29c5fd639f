#include "import/tree.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "import/flatc.h"

#include "base/banned.h"

#define KEY_MAX 64 /* no key of any format is longer */

static size_t origin(void *user, size_t offset)
{
	return tn_flatc_origin(user, offset);
}

static void init(struct tn_tree *t, struct tn_import *im, const char *rule)
{
	*t = (struct tn_tree){ .im = im, .rule = rule };
	tn_arena_init(&t->scratch);
	tn_strbuf_init(&t->text);
}

enum tn_status tn_tree_open(
	struct tn_tree *t, struct tn_import *im, const char *rule, struct tn_at *out)
{
	struct tn_source source = *im->source;
	enum tn_status status;

	init(t, im, rule);
	*out = (struct tn_at){ .root = true };
	status = tn_flatc_clean(im, &t->text);
	if (status == TN_OK)
		status = tn_json_load(im, t->text.text ? t->text.text : "", t->text.len,
			origin, &source, &t->parsed);
	out->json = t->parsed.root;
	return status;
}

void tn_tree_adopt(struct tn_tree *t, struct tn_import *im, const char *rule,
	json_t *root, struct tn_at *out)
{
	init(t, im, rule);
	t->made = root;
	*out = (struct tn_at){ .json = root, .root = true };
}

void tn_tree_close(struct tn_tree *t)
{
	tn_json_drop(&t->parsed);
	json_decref(t->made);
	tn_strbuf_release(&t->text);
	tn_arena_release(&t->scratch);
}

const struct tn_path *tn_at_path(const struct tn_at *at)
{
	return at->root ? NULL : &at->path;
}

const char *tn_at_pointer(struct tn_tree *t, const struct tn_at *at)
{
	const char *pointer = tn_path_pointer(t->im->arena, tn_at_path(at));

	t->nomem = t->nomem || !pointer;
	return pointer;
}

TN_PRINTF(5, 0)
static void report(struct tn_tree *t, const struct tn_at *at, enum tn_severity severity,
	const char *rule, const char *fmt, va_list args)
{
	char *text = tn_arena_vprintf(t->im->diags->arena, fmt, args);

	if (!text || !tn_diag(t->im->diags, severity, rule, t->im->source, tn_at_path(at),
			     "%s", text))
		t->nomem = true;
}

void tn_at_error(
	struct tn_tree *t, const struct tn_at *at, const char *rule, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	report(t, at, SEVERITY_ERROR, rule, fmt, args);
	va_end(args);
}

void tn_at_warn(
	struct tn_tree *t, const struct tn_at *at, const char *rule, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	report(t, at, SEVERITY_WARNING, rule, fmt, args);
	va_end(args);
}

/* "entryComputationName" as "entry_computation_name"; the key becomes the file's. */
static const json_t *find_snake(const json_t *object, const char **key)
{
	const char *camel = *key;
	char text[KEY_MAX];
	size_t n = 0;
	void *found;

	for (; *camel; camel++) {
		if (n + 3 > sizeof(text))
			return NULL;
		if (*camel >= 'A' && *camel <= 'Z') {
			text[n++] = '_';
			text[n++] = (char)(*camel - 'A' + 'a');
		} else {
			text[n++] = *camel;
		}
	}
	text[n] = '\0';
	found = json_object_iter_at((json_t *)(uintptr_t)object, text);
	if (!found)
		return NULL;
	*key = json_object_iter_key(found);
	return json_object_iter_value(found);
}

bool tn_at_key(const struct tn_tree *t, const struct tn_at *up, const char *key,
	struct tn_at *out)
{
	const json_t *value = json_object_get(up->json, key);

	if (!value && t->casings)
		value = find_snake(up->json, &key);
	tn_at_entry(up, key, value, out);
	return out->json != NULL;
}

void tn_at_entry(
	const struct tn_at *map, const char *key, const json_t *value, struct tn_at *out)
{
	*out = (struct tn_at){ .json = json_is_null(value) ? NULL : value,
		.path = { tn_at_path(map), key, 0 } };
}

void tn_at_item(const struct tn_at *list, size_t index, struct tn_at *out)
{
	const json_t *value = json_array_get(list->json, index);

	*out = (struct tn_at){ .json = json_is_null(value) ? NULL : value,
		.path = { tn_at_path(list), NULL, index } };
}

static bool mismatch(struct tn_tree *t, const struct tn_at *at, const char *want)
{
	tn_at_error(
		t, at, t->rule, "expected %s, found %s", want, tn_json_kind(at->json));
	return false;
}

size_t tn_at_list(
	struct tn_tree *t, const struct tn_at *up, const char *key, struct tn_at *out)
{
	if (tn_at_key(t, up, key, out) && !json_is_array(out->json)) {
		mismatch(t, out, "a list");
		out->json = NULL;
	}
	return json_array_size(out->json);
}

bool tn_at_want_object(struct tn_tree *t, const struct tn_at *at)
{
	return json_is_object(at->json) || mismatch(t, at, "an object");
}

bool tn_at_object(
	struct tn_tree *t, const struct tn_at *up, const char *key, struct tn_at *out)
{
	if (!tn_at_key(t, up, key, out))
		return false;
	if (!tn_at_want_object(t, out))
		out->json = NULL;
	return out->json != NULL;
}

static bool parse_int(const char *text, int64_t *out)
{
	char *end;
	long long value;

	if (!*text || strchr(" \t\n\r+", *text))
		return false;
	errno = 0;
	value = strtoll(text, &end, 10);
	if (errno || *end)
		return false;
	*out = value;
	return true;
}

bool tn_at_as_int(struct tn_tree *t, const struct tn_at *at, int64_t *out)
{
	const char *text = json_string_value(at->json);

	if (json_is_integer(at->json))
		*out = json_integer_value(at->json);
	else if (json_is_boolean(at->json))
		*out = json_is_true(at->json);
	else if (!text)
		return mismatch(t, at, "an integer");
	else if (!parse_int(text, out)) {
		tn_at_error(t, at, t->rule, "expected an integer, found '%.40s'", text);
		return false;
	}
	return true;
}

bool tn_text_real(const char *text, double *out)
{
	char *end;
	double value = strtod(text, &end); /* knows "nan", "-Infinity" */

	if (end == text || *end)
		return false;
	*out = value;
	return true;
}

bool tn_at_as_real(struct tn_tree *t, const struct tn_at *at, double *out)
{
	const char *text = json_string_value(at->json);

	if (json_is_number(at->json)) {
		*out = json_number_value(at->json);
		return true;
	}
	if (!text)
		return mismatch(t, at, "a number");
	if (!tn_text_real(text, out)) {
		tn_at_error(t, at, t->rule, "expected a number, found '%.40s'", text);
		return false;
	}
	return true;
}

bool tn_at_as_text(struct tn_tree *t, const struct tn_at *at, const char **out)
{
	const char *text = json_string_value(at->json);

	if (!text)
		return mismatch(t, at, "a string");
	*out = text;
	return true;
}

int64_t tn_at_int(
	struct tn_tree *t, const struct tn_at *up, const char *key, int64_t otherwise)
{
	struct tn_at at;
	int64_t value = otherwise;

	if (tn_at_key(t, up, key, &at))
		tn_at_as_int(t, &at, &value);
	return value;
}

double tn_at_real(
	struct tn_tree *t, const struct tn_at *up, const char *key, double otherwise)
{
	struct tn_at at;
	double value = otherwise;

	if (tn_at_key(t, up, key, &at))
		tn_at_as_real(t, &at, &value);
	return value;
}

bool tn_at_flag(struct tn_tree *t, const struct tn_at *up, const char *key)
{
	return tn_at_int(t, up, key, 0) != 0;
}

const char *tn_at_text(
	struct tn_tree *t, const struct tn_at *up, const char *key, const char *otherwise)
{
	struct tn_at at;
	const char *text = otherwise;

	if (tn_at_key(t, up, key, &at))
		tn_at_as_text(t, &at, &text);
	return text;
}

bool tn_at_ints(
	struct tn_tree *t, const struct tn_at *up, const char *key, struct tn_ints *out)
{
	struct tn_at list, at;
	size_t n = 1;
	bool single, ok = true;

	out->v.count = 0;
	if (!tn_at_key(t, up, key, &list))
		return true;
	single = !json_is_array(list.json);
	if (!single)
		n = json_array_size(list.json);
	for (size_t i = 0; i < n; i++) {
		int64_t value = 0;

		if (single)
			at = list;
		else
			tn_at_item(&list, i, &at);
		ok = tn_at_as_int(t, &at, &value) && ok;
		if (!tn_vec_push(&t->scratch, &out->v, value))
			t->nomem = true;
	}
	return ok;
}

void tn_text_ints(struct tn_tree *t, const char *text, struct tn_ints *out)
{
	out->v.count = 0;
	while (*text) {
		bool digit = *text >= '0' && *text <= '9';
		char *end;
		int64_t value;

		if (digit || (*text == '-' && text[1] >= '0' && text[1] <= '9')) {
			value = strtoll(text, &end, 10);
			if (!tn_vec_push(&t->scratch, &out->v, value))
				t->nomem = true;
			text = end;
		} else {
			text++;
		}
	}
}
