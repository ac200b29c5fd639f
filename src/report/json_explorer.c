#include "report/json_explorer.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "report/boxes.h"
#include "report/json_parts.h"
#include "report/traffic.h"
#include "report/words.h"

#include "base/banned.h"

struct explorer {
	const struct tn_view *v;
	struct tn_arena arena;
	uint32_t *maker; /* by tensor: op, or TN_NONE */
	uint32_t *slot; /* by tensor: which output of its op */
	struct tn_load *loads; /* by position; NULL: not known */
	uint32_t peak;
};

static json_t *number(const char *prefix, uint32_t i)
{
	struct tn_strbuf text;

	tn_strbuf_init(&text);
	tn_strbuf_printf(&text, "%s%" PRIu32, prefix, i);
	return tn_json_taken(&text);
}

/* {"key": ..., "value": ...}: everything that it shows is text. */
static bool pair(json_t *list, const char *key, json_t *value)
{
	json_t *o = json_object();

	if (tn_json_put(o, "value", value) && tn_json_put(o, "key", tn_json_text(key)))
		return tn_json_push(list, o);
	json_decref(o);
	return false;
}

static bool pair_int(json_t *list, const char *key, int64_t value)
{
	struct tn_strbuf text;

	tn_strbuf_init(&text);
	tn_strbuf_printf(&text, "%" PRId64, value);
	return pair(list, key, tn_json_taken(&text));
}

static bool pair_counted(json_t *list, const char *key, int64_t value)
{
	return value < 0 ? pair(list, key, json_string("not counted"))
			 : pair_int(list, key, value);
}

/* "int8[1,49,10,8]" */
static json_t *shape(const struct tn_tensor *t)
{
	const char *name = tn_dtype_tflite_name(t->dtype);
	struct tn_strbuf text;

	tn_strbuf_init(&text);
	for (const char *c = name ? name : tn_dtype_name(t->dtype); *c; c++)
		tn_strbuf_putc(&text, (char)(*c >= 'A' && *c <= 'Z' ? *c + 32 : *c));
	tn_strbuf_putc(&text, '[');
	for (uint32_t k = 0; k < t->shape.rank; k++)
		tn_strbuf_printf(&text, "%s%" PRId64, k ? "," : "",
			t->shape.dim[k] < 0 ? -1 : t->shape.dim[k]);
	tn_strbuf_putc(&text, ']');
	return tn_json_taken(&text);
}

static json_t *tensor_name(const struct tn_view *v, uint32_t i)
{
	struct tn_strbuf text;

	tn_strbuf_init(&text);
	tn_words_tensor(v->g, (tn_tensor_id){ i }, &text);
	return tn_json_taken(&text);
}

/* One output of a node. */
static bool push_output(json_t *list, const struct explorer *x, uint32_t slot, uint32_t i)
{
	const struct tn_tensor *t = &x->v->g->tensors[i];
	const struct tn_plan_tensor *p = x->v->plan ? &x->v->plan->tensors[i] : NULL;
	json_t *o = json_object(), *attrs = json_array();
	bool ok = tn_json_put(o, "id", number("", slot)) &&
		  pair(attrs, "tensor_index", number("", i)) &&
		  pair(attrs, "tensor_name", tensor_name(x->v, i)) &&
		  pair(attrs, "tensor_shape", shape(t)) &&
		  pair_int(attrs, "bytes", t->bytes);

	if (ok && p && p->region < x->v->plan->n_regions)
		ok = pair(attrs, "region",
			     tn_json_text(x->v->plan->regions[p->region].name)) &&
		     pair_int(attrs, "offset", p->offset) &&
		     (!p->ring_bytes || pair_int(attrs, "ring_bytes", p->ring_bytes));
	if (tn_json_put(o, "attrs", attrs) && ok)
		return tn_json_push(list, o);
	json_decref(o);
	return false;
}

static bool push_edge(
	json_t *list, const struct explorer *x, uint32_t target, uint32_t tensor)
{
	const struct tn_graph *g = x->v->g;
	uint32_t from = x->maker[tensor];
	json_t *o = json_object(), *source, *slot;
	bool ok;

	if (from != TN_NONE) {
		source = number("", from);
		slot = number("", x->slot[tensor]);
	} else if (tn_graph_is_input(g, (tn_tensor_id){ tensor })) {
		source = json_string("GraphInputs");
		slot = number("", tensor);
	} else {
		source = number("tensor", tensor);
		slot = number("", 0);
	}
	ok = tn_json_put(o, "sourceNodeOutputId", slot);
	ok = tn_json_put(o, "sourceNodeId", source) && ok;
	if (ok && tn_json_put(o, "targetNodeInputId", number("", target)))
		return tn_json_push(list, o);
	json_decref(o);
	return false;
}

