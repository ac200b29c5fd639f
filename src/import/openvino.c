/* Reads the XML of OpenVINO's IR (versions 10 and 11). Constants lie in a file beside it
 * and are not read: the graph can be planned and not run. Document types are refused, so
 * there are no entities; nothing is fetched from anywhere. */
#include <inttypes.h>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xml.h"
#include "import/foreign.h"

#include "base/banned.h"

#define PORTS_MAX 4096 /* of one layer */

struct reader {
	struct tn_tree tree;
	struct tn_foreign f;
	struct tn_at layers; /* for pointers only */
	struct tn_names edges; /* "layer:port" of a reader -> index in sources */
	TN_VEC(const char *) sources; /* "layer:port" of the producer */
	struct tn_names ports; /* "layer:port" -> tensor */
	struct tn_names inputs; /* "layer:port" that edges may go to */
	struct tn_ints list;
};

static const char *text(struct reader *r, const xmlNode *node, const char *name)
{
	xmlChar *value = xmlGetProp(node, (const xmlChar *)name);
	char *copy = NULL;

	if (!value)
		return "";
	copy = tn_arena_strdup(&r->tree.scratch, (const char *)value);
	xmlFree(value);
	r->tree.nomem = r->tree.nomem || !copy;
	return copy ? copy : "";
}

static xmlNode *child(const xmlNode *node, const char *name)
{
	for (xmlNode *c = node ? node->children : NULL; c; c = c->next)
		if (c->type == XML_ELEMENT_NODE &&
			strcmp((const char *)c->name, name) == 0)
			return c;
	return NULL;
}

/* The next element of the name, from this one on. */
static xmlNode *next(xmlNode *node, const char *name)
{
	while (node && (node->type != XML_ELEMENT_NODE ||
			       strcmp((const char *)node->name, name) != 0))
		node = node->next;
	return node;
}

#define FOR_EACH(var, parent, name)                                                      \
	for (xmlNode *var = child(parent, name); var; var = next(var->next, name))

static const char *key_of(struct reader *r, const char *layer, const char *port)
{
	char *key = tn_arena_printf(&r->tree.scratch, "%s:%s", layer, port);

	r->tree.nomem = r->tree.nomem || !key;
	return key ? key : "";
}

static void place_last(struct reader *r, const xmlNode *node)
{
	struct tn_diags *d = r->tree.im->diags;

	if (d->list.count) {
		d->list.items[d->list.count - 1].line = (size_t)xmlGetLineNo(node);
		d->list.items[d->list.count - 1].column = 1;
	}
}

static void read_dims(struct reader *r, const struct tn_at *at, const xmlNode *port,
	struct tn_shape *out)
{
	r->list.v.count = 0;
	FOR_EACH(dim, port, "dim")
	{
		xmlChar *value = xmlNodeGetContent(dim);
		char *end = NULL;
		int64_t size = value ? strtoll((const char *)value, &end, 10) : -1;

		if (!value || end == (char *)value || end[strspn(end, " \t\r\n")] ||
			size < 0)
			size = TN_DIM_UNKNOWN;
		xmlFree(value);
		if (!tn_vec_push(&r->tree.scratch, &r->list.v, size))
			r->tree.nomem = true;
	}
	tn_foreign_shape_of(&r->f, at, &r->list, out);
}

/* The first of the names of a port, else the layer's. */
static const char *port_name(
	struct reader *r, const xmlNode *layer, const xmlNode *port, size_t index)
{
	const char *names = text(r, port, "names"), *name = text(r, layer, "name");
	size_t n = strcspn(names, ",");
	char *made;

	if (n)
		made = tn_arena_strndup(&r->tree.scratch, names, n);
	else if (!index)
		return name;
	else
		made = tn_arena_printf(&r->tree.scratch, "%.200s.%zu", name, index);
	r->tree.nomem = r->tree.nomem || !made;
	return made ? made : "";
}

