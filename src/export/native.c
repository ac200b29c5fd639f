#include "export/native.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "export/native_part.h"

#include "base/banned.h"

#define SIDE_ALIGN 16

struct named {
	const char *name;
	uint32_t index;
};

static int by_name(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	if (order)
		return order;
	return x->index < y->index ? -1 : x->index > y->index;
}

static bool is_taken(const struct named *sorted, uint32_t n, const char *name)
{
	uint32_t low = 0, high = n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		int order = strcmp(sorted[middle].name, name);

		if (order == 0)
			return true;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

/* Names are the edges of the native format: a tensor whose name is empty or taken by an
 * earlier one gets another, and keeps its own as a label. */
static bool make_keys(struct tn_native_writer *w)
{
	uint32_t n = w->g->n_tensors;
	struct named *sorted = TN_NEW_ARRAY(&w->scratch, struct named, n);

	w->keys = TN_NEW_ARRAY(&w->scratch, const char *, n);
	if (!sorted || !w->keys)
		return false;
	for (uint32_t i = 0; i < n; i++)
		sorted[i] = (struct named){ w->g->tensors[i].name, i };
	if (n)
		qsort(sorted, n, sizeof(*sorted), by_name);
	for (uint32_t i = 0; i < n; i++) {
		const char *name = sorted[i].name, *key = name;
		bool unique = *name && (i == 0 || strcmp(sorted[i - 1].name, name) != 0);

		if (!unique) {
			key = tn_arena_printf(&w->scratch, "#%u", sorted[i].index);
			while (key && is_taken(sorted, n, key))
				key = tn_arena_printf(&w->scratch, "%s'", key);
		}
		if (!key)
			return false;
		w->keys[sorted[i].index] = key;
	}
	return true;
}

static void put_quant(struct tn_native_writer *w, const struct tn_quant *q)
{
	if (!q->n && !q->damaged)
		return;
	tn_native_put_key(w, "quantization");
	tn_native_put(w, "{");
	if (q->n == 1) {
		tn_native_put(w, "\"scale\": ");
		tn_native_put_float(w, q->scale[0]);
		tn_native_put_int_member(w, "zero_point", q->zero_point[0]);
	} else if (q->n) {
		tn_native_put(w, "\"scale\": [");
		for (uint32_t i = 0; i < q->n; i++) {
			tn_native_put(w, i ? ", " : "");
			tn_native_put_float(w, q->scale[i]);
		}
		tn_native_put(w, "]");
		tn_native_put_key(w, "zero_point");
		tn_native_put_ints(w, q->zero_point, q->n);
		tn_native_put_int_member(w, "axis", q->axis);
	}
	if (q->damaged)
		tn_native_put(w, q->n ? ", \"damaged\": true" : "\"damaged\": true");
	tn_native_put(w, "}");
}

static void put_data(struct tn_native_writer *w, const struct tn_tensor *t)
{
	if (t->data_kind != DATA_BYTES)
		return;
	tn_native_put_key(w, "data");
	if (t->seeded) {
		tn_strbuf_printf(w->out, "{\"seed\": %" PRIu32 "}", t->seed);
	} else if (w->side && t->data_bytes > w->side->above) {
		while (w->side->out->len % SIDE_ALIGN && !w->side->out->failed)
			tn_strbuf_putc(w->side->out, 0);
		tn_native_put(w, "{\"file\": ");
		tn_native_put_text(w, w->side->name);
		tn_strbuf_printf(w->out, ", \"offset\": %zu}", w->side->out->len);
		tn_strbuf_add(w->side->out, (const char *)t->data, (size_t)t->data_bytes);
	} else {
		tn_native_put(w, "{\"base64\": \"");
		tn_base64_encode(w->out, t->data, (size_t)t->data_bytes);
		tn_native_put(w, "\"}");
	}
}

static void put_tensor(struct tn_native_writer *w, uint32_t i)
{
	static const char *const roles[] = { [ROLE_ACT] = "act",
		[ROLE_INPUT] = "input",
		[ROLE_OUTPUT] = "output",
		[ROLE_CONST] = "const",
		[ROLE_VARIABLE] = "variable",
		[ROLE_SCRATCH] = "scratch" };
	const struct tn_tensor *t = &w->g->tensors[i];

	tn_native_put(w, "{\"name\": ");
	tn_native_put_text(w, w->keys[i]);
	if (strcmp(w->keys[i], t->name) != 0) {
		tn_native_put_key(w, "label");
		tn_native_put_text(w, t->name);
	}
	tn_native_put_key(w, "dtype");
	tn_native_put_text(w, tn_dtype_name(t->dtype));
	tn_native_put_key(w, "shape");
	tn_native_put_ints(w, t->shape.dim, t->shape.rank);
	if (t->role != ROLE_ACT) {
		tn_native_put_key(w, "role");
		tn_native_put_text(w, roles[t->role]);
	}
	tn_native_put(w, t->clobber ? ", \"clobber\": true" : "");
	tn_native_put(w, t->mutated ? ", \"mutated\": true" : "");
	tn_native_put(w, t->observed ? ", \"observed\": true" : "");
	if (t->view_of.i != TN_NONE) {
		tn_native_put_key(w, "view_of");
		tn_native_put_tensor_name(w, t->view_of);
		if (t->view_offset)
			tn_native_put_int_member(w, "offset", t->view_offset);
	}
	if (t->has_strides) {
		tn_native_put_key(w, "strides");
		tn_native_put_ints(w, t->stride, t->shape.rank);
	}
	put_quant(w, &t->quant);
	put_data(w, t);
	tn_native_put(w, "}");
}

static void put_attr(struct tn_native_writer *w, const struct tn_attr *a)
{
	switch (a->kind) {
	case ATTR_INT:
		tn_native_put_int(w, a->v.i);
		break;
	case ATTR_BOOL:
		tn_native_put(w, a->v.i ? "true" : "false");
		break;
	case ATTR_FLOAT:
		tn_native_put_double(w, a->v.f);
		break;
	case ATTR_STRING:
		tn_native_put_text(w, a->v.s);
		break;
	case ATTR_INTS:
		tn_native_put_ints(w, a->v.ints, a->n);
		break;
	case ATTR_FLOATS:
	case ATTR_STRINGS:
		tn_native_put(w, "[");
		for (size_t i = 0; i < a->n; i++) {
			tn_native_put(w, i ? ", " : "");
			if (a->kind == ATTR_FLOATS)
				tn_native_put_double(w, a->v.floats[i]);
			else
				tn_native_put_text(w, a->v.strings[i]);
		}
		tn_native_put(w, "]");
		break;
	}
}

static void put_op(struct tn_native_writer *w, uint32_t i)
{
	const struct tn_op *op = &w->g->ops[i];

	tn_native_put(w, "{\"name\": ");
	tn_native_put_text(w, op->name);
	tn_native_put_key(w, "type");
	/* another framework's name for an op of the table */
	tn_native_put_text(
		w, op->kind == OP_UNKNOWN || tn_op_kind_parse(op->type) == op->kind
			   ? op->type
			   : tn_op_info(op->kind)->name);
	tn_native_put_key(w, "inputs");
	tn_native_put_tensor_list(w, op->inputs, op->n_inputs);
	tn_native_put_key(w, "outputs");
	tn_native_put_tensor_list(w, op->outputs, op->n_outputs);
	for (uint32_t k = 0; k < op->n_attrs; k++) {
		if (k == 0) {
			tn_native_put_key(w, "attrs");
			tn_native_put(w, "{");
		} else {
			tn_native_put(w, ", ");
		}
		tn_native_put_text(w, op->attrs[k].name);
		tn_native_put(w, ": ");
		put_attr(w, &op->attrs[k]);
	}
	tn_native_put(w, op->n_attrs ? "}}" : "}");
}

/* A member whose elements take a line each. */
static void put_lines(struct tn_native_writer *w, const char *key, uint32_t n,
	void (*fn)(struct tn_native_writer *w, uint32_t i))
{
	tn_strbuf_printf(w->out, ",\n%s  \"%s\": [", w->indent, key);
	for (uint32_t i = 0; i < n; i++) {
		tn_strbuf_printf(w->out, "%s\n%s    ", i ? "," : "", w->indent);
		fn(w, i);
	}
	if (n)
		tn_strbuf_printf(w->out, "\n%s  ", w->indent);
	tn_native_put(w, "]");
}

/* What could not be read of a claim cannot be written, and the rest would say something
 * else. */
static void put_claims(struct tn_native_writer *w)
{
	bool first = true;

	for (uint32_t i = 0; i < w->g->n_claims; i++) {
		if (w->g->claims[i].unread)
			continue;
		if (first)
			tn_native_put_member(w, "claims");
		tn_strbuf_printf(w->out, "%s\n%s    ", first ? "[" : ",", w->indent);
		tn_native_put_claim(w, i);
		first = false;
	}
	if (!first)
		tn_strbuf_printf(w->out, "\n%s  ]", w->indent);
}

static bool is_file_order(const struct tn_graph *g)
{
	for (uint32_t i = 0; i < g->n_ops; i++)
		if (g->schedule[i].i != i)
			return false;
	return true;
}

/* Everything of one graph but its braces and its first member. */
static enum tn_status put_graph(struct tn_native_writer *w)
{
	const struct tn_graph *g = w->g;
	bool ok;

	tn_arena_init(&w->scratch);
	ok = make_keys(w);
	if (ok) {
		if (g->lossy) {
			tn_native_put_member(w, "lossy");
			tn_native_put(w, "true");
		}
		if (g->invocations != 1) {
			tn_native_put_member(w, "invocations");
			tn_native_put_int(w, g->invocations);
		}
		put_lines(w, "tensors", g->n_tensors, put_tensor);
		put_lines(w, "ops", g->n_ops, put_op);
		tn_native_put_member(w, "inputs");
		tn_native_put_tensor_list(w, g->inputs, g->n_inputs);
		tn_native_put_member(w, "outputs");
		tn_native_put_tensor_list(w, g->outputs, g->n_outputs);
		if (!is_file_order(g)) {
			tn_native_put_member(w, "schedule");
			tn_native_put_op_list(w, g->schedule, g->n_ops);
		}
		tn_native_put_flow(w);
		put_claims(w);
	}
	tn_arena_release(&w->scratch);
	return ok ? TN_OK : TN_ERR_NOMEM;
}

/* One without a reason, too: that is a finding of the copy as it was of the file. */
static void put_excuse(struct tn_native_writer *w, uint32_t i)
{
	const struct tn_excuse *e = &w->excuses->items[i];

	tn_native_put(w, "{\"rule\": ");
	tn_native_put_text(w, e->rule);
	if (e->name) {
		tn_native_put_key(w, "name");
		tn_native_put_text(w, e->name);
	}
	if (e->reason) {
		tn_native_put_key(w, "reason");
		tn_native_put_text(w, e->reason);
	}
	tn_native_put(w, "}");
}

enum tn_status tn_export_native(const struct tn_graph *g,
	const struct tn_excuses *excuses, const struct tn_export_side *side,
	struct tn_strbuf *out)
{
	struct tn_native_writer w = {
		.g = g, .excuses = excuses, .side = side, .out = out, .indent = ""
	};
	enum tn_status status;

	tn_native_put(&w, "{\n  \"format\": \"tenure.graph/1\",\n  \"name\": ");
	tn_native_put_text(&w, g->name);
	status = put_graph(&w);
	if (excuses && excuses->n)
		put_lines(&w, "suppress", excuses->n, put_excuse);
	for (uint32_t i = 0; i < g->n_subgraphs && status == TN_OK; i++) {
		struct tn_native_writer sub = {
			.g = &g->subgraphs[i], .side = side, .out = out, .indent = "    "
		};

		tn_native_put(&w, i ? ",\n    {\n      \"name\": "
				    : ",\n  \"subgraphs\": [\n    {\n      \"name\": ");
		tn_native_put_text(&sub, sub.g->name);
		status = put_graph(&sub);
		tn_native_put(&w, "\n    }");
	}
	tn_native_put(&w, g->n_subgraphs ? "\n  ]\n}\n" : "\n}\n");
	if (status == TN_OK && (out->failed || (side && side->out->failed)))
		status = TN_ERR_NOMEM;
	return status;
}