/* A node with its lists; takes all of them over. */
static bool push_node(json_t *nodes, json_t *id, json_t *label, json_t *namespace,
	json_t *attrs, json_t *edges, json_t *outputs)
{
	json_t *o = json_object();
	bool ok = tn_json_put(o, "id", id);

	ok = tn_json_put(o, "label", label) && ok;
	ok = tn_json_put(o, "namespace", namespace) && ok;
	ok = tn_json_put(o, "attrs", attrs) && ok;
	ok = tn_json_put(o, "incomingEdges", edges) && ok;
	ok = tn_json_put(o, "outputsMetadata", outputs) && ok;
	if (ok)
		return tn_json_push(nodes, o);
	json_decref(o);
	return false;
}

/* Layers nest by the slashes of their names, of the first one where a converter has
 * joined several. */
static json_t *namespace_of(const struct tn_view *v, const struct tn_op *op)
{
	const char *name = op->n_outputs && op->outputs[0].i != TN_NONE
				   ? v->g->tensors[op->outputs[0].i].name
				   : "";
	size_t n = strcspn(name, ";");
	struct tn_strbuf text;

	while (n && name[n - 1] != '/')
		n--;
	tn_strbuf_init(&text);
	tn_strbuf_add(&text, name, n ? n - 1 : 0);
	return tn_json_taken(&text);
}

static json_t *verdicts(const struct tn_view *v, tn_op_id op)
{
	struct tn_strbuf text;
	size_t n;
	const struct tn_candidate *list = tn_view_candidates(v, op, &n);

	tn_strbuf_init(&text);
	for (size_t i = 0; i < n; i++) {
		const struct tn_candidate *c = &list[i];

		tn_strbuf_puts(&text, text.len ? "; " : "");
		tn_words_tensor(v->g, c->in, &text);
		tn_strbuf_printf(&text, ": %s", tn_words_verdict(c));
		if (tn_candidate_shared(v, c))
			tn_strbuf_printf(&text, ", %s %" PRId64 " B",
				tn_candidate_in_place(v, c) ? "in place" : "over",
				tn_candidate_shared(v, c));
	}
	return tn_json_taken(&text);
}

static json_t *value_of(const struct tn_attr *a)
{
	struct tn_strbuf text;

	tn_strbuf_init(&text);
	for (size_t k = 0; k < a->n; k++) {
		tn_strbuf_puts(&text, k ? "," : "");
		switch (a->kind) {
		case ATTR_INT:
		case ATTR_BOOL:
			tn_strbuf_printf(&text, "%" PRId64, a->v.i);
			break;
		case ATTR_FLOAT:
			tn_strbuf_printf(&text, "%.17g", a->v.f);
			break;
		case ATTR_STRING:
			tn_strbuf_puts(&text, a->v.s);
			break;
		case ATTR_INTS:
			tn_strbuf_printf(&text, "%" PRId64, a->v.ints[k]);
			break;
		case ATTR_FLOATS:
			tn_strbuf_printf(&text, "%.17g", a->v.floats[k]);
			break;
		case ATTR_STRINGS:
			tn_strbuf_puts(&text, a->v.strings[k]);
			break;
		}
	}
	return tn_json_taken(&text);
}

/* The attributes; those of windows under the names that TensorFlow Lite's adapter has. */
static bool attributes(json_t *list, const struct tn_op *op)
{
	static const struct {
		const char *ours, *first, *second;
	} pairs[] = {
		{ "stride", "stride_h", "stride_w" },
		{ "dilation", "dilation_h_factor", "dilation_w_factor" },
		{ "kernel", "filter_height", "filter_width" },
	};
	bool ok = true;

	for (uint32_t i = 0; i < op->n_attrs && ok; i++) {
		const struct tn_attr *a = &op->attrs[i];
		size_t k = 0, n = sizeof(pairs) / sizeof(*pairs);

		while (k < n && strcmp(pairs[k].ours, a->name) != 0)
			k++;
		if (k < n && a->kind == ATTR_INTS && a->n == 2)
			ok = pair_int(list, pairs[k].first, a->v.ints[0]) &&
			     pair_int(list, pairs[k].second, a->v.ints[1]);
		else
			ok = pair(list, strcmp(a->name, "pad") == 0 ? "padding" : a->name,
				value_of(a));
	}
	return ok;
}

