#include "export/native.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/utf8.h"

#include "base/banned.h"

#define SIDE_ALIGN 16

struct writer {
	const struct tn_graph *g;
	const struct tn_export_side *side;
	struct tn_strbuf *out;
	struct tn_arena scratch;
	const char **keys; /* by tensor: its unique name in the file */
	const char *indent;
};

static void put(struct writer *w, const char *text)
{
	tn_strbuf_puts(w->out, text);
}

static void put_text(struct writer *w, const char *text)
{
	size_t len = strlen(text), n;

	put(w, "\"");
	for (size_t i = 0; i < len; i += n ? n : 1) {
		n = tn_utf8_char(text + i, len - i);
		if (n == 0)
			put(w, "\\ufffd");
		else if (text[i] == '"' || text[i] == '\\')
			tn_strbuf_printf(w->out, "\\%c", text[i]);
		else if ((unsigned char)text[i] < 0x20)
			tn_strbuf_printf(w->out, "\\u%04x", (unsigned)text[i]);
		else
			tn_strbuf_add(w->out, text + i, n);
	}
	put(w, "\"");
}

static void put_key(struct writer *w, const char *key)
{
	put(w, ", ");
	put_text(w, key);
	put(w, ": ");
}

static void put_int(struct writer *w, int64_t value)
{
	tn_strbuf_printf(w->out, "%" PRId64, value);
}

static void put_int_member(struct writer *w, const char *key, int64_t value)
{
	put_key(w, key);
	put_int(w, value);
}

static void put_ints(struct writer *w, const int64_t *values, size_t n)
{
	put(w, "[");
	for (size_t i = 0; i < n; i++) {
		put(w, i ? ", " : "");
		put_int(w, values[i]);
	}
	put(w, "]");
}

/* Nine significant digits name one float; what JSON has no number for goes as bits. */
static void put_float(struct writer *w, float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	if (!isfinite(value))
		tn_strbuf_printf(w->out, "\"0x%08" PRIx32 "\"", bits);
	else if (bits == UINT32_C(0x80000000))
		put(w, "-0.0");
	else
		tn_strbuf_printf(w->out, "%.9g", (double)value);
}

/* Always a real number in JSON, so that it is not read as an integer. */
static void put_double(struct writer *w, double value)
{
	uint64_t bits;
	char text[40];

	memcpy(&bits, &value, sizeof(bits));
	if (!isfinite(value)) {
		tn_strbuf_printf(w->out, "{\"bits\": \"0x%016" PRIx64 "\"}", bits);
		return;
	}
	/* the shortest text that reads back to the same bits; 17 digits always do */
	for (int digits = 1; digits <= 17; digits++) {
		double again;

		snprintf(text, sizeof(text), "%.*g", digits, value);
		again = strtod(text, NULL);
		if (memcmp(&again, &value, sizeof(value)) == 0)
			break;
	}
	put(w, text);
	if (!strpbrk(text, ".e"))
		put(w, ".0");
}

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
static bool make_keys(struct writer *w)
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

static void put_tensor_name(struct writer *w, tn_tensor_id id)
{
	if (id.i == TN_NONE)
		put(w, "null");
	else
		put_text(w, w->keys[id.i]);
}

static void put_tensor_list(struct writer *w, const tn_tensor_id *ids, uint32_t n)
{
	put(w, "[");
	for (uint32_t i = 0; i < n; i++) {
		put(w, i ? ", " : "");
		put_tensor_name(w, ids[i]);
	}
	put(w, "]");
}

static void put_op_list(struct writer *w, const tn_op_id *ids, uint32_t n)
{
	put(w, "[");
	for (uint32_t i = 0; i < n; i++) {
		put(w, i ? ", " : "");
		put_text(w, w->g->ops[ids[i].i].name);
	}
	put(w, "]");
}

static void put_quant(struct writer *w, const struct tn_quant *q)
{
	if (!q->n && !q->damaged)
		return;
	put_key(w, "quantization");
	put(w, "{");
	if (q->n == 1) {
		put(w, "\"scale\": ");
		put_float(w, q->scale[0]);
		put_int_member(w, "zero_point", q->zero_point[0]);
	} else if (q->n) {
		put(w, "\"scale\": [");
		for (uint32_t i = 0; i < q->n; i++) {
			put(w, i ? ", " : "");
			put_float(w, q->scale[i]);
		}
		put(w, "]");
		put_key(w, "zero_point");
		put_ints(w, q->zero_point, q->n);
		put_int_member(w, "axis", q->axis);
	}
	if (q->damaged)
		put(w, q->n ? ", \"damaged\": true" : "\"damaged\": true");
	put(w, "}");
}