static void add_port(struct reader *r, const struct tn_at *at, const xmlNode *layer,
	const xmlNode *port, size_t index)
{
	const char *precision = text(r, port, "precision"), *name;
	const struct tn_shape *given;
	struct tn_shape shape;
	struct tn_tensor *t;
	enum tn_dtype dtype;

	if (!precision[0])
		precision = text(r, child(layer, "data"), "element_type");
	dtype = tn_foreign_dtype(precision);
	if (dtype == DTYPE_INVALID) {
		tn_at_error(&r->tree, at, "graph/dtype",
			"'%.40s' is not a known element type", precision);
		place_last(r, port);
	}
	read_dims(r, at, port, &shape);
	name = port_name(r, layer, port, index);
	given = tn_foreign_given_shape(&r->f, name);
	t = tn_foreign_tensor(&r->f, at, name, dtype, given ? given : &shape);
	if (!t)
		return;
	if (strcmp(text(r, layer, "type"), "Const") == 0) {
		t->role = ROLE_CONST;
		t->data_kind = DATA_MISSING;
	}
	switch (tn_names_add(&r->ports,
		key_of(r, text(r, layer, "id"), text(r, port, "id")),
		tn_foreign_newest(&r->f).i)) {
	case NAME_ADDED:
		break;
	case NAME_NOMEM:
		r->tree.nomem = true;
		break;
	default:
		tn_at_error(&r->tree, at, "openvino/value",
			"there are two output ports %s of layers %s", text(r, port, "id"),
			text(r, layer, "id"));
		place_last(r, port);
	}
}

/* The tensor that an input port reads; TN_NONE after a report. */
static tn_tensor_id source(struct reader *r, const struct tn_at *at, const xmlNode *layer,
	const xmlNode *port)
{
	uint32_t edge = tn_names_find(
		&r->edges, key_of(r, text(r, layer, "id"), text(r, port, "id")));
	tn_tensor_id id = { TN_NONE };

	if (edge != UINT32_MAX)
		id.i = tn_names_find(&r->ports, r->sources.items[edge]);
	if (id.i == TN_NONE) {
		tn_at_error(&r->tree, at, "graph/undefined-tensor",
			"no edge brings a tensor to port %s of '%.100s'",
			text(r, port, "id"), text(r, layer, "name"));
		place_last(r, port);
	}
	return id;
}

static bool is_by_rows(struct reader *r, const xmlNode *layer)
{
	const char *axis = text(r, child(layer, "data"), "axis");
	const struct tn_tensor *in;

	if (!r->f.in.v.count || r->f.in.v.items[0].i == TN_NONE)
		return false;
	in = tn_foreign_at(&r->f, r->f.in.v.items[0]);
	tn_text_ints(&r->tree, axis, &r->list);
	return r->list.v.count == 1 &&
	       (r->list.v.items[0] == -1 || r->list.v.items[0] + 1 == in->shape.rank);
}

/* ---- attributes: those that change what an op computes are carried or make it unknown ---- */

static const char *attribute(struct reader *r, const xmlNode *layer, const char *name)
{
	return text(r, child(layer, "data"), name);
}

/* r->list; absent: none. False when there is more than integers. */
static bool read_ints(struct reader *r, const xmlNode *layer, const char *name)
{
	const char *value = attribute(r, layer, name);

	tn_text_ints(&r->tree, value, &r->list);
	return !value[strspn(value, "-0123456789, \t")] &&
	       (r->list.v.count || !value[strspn(value, " \t")]);
}

static bool read_flag(
	struct reader *r, const xmlNode *layer, const char *name, bool absent, bool *out)
{
	const char *value = attribute(r, layer, name);

	*out = value[0] ? strcmp(value, "true") == 0 || strcmp(value, "1") == 0 : absent;
	return *out || !value[0] || strcmp(value, "false") == 0 ||
	       strcmp(value, "0") == 0;
}

static bool is_word(struct reader *r, const xmlNode *layer, const char *name,
	const char *const *words)
{
	const char *value = attribute(r, layer, name);

	for (size_t i = 0; words[i]; i++)
		if (strcmp(value, words[i]) == 0)
			return true;
	return !value[0];
}

static const char *const window_lists[][2] = { { "strides", "stride" },
	{ "dilations", "dilation" }, { "kernel", "kernel" } };

/* Padding at the begins, then at the ends, of as many sizes. */
static bool read_pads(struct reader *r, const xmlNode *layer,
	int64_t pad[2 * TN_RANK_MAX], size_t *out_n)
{
	size_t n[2];

	for (size_t k = 0; k < 2; k++) {
		if (!read_ints(r, layer, k ? "pads_end" : "pads_begin"))
			return false;
		n[k] = r->list.v.count;
		if (n[k] > TN_RANK_MAX)
			return false;
		for (size_t i = 0; i < n[k]; i++)
			pad[k * n[0] + i] = r->list.v.items[i];
	}
	*out_n = n[0] + n[1];
	return n[0] == n[1];
}

