/* Reads the native format, tenure.graph/1 (docs/INPUT.md). */
#include "import/native.h"

#include <stdlib.h>
#include <string.h>

#include "base/banned.h"
#include "base/checked.h"

#define INVOCATIONS_MAX 1000

static const char format_name[] = "tenure.graph/1";

/* All that a graph may have at its top. The last two describe and are not used. */
static const char *const known_keys[] = { "format", "name", "tensors", "ops", "inputs",
	"outputs", "schedule", "claims", "subgraphs", "invocations", "lossy", "exec",
	"branches", "subgraph_of", "unrolled_from", "suppress", "$schema", "note" };

json_t *tn_native_member(struct tn_native *n, const struct tn_path *up,
	const json_t *object, const char *key)
{
	json_t *value = json_object_get(object, key);

	if (!value)
		tn_json_error(n->im, NATIVE_MISSING, up, "'%s' is missing", key);
	return value;
}

json_t *tn_native_list(struct tn_native *n, const struct tn_path *up,
	const json_t *object, const char *key)
{
	json_t *value = json_object_get(object, key);
	struct tn_path at = { up, key, 0 };

	return value && tn_json_want(n->im, NATIVE_TYPE, &at, value, JSON_ARRAY) ? value
										 : NULL;
}

tn_tensor_id tn_native_tensor(
	struct tn_native *n, const struct tn_path *at, const json_t *name)
{
	tn_tensor_id id = { TN_NONE };
	const char *text;

	if (!tn_json_string(n->im, NATIVE_TYPE, at, name, &text))
		return id;
	id.i = tn_names_find(&n->tensors, text);
	if (id.i == TN_NONE)
		tn_json_error(n->im, "graph/undefined-tensor", at,
			"there is no tensor '%s'", text);
	return id;
}

tn_op_id tn_native_op(struct tn_native *n, const struct tn_path *at, const json_t *name)
{
	tn_op_id id = { TN_NONE };
	const char *text;

	if (!tn_json_string(n->im, NATIVE_TYPE, at, name, &text))
		return id;
	id.i = tn_names_find(&n->ops, text);
	if (id.i == TN_NONE)
		tn_json_error(
			n->im, "graph/undefined-op", at, "there is no op '%s'", text);
	return id;
}

const char *tn_native_intern(struct tn_native *n, const char *text)
{
	const char *copy = tn_str_intern(n->im->strings, text, strlen(text));

	if (!copy)
		n->nomem = true;
	return copy;
}

bool tn_native_flag(struct tn_native *n, const struct tn_path *up, const json_t *object,
	const char *key)
{
	const json_t *value = json_object_get(object, key);
	struct tn_path at = { up, key, 0 };
	bool flag = false;

	if (value)
		tn_json_bool(n->im, NATIVE_TYPE, &at, value, &flag);
	return flag;
}

static bool bits(const char *text, double *out)
{
	size_t digits = strspn(text + 2, "0123456789abcdefABCDEF");
	uint64_t value = strtoull(text + 2, NULL, 16);
	uint32_t half = (uint32_t)value;
	float single;

	if (text[2 + digits] != '\0' || (digits != 8 && digits != 16))
		return false;
	if (digits == 16) {
		memcpy(out, &value, sizeof(*out));
		return true;
	}
	memcpy(&single, &half, sizeof(single));
	*out = single;
	return true;
}

bool tn_native_real(const json_t *value, double *out)
{
	static const struct {
		const char *name, *bits;
	} specials[] = {
		{ "nan", "0x7ff8000000000000" },
		{ "inf", "0x7ff0000000000000" },
		{ "-inf", "0xfff0000000000000" },
	};
	const char *text;

	if (json_is_number(value)) {
		*out = json_number_value(value);
		return true;
	}
	text = json_string_value(value);
	if (!text)
		return false;
	for (size_t i = 0; i < sizeof(specials) / sizeof(*specials); i++)
		if (strcmp(text, specials[i].name) == 0)
			return bits(specials[i].bits, out);
	return strncmp(text, "0x", 2) == 0 && bits(text, out);
}

/* One end of the graph: a list of names, or, when there is none, all tensors of the role
 * in the order of the file. Both must agree when both are there. */
