/* Control flow of the native format that the file has flattened: branches, bodies, a loop
 * that was unrolled, and whether the schedule counts at all. */
#include "import/native.h"

#include <string.h>

#include "base/banned.h"
#include "base/checked.h"

#define TRIPS_MAX 1000000

/* A list of names as ids; those that do not exist are reported and left out. */
static uint32_t *read_names(struct tn_native *n, const struct tn_path *up,
	const json_t *list, bool tensors, uint32_t *out_count)
{
	size_t count = json_array_size(list);
	uint32_t *ids = TN_NEW_ARRAY(n->im->arena, uint32_t, count);

	*out_count = 0;
	if (!tn_json_want(n->im, NATIVE_TYPE, up, list, JSON_ARRAY))
		return ids;
	for (size_t i = 0; ids && i < count; i++) {
		struct tn_path at = { up, NULL, i };
		const json_t *name = json_array_get(list, i);
		uint32_t id = tensors ? tn_native_tensor(n, &at, name).i
				      : tn_native_op(n, &at, name).i;

		if (id != TN_NONE)
			ids[(*out_count)++] = id;
	}
	return ids;
}

static tn_op_id *op_ids(struct tn_native *n, const uint32_t *ids, uint32_t count)
{
	tn_op_id *out = TN_NEW_ARRAY(n->im->arena, tn_op_id, count);

	for (uint32_t i = 0; out && ids && i < count; i++)
		out[i].i = ids[i];
	return out;
}

static tn_tensor_id *tensor_ids(struct tn_native *n, const uint32_t *ids, uint32_t count)
{
	tn_tensor_id *out = TN_NEW_ARRAY(n->im->arena, tn_tensor_id, count);

	for (uint32_t i = 0; out && ids && i < count; i++)
		out[i].i = ids[i];
	return out;
}

/* {"If": {"then": [ops], "else": [ops]}} */
static void read_branches(struct tn_native *n, const struct tn_path *up,
	const json_t *graph, struct tn_graph *out)
{
	json_t *choices = json_object_get(graph, "branches");
	struct tn_path path = { up, "branches", 0 };
	TN_VEC(struct tn_branch) branches = { 0 };

	if (!choices || !tn_json_want(n->im, NATIVE_TYPE, &path, choices, JSON_OBJECT))
		return;
	for (void *c = json_object_iter(choices); c && !n->nomem;
		c = json_object_iter_next(choices, c)) {
		struct tn_path choice_at = { &path, json_object_iter_key(c), 0 };
		json_t *choice = json_object_iter_value(c);

		if (!tn_json_want(n->im, NATIVE_TYPE, &choice_at, choice, JSON_OBJECT))
			continue;
		for (void *b = json_object_iter(choice); b && !n->nomem;
			b = json_object_iter_next(choice, b)) {
			struct tn_path at = { &choice_at, json_object_iter_key(b), 0 };
			struct tn_branch branch;
			uint32_t *ids = read_names(
				n, &at, json_object_iter_value(b), false, &branch.n_ops);

			branch.choice = tn_native_intern(n, choice_at.key);
			branch.name = tn_native_intern(n, at.key);
			branch.ops = op_ids(n, ids, branch.n_ops);
			if (!ids || !branch.ops ||
				!tn_vec_push(n->im->arena, &branches, branch))
				n->nomem = true;
		}
	}
	out->branches = branches.items;
	out->n_branches = (uint32_t)branches.count;
}

/* {"If@first..last": [tensors]} */
static void read_scopes(struct tn_native *n, const struct tn_path *up,
	const json_t *graph, struct tn_graph *out)
{
	json_t *scopes = json_object_get(graph, "subgraph_of");
	struct tn_path path = { up, "subgraph_of", 0 };
	TN_VEC(struct tn_scope) list = { 0 };

	if (!scopes || !tn_json_want(n->im, NATIVE_TYPE, &path, scopes, JSON_OBJECT))
		return;
	for (void *s = json_object_iter(scopes); s && !n->nomem;
		s = json_object_iter_next(scopes, s)) {
		struct tn_path at = { &path, json_object_iter_key(s), 0 };
		struct tn_scope scope;
		uint32_t *ids = read_names(
			n, &at, json_object_iter_value(s), true, &scope.n_tensors);

		scope.name = tn_native_intern(n, at.key);
		scope.tensors = tensor_ids(n, ids, scope.n_tensors);
		if (!ids || !scope.tensors || !tn_vec_push(n->im->arena, &list, scope))
			n->nomem = true;
	}
	out->scopes = list.items;
	out->n_scopes = (uint32_t)list.count;
}