static bool knows_window(struct reader *r, const xmlNode *layer)
{
	static const char *const rules[] = { "explicit", "notset", "same_upper",
		"same_lower", "valid", NULL };
	static const char *const roundings[] = { "floor", "ceil", "ceil_torch", NULL };
	int64_t pad[2 * TN_RANK_MAX];
	size_t n;
	bool flag;

	for (size_t i = 0; i < sizeof(window_lists) / sizeof(*window_lists); i++)
		if (!read_ints(r, layer, window_lists[i][0]))
			return false;
	return read_pads(r, layer, pad, &n) && is_word(r, layer, "auto_pad", rules) &&
	       is_word(r, layer, "rounding_type", roundings) &&
	       read_flag(r, layer, "exclude-pad", false, &flag);
}

/* A slope for each channel goes along the second dimension, not along the last one. */
static bool is_by_channel(struct reader *r)
{
	const struct tn_shape *in, *slope;

	if (r->f.in.v.count != 2 || r->f.in.v.items[0].i == TN_NONE ||
		r->f.in.v.items[1].i == TN_NONE)
		return true;
	in = &tn_foreign_at(&r->f, r->f.in.v.items[0])->shape;
	slope = &tn_foreign_at(&r->f, r->f.in.v.items[1])->shape;
	return slope->rank == 1 && slope->dim[0] != 1 && in->rank > 2 &&
	       slope->dim[0] == in->dim[1];
}

static bool is_float(struct reader *r)
{
	return r->f.in.v.count && r->f.in.v.items[0].i != TN_NONE &&
	       tn_dtype_is_float(tn_foreign_at(&r->f, r->f.in.v.items[0])->dtype);
}

/* What the layer computes, its operands read. */
static enum tn_op_kind judged(
	struct reader *r, const xmlNode *layer, enum tn_op_kind kind)
{
	static const char *const broadcasts[] = { "numpy", "none", NULL };
	bool known = is_word(r, layer, "auto_broadcast", broadcasts), flag = true;
	double real;

	if (tn_op_info(kind)->access == ACCESS_WINDOW)
		known = known && knows_window(r, layer);
	switch (kind) {
	case OP_SOFTMAX:
		known = is_by_rows(r, layer);
		break;
	case OP_BATCH_NORM: /* the first version has its operands in another order */
		known = strcmp(text(r, layer, "version"), "opset5") == 0 &&
			tn_text_real(attribute(r, layer, "epsilon"), &real);
		break;
	case OP_BATCH_MATMUL:
		known = read_flag(r, layer, "transpose_a", false, &flag) &&
			read_flag(r, layer, "transpose_b", false, &flag);
		break;
	case OP_ELU:
		known = tn_text_real(attribute(r, layer, "alpha"), &real);
		break;
	case OP_DIV: /* of integers: rounded down, unless it says otherwise */
		known = known && read_flag(r, layer, "m_pythondiv", true, &flag);
		kind = flag && !is_float(r) ? OP_FLOOR_DIV : kind;
		break;
	case OP_PRELU:
		known = !is_by_channel(r);
		break;
	case OP_GATHER: /* the axis is an operand, whose value is not in the file */
		known = false;
		break;
	default:
		break;
	}
	return known ? kind : OP_UNKNOWN;
}

static bool add_window(struct reader *r, const xmlNode *layer, enum tn_op_kind kind)
{
	static const char *const rules[][2] = { { "same_upper", "SAME_UPPER" },
		{ "same_lower", "SAME_LOWER" }, { "valid", "VALID" } };
	const char *rounding = attribute(r, layer, "rounding_type");
	struct tn_build *b = &r->f.b;
	int64_t pad[2 * TN_RANK_MAX];
	bool ok = true, without;
	size_t n;

	for (size_t i = 0; i < sizeof(window_lists) / sizeof(*window_lists); i++) {
		(void)read_ints(r, layer, window_lists[i][0]);
		ok = ok &&
		     (!r->list.v.count || tn_build_attr_ints(b, window_lists[i][1],
						  r->list.v.items, r->list.v.count));
	}
	if (read_pads(r, layer, pad, &n) && n)
		ok = ok && tn_build_attr_ints(b, "pad", pad, n);
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (strcmp(attribute(r, layer, "auto_pad"), rules[i][0]) == 0)
			ok = ok && tn_build_attr_string(b, "auto_pad", rules[i][1]);
	if (strncmp(rounding, "ceil", 4) == 0)
		ok = ok && tn_build_attr_int(b, "ceil_mode", 1);
	if (kind == OP_AVERAGE_POOL_2D &&
		read_flag(r, layer, "exclude-pad", false, &without) && !without)
		ok = ok && tn_build_attr_int(b, "count_include_pad", 1);
	return ok && tn_build_attr_string(b, "layout", "NCHW");
}

