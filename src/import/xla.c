/* Reads XLA's HloProto and HloModuleProto in protobuf's JSON. The entry computation is the
 * graph; the computations that loops and conditionals run are its subgraphs; those of
 * fusions and reductions are inside of one kernel and are not read. Tuples are no memory:
 * they are followed to the arrays in them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "import/xla.h"

#include "base/banned.h"

#define TUPLE_DEPTH_MAX 16

static size_t elements(const struct tn_xla *x, const json_t *shape, const json_t **out)
{
	struct tn_at at = { .json = shape, .root = true }, list;

	tn_at_key(&x->tree, &at, "tupleShapes", &list);
	*out = list.json;
	return json_array_size(list.json);
}

static bool is_tuple(const struct tn_xla *x, const json_t *shape)
{
	struct tn_at at = { .json = shape, .root = true }, type;

	return tn_at_key(&x->tree, &at, "elementType", &type) &&
	       json_is_string(type.json) &&
	       strcmp(json_string_value(type.json), "TUPLE") == 0;
}

static uint32_t count(const struct tn_xla *x, const json_t *shape, int depth)
{
	const json_t *list;
	size_t n = elements(x, shape, &list);
	uint32_t sum = 0;

	if (!is_tuple(x, shape))
		return 1;
	for (size_t i = 0; i < n && depth < TUPLE_DEPTH_MAX; i++)
		sum += count(x, json_array_get(list, i), depth + 1);
	return sum;
}

uint32_t tn_xla_count(const struct tn_xla *x, const json_t *shape)
{
	return count(x, shape, 0);
}

bool tn_xla_part(const struct tn_xla *x, const json_t *shape, const struct tn_ints *path,
	uint32_t *out_first, const json_t **out_shape)
{
	uint32_t first = 0;

	for (size_t i = 0; i < path->v.count; i++) {
		const json_t *list;
		size_t n = elements(x, shape, &list);
		int64_t index = path->v.items[i];

		if (!is_tuple(x, shape) || index < 0 || (uint64_t)index >= n ||
			i >= TUPLE_DEPTH_MAX)
			return false;
		for (int64_t k = 0; k < index; k++)
			first += count(x, json_array_get(list, (size_t)k), 0);
		shape = json_array_get(list, (size_t)index);
	}
	*out_first = first;
	*out_shape = shape;
	return true;
}

const struct tn_xla_value *tn_xla_find(struct tn_xla *x, const struct tn_at *at)
{
	const char *text = json_string_value(at->json);
	uint32_t index;
	char key[24];
	int64_t id;

	if (text && strspn(text, "0123456789") != strlen(text)) {
		index = tn_names_find(&x->values_by_name, text);
	} else {
		if (!tn_at_as_int(&x->tree, at, &id))
			return NULL;
		snprintf(key, sizeof(key), "%" PRId64, id);
		index = tn_names_find(&x->values_by_id, key);
	}
	if (index != UINT32_MAX)
		return &x->values.items[index];
	tn_at_error(&x->tree, at, "graph/undefined-tensor",
		"there is no instruction '%.60s'", text ? text : "?");
	return NULL;
}

static int64_t graph_of(struct tn_xla *x, uint32_t computation)
{
	struct tn_xla_graph *g;

	if (x->number[computation] != TN_NONE)
		return x->number[computation];
	g = TN_NEW(&x->tree.scratch, struct tn_xla_graph);
	if (!g || !tn_vec_push(&x->tree.scratch, &x->graphs, g) ||
		!tn_vec_push(&x->tree.scratch, &x->computation_of, computation)) {
		x->tree.nomem = true;
		return -1;
	}
	tn_foreign_init(&g->f, &x->tree);
	tn_at_item(&x->computations, computation, &g->computation);
	g->root = TN_NONE;
	x->number[computation] = (uint32_t)(x->graphs.count - 1);
	return x->number[computation];
}

int64_t tn_xla_call(struct tn_xla *x, const struct tn_at *at)
{
	char key[24];
	uint32_t index;
	int64_t id;

	if (!tn_at_as_int(&x->tree, at, &id))
		return -1;
	snprintf(key, sizeof(key), "%" PRId64, id);
	index = tn_names_find(&x->ids, key);
	if (index != UINT32_MAX)
		return graph_of(x, index);
	tn_at_error(&x->tree, at, XLA_VALUE, "there is no computation %s", key);
	return -1;
}

/* The entry is named by id, and in old files only by name. */
static uint32_t find_entry(struct tn_xla *x)
{
	const char *name = tn_at_text(&x->tree, &x->module, "entryComputationName", "");
	int64_t id = tn_at_int(&x->tree, &x->module, "entryComputationId", 0);
	uint32_t index;
	char key[24];

	snprintf(key, sizeof(key), "%" PRId64, id);
	index = tn_names_find(&x->ids, key);
	for (uint32_t i = 0; name[0] && i < json_array_size(x->computations.json); i++) {
		struct tn_at at;

		tn_at_item(&x->computations, i, &at);
		if (strcmp(tn_at_text(&x->tree, &at, "name", ""), name) == 0)
			index = i;
	}
	if (index == UINT32_MAX)
		tn_at_error(&x->tree, &x->module, "xla/no-graph",
			"there is no entry computation '%.60s'", name);
	return index;
}

