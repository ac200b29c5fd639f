#include "rules/facts.h"

#include <inttypes.h>
#include <libxml/xpath.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/liveness.h"
#include "base/fnv.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "inplace/inplace.h"

#include "base/banned.h"

enum field {
#define FIELD(id, name) id,
#include "rules/facts.def"
#undef FIELD
	FIELD_COUNT
};

static const char *const field_names[] = {
#define FIELD(id, name) [id] = name,
#include "rules/facts.def"
#undef FIELD
};

/* Tables over the tensors, made when they are needed. */
struct tables {
	struct tn_facts_tables known; /* of the graph */
	uint32_t *producer, *reader, *readers, *same_name;
	bool *is_input, *is_output;
};

#define RECENT 64 /* text nodes of values that may come again */
#define SMALL  4096 /* those of small numbers */

struct builder {
	const struct tn_graph *g;
	const struct tn_plan *plan;
	uint64_t fields;
	struct tn_arena *arena;
	struct tables t;
	struct tn_facts *out;
	xmlNodePtr recent[RECENT], small[SMALL];
	size_t candidate; /* the next one */
	bool failed;
};

#define BIT(field) (UINT64_C(1) << (field))

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '-' || c == '_';
}

static bool is_operator(const char *word, size_t len)
{
	return (len == 2 && strncmp(word, "or", 2) == 0) ||
	       (len == 3 &&
		       (strncmp(word, "and", 3) == 0 || strncmp(word, "div", 3) == 0 ||
			       strncmp(word, "mod", 3) == 0));
}

/* A function that gives tensors. */
static bool is_set(const char *word, size_t len)
{
	static const char *const names[] = { "tensors", "inputs", "outputs", "constants",
		"variables" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i]) == len && strncmp(names[i], word, len) == 0)
			return true;
	return false;
}

/* Literals do not count. A star is a product behind an operand, else any name at all. */
void tn_facts_need(struct tn_facts_needs *needs, const char *at)
{
	bool operand = false; /* the token before may be the left side of a product */

	while (*at) {
		size_t len = 0;

		while (is_word(at[len]))
			len++;
		if (len && is_set(at, len))
			needs->fields |= BIT(F_TENSOR);
		for (int f = 0; f < FIELD_COUNT && len; f++)
			if (strlen(field_names[f]) == len &&
				strncmp(field_names[f], at, len) == 0)
				needs->fields |= BIT(f);
		if ((*at == '*' && !operand) || (len == 4 && strncmp(at, "node", 4) == 0))
			needs->fields = BIT(FIELD_COUNT) - 1;
		if (len)
			operand = !is_operator(at, len);
		else if (!strchr(" \t\r\n", *at))
			operand = strchr(")].*\"'", *at) != NULL &&
				  !(*at == '*' && operand);
		if (*at == '\'' || *at == '"') {
			const char *end = strchr(at + 1, *at);

			at = end ? end : at;
		}
		at += len ? len : 1;
	}
}

static uint64_t hash(const xmlChar *text)
{
	return tn_fnv(TN_FNV_INIT, text, (size_t)xmlStrlen(text));
}

static bool needed(const struct builder *b, enum field f)
{
	return b->fields >> f & 1;
}

static xmlNodePtr new_text(struct builder *b, const char *value)
{
	xmlNodePtr text = TN_NEW(b->arena, xmlNode);

	if (!text)
		return NULL;
	text->type = XML_TEXT_NODE;
	text->name = (const xmlChar *)"text";
	text->doc = b->out->doc;
	text->content = (xmlChar *)tn_arena_strdup(b->arena, value);
	return text->content ? text : NULL;
}

/* The name lives as long as the document. Text nodes may belong to several attributes:
 * nobody asks them for their parents. */
static void attach(struct builder *b, xmlNodePtr node, const char *name, xmlNodePtr text)
{
	xmlAttrPtr attr = node && text ? TN_NEW(b->arena, xmlAttr) : NULL;

	if (!attr) {
		b->failed = true;
		return;
	}
	attr->type = XML_ATTRIBUTE_NODE;
	attr->name = (const xmlChar *)name;
	attr->children = attr->last = text;
	attr->parent = node;
	attr->doc = b->out->doc;
	attr->next = node->properties; /* their order means nothing */
	if (attr->next)
		attr->next->prev = attr;
	node->properties = attr;
}

