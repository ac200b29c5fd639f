/* Reads ONNX models, as JSON (protobuf's, in both casings) and as bytes. A graph's names
 * become tensors; bodies of If, Loop and Scan become subgraphs, and what they capture
 * becomes inputs of them and of the op; calls of the model's own functions are replaced by
 * the functions' nodes. */
#include <stdio.h>
#include <string.h>

#include "import/onnx_infer.h"

#include "base/banned.h"

#define DEPTH_MAX 16 /* of calls and bodies */
#define NODES_MAX ((size_t)1 << 17) /* calls replaced */
#define ATTRS_MAX 256 /* of a node or a function: they are looked up one by one */

struct types {
	struct tn_at lists[2]; /* what the graph says of its values, of its outputs */
	struct tn_names names[2];
};

static void read_types(struct tn_onnx *x, const struct tn_at *graph, struct types *out)
{
	static const char *const keys[] = { "valueInfo", "output" };

	for (int k = 0; k < 2; k++) {
		size_t n = tn_at_list(&x->tree, graph, keys[k], &out->lists[k]);

		out->names[k].arena = &x->tree.scratch;
		for (uint32_t i = 0; i < n; i++) {
			struct tn_at at;

			tn_at_item(&out->lists[k], i, &at);
			if (tn_names_add(&out->names[k],
				    tn_at_text(&x->tree, &at, "name", ""),
				    i) == NAME_NOMEM)
				x->tree.nomem = true;
		}
	}
}

/* What the graph says of a value that a node computes. */
static tn_tensor_id declare_output(struct tn_onnx *x, struct tn_onnx_scope *scope,
	const struct tn_at *at, const char *name, const struct types *types)
{
	for (int k = 0; types && k < 2; k++) {
		uint32_t index = tn_names_find(&types->names[k], name);
		struct tn_at entry, type;

		if (index == UINT32_MAX)
			continue;
		tn_at_item(&types->lists[k], index, &entry);
		if (tn_at_object(&x->tree, &entry, "type", &type))
			return tn_onnx_declare(x, scope, at, name, &type, false);
	}
	return tn_onnx_declare(x, scope, at, name, NULL, false);
}

static void read_initializers(
	struct tn_onnx *x, struct tn_onnx_scope *scope, const struct tn_at *graph)
{
	struct tn_foreign *f = &scope->graph->f;
	struct tn_at list, at, values;
	size_t n = tn_at_list(&x->tree, graph, "initializer", &list);

	for (size_t i = 0; i < n && !x->tree.nomem; i++) {
		tn_tensor_id id;

		tn_at_item(&list, i, &at);
		if (!tn_at_want_object(&x->tree, &at))
			continue;
		id = tn_onnx_declare(x, scope, &at, tn_at_text(&x->tree, &at, "name", ""),
			NULL, false);
		if (id.i != TN_NONE)
			tn_onnx_tensor(x, f, &at, tn_foreign_at(f, id));
	}
	n = tn_at_list(&x->tree, graph, "sparseInitializer", &list);
	for (size_t i = 0; i < n && !x->tree.nomem; i++) {
		struct tn_tensor *t;
		tn_tensor_id id;

		tn_at_item(&list, i, &at);
		if (!tn_at_object(&x->tree, &at, "values", &values))
			continue;
		id = tn_onnx_declare(x, scope, &at,
			tn_at_text(&x->tree, &values, "name", ""), NULL, false);
		if (id.i == TN_NONE)
			continue;
		t = tn_foreign_at(f, id);
		t->role = ROLE_CONST;
		t->data_kind = DATA_MISSING;
		t->dtype = tn_onnx_dtype(tn_at_int(&x->tree, &values, "dataType", 0));
		tn_at_ints(&x->tree, &at, "dims", &x->list);
		tn_foreign_shape_of(f, &at, &x->list, &t->shape);
	}
}

/* Inputs; in old files all initialisers are among them. A body's may have hints: the
 * tensors of the graph around that they are given. */
static void read_inputs(struct tn_onnx *x, struct tn_onnx_scope *scope,
	const struct tn_at *graph, const struct tn_tensor *hints, size_t n_hints)
{
	struct tn_foreign *f = &scope->graph->f;
	struct tn_at list, at, type;
	size_t n = tn_at_list(&x->tree, graph, "input", &list);

	for (size_t i = 0; i < n && !x->tree.nomem; i++) {
		const char *name;
		tn_tensor_id id;
		bool typed;

		tn_at_item(&list, i, &at);
		if (!tn_at_want_object(&x->tree, &at))
			continue;
		name = tn_at_text(&x->tree, &at, "name", "");
		if (tn_names_find(&scope->names, name) != UINT32_MAX)
			continue;
		typed = tn_at_object(&x->tree, &at, "type", &type);
		id = tn_onnx_declare(
			x, scope, &at, name, typed ? &type : NULL, !scope->up);
		if (id.i == TN_NONE)
			continue;
		if (i < n_hints) {
			struct tn_tensor *t = tn_foreign_at(f, id);
			int64_t elements;

			if (t->dtype == DTYPE_INVALID)
				t->dtype = hints[i].dtype;
			if (!tn_shape_elements(&t->shape, &elements))
				t->shape = hints[i].shape;
		}
		tn_foreign_input(f, id, !scope->up);
	}
}