static bool add_op(json_t *nodes, const struct explorer *x, uint32_t position)
{
	const struct tn_view *v = x->v;
	tn_op_id id = tn_view_op_at(v, position);
	const struct tn_op *op = &v->g->ops[id.i];
	bool elided = tn_view_elided(v, id);
	struct tn_traffic t = { 0 };
	json_t *attrs = json_array(), *edges = json_array(), *outputs = json_array();
	bool ok;

	if (!elided)
		t = tn_traffic_of(v->g, op);
	ok = pair(attrs, "name", tn_json_text(op->name)) &&
	     pair(attrs, "position", number("", position)) &&
	     (!x->loads ||
		     pair_int(attrs, "live bytes", x->loads[position].live_bytes)) &&
	     (position != x->peak || pair(attrs, "peak", json_string("yes"))) &&
	     pair_counted(attrs, "MACs", t.macs) &&
	     pair_counted(attrs, "bytes read", t.bytes_read) &&
	     pair_counted(attrs, "bytes written", t.bytes_written) &&
	     (!elided || pair(attrs, "runs", json_string("no"))) &&
	     pair(attrs, "in place", verdicts(v, id)) && attributes(attrs, op);
	for (uint32_t k = 0; k < op->n_inputs && ok; k++)
		if (op->inputs[k].i != TN_NONE)
			ok = push_edge(edges, x, k, op->inputs[k].i);
	for (uint32_t k = 0; k < op->n_outputs && ok; k++)
		if (op->outputs[k].i != TN_NONE)
			ok = push_output(outputs, x, k, op->outputs[k].i);
	return push_node(nodes, number("", id.i), tn_json_text(tn_words_op_type(op)),
		       namespace_of(v, op), attrs, edges, outputs) &&
	       ok;
}

/* A tensor that nobody writes: a constant, a variable. */
static bool add_source(json_t *nodes, const struct explorer *x, uint32_t i)
{
	const struct tn_tensor *t = &x->v->g->tensors[i];
	json_t *outputs = json_array();
	bool ok = push_output(outputs, x, 0, i);

	return push_node(nodes, number("tensor", i),
		       json_string(
			       tn_tensor_is_constant(t) ? "pseudo_const" : "Variable"),
		       json_string(""), json_array(), json_array(), outputs) &&
	       ok;
}

static bool add_ends(json_t *nodes, const struct explorer *x)
{
	const struct tn_graph *g = x->v->g;
	json_t *given = json_array(), *taken = json_array();
	bool ok = true;

	for (uint32_t k = 0; k < g->n_inputs && ok; k++)
		ok = push_output(given, x, g->inputs[k].i, g->inputs[k].i);
	ok = push_node(nodes, json_string("GraphInputs"), json_string("GraphInputs"),
		     json_string(""), json_array(), json_array(), given) &&
	     ok;
	for (uint32_t k = 0; k < g->n_outputs && ok; k++)
		ok = push_edge(taken, x, k, g->outputs[k].i);
	return push_node(nodes, json_string("GraphOutputs"), json_string("GraphOutputs"),
		       json_string(""), json_array(), taken, json_array()) &&
	       ok;
}

static enum tn_status look(struct explorer *x)
{
	const struct tn_graph *g = x->v->g;

	x->peak = TN_NONE;
	x->maker = TN_NEW_ARRAY(&x->arena, uint32_t, g->n_tensors);
	x->slot = TN_NEW_ARRAY(&x->arena, uint32_t, g->n_tensors);
	if (!x->maker || !x->slot)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < g->n_tensors; i++)
		x->maker[i] = TN_NONE;
	for (uint32_t i = 0; i < g->n_ops; i++) {
		for (uint32_t k = 0; k < g->ops[i].n_outputs; k++) {
			uint32_t t = g->ops[i].outputs[k].i;

			if (t == TN_NONE)
				continue;
			x->maker[t] = i;
			x->slot[t] = k;
		}
	}
	if (!x->v->plan && !x->v->live)
		return TN_OK;
	return tn_loads_find(x->v, &x->arena, &x->loads, &x->peak);
}

static bool fill_graph(json_t *root, struct explorer *x)
{
	const struct tn_graph *g = x->v->g;
	json_t *graphs = json_array(), *graph = json_object(), *nodes = json_array();
	bool *used = TN_NEW_ARRAY(&x->arena, bool, g->n_tensors), ok = used != NULL;

	for (uint32_t i = 0; i < g->n_ops && ok; i++)
		for (uint32_t k = 0; k < g->ops[i].n_inputs; k++)
			if (g->ops[i].inputs[k].i != TN_NONE)
				used[g->ops[i].inputs[k].i] = true;
	ok = ok && add_ends(nodes, x);
	for (uint32_t i = 0; i < g->n_tensors && ok; i++)
		if (used[i] && x->maker[i] == TN_NONE &&
			!tn_graph_is_input(g, (tn_tensor_id){ i }))
			ok = add_source(nodes, x, i);
	for (uint32_t p = 0; p < g->n_ops && ok; p++)
		ok = add_op(nodes, x, p);
	ok = tn_json_put(graph, "nodes", nodes) && ok;
	ok = tn_json_put(graph, "id", json_string("main")) && ok;
	ok = tn_json_push(graphs, graph) && ok;
	ok = tn_json_put(root, "graphs", graphs) && ok;
	return tn_json_put(root, "label", tn_json_text(tn_view_name(x->v))) && ok;
}