static void put_data(struct writer *w, const struct tn_tensor *t)
{
	if (t->data_kind != DATA_BYTES)
		return;
	put_key(w, "data");
	if (t->seeded) {
		tn_strbuf_printf(w->out, "{\"seed\": %" PRIu32 "}", t->seed);
	} else if (w->side && t->data_bytes > w->side->above) {
		while (w->side->out->len % SIDE_ALIGN && !w->side->out->failed)
			tn_strbuf_putc(w->side->out, 0);
		put(w, "{\"file\": ");
		put_text(w, w->side->name);
		tn_strbuf_printf(w->out, ", \"offset\": %zu}", w->side->out->len);
		tn_strbuf_add(w->side->out, (const char *)t->data, (size_t)t->data_bytes);
	} else {
		put(w, "{\"base64\": \"");
		tn_base64_encode(w->out, t->data, (size_t)t->data_bytes);
		put(w, "\"}");
	}
}

static void put_tensor(struct writer *w, uint32_t i)
{
	static const char *const roles[] = { [ROLE_ACT] = "act",
		[ROLE_INPUT] = "input",
		[ROLE_OUTPUT] = "output",
		[ROLE_CONST] = "const",
		[ROLE_VARIABLE] = "variable",
		[ROLE_SCRATCH] = "scratch" };
	const struct tn_tensor *t = &w->g->tensors[i];

	put(w, "{\"name\": ");
	put_text(w, w->keys[i]);
	if (strcmp(w->keys[i], t->name) != 0) {
		put_key(w, "label");
		put_text(w, t->name);
	}
	put_key(w, "dtype");
	put_text(w, tn_dtype_name(t->dtype));
	put_key(w, "shape");
	put_ints(w, t->shape.dim, t->shape.rank);
	if (t->role != ROLE_ACT) {
		put_key(w, "role");
		put_text(w, roles[t->role]);
	}
	put(w, t->clobber ? ", \"clobber\": true" : "");
	put(w, t->mutated ? ", \"mutated\": true" : "");
	put(w, t->observed ? ", \"observed\": true" : "");
	if (t->view_of.i != TN_NONE) {
		put_key(w, "view_of");
		put_tensor_name(w, t->view_of);
		if (t->view_offset)
			put_int_member(w, "offset", t->view_offset);
	}
	if (t->has_strides) {
		put_key(w, "strides");
		put_ints(w, t->stride, t->shape.rank);
	}
	put_quant(w, &t->quant);
	put_data(w, t);
	put(w, "}");
}

static void put_attr(struct writer *w, const struct tn_attr *a)
{
	switch (a->kind) {
	case ATTR_INT:
		put_int(w, a->v.i);
		break;
	case ATTR_BOOL:
		put(w, a->v.i ? "true" : "false");
		break;
	case ATTR_FLOAT:
		put_double(w, a->v.f);
		break;
	case ATTR_STRING:
		put_text(w, a->v.s);
		break;
	case ATTR_INTS:
		put_ints(w, a->v.ints, a->n);
		break;
	case ATTR_FLOATS:
	case ATTR_STRINGS:
		put(w, "[");
		for (size_t i = 0; i < a->n; i++) {
			put(w, i ? ", " : "");
			if (a->kind == ATTR_FLOATS)
				put_double(w, a->v.floats[i]);
			else
				put_text(w, a->v.strings[i]);
		}
		put(w, "]");
		break;
	}
}

static void put_op(struct writer *w, uint32_t i)
{
	const struct tn_op *op = &w->g->ops[i];

	put(w, "{\"name\": ");
	put_text(w, op->name);
	put_key(w, "type");
	put_text(w, op->type);
	put_key(w, "inputs");
	put_tensor_list(w, op->inputs, op->n_inputs);
	put_key(w, "outputs");
	put_tensor_list(w, op->outputs, op->n_outputs);
	for (uint32_t k = 0; k < op->n_attrs; k++) {
		if (k == 0) {
			put_key(w, "attrs");
			put(w, "{");
		} else {
			put(w, ", ");
		}
		put_text(w, op->attrs[k].name);
		put(w, ": ");
		put_attr(w, &op->attrs[k]);
	}
	put(w, op->n_attrs ? "}}" : "}");
}

static void put_places(struct writer *w, const struct tn_claim *c, bool sizes)
{
	bool first = true;

	for (uint32_t i = 0; i < c->n_places; i++) {
		int64_t value = sizes ? c->places[i].size : c->places[i].offset;

		if (value < 0)
			continue;
		put(w, first ? "" : ", ");
		put_tensor_name(w, c->places[i].tensor);
		put(w, ": ");
		put_int(w, value);
		first = false;
	}
}