static void read_graph(struct tn_onnx *x, struct tn_onnx_scope *scope,
	const struct tn_at *graph, const struct tn_tensor *hints, size_t n_hints);

int64_t tn_onnx_body(struct tn_onnx *x, struct tn_onnx_scope *scope,
	const struct tn_at *graph, const struct tn_tensor *hints, size_t n_hints,
	struct tn_onnx_graph **out, struct tn_ids *captures)
{
	struct tn_onnx_graph *g = TN_NEW(&x->tree.scratch, struct tn_onnx_graph);
	struct tn_onnx_scope own = { .graph = g,
		.names.arena = &x->tree.scratch,
		.up = scope,
		.depth = scope->depth + 1 };
	struct tn_graph sub = { 0 };
	size_t number = x->subgraphs.count + 1;

	if (own.depth > DEPTH_MAX) {
		tn_at_error(
			&x->tree, graph, ONNX_VALUE, "the bodies are nested too deep");
		return -1;
	}
	if (!g || !tn_vec_push(x->tree.im->arena, &x->subgraphs, sub)) {
		x->tree.nomem = true;
		return -1;
	}
	tn_foreign_init(&g->f, &x->tree);
	read_graph(x, &own, graph, hints, n_hints);
	for (size_t i = 0; i < g->captures.count; i++)
		if (!tn_vec_push(
			    &x->tree.scratch, &captures->v, g->captures.items[i].outer))
			x->tree.nomem = true;
	if (x->tree.nomem || tn_foreign_finish(&g->f, &sub) != TN_OK) {
		x->tree.nomem = true;
		return -1;
	}
	x->subgraphs.items[number - 1] = sub;
	*out = g;
	return (int64_t)number;
}

/* A call of one of the model's functions: its nodes, with names of their own. */
static void call(struct tn_onnx *x, struct tn_onnx_node *n, uint32_t function)
{
	struct tn_at at, list;
	const char *name = tn_at_text(&x->tree, n->at, "name", "");
	struct tn_onnx_scope own = { .graph = n->scope->graph,
		.names.arena = &x->tree.scratch,
		.call = n->at,
		.function = &at,
		.caller = n->scope,
		.depth = n->scope->depth + 1 };
	size_t count;

	if (own.depth > DEPTH_MAX) {
		tn_at_error(&x->tree, n->at, ONNX_VALUE,
			"the calls of functions are nested too deep");
		return;
	}
	own.prefix = tn_arena_printf(&x->tree.scratch, "%s%s%.60s#%zu",
		n->scope->prefix ? n->scope->prefix : "", n->scope->prefix ? "/" : "",
		name[0] ? name : n->type, x->nodes);
	if (!own.prefix) {
		x->tree.nomem = true;
		return;
	}
	tn_at_item(&x->functions, function, &at);
	count = tn_at_list(&x->tree, &at, "input", &list);
	for (uint32_t i = 0; i < count; i++) {
		bool given = i < n->n_in && n->in[i].i != TN_NONE;

		if (tn_names_add(&own.names,
			    json_is_string(json_array_get(list.json, i))
				    ? json_string_value(json_array_get(list.json, i))
				    : "",
			    given ? n->in[i].i : TN_ONNX_OMITTED) == NAME_NOMEM)
			x->tree.nomem = true;
	}
	count = tn_at_list(&x->tree, &at, "output", &list);
	for (uint32_t i = 0; i < count && i < n->n_out; i++) {
		const char *formal = json_string_value(json_array_get(list.json, i));

		if (formal && n->out[i].i != TN_NONE &&
			tn_names_add(&own.names, formal, n->out[i].i) == NAME_NOMEM)
			x->tree.nomem = true;
	}
	tn_onnx_nodes(x, &own, &at);
}