enum tn_status tn_explorer_graph_write(const struct tn_view *v, struct tn_strbuf *out)
{
	struct explorer x = { .v = v };
	enum tn_status status;
	json_t *root = json_object();

	tn_arena_init(&x.arena);
	status = look(&x);
	if (status == TN_OK && !fill_graph(root, &x))
		status = TN_ERR_NOMEM;
	tn_arena_release(&x.arena);
	if (status == TN_OK)
		return tn_json_write(root, out);
	json_decref(root);
	return status;
}

/* The name under which every adapter knows the node: that of a tensor that it writes. */
static json_t *key_of(const struct tn_view *v, uint32_t op)
{
	const struct tn_op *o = &v->g->ops[op];

	for (uint32_t k = 0; k < o->n_outputs; k++)
		if (o->outputs[k].i != TN_NONE && *v->g->tensors[o->outputs[k].i].name)
			return tn_json_text(v->g->tensors[o->outputs[k].i].name);
	return number("", op);
}

/* What the op does with its inputs' bytes, and the colour of it. Nothing is green without
 * the verifier's word. */
static bool verdict(json_t *o, const struct tn_view *v, tn_op_id op)
{
	const char *text = "no choice", *color = "#e8e8e4";
	size_t n;
	const struct tn_candidate *list = tn_view_candidates(v, op, &n);

	for (size_t i = 0; i < n; i++) {
		const struct tn_candidate *c = &list[i];

		if (tn_candidate_in_place(v, c)) {
			text = c->elided ? "nothing runs" : "in place";
			color = v->verified ? "#cfe8d8" : "#dfe3e6";
			break;
		}
		if (tn_candidate_shared(v, c)) {
			text = "overlap";
			color = "#fbe2bd";
		} else if (strcmp(text, "no choice") == 0) {
			text = c->verdict == VERDICT_PROVED ? "apart, in place is legal"
							    : "apart";
			color = "#e8e8e4";
		}
	}
	return tn_json_put(o, "value", json_string(text)) &&
	       tn_json_put(o, "bgColor", json_string(color)) &&
	       tn_json_put(o, "textColor", json_string("#1d2125"));
}

static bool put_result(json_t *results, const struct explorer *x, uint32_t position,
	enum tn_overlay what)
{
	tn_op_id op = tn_view_op_at(x->v, position);
	json_t *key = key_of(x->v, op.i), *o = json_object();
	bool ok = what == OVERLAY_LIVE
			  ? tn_json_put(o, "value",
				    json_integer(x->loads[position].live_bytes))
			  : verdict(o, x->v, op);

	ok = ok && key &&
	     json_object_set_nocheck(results, json_string_value(key), o) == 0;
	json_decref(key);
	json_decref(o);
	return ok;
}

static bool push_stop(json_t *list, double at, const char *color, const char *text)
{
	json_t *o = json_object();

	if (tn_json_put(o, "stop", json_real(at)) &&
		tn_json_put(o, "bgColor", json_string(color)) &&
		tn_json_put(o, "textColor", json_string(text)))
		return tn_json_push(list, o);
	json_decref(o);
	return false;
}

enum tn_status tn_explorer_overlay_write(
	const struct tn_view *v, enum tn_overlay what, struct tn_strbuf *out)
{
	struct explorer x = { .v = v };
	json_t *root = json_object(), *results = json_object(), *stops = json_array();
	enum tn_status status;
	bool ok;

	tn_arena_init(&x.arena);
	status = look(&x);
	ok = status == TN_OK &&
	     tn_json_put(root, "name",
		     json_string(what == OVERLAY_LIVE ? "live bytes"
				 : v->verified	      ? "in place"
						      : "in place (plan not verified)"));
	for (uint32_t p = 0; p < v->g->n_ops && ok; p++)
		ok = put_result(results, &x, p, what);
	ok = tn_json_put(root, "results", results) && ok;
	ok = ok && push_stop(stops, 0, "#eef3f8", "#1d2125") &&
	     push_stop(stops, 1, "#b4371f", "#ffffff");
	if (what == OVERLAY_LIVE)
		ok = tn_json_put(root, "gradient", stops) && ok;
	else
		json_decref(stops);
	tn_arena_release(&x.arena);
	if (ok)
		return tn_json_write(root, out);
	json_decref(root);
	return status == TN_OK ? TN_ERR_NOMEM : status;
}