/* The value just put is often the next one, too: types, roles, shapes. */
static void put(struct builder *b, xmlNodePtr node, const char *name, const char *value)
{
	const size_t slot = hash((const xmlChar *)value) % RECENT;

	if (!b->recent[slot] ||
		strcmp((const char *)b->recent[slot]->content, value) != 0)
		b->recent[slot] = new_text(b, value);
	attach(b, node, name, b->recent[slot]);
}

static void put_int(struct builder *b, xmlNodePtr node, const char *name, int64_t value)
{
	const bool small = value >= 0 && value < SMALL;
	xmlNodePtr text = small ? b->small[value] : NULL;
	char digits[24];

	if (!text) {
		snprintf(digits, sizeof(digits), "%" PRId64, value);
		text = new_text(b, digits);
	}
	if (small)
		b->small[value] = text;
	attach(b, node, name, text);
}

static void put_text(
	struct builder *b, xmlNodePtr node, const char *name, const char *text)
{
	size_t len;
	const char *clean = tn_utf8_clean(b->arena, text, strlen(text), &len);

	if (clean)
		put(b, node, name, clean);
	else
		b->failed = true;
}

static void field_text(struct builder *b, xmlNodePtr node, enum field f, const char *text)
{
	if (needed(b, f))
		put_text(b, node, field_names[f], text);
}

static void field_int(struct builder *b, xmlNodePtr node, enum field f, int64_t value)
{
	if (needed(b, f))
		put_int(b, node, field_names[f], value);
}

/* Only what is so: @constant is true in a test, and not there otherwise. */
static void field_flag(struct builder *b, xmlNodePtr node, enum field f, bool set)
{
	if (set && needed(b, f))
		put(b, node, field_names[f], "yes");
}

/* Kind and index in one: 0 is the model. */
static xmlNodePtr add(struct builder *b, xmlNodePtr parent, const char *name, bool is_op,
	uint32_t index)
{
	xmlNodePtr node = parent ? TN_NEW(b->arena, xmlNode) : NULL;

	if (!node) {
		b->failed = true;
		return NULL;
	}
	node->type = XML_ELEMENT_NODE;
	node->name = (const xmlChar *)name;
	node->doc = b->out->doc;
	node->parent = parent;
	node->prev = parent->last;
	if (node->prev)
		node->prev->next = node;
	else
		parent->children = node;
	parent->last = node;
	node->_private = (void *)(((uintptr_t)index + 1) << 1 | is_op);
	return node;
}

bool tn_facts_subject(const xmlNode *node, struct tn_facts_subject *out)
{
	uintptr_t code;

	/* attributes and what they hold have no subject of their own */
	while (node && node->type != XML_ELEMENT_NODE)
		node = node->parent;
	code = node ? (uintptr_t)node->_private : 0;
	*out = (struct tn_facts_subject){ code & 1,
		code ? (uint32_t)((code >> 1) - 1) : 0 };
	return code != 0;
}

static const char *role_name(enum tn_role role)
{
	static const char *const names[] = { [ROLE_ACT] = "act",
		[ROLE_INPUT] = "input",
		[ROLE_OUTPUT] = "output",
		[ROLE_CONST] = "const",
		[ROLE_VARIABLE] = "variable",
		[ROLE_SCRATCH] = "scratch" };

	return names[role];
}

static void put_shape(struct builder *b, xmlNodePtr node, const struct tn_shape *shape)
{
	char text[TN_RANK_MAX * 21 + 1] = "";
	size_t n = 0;

	if (!needed(b, F_SHAPE))
		return;
	for (uint32_t i = 0; i < shape->rank; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%" PRId64,
			i ? "x" : "", shape->dim[i]);
	put(b, node, "shape", text);
}

static int64_t zero_points(const struct tn_quant *q)
{
	int64_t n = 0;

	for (uint32_t i = 0; i < q->n; i++)
		n += q->zero_point[i] != 0;
	return n;
}

static void put_life(struct builder *b, xmlNodePtr node, uint32_t i)
{
	const struct tn_span *span;

	if (b->t.known.live.tensor) {
		span = &b->t.known.live.tensor[i];
		if (span->first <= span->last) {
			field_int(b, node, F_FIRST, span->first / 2);
			field_int(b, node, F_LAST, span->last / 2);
		}
	}
	if (b->t.known.aliases.of) {
		field_int(b, node, F_ROOT, b->t.known.aliases.of[i].root.i);
		field_int(b, node, F_OFFSET, b->t.known.aliases.of[i].offset);
	}
}