static void read_end(struct tn_native *n, const struct tn_path *up, const json_t *graph,
	const char *key, enum tn_role role)
{
	const json_t *list = tn_native_list(n, up, graph, key);
	struct tn_path path = { up, key, 0 };
	uint8_t *listed = TN_NEW_ARRAY(n->scratch, uint8_t, n->b->tensors.count);
	const char *role_name = role == ROLE_INPUT ? "input" : "output";

	if (!listed) {
		n->nomem = true;
		return;
	}
	for (size_t i = 0; i < json_array_size(list); i++) {
		struct tn_path at = { &path, NULL, i };
		tn_tensor_id id = tn_native_tensor(n, &at, json_array_get(list, i));
		struct tn_tensor *t;

		if (id.i == TN_NONE)
			continue;
		t = &n->b->tensors.items[id.i];
		if (listed[id.i] && role == ROLE_INPUT)
			tn_json_error(n->im, NATIVE_VALUE, &at,
				"'%s' is twice in the list", t->name);
		listed[id.i] = 1;
		if (t->role == ROLE_ACT)
			t->role = role;
		if (role == ROLE_INPUT && t->role == ROLE_OUTPUT)
			t->role =
				ROLE_INPUT; /* an output, too: that is what lists are for */
	}
	for (uint32_t i = 0; i < n->b->tensors.count; i++) {
		const struct tn_tensor *t = &n->b->tensors.items[i];

		if (list && t->role == role && !listed[i])
			tn_diag_at(n->im->diags, SEVERITY_ERROR, NATIVE_VALUE,
				n->im->source, t->pointer, t->name,
				"'%s' has the role '%s' and is not in '%s'", t->name,
				role_name, key);
	}
}

/* The ids of an end: see read_end, which has given out the roles. */
static void fill_end(
	struct tn_native *n, const json_t *graph, const char *key, enum tn_role role)
{
	const json_t *list = json_object_get(graph, key);

	for (uint32_t i = 0; i < n->b->tensors.count && !json_is_array(list); i++) {
		tn_tensor_id id = { i };

		if (n->b->tensors.items[i].role != role)
			continue;
		if (role == ROLE_INPUT ? !tn_vec_push(n->b->arena, &n->b->inputs, id)
				       : !tn_vec_push(n->b->arena, &n->b->outputs, id))
			n->nomem = true;
	}
	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *name = json_string_value(json_array_get(list, i));
		tn_tensor_id id = { name ? tn_names_find(&n->tensors, name) : TN_NONE };

		if (id.i == TN_NONE)
			continue;
		if (role == ROLE_INPUT ? !tn_vec_push(n->b->arena, &n->b->inputs, id)
				       : !tn_vec_push(n->b->arena, &n->b->outputs, id))
			n->nomem = true;
	}
}

/* Where the ops of a choice that the order leaves out belong: where another of its branches
 * begins. slot[] is the place in the order of the ops that have one, else SIZE_MAX. */
static void place_branches(const struct tn_graph *flow, size_t *slot)
{
	for (uint32_t i = 0, end = 0; i < flow->n_branches; i = end) {
		size_t first = SIZE_MAX;

		for (end = i; end < flow->n_branches &&
			      flow->branches[end].choice == flow->branches[i].choice;
			end++)
			for (uint32_t k = 0; k < flow->branches[end].n_ops; k++)
				first = slot[flow->branches[end].ops[k].i] < first
						? slot[flow->branches[end].ops[k].i]
						: first;
		for (uint32_t b = i; b < end && first != SIZE_MAX; b++)
			for (uint32_t k = 0; k < flow->branches[b].n_ops; k++)
				if (slot[flow->branches[b].ops[k].i] == SIZE_MAX)
					slot[flow->branches[b].ops[k].i] = first;
	}
}

/* Puts the ops of branches that the order leaves out into it: beside their choice, or where
 * the file has them. */
