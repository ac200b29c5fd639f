/* Reads the graphs of Google's Model Explorer. All that it says is text: shapes stand in
 * "tensor_shape" of a node's outputs, where an adapter wrote them. Nodes that TensorFlow
 * Lite's adapter made have its operators' names and options. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/foreign.h"

#include "base/banned.h"

struct reader {
	struct tn_tree tree;
	struct tn_foreign f;
	struct tn_names outputs; /* "node:output" -> tensor */
	TN_VEC(bool) read; /* by tensor */
	struct tn_ints list;
};

/* The value of a key in a list of {key, value}; "" when there is none. */
static const char *pair(struct reader *r, const struct tn_at *at, const char *key)
{
	struct tn_at list, item;
	size_t n = tn_at_list(&r->tree, at, "attrs", &list);

	for (size_t i = 0; i < n; i++) {
		struct tn_at value;

		tn_at_item(&list, i, &item);
		if (strcmp(tn_at_text(&r->tree, &item, "key", ""), key) == 0 &&
			tn_at_key(&r->tree, &item, "value", &value) &&
			json_is_string(value.json))
			return json_string_value(value.json);
	}
	return "";
}

static const char *key_of(struct reader *r, const char *node, const char *output)
{
	char *key = tn_arena_printf(&r->tree.scratch, "%s:%s", node, output);

	r->tree.nomem = r->tree.nomem || !key;
	return key ? key : "";
}

/* The dimensions up to the bracket; "?", "None", "*" and what is below 0 are not known. */
static bool parse_dims(
	struct reader *r, const struct tn_at *at, const char *text, struct tn_shape *out)
{
	*out = (struct tn_shape){ .rank = 0 };
	text += strspn(text, " ");
	while (*text != ']') {
		const size_t n = strcspn(text, ",]");
		char *item = tn_arena_strndup(&r->tree.scratch, text, n), *end;

		if (!item) {
			r->tree.nomem = true;
			return false;
		}
		if (!n || !text[n] || out->rank == TN_RANK_MAX)
			return false;
		if (strcmp(item, "?") == 0 || strcmp(item, "None") == 0 ||
			strcmp(item, "*") == 0) {
			out->dim[out->rank++] = TN_DIM_UNKNOWN;
		} else {
			errno = 0;
			out->dim[out->rank] = tn_dim_given(strtoll(item, &end, 10));
			if (end == item)
				out->dim[out->rank] = tn_foreign_dim(&r->f, at, item);
			else if (*end || errno)
				return false;
			out->rank++;
		}
		text += n + (text[n] == ',');
		text += strspn(text, " ");
	}
	return !text[1];
}

/* "float32[1,-1,-1,32]" */
static bool parse_shape(struct reader *r, const struct tn_at *at, const char *text,
	enum tn_dtype *out_dtype, struct tn_shape *out)
{
	size_t n = strcspn(text, "[");
	char name[24];

	if (!text[n] || n >= sizeof(name))
		return false;
	memcpy(name, text, n);
	name[n] = '\0';
	*out_dtype = tn_foreign_dtype(name);
	return *out_dtype != DTYPE_INVALID && parse_dims(r, at, text + n + 1, out);
}

static bool is_constant(const char *label)
{
	size_t n = strlen(label);

	return strcmp(label, "Const") == 0 || strstr(label, "pseudo_") != NULL ||
	       (n >= 8 && strcmp(label + n - 8, "constant") == 0);
}