static void put_tensor(struct builder *b, xmlNodePtr node, uint32_t i)
{
	const struct tn_tensor *t = &b->g->tensors[i];

	field_text(b, node, F_NAME, t->name);
	field_text(b, node, F_DTYPE, tn_dtype_name(t->dtype));
	field_int(b, node, F_RANK, t->shape.rank);
	put_shape(b, node, &t->shape);
	field_int(b, node, F_ELEMENTS, t->elements);
	field_int(b, node, F_BYTES, t->bytes);
	field_text(b, node, F_ROLE, role_name(t->role));
	field_flag(b, node, F_CONSTANT, tn_tensor_is_constant(t));
	field_flag(b, node, F_CLOBBER, t->clobber);
	field_flag(b, node, F_MUTATED, t->mutated);
	field_flag(b, node, F_OBSERVED, t->observed);
	field_flag(b, node, F_IS_INPUT, b->t.is_input && b->t.is_input[i]);
	field_flag(b, node, F_IS_OUTPUT, b->t.is_output && b->t.is_output[i]);
	if (t->view_of.i != TN_NONE)
		field_int(b, node, F_VIEW_OF, t->view_of.i);
	if (t->quant.n)
		field_int(b, node, F_SCALES, t->quant.n);
	if (t->quant.n && needed(b, F_ZERO_POINTS))
		field_int(b, node, F_ZERO_POINTS, zero_points(&t->quant));
	if (t->quant.n > 1)
		field_int(b, node, F_CHANNEL, t->quant.axis);
	if (b->t.producer && b->t.producer[i] != TN_NONE)
		field_int(b, node, F_PRODUCER, b->t.producer[i]);
	if (b->t.reader && b->t.reader[i] != TN_NONE)
		field_int(b, node, F_READER, b->t.reader[i]);
	if (b->t.readers)
		field_int(b, node, F_READERS, b->t.readers[i]);
	if (b->t.same_name && b->t.same_name[i] > 1)
		field_int(b, node, F_SAME_NAME, b->t.same_name[i]);
	put_life(b, node, i);
	if (b->plan && i < b->plan->n_tensors &&
		b->plan->tensors[i].region != TN_REGION_NONE) {
		const struct tn_plan_tensor *p = &b->plan->tensors[i];

		field_text(b, node, F_REGION, b->plan->regions[p->region].name);
		field_int(b, node, F_ADDRESS, p->offset);
	}
}

/* An operand has the attributes of its tensor: the same nodes, not copies of them. One
 * that is absent is an element without any, so that operands can be counted. */
static void add_operands(struct builder *b, xmlNodePtr op, enum field f,
	const tn_tensor_id *ids, uint32_t n)
{
	for (uint32_t k = 0; k < n && needed(b, f) && !b->failed; k++) {
		const bool there = tn_tensor_id_ok(b->g, ids[k]);
		xmlNodePtr node = add(b, op, field_names[f], !there,
			there ? ids[k].i
			      : (uint32_t)(((uintptr_t)op->_private >> 1) - 1));

		if (node && there)
			node->properties = b->out->tensors[ids[k].i]->properties;
	}
}

static void value_text(const struct tn_attr *a, struct tn_strbuf *out)
{
	for (size_t i = 0; i < a->n; i++) {
		if (i)
			tn_strbuf_putc(out, ' ');
		switch (a->kind) {
		case ATTR_INT:
		case ATTR_BOOL:
			tn_strbuf_printf(out, "%" PRId64, a->v.i);
			break;
		case ATTR_FLOAT:
			tn_strbuf_printf(out, "%.9g", a->v.f);
			break;
		case ATTR_STRING:
			tn_strbuf_puts(out, a->v.s);
			break;
		case ATTR_INTS:
			tn_strbuf_printf(out, "%" PRId64, a->v.ints[i]);
			break;
		case ATTR_FLOATS:
			tn_strbuf_printf(out, "%.9g", a->v.floats[i]);
			break;
		case ATTR_STRINGS:
			tn_strbuf_puts(out, a->v.strings[i]);
			break;
		}
	}
}

static void add_attrs(struct builder *b, xmlNodePtr parent, const struct tn_op *op)
{
	for (uint32_t k = 0; k < op->n_attrs && !b->failed; k++) {
		xmlNodePtr node =
			add(b, parent, "attr", true, (uint32_t)(op - b->g->ops));
		struct tn_strbuf text;

		tn_strbuf_init(&text);
		value_text(&op->attrs[k], &text);
		put_text(b, node, "name", op->attrs[k].name);
		put_text(b, node, "value", text.text ? text.text : "");
		b->failed = b->failed || text.failed;
		tn_strbuf_release(&text);
	}
}