static bool complete_schedule(struct tn_native *n, const struct tn_graph *flow,
	const tn_op_id *order, size_t count, const uint8_t *seen)
{
	uint32_t n_ops = (uint32_t)n->b->ops.count;
	size_t *slot = TN_NEW_ARRAY(n->scratch, size_t, n_ops);
	size_t *begin = TN_NEW_ARRAY(n->scratch, size_t, count + 2), next = 0;
	tn_op_id *missing = TN_NEW_ARRAY(n->scratch, tn_op_id, n_ops);
	bool ok = slot && begin && missing;

	for (uint32_t op = 0; op < n_ops && ok; op++)
		slot[op] = SIZE_MAX;
	for (size_t i = 0; i < count && ok; i++)
		slot[order[i].i] = i;
	if (ok)
		place_branches(flow, slot);
	for (uint32_t op = 0; op < n_ops && ok; op++) {
		while (next < count && order[next].i < op)
			next++;
		if (slot[op] == SIZE_MAX)
			slot[op] = next;
		begin[slot[op] + 1] += !seen[op];
	}
	for (size_t i = 0; i <= count && ok; i++)
		begin[i + 1] += begin[i];
	for (uint32_t op = 0; op < n_ops && ok; op++)
		if (!seen[op])
			missing[begin[slot[op]]++].i = op;
	for (size_t i = 0, k = 0; i <= count && ok; i++) {
		for (; k < begin[i]; k++)
			ok = ok && tn_vec_push(n->b->arena, &n->b->schedule, missing[k]);
		if (i < count)
			ok = ok && tn_vec_push(n->b->arena, &n->b->schedule, order[i]);
	}
	return ok;
}

static void read_schedule(struct tn_native *n, const struct tn_path *up,
	const json_t *graph, const struct tn_graph *flow)
{
	const json_t *list = tn_native_list(n, up, graph, "schedule");
	struct tn_path path = { up, "schedule", 0 };
	size_t n_ops = n->b->ops.count, count = 0;
	uint8_t *seen = TN_NEW_ARRAY(n->scratch, uint8_t, n_ops);
	uint8_t *in_branch = TN_NEW_ARRAY(n->scratch, uint8_t, n_ops);
	tn_op_id *order = TN_NEW_ARRAY(n->scratch, tn_op_id, n_ops);
	bool ok = true;

	if (!seen || !in_branch || !order) {
		n->nomem = true;
		return;
	}
	for (uint32_t i = 0; i < flow->n_branches; i++)
		for (uint32_t k = 0; k < flow->branches[i].n_ops; k++)
			in_branch[flow->branches[i].ops[k].i] = 1;
	if (!list) /* the order of the file */
		return;
	for (size_t i = 0; i < json_array_size(list); i++) {
		struct tn_path at = { &path, NULL, i };
		tn_op_id id = tn_native_op(n, &at, json_array_get(list, i));

		if (id.i == TN_NONE) {
			ok = false;
		} else if (seen[id.i]) {
			tn_json_error(n->im, "graph/schedule", &at,
				"'%s' is twice in the schedule",
				n->b->ops.items[id.i].name);
			ok = false;
		} else {
			seen[id.i] = 1;
			order[count++] = id;
		}
	}
	for (uint32_t i = 0; i < n_ops; i++) {
		if (seen[i] || in_branch[i])
			continue;
		tn_json_error(n->im, "graph/schedule", &path,
			"'%s' is not in the schedule", n->b->ops.items[i].name);
		ok = false;
	}
	if (ok && !complete_schedule(n, flow, order, count, seen))
		n->nomem = true;
}

static enum tn_status read_graph(struct tn_native *n, const struct tn_path *up,
	const json_t *graph, struct tn_graph *out)
{
	const json_t *value;
	const char *name = "", *unread = NULL;
	int64_t invocations = 1;
	size_t errors;

	n->tensors = (struct tn_names){ .arena = n->scratch };
	n->ops = (struct tn_names){ .arena = n->scratch };
	*out = (struct tn_graph){ .format = FORMAT_NATIVE };
	value = json_object_get(graph, "name");
	if (value) {
		struct tn_path at = { up, "name", 0 };

		tn_json_string(n->im, NATIVE_TYPE, &at, value, &name);
	}
	out->name = tn_native_intern(n, name);
	value = json_object_get(graph, "invocations");
	if (value) {
		struct tn_path at = { up, "invocations", 0 };

		if (!tn_json_int(n->im, NATIVE_TYPE, &at, value, 1, INVOCATIONS_MAX,
			    &invocations))
			unread = "the graph's 'invocations' could not be read";
	}
	out->invocations = (uint32_t)invocations;
	out->lossy = tn_native_flag(n, up, graph, "lossy");
	tn_native_tensors(n, up, graph);
	if (!n->nomem)
		tn_native_ops(n, up, graph);
	if (!n->nomem) {
		read_end(n, up, graph, "outputs", ROLE_OUTPUT);
		read_end(n, up, graph, "inputs", ROLE_INPUT);
	}
	if (!n->nomem) {
		fill_end(n, graph, "inputs", ROLE_INPUT);
		fill_end(n, graph, "outputs", ROLE_OUTPUT);
		errors = n->im->diags->errors;
		tn_native_flow(n, up, graph, out);
		if (!n->nomem)
			read_schedule(n, up, graph, out);
		if (!unread && n->im->diags->errors > errors)
			unread = "the graph's order of ops could not be read";
	}
	if (!n->nomem)
		tn_native_claims(n, up, graph, unread);
	return n->nomem ? TN_ERR_NOMEM : TN_OK;
}