static void put_claim(struct writer *w, uint32_t i)
{
	const struct tn_claim *c = &w->g->claims[i];
	const struct {
		const char *key;
		tn_tensor_id id;
	} tensors[] = { { "in", c->in }, { "out", c->out }, { "tensor", c->tensor },
		{ "of", c->of } };
	const struct {
		const char *key;
		int64_t value;
	} sizes[] = {
		{ "byte_offset", c->byte_offset },
		{ "bytes", c->bytes },
		{ "arena_bytes", c->arena_bytes },
		{ "align", c->align },
		{ "base_address", c->base_address },
	};

	put(w, "{\"id\": ");
	put_text(w, c->id);
	put_key(w, "kind");
	put_text(w, c->kind);
	if (c->op.i != TN_NONE) {
		put_key(w, "op");
		put_text(w, w->g->ops[c->op.i].name);
	}
	for (size_t k = 0; k < sizeof(tensors) / sizeof(*tensors); k++) {
		if (tensors[k].id.i == TN_NONE)
			continue;
		put_key(w, tensors[k].key);
		put_tensor_name(w, tensors[k].id);
	}
	for (size_t k = 0; k < sizeof(sizes) / sizeof(*sizes); k++)
		if (sizes[k].value >= 0)
			put_int_member(w, sizes[k].key, sizes[k].value);
	if (strcmp(c->kind, "plan") == 0) {
		put_key(w, "offsets");
		put(w, "{");
		put_places(w, c, false);
		put(w, "}");
		put_key(w, "sizes");
		put(w, "{");
		put_places(w, c, true);
		put(w, "}");
	}
	if (strcmp(c->kind, "schedule") == 0) {
		put_key(w, "order");
		put_op_list(w, c->order, c->n_order);
	}
	put(w, "}");
}

/* A member whose elements take a line each. */
static void put_lines(struct writer *w, const char *key, uint32_t n,
	void (*fn)(struct writer *w, uint32_t i))
{
	tn_strbuf_printf(w->out, ",\n%s  \"%s\": [", w->indent, key);
	for (uint32_t i = 0; i < n; i++) {
		tn_strbuf_printf(w->out, "%s\n%s    ", i ? "," : "", w->indent);
		fn(w, i);
	}
	if (n)
		tn_strbuf_printf(w->out, "\n%s  ", w->indent);
	put(w, "]");
}

static void put_member(struct writer *w, const char *key)
{
	tn_strbuf_printf(w->out, ",\n%s  \"%s\": ", w->indent, key);
}

static bool is_file_order(const struct tn_graph *g)
{
	for (uint32_t i = 0; i < g->n_ops; i++)
		if (g->schedule[i].i != i)
			return false;
	return true;
}

/* Everything of one graph but its braces and its first member. */
static enum tn_status put_graph(struct writer *w)
{
	const struct tn_graph *g = w->g;
	bool ok;

	tn_arena_init(&w->scratch);
	ok = make_keys(w);
	if (ok) {
		if (g->lossy) {
			put_member(w, "lossy");
			put(w, "true");
		}
		if (g->invocations != 1) {
			put_member(w, "invocations");
			put_int(w, g->invocations);
		}
		put_lines(w, "tensors", g->n_tensors, put_tensor);
		put_lines(w, "ops", g->n_ops, put_op);
		put_member(w, "inputs");
		put_tensor_list(w, g->inputs, g->n_inputs);
		put_member(w, "outputs");
		put_tensor_list(w, g->outputs, g->n_outputs);
		if (!is_file_order(g)) {
			put_member(w, "schedule");
			put_op_list(w, g->schedule, g->n_ops);
		}
		if (g->n_claims)
			put_lines(w, "claims", g->n_claims, put_claim);
	}
	tn_arena_release(&w->scratch);
	return ok ? TN_OK : TN_ERR_NOMEM;
}

enum tn_status tn_export_native(const struct tn_graph *g,
	const struct tn_export_side *side, struct tn_strbuf *out)
{
	struct writer w = { .g = g, .side = side, .out = out, .indent = "" };
	enum tn_status status;

	put(&w, "{\n  \"format\": \"tenure.graph/1\",\n  \"name\": ");
	put_text(&w, g->name);
	status = put_graph(&w);
	for (uint32_t i = 0; i < g->n_subgraphs && status == TN_OK; i++) {
		struct writer sub = {
			.g = &g->subgraphs[i], .side = side, .out = out, .indent = "    "
		};

		put(&w, i ? ",\n    {\n      \"name\": "
			  : ",\n  \"subgraphs\": [\n    {\n      \"name\": ");
		put_text(&sub, sub.g->name);
		status = put_graph(&sub);
		put(&w, "\n    }");
	}
	put(&w, g->n_subgraphs ? "\n  ]\n}\n" : "\n}\n");
	if (status == TN_OK && (out->failed || (side && side->out->failed)))
		status = TN_ERR_NOMEM;
	return status;
}