static bool read_ids(struct tn_xla *x, size_t n)
{
	x->number = TN_NEW_ARRAY(&x->tree.scratch, uint32_t, n);
	if (!x->number) {
		x->tree.nomem = true;
		return false;
	}
	for (uint32_t i = 0; i < n; i++) {
		struct tn_at at;
		char *key;

		x->number[i] = TN_NONE;
		tn_at_item(&x->computations, i, &at);
		if (!tn_at_want_object(&x->tree, &at))
			return false;
		key = tn_arena_printf(
			&x->tree.scratch, "%" PRId64, tn_at_int(&x->tree, &at, "id", 0));
		if (!key || tn_names_add(&x->ids, key, i) == NAME_NOMEM)
			x->tree.nomem = true;
	}
	return !x->tree.nomem;
}

static enum tn_status finish(struct tn_xla *x, struct tn_graph *out)
{
	struct tn_xla_graph *entry = x->graphs.items[0];

	for (size_t i = 1; i < x->graphs.count; i++) {
		struct tn_graph sub;
		enum tn_status status = tn_foreign_finish(&x->graphs.items[i]->f, &sub);

		if (status != TN_OK)
			return status;
		if (!tn_vec_push(entry->f.b.arena, &entry->f.b.subgraphs, sub))
			return TN_ERR_NOMEM;
	}
	return tn_foreign_finish(&entry->f, out);
}

static enum tn_status read_root(
	struct tn_xla *x, const struct tn_at *root, struct tn_graph *out)
{
	size_t n;
	uint32_t entry;

	if (!tn_at_object(&x->tree, root, "hloModule", &x->module))
		x->module = *root;
	n = tn_at_list(&x->tree, &x->module, "computations", &x->computations);
	if (!read_ids(x, n))
		return x->tree.nomem ? TN_ERR_NOMEM : TN_ERR_INPUT;
	entry = find_entry(x);
	if (entry == UINT32_MAX || graph_of(x, entry) < 0)
		return x->tree.nomem ? TN_ERR_NOMEM : TN_ERR_INPUT;
	x->graphs.items[0]->f.name = tn_at_text(&x->tree, &x->module, "name", "");
	for (uint32_t i = 0; i < x->graphs.count && !x->tree.nomem; i++)
		tn_xla_read_graph(x, i);
	if (!x->tree.nomem)
		tn_xla_aliases(x);
	if (!x->tree.nomem)
		tn_xla_plan(x, root);
	return x->tree.nomem ? TN_ERR_NOMEM : finish(x, out);
}

enum tn_status tn_import_xla(struct tn_import *im, struct tn_graph *out)
{
	struct tn_xla x = { .number = NULL };
	struct tn_at root;
	enum tn_status status = tn_tree_open(&x.tree, im, "xla/type", &root);

	x.tree.casings = true;
	x.ids.arena = x.values_by_id.arena = x.values_by_name.arena = &x.tree.scratch;
	if (status == TN_OK)
		status = read_root(&x, &root, out);
	tn_tree_close(&x.tree);
	return status;
}