static void add_candidate(
	struct builder *b, xmlNodePtr parent, const struct tn_candidate *c)
{
	xmlNodePtr node = add(b, parent, "candidate", true, c->op.i);

	put_int(b, node, "input", c->in.i);
	put_int(b, node, "output", c->out.i);
	put(b, node, "verdict", c->verdict == VERDICT_PROVED ? "proved" : "rejected");
	if (c->failed != OBLIGATION_NONE)
		put(b, node, "obligation", tn_obligation_name(c->failed));
	put_int(b, node, "saves", c->saves_bytes);
	if (c->declined)
		put(b, node, "declined", "yes");
}

/* Candidates come in the order of the ops. Of an op, the best: proved, or what fails
 * first. */
static void add_candidates(struct builder *b, xmlNodePtr parent, uint32_t op)
{
	const struct tn_inplace *all = &b->t.known.inplace;
	const struct tn_candidate *best = NULL;

	for (; b->candidate < all->n; b->candidate++) {
		const struct tn_candidate *c = &all->list[b->candidate];

		if (c->op.i != op || b->failed)
			break;
		if (!best || (best->verdict != VERDICT_PROVED &&
				     (c->verdict == VERDICT_PROVED ||
					     c->failed < best->failed)))
			best = c;
		if (needed(b, F_CANDIDATE))
			add_candidate(b, parent, c);
	}
	if (best)
		field_text(b, parent, F_IN_PLACE,
			best->verdict == VERDICT_PROVED
				? "proved"
				: tn_obligation_name(best->failed));
}

static bool is_quantized(const struct tn_tensor *t)
{
	return t->quant.n > 0 &&
	       (t->dtype == DTYPE_I8 || t->dtype == DTYPE_U8 || t->dtype == DTYPE_I16);
}

/* All activations of the op are floats; some of its outputs are quantised. */
static void kind_of(const struct tn_graph *g, const struct tn_op *op, bool *out_float,
	bool *out_quantized)
{
	bool any = false;

	*out_float = true;
	*out_quantized = false;
	for (uint32_t k = 0; k < op->n_inputs + op->n_outputs; k++) {
		const bool out = k >= op->n_inputs;
		const tn_tensor_id id =
			out ? op->outputs[k - op->n_inputs] : op->inputs[k];
		const struct tn_tensor *t =
			tn_tensor_id_ok(g, id) ? &g->tensors[id.i] : NULL;

		if (!t || tn_tensor_is_constant(t))
			continue;
		any = true;
		*out_float = *out_float && tn_dtype_is_float(t->dtype);
		*out_quantized = *out_quantized || (out && is_quantized(t));
	}
	*out_float = *out_float && any;
}

static const char *access_name(enum tn_op_kind kind)
{
	static const char *const names[] = { [ACCESS_OPAQUE] = "opaque",
		[ACCESS_POINTWISE] = "pointwise",
		[ACCESS_VIEW] = "view",
		[ACCESS_WINDOW] = "window",
		[ACCESS_ROWS] = "rows",
		[ACCESS_ROW_PASSES] = "row-passes",
		[ACCESS_REDUCE] = "reduce",
		[ACCESS_MAP] = "map",
		[ACCESS_MATMUL] = "matmul",
		[ACCESS_PLACES] = "places" };

	return names[tn_op_info(kind)->access];
}

static void add_op(struct builder *b, xmlNodePtr root, uint32_t position)
{
	const uint32_t i = b->t.known.order.at[position].i;
	const struct tn_op *op = &b->g->ops[i];
	xmlNodePtr node = add(b, root, "op", true, i);
	bool is_float, quantized;

	b->out->ops[i] = node;
	put_int(b, node, "index", i);
	field_text(b, node, F_NAME, op->name);
	field_text(b, node, F_TYPE, op->type);
	field_int(b, node, F_POSITION, position);
	field_text(b, node, F_ACCESS, access_name(op->kind));
	if (needed(b, F_FLOAT) || needed(b, F_QUANTIZED)) {
		kind_of(b->g, op, &is_float, &quantized);
		field_flag(b, node, F_FLOAT, is_float);
		field_flag(b, node, F_QUANTIZED, quantized);
	}
	field_flag(b, node, F_ELIDED,
		b->t.known.aliases.elided && b->t.known.aliases.elided[i]);
	if (needed(b, F_ATTR))
		add_attrs(b, node, op);
	add_operands(b, node, F_INPUT, op->inputs, op->n_inputs);
	add_operands(b, node, F_OUTPUT, op->outputs, op->n_outputs);
	add_candidates(b, node, i);
}

