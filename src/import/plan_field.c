#include "import/plan_field.h"

#include <string.h>

#include "base/banned.h"

bool tn_plan_int(struct tn_plan_reader *r, const struct tn_path *up, const json_t *object,
	const char *key, int64_t low, int64_t high, int64_t *out)
{
	const struct tn_path at = { up, key, 0 };

	return tn_json_int(&r->im, TN_PLAN_FORMAT, &at, json_object_get(object, key), low,
		high, out);
}

bool tn_plan_index(struct tn_plan_reader *r, const struct tn_path *up,
	const json_t *object, const char *key, uint32_t n, uint32_t *out)
{
	int64_t value;

	if (!tn_plan_int(r, up, object, key, 0, (int64_t)n - 1, &value))
		return false;
	*out = (uint32_t)value;
	return true;
}

bool tn_plan_bool(struct tn_plan_reader *r, const struct tn_path *up,
	const json_t *object, const char *key, bool *out)
{
	const struct tn_path at = { up, key, 0 };

	return tn_json_bool(
		&r->im, TN_PLAN_FORMAT, &at, json_object_get(object, key), out);
}

bool tn_plan_text(struct tn_plan_reader *r, const struct tn_path *up,
	const json_t *object, const char *key, const char **out)
{
	const struct tn_path at = { up, key, 0 };

	return tn_json_string(
		&r->im, TN_PLAN_FORMAT, &at, json_object_get(object, key), out);
}

const json_t *tn_plan_list(
	struct tn_plan_reader *r, const json_t *root, const struct tn_path *at)
{
	const json_t *list = json_object_get(root, at->key);

	return tn_json_want(&r->im, TN_PLAN_FORMAT, at, list, JSON_ARRAY) ? list : NULL;
}

/* One of the words for what a variant holds, in the order of their numbers. */
void tn_plan_hold(struct tn_plan_reader *r, const struct tn_path *up,
	const json_t *object, uint8_t *out)
{
	static const char *const words[] = { "none", "pixel", "ring", "channel",
		"cycle" };
	const struct tn_path at = { up, "hold", 0 };
	const char *word;

	if (!tn_plan_text(r, up, object, "hold", &word))
		return;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strcmp(word, words[i]) == 0) {
			*out = (uint8_t)i;
			return;
		}
	}
	tn_json_error(&r->im, TN_PLAN_FORMAT, &at,
		"expected 'none', 'pixel', 'ring', 'channel' or 'cycle'");
}

bool tn_plan_word(struct tn_plan_reader *r, const struct tn_path *up,
	const json_t *object, const char *key, const char *no, const char *yes,
	uint8_t *out)
{
	const struct tn_path at = { up, key, 0 };
	const char *word;

	if (!tn_plan_text(r, up, object, key, &word))
		return false;
	*out = strcmp(word, yes) == 0;
	if (*out || strcmp(word, no) == 0)
		return true;
	tn_json_error(&r->im, TN_PLAN_FORMAT, &at, "expected '%s' or '%s'", no, yes);
	return false;
}

bool tn_plan_region_of(struct tn_plan_reader *r, const struct tn_path *up,
	const json_t *object, uint32_t *out)
{
	const struct tn_path at = { up, "region", 0 };
	const char *name;

	if (!tn_plan_text(r, up, object, "region", &name))
		return false;
	for (*out = 0; *out < r->plan->n_regions; ++*out)
		if (strcmp(r->plan->regions[*out].name, name) == 0)
			return true;
	tn_json_error(&r->im, TN_PLAN_FORMAT, &at, "there is no region '%s'", name);
	return false;
}
