/* "streams": [{ "first": position, "ops": n, "order": "ascending", "input": tensor, "loops":
 *    [{ "times": n, "events": [[op, y, rows, step], ...] }, ...] }, ...]; op -1: the caller */
#include "import/plan_streams.h"

#include <string.h>

#include "import/json.h"

#include "base/banned.h"

#define RULE "plan/format"

/* What a list of events may ask for before anybody looks at the graph. */
#define ROW_MAX	   ((int64_t)INT32_MAX)
#define EVENTS_MAX ((int64_t)1 << 22)

struct streams {
	struct tn_import *im;
	struct tn_plan *plan;
	int64_t events; /* that may still come, every pass through a loop counted */
};

static bool get(struct streams *s, const struct tn_path *up, const json_t *o,
	const char *key, int64_t low, int64_t high, int64_t *out)
{
	const struct tn_path at = { up, key, 0 };

	return tn_json_int(s->im, RULE, &at, json_object_get(o, key), low, high, out);
}

static void read_event(struct streams *s, const struct tn_path *at, const json_t *list,
	struct tn_plan_event *out)
{
	static const int64_t low[] = { -1, 0, 1, -ROW_MAX };
	const int64_t high[] = { (int64_t)s->plan->n_ops - 1, ROW_MAX, ROW_MAX, ROW_MAX };
	int64_t value[4] = { 0 };

	if (!tn_json_want(s->im, RULE, at, list, JSON_ARRAY))
		return;
	if (json_array_size(list) != 4) {
		tn_json_error(s->im, RULE, at, "expected [op, row, rows, step]");
		return;
	}
	for (size_t i = 0; i < 4; i++) {
		const struct tn_path item = { at, NULL, i };

		if (!tn_json_int(s->im, RULE, &item, json_array_get(list, i), low[i],
			    high[i], &value[i]))
			return;
	}
	*out = (struct tn_plan_event){ value[0] < 0 ? TN_PLAN_CALLER : (uint32_t)value[0],
		value[1], value[2], value[3] };
}

/* The list under the key; NULL, reported, if there is none. */
static const json_t *list_of(
	struct streams *s, const struct tn_path *at, const json_t *o, size_t *out_n)
{
	const json_t *list = json_object_get(o, at->key);

	if (!tn_json_want(s->im, RULE, at, list, JSON_ARRAY))
		return NULL;
	*out_n = json_array_size(list);
	return list;
}

static bool read_loop(struct streams *s, const struct tn_path *at, const json_t *o,
	struct tn_plan_loop *out)
{
	const struct tn_path events_at = { at, "events", 0 };
	const json_t *events;
	size_t n = 0;

	out->times = 1;
	if (!tn_json_want(s->im, RULE, at, o, JSON_OBJECT) ||
		!get(s, at, o, "times", 1, ROW_MAX, &out->times))
		return true;
	events = list_of(s, &events_at, o, &n);
	if (!events)
		return true;
	if ((int64_t)n > s->events / out->times) {
		tn_json_error(s->im, RULE, &events_at, "too many events");
		return true;
	}
	s->events -= (int64_t)n * out->times;
	out->events = TN_NEW_ARRAY(s->im->arena, struct tn_plan_event, n);
	if (!out->events)
		return false;
	out->n_events = (uint32_t)n;
	for (size_t i = 0; i < n; i++) {
		const struct tn_path item = { &events_at, NULL, i };

		read_event(s, &item, json_array_get(events, i), &out->events[i]);
	}
	return true;
}

static bool read_order(
	struct streams *s, const struct tn_path *up, const json_t *o, bool *out)
{
	const struct tn_path at = { up, "order", 0 };
	const char *word;

	if (!tn_json_string(s->im, RULE, &at, json_object_get(o, "order"), &word))
		return false;
	*out = strcmp(word, "descending") == 0;
	if (*out || strcmp(word, "ascending") == 0)
		return true;
	tn_json_error(s->im, RULE, &at, "expected 'ascending' or 'descending'");
	return false;
}

static bool read_stream(struct streams *s, const struct tn_path *at, const json_t *o,
	struct tn_plan_stream *out)
{
	const struct tn_path loops_at = { at, "loops", 0 };
	const json_t *loops;
	int64_t first = 0, ops = 0, input = 0;
	size_t n = 0;

	if (!tn_json_want(s->im, RULE, at, o, JSON_OBJECT) ||
		!get(s, at, o, "first", 0, (int64_t)s->plan->n_ops - 1, &first) ||
		!get(s, at, o, "ops", 1, (int64_t)s->plan->n_ops - first, &ops) ||
		!read_order(s, at, o, &out->descending))
		return true;
	out->fed = json_object_get(o, "input") != NULL;
	if (out->fed &&
		!get(s, at, o, "input", 0, (int64_t)s->plan->n_tensors - 1, &input))
		return true;
	out->input = (uint32_t)input;
	out->first = (uint32_t)first;
	out->n = (uint32_t)ops;
	loops = list_of(s, &loops_at, o, &n);
	if (!loops)
		return true;
	out->loops = TN_NEW_ARRAY(s->im->arena, struct tn_plan_loop, n);
	if (!out->loops || n >= UINT32_MAX)
		return false;
	out->n_loops = (uint32_t)n;
	for (size_t i = 0; i < n; i++) {
		const struct tn_path item = { &loops_at, NULL, i };

		if (!read_loop(s, &item, json_array_get(loops, i), &out->loops[i]))
			return false;
	}
	return true;
}

bool tn_plan_streams_read(struct tn_import *im, const json_t *root, struct tn_plan *plan)
{
	const struct tn_path at = { NULL, "streams", 0 };
	struct streams s = { im, plan, EVENTS_MAX };
	const json_t *list = json_object_get(root, "streams");
	size_t n = json_array_size(list);
	uint32_t end = 0;

	if (!list || !tn_json_want(im, RULE, &at, list, JSON_ARRAY))
		return true;
	if (n > plan->n_ops) {
		tn_json_error(im, RULE, &at, "more chains than ops");
		return true;
	}
	plan->streams = TN_NEW_ARRAY(im->arena, struct tn_plan_stream, n);
	if (!plan->streams)
		return false;
	plan->n_streams = (uint32_t)n;
	for (size_t i = 0; i < n; i++) {
		const struct tn_path item = { &at, NULL, i };
		struct tn_plan_stream *out = &plan->streams[i];

		if (!read_stream(&s, &item, json_array_get(list, i), out))
			return false;
		if (out->first < end)
			tn_json_error(im, RULE, &item,
				"it starts before the one before it ends");
		end = out->first + out->n;
	}
	return true;
}