static void put_model(struct builder *b, xmlNodePtr root)
{
	static const char *const formats[] = { [FORMAT_NATIVE] = "native",
		[FORMAT_TFLITE] = "tflite",
		[FORMAT_TFLITE_JSON] = "tflite-json",
		[FORMAT_FOREIGN] = "foreign" };
	const struct tn_graph *g = b->g;
	int64_t constants = 0, floats = 0, quantized = 0;

	for (uint32_t i = 0; i < g->n_tensors; i++)
		if (tn_tensor_is_constant(&g->tensors[i]) && g->tensors[i].bytes > 0 &&
			constants <= INT64_MAX - g->tensors[i].bytes)
			constants += g->tensors[i].bytes;
	for (uint32_t i = 0; i < g->n_ops; i++) {
		bool is_float, is_quant;

		kind_of(g, &g->ops[i], &is_float, &is_quant);
		floats += is_float;
		quantized += is_quant;
	}
	put_text(b, root, "name", g->name ? g->name : "");
	put(b, root, "format", formats[g->format]);
	put_int(b, root, "ops", g->n_ops);
	put_int(b, root, "tensors", g->n_tensors);
	put_int(b, root, "inputs", g->n_inputs);
	put_int(b, root, "outputs", g->n_outputs);
	put_int(b, root, "constant-bytes", constants);
	put_int(b, root, "float-ops", floats);
	put_int(b, root, "quantized-ops", quantized);
	if (g->lossy)
		put(b, root, "lossy", "yes");
	if (b->plan) {
		put_int(b, root, "arena", b->plan->arena_bytes);
		put_int(b, root, "activations", b->plan->activation_bytes);
	}
}

/* How many tensors have the name: equal names are equal pointers, but pointers have no
 * order that may be seen, so they are hashed. */
static enum tn_status count_names(struct builder *b)
{
	const struct tn_graph *g = b->g;
	size_t size = 16;
	uint32_t *slot; /* a tensor of the name, or TN_NONE */
	uint32_t *count = TN_NEW_ARRAY(b->arena, uint32_t, g->n_tensors);

	while (size < 2 * (size_t)g->n_tensors)
		size *= 2;
	slot = TN_NEW_ARRAY(b->arena, uint32_t, size);
	if (!slot || !count)
		return TN_ERR_NOMEM;
	for (size_t i = 0; i < size; i++)
		slot[i] = TN_NONE;
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < g->n_tensors; i++) {
			const char *name = g->tensors[i].name;
			size_t at = tn_fnv(TN_FNV_INIT, name, strlen(name)) & (size - 1);

			while (slot[at] != TN_NONE &&
				strcmp(g->tensors[slot[at]].name, name) != 0)
				at = (at + 1) & (size - 1);
			if (slot[at] == TN_NONE)
				slot[at] = i;
			if (pass == 0)
				count[slot[at]]++;
			else
				count[i] = count[slot[at]];
		}
	}
	b->t.same_name = count;
	return TN_OK;
}

static enum tn_status find_users(struct builder *b)
{
	const struct tn_graph *g = b->g;
	struct tables *t = &b->t;

	t->producer = TN_NEW_ARRAY(b->arena, uint32_t, g->n_tensors);
	t->reader = TN_NEW_ARRAY(b->arena, uint32_t, g->n_tensors);
	t->readers = TN_NEW_ARRAY(b->arena, uint32_t, g->n_tensors);
	t->is_input = TN_NEW_ARRAY(b->arena, bool, g->n_tensors);
	t->is_output = TN_NEW_ARRAY(b->arena, bool, g->n_tensors);
	if (!t->producer || !t->reader || !t->readers || !t->is_input || !t->is_output)
		return TN_ERR_NOMEM;
	for (uint32_t i = 0; i < g->n_tensors; i++)
		t->producer[i] = t->reader[i] = TN_NONE;
	for (uint32_t i = 0; i < g->n_ops; i++) {
		const struct tn_op *op = &g->ops[i];

		for (uint32_t k = 0; k < op->n_inputs; k++) {
			const uint32_t in = op->inputs[k].i;

			if (!tn_tensor_id_ok(g, op->inputs[k]))
				continue;
			t->readers[in]++;
			if (t->reader[in] == TN_NONE)
				t->reader[in] = i;
		}
		for (uint32_t k = 0; k < op->n_outputs; k++)
			if (tn_tensor_id_ok(g, op->outputs[k]))
				t->producer[op->outputs[k].i] = i;
	}
	for (uint32_t i = 0; i < g->n_inputs; i++)
		t->is_input[g->inputs[i].i] = true;
	for (uint32_t i = 0; i < g->n_outputs; i++)
		t->is_output[g->outputs[i].i] = true;
	return TN_OK;
}

