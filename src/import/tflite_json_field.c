/* Fields of flatc's JSON, fetched with reports of wrong kinds. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/tflite_json.h"

#include "base/banned.h"

static int name_number(const char *const *names, const char *text)
{
	for (int i = 0; names && names[i]; i++)
		if (strcmp(names[i], text) == 0)
			return i;
	return -1;
}

/* An integer: a number, true or false, a number in a string, or the name of a value of an
 * enumeration. */
bool tn_tflj_integer(struct tn_tflj *r, const struct tn_path *at, const json_t *value,
	const char *const *names, int64_t *out)
{
	const char *text = json_string_value(value);
	char *end;

	if (json_is_integer(value)) {
		*out = json_integer_value(value);
		return true;
	}
	if (json_is_boolean(value)) {
		*out = json_is_true(value);
		return true;
	}
	if (text && names && name_number(names, text) >= 0) {
		*out = name_number(names, text);
		return true;
	}
	if (text && *text && strspn(text, "-0123456789") == strlen(text)) {
		/* an unsigned 64-bit number beyond the signed ones keeps its bits */
		errno = 0;
		*out = *text == '-' ? strtoll(text, &end, 10)
				    : (int64_t)strtoull(text, &end, 10);
		if (!*end && !errno)
			return true;
	}
	if (text)
		tn_json_error(r->im, TFLITE_TYPE, at, "'%s' is not known", text);
	else
		tn_json_error(r->im, TFLITE_TYPE, at, "expected an integer, found %s",
			tn_json_kind(value));
	return false;
}

int64_t tn_tflj_number(struct tn_tflj *r, const struct tn_path *up, const json_t *object,
	const char *key, int64_t otherwise)
{
	const json_t *value = json_object_get(object, key);
	struct tn_path at = { up, key, 0 };
	int64_t result = otherwise;

	if (value)
		tn_tflj_integer(r, &at, value, NULL, &result);
	return result;
}

bool tn_tflj_real(
	struct tn_tflj *r, const struct tn_path *at, const json_t *value, double *out)
{
	static const char *const names[] = { "nan", "-nan", "NaN", "inf", "+inf",
		"Infinity", "-inf", "-Infinity", NULL };
	const char *text = json_string_value(value);
	int which = text ? name_number(names, text) : -1;

	if (json_is_number(value)) {
		*out = json_number_value(value);
		return true;
	}
	if (which >= 0) {
		*out = which < 3 ? (double)NAN : which < 6 ? HUGE_VAL : -HUGE_VAL;
		return true;
	}
	tn_json_error(r->im, TFLITE_TYPE, at, "expected a number, found %s",
		tn_json_kind(value));
	return false;
}

bool tn_tflj_is_exact(double printed)
{
	float value = (float)printed;
	double millionths = printed * 1e6;

	if (!isfinite(printed) || !isfinite(value))
		return true;
	if (fabs(millionths - nearbyint(millionths)) > 1e-4 ||
		(printed != 0 && fabs(millionths) < 0.5))
		return true; /* more than six decimals: not flatc's rounding */
	return fabs((double)nextafterf(value, HUGE_VALF) - printed) > 5.001e-7 &&
	       fabs((double)nextafterf(value, -HUGE_VALF) - printed) > 5.001e-7;
}

const json_t *tn_tflj_list(struct tn_tflj *r, const struct tn_path *up,
	const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);
	struct tn_path at = { up, key, 0 };

	return value && tn_json_want(r->im, TFLITE_TYPE, &at, value, JSON_ARRAY) ? value
										 : NULL;
}

const json_t *tn_tflj_object(struct tn_tflj *r, const struct tn_path *up,
	const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);
	struct tn_path at = { up, key, 0 };

	return value && tn_json_want(r->im, TFLITE_TYPE, &at, value, JSON_OBJECT) ? value
										  : NULL;
}

bool tn_tflj_integers(struct tn_tflj *r, const struct tn_path *up, const json_t *object,
	const char *key, struct tn_tflj_ints *out)
{
	const json_t *values = tn_tflj_list(r, up, object, key);
	struct tn_path path = { up, key, 0 };
	bool ok = true;

	out->v.count = 0;
	for (size_t i = 0; i < json_array_size(values); i++) {
		struct tn_path at = { &path, NULL, i };
		int64_t value = -1;

		ok = tn_tflj_integer(r, &at, json_array_get(values, i), NULL, &value) &&
		     ok;
		if (!tn_vec_push(&r->scratch, &out->v, value))
			r->nomem = true;
	}
	return ok && !r->nomem;
}

void tn_tflj_text(struct tn_tflj *r, const struct tn_path *up, const json_t *object,
	const char *key, const char **out, size_t *out_len)
{
	const json_t *value = json_object_get(object, key);
	struct tn_path at = { up, key, 0 };

	*out = "";
	if (value)
		tn_json_string(r->im, TFLITE_TYPE, &at, value, out);
	*out_len = strlen(*out);
}