/* {"op": "Loop", "trip_count": 2}, what else it says is for people */
static void read_unrolled(struct tn_native *n, const struct tn_path *up,
	const json_t *graph, struct tn_graph *out)
{
	const json_t *loop = json_object_get(graph, "unrolled_from");
	struct tn_path at = { up, "unrolled_from", 0 };
	struct tn_path op_at = { &at, "op", 0 }, count_at = { &at, "trip_count", 0 };
	const json_t *op, *count;
	const char *text = "loop";

	if (!loop || !tn_json_want(n->im, NATIVE_TYPE, &at, loop, JSON_OBJECT))
		return;
	op = json_object_get(loop, "op");
	count = json_object_get(loop, "trip_count");
	out->trip_count = 2;
	if (op)
		tn_json_string(n->im, NATIVE_TYPE, &op_at, op, &text);
	if (count)
		tn_json_int(n->im, NATIVE_TYPE, &count_at, count, 1, TRIPS_MAX,
			&out->trip_count);
	out->unrolled_op = tn_native_intern(n, text);
}

/* An optional text; false after a report. */
static bool read_text(struct tn_native *n, const struct tn_path *up, const json_t *object,
	const char *key, const char **out)
{
	const json_t *value = json_object_get(object, key);
	const struct tn_path at = { up, key, 0 };
	const char *text;

	*out = NULL;
	if (!value)
		return true;
	if (!tn_json_string(n->im, NATIVE_TYPE, &at, value, &text))
		return false;
	*out = tn_arena_strdup(n->im->arena, text);
	n->nomem = n->nomem || !*out;
	return *out != NULL;
}

/* "suppress": findings that are known and accepted. */
static void read_excuses(
	struct tn_native *n, const struct tn_path *up, const json_t *graph)
{
	const json_t *list = tn_native_list(n, up, graph, "suppress");
	const struct tn_path path = { up, "suppress", 0 };

	for (size_t i = 0; i < json_array_size(list) && !n->nomem; i++) {
		const struct tn_path at = { &path, NULL, i };
		const json_t *item = json_array_get(list, i);
		struct tn_excuse e = { .pointer = NULL };

		if (!tn_json_want(n->im, NATIVE_TYPE, &at, item, JSON_OBJECT) ||
			!tn_native_member(n, &at, item, "rule") ||
			!read_text(n, &at, item, "rule", &e.rule) ||
			!read_text(n, &at, item, "name", &e.name) ||
			!read_text(n, &at, item, "reason", &e.reason))
			continue;
		if (e.reason && !e.reason[strspn(e.reason, " \t\r\n")])
			e.reason = NULL;
		e.pointer = tn_path_pointer(n->im->arena, &at);
		if (!e.pointer || !tn_vec_push(n->im->arena, &n->im->excuses, e))
			n->nomem = true;
	}
}

void tn_native_flow(struct tn_native *n, const struct tn_path *up, const json_t *graph,
	struct tn_graph *out)
{
	const json_t *exec = json_object_get(graph, "exec");
	struct tn_path at = { up, "exec", 0 };
	const char *text;

	if (exec && tn_json_string(n->im, NATIVE_TYPE, &at, exec, &text)) {
		out->parallel = strcmp(text, "parallel") == 0;
		if (!out->parallel && strcmp(text, "sequential") != 0)
			tn_json_error(n->im, NATIVE_VALUE, &at,
				"'%s' is neither 'sequential' nor 'parallel'", text);
	}
	read_branches(n, up, graph, out);
	if (!up)
		read_excuses(n, up, graph);
	if (!n->nomem)
		read_scopes(n, up, graph, out);
	if (!n->nomem)
		read_unrolled(n, up, graph, out);
}