/* A real number, when the layer has it. */
static bool add_real(struct reader *r, const xmlNode *layer, const char *name)
{
	double value;

	return !tn_text_real(attribute(r, layer, name), &value) ||
	       tn_build_attr_float(&r->f.b, name, value);
}

static bool add_transposition(
	struct reader *r, const xmlNode *layer, const char *name, const char *ours)
{
	bool flag;

	return !read_flag(r, layer, name, false, &flag) || !flag ||
	       tn_build_attr_bool(&r->f.b, ours, true);
}

static void add_attributes(struct reader *r, const xmlNode *layer, enum tn_op_kind kind)
{
	struct tn_build *b = &r->f.b;
	bool ok = true;

	if (tn_op_info(kind)->access == ACCESS_WINDOW)
		ok = add_window(r, layer, kind);
	switch (kind) {
	case OP_BATCH_NORM:
		ok = tn_build_attr_int(b, "axis", 1) && add_real(r, layer, "epsilon");
		break;
	case OP_CONCATENATION:
		tn_text_ints(&r->tree, attribute(r, layer, "axis"), &r->list);
		ok = !r->list.v.count || tn_build_attr_int(b, "axis", r->list.v.items[0]);
		break;
	case OP_BATCH_MATMUL:
		ok = add_transposition(r, layer, "transpose_a", "adj_x") &&
		     add_transposition(r, layer, "transpose_b", "adj_y");
		break;
	case OP_ELU:
		ok = add_real(r, layer, "alpha");
		break;
	case OP_CLIP:
		ok = add_real(r, layer, "min") && add_real(r, layer, "max");
		break;
	default:
		break;
	}
	r->tree.nomem = r->tree.nomem || !ok;
}

static void add_op(struct reader *r, const struct tn_at *at, const xmlNode *layer)
{
	const char *type = text(r, layer, "type");
	enum tn_op_kind kind = tn_vocabulary_kind(VOCABULARY_OPENVINO, type);

	if (!tn_foreign_op(&r->f, at, kind, type, text(r, layer, "name")))
		return;
	FOR_EACH(port, child(layer, "input"), "port")
	tn_foreign_in(&r->f, source(r, at, layer, port));
	FOR_EACH(port, child(layer, "output"), "port")
	{
		tn_tensor_id id = { tn_names_find(&r->ports,
			key_of(r, text(r, layer, "id"), text(r, port, "id"))) };

		if (id.i != TN_NONE)
			tn_foreign_out(&r->f, id);
	}
	if (strcmp(type, "SoftMax") == 0 || strcmp(type, "Softmax") == 0)
		kind = OP_SOFTMAX;
	kind = judged(r, layer, kind);
	tn_foreign_newest_op(&r->f)->kind = kind;
	tn_foreign_close(&r->f);
	add_attributes(r, layer, kind);
}

static void read_layer(struct reader *r, const struct tn_at *at, const xmlNode *layer)
{
	const char *type = text(r, layer, "type");

	if (strcmp(type, "Const") == 0)
		return;
	if (strcmp(type, "Parameter") == 0) {
		FOR_EACH(port, child(layer, "output"), "port")
		{
			uint32_t id = tn_names_find(&r->ports,
				key_of(r, text(r, layer, "id"), text(r, port, "id")));

			tn_foreign_input(&r->f, (tn_tensor_id){ id }, true);
		}
	} else if (strcmp(type, "Result") == 0) {
		FOR_EACH(port, child(layer, "input"), "port")
		tn_foreign_output(&r->f, source(r, at, layer, port));
	} else {
		add_op(r, at, layer);
	}
}

/* Known ports only, and each of them once. */
static void read_edges(struct reader *r, const xmlNode *edges)
{
	const struct tn_at at = { .root = true };

	FOR_EACH(edge, edges, "edge")
	{
		const char *to =
			key_of(r, text(r, edge, "to-layer"), text(r, edge, "to-port"));
		const char *from = key_of(
			r, text(r, edge, "from-layer"), text(r, edge, "from-port"));

		const enum tn_name_result added =
			tn_names_add(&r->edges, to, (uint32_t)r->sources.count);

		if (added == NAME_NOMEM ||
			!tn_vec_push(&r->tree.scratch, &r->sources, from))
			r->tree.nomem = true;
		if (r->tree.nomem || (added == NAME_ADDED &&
					     tn_names_find(&r->inputs, to) != UINT32_MAX))
			continue;
		tn_at_error(&r->tree, &at, "openvino/value",
			added == NAME_ADDED
				? "an edge goes to port %s of layer %s, and there is none"
				: "there are two edges to port %s of layer %s",
			text(r, edge, "to-port"), text(r, edge, "to-layer"));
		place_last(r, edge);
	}
}