static void add_output(struct reader *r, const struct tn_at *node, const struct tn_at *at)
{
	const char *shape_text = pair(r, at, "tensor_shape");
	const char *name = pair(r, at, "tensor_name");
	const char *key = key_of(r, tn_at_text(&r->tree, node, "id", ""),
		tn_at_text(&r->tree, at, "id", ""));
	const struct tn_shape *given;
	enum tn_dtype dtype = DTYPE_INVALID;
	struct tn_shape shape;
	struct tn_tensor *t;

	if (!parse_shape(r, at, shape_text, &dtype, &shape)) {
		tn_at_error(&r->tree, at, "model-explorer/shape",
			"'%.60s' is no element type and shape", shape_text);
		shape = (struct tn_shape){ .rank = 1, .dim = { TN_DIM_POISON } };
		dtype = DTYPE_U8;
	}
	given = tn_foreign_given_shape(&r->f, name[0] ? name : key);
	t = tn_foreign_tensor(
		&r->f, at, name[0] ? name : key, dtype, given ? given : &shape);
	if (!t)
		return;
	if (is_constant(tn_at_text(&r->tree, node, "label", ""))) {
		t->role = ROLE_CONST;
		t->data_kind = DATA_MISSING;
	}
	if (tn_names_add(&r->outputs, key, tn_foreign_newest(&r->f).i) == NAME_NOMEM ||
		!tn_vec_push(&r->tree.scratch, &r->read, false))
		r->tree.nomem = true;
}

/* TensorFlow Lite's names in small letters. */
static enum tn_op_kind kind_of(const char *label)
{
	char name[64];
	size_t n = 0;

	for (; label[n] && n + 1 < sizeof(name); n++)
		name[n] = label[n] >= 'a' && label[n] <= 'z'
				  ? (char)(label[n] - 'a' + 'A')
				  : label[n];
	name[n] = '\0';
	return tn_op_kind_parse(name);
}

static void add_options(struct reader *r, const struct tn_at *node, enum tn_op_kind kind)
{
	static const struct {
		const char *attr, *first, *second;
	} pairs[] = {
		{ "stride", "stride_h", "stride_w" },
		{ "dilation", "dilation_h_factor", "dilation_w_factor" },
		{ "kernel", "filter_height", "filter_width" },
	};
	const char *text = pair(r, node, "padding");
	struct tn_build *b = &r->f.b;
	bool ok = true;

	if (tn_op_info(kind)->access == ACCESS_WINDOW) {
		for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
			char both[64];

			snprintf(both, sizeof(both), "%.30s %.30s",
				pair(r, node, pairs[i].first),
				pair(r, node, pairs[i].second));
			tn_text_ints(&r->tree, both, &r->list);
			if (r->list.v.count == 2)
				ok = ok && tn_build_attr_ints(
						   b, pairs[i].attr, r->list.v.items, 2);
		}
		if (strcmp(text, "SAME") == 0 || strcmp(text, "VALID") == 0)
			ok = ok && tn_build_attr_string(b, "pad", text);
	} else if (kind == OP_CONCATENATION) {
		tn_text_ints(&r->tree, pair(r, node, "axis"), &r->list);
		if (r->list.v.count == 1)
			ok = tn_build_attr_int(b, "axis", r->list.v.items[0]);
	}
	r->tree.nomem = r->tree.nomem || !ok;
}

/* The tensors that come in, in the order of the ports. */
static void read_edges(struct reader *r, const struct tn_at *node)
{
	struct tn_at list, item;
	size_t n = tn_at_list(&r->tree, node, "incomingEdges", &list);

	for (size_t i = 0; i < n; i++) {
		const char *key;
		tn_tensor_id id;

		tn_at_item(&list, i, &item);
		key = key_of(r, tn_at_text(&r->tree, &item, "sourceNodeId", ""),
			tn_at_text(&r->tree, &item, "sourceNodeOutputId", "0"));
		id.i = tn_names_find(&r->outputs, key);
		if (id.i == TN_NONE) {
			tn_at_error(&r->tree, &item, "graph/undefined-tensor",
				"there is no output '%.100s'", key);
			continue;
		}
		r->read.items[id.i] = true;
		tn_foreign_in(&r->f, id);
	}
}