static void declare_outputs(struct tn_onnx *x, struct tn_onnx_scope *scope,
	const struct tn_at *nodes, const struct types *types)
{
	for (size_t i = 0; i < json_array_size(nodes->json) && !x->tree.nomem; i++) {
		struct tn_at node, list, at;
		size_t n;

		tn_at_item(nodes, i, &node);
		n = tn_at_list(&x->tree, &node, "output", &list);
		for (size_t k = 0; k < n; k++) {
			const char *name = "";

			tn_at_item(&list, k, &at);
			if (tn_at_as_text(&x->tree, &at, &name) && name[0] &&
				tn_names_find(&scope->names, name) == UINT32_MAX)
				declare_output(x, scope, &node, name, types);
		}
	}
}

static tn_tensor_id *read_ids(struct tn_onnx *x, struct tn_onnx_scope *scope,
	const struct tn_at *node, const char *key, uint32_t *out_n)
{
	struct tn_at list, at;
	size_t n = tn_at_list(&x->tree, node, key, &list);
	tn_tensor_id *ids = TN_NEW_ARRAY(&x->tree.scratch, tn_tensor_id, n);

	*out_n = 0;
	if (!ids) {
		x->tree.nomem = true;
		return NULL;
	}
	for (size_t i = 0; i < n; i++) {
		const char *name = "";

		tn_at_item(&list, i, &at);
		tn_at_as_text(&x->tree, &at, &name);
		ids[i] = tn_onnx_lookup(x, scope, &at, name);
	}
	*out_n = (uint32_t)n;
	return ids;
}

/* What a function is known by: of one name there may be several. */
static char *function_key(struct tn_onnx *x, const struct tn_at *at, const char *name)
{
	const char *domain = tn_at_text(&x->tree, at, "domain", "");
	char *key = tn_arena_printf(&x->tree.scratch, "%s:%s:%s",
		strcmp(domain, "ai.onnx") == 0 ? "" : domain, name,
		tn_at_text(&x->tree, at, "overload", ""));

	x->tree.nomem = x->tree.nomem || !key;
	return key;
}

/* Only the model's own functions; those of the standard are ops. */
static uint32_t function_of(struct tn_onnx *x, const struct tn_at *node, const char *type)
{
	char *key = x->function_names.count ? function_key(x, node, type) : NULL;

	return key ? tn_names_find(&x->function_names, key) : UINT32_MAX;
}

static void read_functions(struct tn_onnx *x, const struct tn_at *root)
{
	size_t n = tn_at_list(&x->tree, root, "functions", &x->functions);

	x->function_names.arena = &x->tree.scratch;
	for (uint32_t i = 0; i < n; i++) {
		struct tn_at at, attributes;
		char *key;

		tn_at_item(&x->functions, i, &at);
		if (!tn_at_want_object(&x->tree, &at))
			continue;
		if (tn_at_list(&x->tree, &at, "attributeProto", &attributes) > ATTRS_MAX)
			tn_at_error(&x->tree, &at, ONNX_VALUE,
				"the function has more than %d attributes", ATTRS_MAX);
		key = function_key(x, &at, tn_at_text(&x->tree, &at, "name", ""));
		if (!key || tn_names_add(&x->function_names, key, i) == NAME_NOMEM)
			x->tree.nomem = true;
	}
}

/* Calls name the operands of a function's nodes again and again. */
static bool counts_operands(struct tn_onnx *x, const struct tn_at *node)
{
	struct tn_at list;

	if (x->operands > TN_JSON_VALUES_MAX)
		return false;
	x->operands += tn_at_list(&x->tree, node, "input", &list);
	x->operands += tn_at_list(&x->tree, node, "output", &list);
	if (x->operands > TN_JSON_VALUES_MAX)
		tn_at_error(&x->tree, node, ONNX_VALUE,
			"the functions' calls name too many operands");
	return x->operands <= TN_JSON_VALUES_MAX;
}

void tn_onnx_node(struct tn_onnx *x, struct tn_onnx_scope *scope, const struct tn_at *at)
{
	const char *domain = tn_at_text(&x->tree, at, "domain", "");
	struct tn_onnx_node n = {
		.scope = scope, .at = at, .type = tn_at_text(&x->tree, at, "opType", "")
	};
	struct tn_at attributes;
	uint32_t function;

	if (++x->nodes > NODES_MAX) {
		if (x->nodes == NODES_MAX + 1)
			tn_at_error(&x->tree, at, ONNX_VALUE,
				"the functions' calls make too many nodes");
		return;
	}
	if (tn_at_list(&x->tree, at, "attribute", &attributes) > ATTRS_MAX) {
		tn_at_error(&x->tree, at, ONNX_VALUE,
			"the node has more than %d attributes", ATTRS_MAX);
		return;
	}
	if (!counts_operands(x, at))
		return;
	n.in = read_ids(x, scope, at, "input", &n.n_in);
	n.out = read_ids(x, scope, at, "output", &n.n_out);
	if (x->tree.nomem)
		return;
	function = function_of(x, at, n.type);
	if (function != UINT32_MAX)
		call(x, &n, function);
	else
		tn_onnx_add(x, &n, domain);
}