static enum tn_status read_net(struct reader *r, const xmlNode *net, struct tn_graph *out)
{
	const xmlNode *layers = child(net, "layers");
	struct tn_at root = { .root = true };
	size_t index = 0;

	if (!net || strcmp((const char *)net->name, "net") != 0 || !layers) {
		tn_at_error(&r->tree, &root, "openvino/no-graph",
			"there are no layers in a net");
		return TN_ERR_INPUT;
	}
	tn_at_entry(&root, "layers", NULL, &r->layers);
	r->f.name = text(r, net, "name");
	FOR_EACH(layer, layers, "layer")
	FOR_EACH(port, child(layer, "input"), "port")
	if (tn_names_add(&r->inputs, key_of(r, text(r, layer, "id"), text(r, port, "id")),
		    0) == NAME_NOMEM)
		return TN_ERR_NOMEM;
	read_edges(r, child(net, "edges"));
	for (int pass = 0; pass < 2; pass++) {
		index = 0;
		FOR_EACH(layer, layers, "layer")
		{
			struct tn_at at;
			size_t ports = 0;

			tn_at_item(&r->layers, index++, &at);
			if (pass) {
				read_layer(r, &at, layer);
				continue;
			}
			FOR_EACH(port, child(layer, "output"), "port")
			if (ports < PORTS_MAX)
				add_port(r, &at, layer, port, ports++);
			if (r->tree.nomem)
				return TN_ERR_NOMEM;
		}
	}
	return tn_foreign_finish(&r->f, out);
}

static enum tn_status read_document(struct reader *r, struct tn_graph *out)
{
	const struct tn_source *source_file = r->tree.im->source;
	const size_t line = tn_xml_too_many(source_file);
	xmlParserCtxt *context = line ? NULL : xmlNewParserCtxt();
	enum tn_status status = TN_ERR_INPUT;
	xmlDoc *doc = NULL;

	if (line) {
		struct tn_diag *diag = tn_diag(r->tree.im->diags, SEVERITY_ERROR,
			"xml/limit", source_file, NULL,
			"an element has more than %d attributes", TN_XML_ATTRIBUTES_MAX);

		if (diag)
			diag->line = line;
		return status;
	}
	if (!context)
		return TN_ERR_NOMEM;
	if (source_file->len <= INT32_MAX)
		doc = xmlCtxtReadMemory(context, source_file->text, (int)source_file->len,
			NULL, NULL,
			XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
				XML_PARSE_BIG_LINES);
	if (!doc) {
		const xmlError *error = xmlCtxtGetLastError(context);
		struct tn_diag *diag = tn_diag(r->tree.im->diags, SEVERITY_ERROR,
			"xml/syntax", source_file, NULL, "the XML is damaged");

		if (diag && error) {
			diag->line = error->line > 0 ? (size_t)error->line : 0;
			diag->column = 1;
		}
		if (context->errNo == XML_ERR_NO_MEMORY ||
			(error && error->code == XML_ERR_NO_MEMORY))
			status = TN_ERR_NOMEM;
	} else if (doc->intSubset || doc->extSubset) {
		tn_diag(r->tree.im->diags, SEVERITY_ERROR, "xml/doctype", source_file,
			NULL, "a document type is not allowed here");
	} else {
		status = read_net(r, xmlDocGetRootElement(doc), out);
	}
	xmlFreeDoc(doc);
	xmlFreeParserCtxt(context);
	return status;
}

enum tn_status tn_import_openvino(struct tn_import *im, struct tn_graph *out)
{
	struct reader r = { .sources = { 0 } };
	struct tn_at root;
	enum tn_status status;

	tn_tree_adopt(&r.tree, im, "openvino/type", NULL, &root);
	tn_foreign_init(&r.f, &r.tree);
	r.edges.arena = r.ports.arena = r.inputs.arena = &r.tree.scratch;
	status = read_document(&r, out);
	tn_tree_close(&r.tree);
	return status;
}