static void warn_of_unknown_keys(struct tn_native *n, json_t *graph)
{
	void *at = json_object_iter(graph);

	for (; at; at = json_object_iter_next(graph, at)) {
		const char *key = json_object_iter_key(at);
		struct tn_path path = { NULL, key, 0 };
		bool known = false;

		for (size_t i = 0; i < sizeof(known_keys) / sizeof(*known_keys); i++)
			known = known || strcmp(known_keys[i], key) == 0;
		if (!known)
			tn_diag(n->im->diags, SEVERITY_WARNING, "native/unknown-key",
				n->im->source, &path, "'%s' is not known and ignored",
				key);
	}
}

static enum tn_status read_subgraphs(
	struct tn_native *n, const json_t *root, struct tn_build *main)
{
	const json_t *list = tn_native_list(n, NULL, root, "subgraphs");
	struct tn_path path = { NULL, "subgraphs", 0 };

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *graph = json_array_get(list, i);
		struct tn_path at = { &path, NULL, i };
		struct tn_path nested = { &at, "subgraphs", 0 };
		struct tn_build b;
		struct tn_graph sub;
		enum tn_status status;

		if (!tn_json_want(n->im, NATIVE_TYPE, &at, graph, JSON_OBJECT))
			continue;
		if (json_object_get(graph, "subgraphs"))
			tn_json_error(n->im, NATIVE_VALUE, &nested,
				"a subgraph has no subgraphs: list them all in the main "
				"graph");
		tn_build_init(
			&b, n->im->arena, n->im->strings, n->im->diags, n->im->source);
		n->b = &b;
		status = read_graph(n, &at, graph, &sub);
		if (status == TN_OK)
			status = tn_build_finish(&b, &sub);
		if (status != TN_OK)
			return status;
		if (!tn_vec_push(n->im->arena, &main->subgraphs, sub))
			return TN_ERR_NOMEM;
	}
	return TN_OK;
}

static enum tn_status read_root(struct tn_native *n, json_t *root, struct tn_graph *out)
{
	struct tn_path at = { NULL, "format", 0 };
	struct tn_build b;
	const json_t *format;
	const char *text = "";
	enum tn_status status;

	if (!tn_json_want(n->im, NATIVE_TYPE, NULL, root, JSON_OBJECT))
		return TN_ERR_INPUT;
	format = tn_native_member(n, NULL, root, "format");
	if (!format || !tn_json_string(n->im, NATIVE_TYPE, &at, format, &text))
		return TN_ERR_INPUT;
	if (strcmp(text, format_name) != 0) {
		tn_json_error(n->im, "native/format", &at,
			"format '%s' is not supported, only '%s' is", text, format_name);
		return TN_ERR_INPUT;
	}
	warn_of_unknown_keys(n, root);
	tn_build_init(&b, n->im->arena, n->im->strings, n->im->diags, n->im->source);
	n->b = &b;
	status = read_graph(n, NULL, root, out);
	if (status == TN_OK)
		status = read_subgraphs(n, root, &b);
	return status == TN_OK ? tn_build_finish(&b, out) : status;
}

enum tn_status tn_import_native(struct tn_import *im, struct tn_graph *out)
{
	struct tn_native n = { .im = im };
	struct tn_arena scratch;
	struct tn_json json;
	enum tn_status status;

	status = tn_json_load(im, im->source->text, im->source->len, NULL, NULL, &json);
	tn_arena_init(&scratch);
	n.scratch = &scratch;
	if (status == TN_OK)
		status = read_root(&n, json.root, out);
	tn_json_drop(&json);
	tn_arena_release(&scratch);
	return status;
}