static void read_node(struct reader *r, const struct tn_at *node)
{
	const char *label = tn_at_text(&r->tree, node, "label", "");
	const char *id = tn_at_text(&r->tree, node, "id", "");
	bool inputs = strcmp(label, "GraphInputs") == 0;
	bool outputs = strcmp(label, "GraphOutputs") == 0;
	struct tn_at list, item;
	enum tn_op_kind kind = kind_of(label);
	size_t n;

	if (is_constant(label))
		return;
	if (!inputs && !outputs && !tn_foreign_op(&r->f, node, kind, label, id))
		return;
	if (outputs)
		r->f.in.v.count = 0;
	read_edges(r, node);
	for (size_t i = 0; outputs && i < r->f.in.v.count; i++)
		tn_foreign_output(&r->f, r->f.in.v.items[i]);
	n = tn_at_list(&r->tree, node, "outputsMetadata", &list);
	for (size_t i = 0; i < n && !outputs; i++) {
		tn_tensor_id t;

		tn_at_item(&list, i, &item);
		t.i = tn_names_find(&r->outputs,
			key_of(r, id, tn_at_text(&r->tree, &item, "id", "")));
		if (t.i != TN_NONE && inputs)
			tn_foreign_input(&r->f, t, true);
		else if (t.i != TN_NONE)
			tn_foreign_out(&r->f, t);
	}
	if (inputs || outputs)
		return;
	tn_foreign_close(&r->f);
	add_options(r, node, kind);
}

/* Without a node for the outputs, they are what nobody reads. */
static void find_outputs(struct reader *r)
{
	if (r->f.b.outputs.count)
		return;
	for (uint32_t i = 0; i < r->read.count; i++)
		if (!r->read.items[i] && r->f.b.tensors.items[i].role == ROLE_ACT)
			tn_foreign_output(&r->f, (tn_tensor_id){ i });
}

static enum tn_status read_graph(
	struct reader *r, const struct tn_at *graph, struct tn_graph *out)
{
	struct tn_at nodes, node, list, item;
	size_t n = tn_at_list(&r->tree, graph, "nodes", &nodes), shapes = 0;

	r->f.name = tn_at_text(&r->tree, graph, "id", "");
	for (size_t i = 0; i < n && !r->tree.nomem; i++) {
		size_t m;

		tn_at_item(&nodes, i, &node);
		if (!tn_at_want_object(&r->tree, &node))
			return TN_ERR_INPUT;
		m = tn_at_list(&r->tree, &node, "outputsMetadata", &list);
		for (size_t k = 0; k < m; k++, shapes++) {
			tn_at_item(&list, k, &item);
			add_output(r, &node, &item);
		}
	}
	if (!shapes) {
		tn_at_error(&r->tree, &nodes, "model-explorer/no-shapes",
			"no node says what its outputs are: sizes are not known");
		return TN_ERR_INPUT;
	}
	for (size_t i = 0; i < n && !r->tree.nomem; i++) {
		tn_at_item(&nodes, i, &node);
		read_node(r, &node);
	}
	find_outputs(r);
	return tn_foreign_finish(&r->f, out);
}

/* A collection of graphs, a list of graphs, or a list of collections. */
static enum tn_status read_root(
	struct reader *r, const struct tn_at *root, struct tn_graph *out)
{
	struct tn_at first = *root, list, graph;
	size_t n;

	if (json_is_array(root->json))
		tn_at_item(root, 0, &first);
	if (tn_at_key(&r->tree, &first, "nodes", &list))
		return read_graph(r, &first, out);
	n = tn_at_list(&r->tree, &first, "graphs", &list);
	if (!n)
		n = tn_at_list(&r->tree, &first, "subgraphs", &list);
	tn_at_item(&list, 0, &graph);
	if (!n || !json_is_object(graph.json)) {
		tn_at_error(
			&r->tree, &list, "model-explorer/no-graph", "there is no graph");
		return TN_ERR_INPUT;
	}
	if (n > 1)
		tn_at_warn(&r->tree, &list, "model-explorer/graphs",
			"only the first of %zu graphs is read", n);
	return read_graph(r, &graph, out);
}

enum tn_status tn_import_model_explorer(struct tn_import *im, struct tn_graph *out)
{
	struct reader r = { .read = { 0 } };
	struct tn_at root;
	enum tn_status status = tn_tree_open(&r.tree, im, "model-explorer/type", &root);

	tn_foreign_init(&r.f, &r.tree);
	r.outputs.arena = &r.tree.scratch;
	if (status == TN_OK)
		status = read_root(&r, &root, out);
	tn_tree_close(&r.tree);
	return status;
}