static enum tn_status make_tables(struct builder *b, const struct tn_facts_tables *given)
{
	const uint64_t proofs = BIT(F_CANDIDATE) | BIT(F_IN_PLACE),
		       lives = BIT(F_FIRST) | BIT(F_LAST) | proofs,
		       places = BIT(F_ROOT) | BIT(F_OFFSET) | BIT(F_ELIDED) | lives,
		       users = BIT(F_PRODUCER) | BIT(F_READERS) | BIT(F_READER) |
			       BIT(F_IS_INPUT) | BIT(F_IS_OUTPUT);
	struct tn_facts_tables *t = &b->t.known;
	enum tn_status status = TN_OK;

	if (b->fields & users)
		status = find_users(b);
	if (status == TN_OK && needed(b, F_SAME_NAME))
		status = count_names(b);
	if (given) {
		*t = *given;
		return status;
	}
	if (status == TN_OK)
		status = tn_order_given(b->g, b->arena, &t->order);
	if (status == TN_OK && b->fields & places)
		status = tn_aliases_find(b->g, b->arena, &t->aliases);
	if (status == TN_OK && b->fields & lives)
		status = tn_liveness_find(
			b->g, &t->order, &t->aliases, b->arena, &t->live);
	if (status == TN_OK && b->fields & proofs)
		status = tn_inplace_judge(
			b->g, &t->order, &t->aliases, &t->live, b->arena, &t->inplace);
	return status;
}

static void add_tensors(struct builder *b, xmlNodePtr root)
{
	for (uint32_t i = 0; i < b->g->n_tensors && !b->failed; i++) {
		xmlNodePtr node = add(b, root, "tensor", false, i);

		b->out->tensors[i] = node;
		put_int(b, node, "index", i);
		put_tensor(b, node, i);
	}
}

enum tn_status tn_facts_build(const struct tn_graph *g, const struct tn_plan *plan,
	const struct tn_facts_tables *tables, const struct tn_facts_needs *needs,
	struct tn_arena *arena, struct tn_facts *out)
{
	struct builder b = {
		.g = g, .plan = plan, .fields = needs->fields, .arena = arena, .out = out
	};
	xmlNodePtr root;
	enum tn_status status;

	*out = (struct tn_facts){ .g = g,
		.doc = xmlNewDoc((const xmlChar *)"1.0"),
		.ops = TN_NEW_ARRAY(arena, xmlNodePtr, g->n_ops),
		.tensors = TN_NEW_ARRAY(arena, xmlNodePtr, g->n_tensors),
		.n_ops = g->n_ops,
		.n_tensors = g->n_tensors };
	root = TN_NEW(arena, xmlNode);
	if (!out->doc || !root || !out->ops || !out->tensors)
		return TN_ERR_NOMEM;
	root->type = XML_ELEMENT_NODE;
	root->name = (const xmlChar *)"model";
	root->doc = out->doc;
	root->parent = (xmlNodePtr)out->doc;
	out->doc->children = out->doc->last = root;
	out->in_arena = true;
	status = make_tables(&b, tables);
	if (status != TN_OK)
		return status;
	put_model(&b, root);
	if (b.fields & (BIT(F_TENSOR) | BIT(F_INPUT) | BIT(F_OUTPUT)))
		add_tensors(&b, root);
	for (uint32_t i = 0; i < g->n_ops && !b.failed; i++)
		add_op(&b, root, i);
	if (!b.failed) /* numbers the elements: then order is compared at once */
		xmlXPathOrderDocElems(out->doc);
	return b.failed ? TN_ERR_NOMEM : TN_OK;
}

void tn_facts_release(struct tn_facts *facts)
{
	if (facts->doc && facts->in_arena) /* its nodes are not libxml2's to free */
		facts->doc->children = facts->doc->last = NULL;
	xmlFreeDoc(facts->doc);
	facts->doc = NULL;
}