void tn_onnx_nodes(
	struct tn_onnx *x, struct tn_onnx_scope *scope, const struct tn_at *owner)
{
	struct tn_at nodes, at;
	size_t n = tn_at_list(&x->tree, owner, "node", &nodes);
	uint32_t *order;

	for (size_t i = 0; i < n; i++) {
		tn_at_item(&nodes, i, &at);
		if (!tn_at_want_object(&x->tree, &at))
			return;
	}
	declare_outputs(x, scope, &nodes, NULL);
	order = tn_onnx_order(x, &nodes);
	for (size_t i = 0; i < n && order && !x->tree.nomem; i++) {
		tn_at_item(&nodes, order[i], &at);
		tn_onnx_node(x, scope, &at);
	}
}

static void read_graph(struct tn_onnx *x, struct tn_onnx_scope *scope,
	const struct tn_at *graph, const struct tn_tensor *hints, size_t n_hints)
{
	struct tn_foreign *f = &scope->graph->f;
	struct tn_at list, at, nodes;
	struct types types = { 0 };
	size_t n;

	f->name = tn_at_text(&x->tree, graph, "name", "");
	read_types(x, graph, &types);
	read_initializers(x, scope, graph);
	read_inputs(x, scope, graph, hints, n_hints);
	tn_at_list(&x->tree, graph, "node", &nodes);
	declare_outputs(x, scope, &nodes, &types);
	if (x->tree.nomem)
		return;
	tn_onnx_nodes(x, scope, graph);
	n = tn_at_list(&x->tree, graph, "output", &list);
	for (size_t i = 0; i < n && !x->tree.nomem; i++) {
		tn_at_item(&list, i, &at);
		tn_foreign_output(f, tn_onnx_lookup(x, scope, &at,
					     tn_at_text(&x->tree, &at, "name", "")));
	}
}

static enum tn_status read_model(
	struct tn_onnx *x, const struct tn_at *root, struct tn_graph *out)
{
	struct tn_onnx_graph *g = TN_NEW(&x->tree.scratch, struct tn_onnx_graph);
	struct tn_onnx_scope scope = { .graph = g, .names.arena = &x->tree.scratch };
	struct tn_at graph, opsets, at;
	size_t n;

	if (!g)
		return TN_ERR_NOMEM;
	tn_foreign_init(&g->f, &x->tree);
	if (!tn_at_object(&x->tree, root, "graph", &graph)) {
		tn_at_error(&x->tree, root, "onnx/no-graph", "the model has no graph");
		return TN_ERR_INPUT;
	}
	n = tn_at_list(&x->tree, root, "opsetImport", &opsets);
	for (size_t i = 0; i < n; i++) {
		const char *domain;

		tn_at_item(&opsets, i, &at);
		domain = tn_at_text(&x->tree, &at, "domain", "");
		if (!domain[0] || strcmp(domain, "ai.onnx") == 0)
			x->opset = tn_at_int(&x->tree, &at, "version", 1);
	}
	read_functions(x, root);
	read_graph(x, &scope, &graph, NULL, 0);
	for (size_t i = 0; i < x->subgraphs.count && !x->tree.nomem; i++)
		if (!tn_vec_push(g->f.b.arena, &g->f.b.subgraphs, x->subgraphs.items[i]))
			x->tree.nomem = true;
	return x->tree.nomem ? TN_ERR_NOMEM : tn_foreign_finish(&g->f, out);
}

enum tn_status tn_import_onnx_json(struct tn_import *im, struct tn_graph *out)
{
	struct tn_onnx x = { .opset = 1 };
	struct tn_at root;
	enum tn_status status = tn_tree_open(&x.tree, im, "onnx/type", &root);

	x.tree.casings = true;
	if (status == TN_OK)
		status = read_model(&x, &root, out);
	tn_tree_close(&x.tree);
	return status;
}

enum tn_status tn_import_onnx(struct tn_import *im, struct tn_graph *out)
{
	struct tn_onnx x = { .opset = 1 };
	struct tn_at root;
	json_t *model = NULL;
	enum tn_status status;

	tn_tree_adopt(&x.tree, im, "onnx/type", NULL, &root);
	x.tree.casings = true;
	status = tn_onnx_decode(&x, im, &model);
	x.tree.made = model;
	root.json = model;
	if (status == TN_OK)
		status = read_model(&x, &root, out);
	tn_tree_close(&x.tree);
	return status;
}
