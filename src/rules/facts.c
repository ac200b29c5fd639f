#include "rules/facts.h"

#include <inttypes.h>
#include <libxml/xpath.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "rules/facts_part.h"

#include "base/banned.h"

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

static void put_shape(
	struct tn_facts_builder *b, xmlNodePtr node, const struct tn_shape *shape)
{
	char text[TN_RANK_MAX * 21 + 1] = "";
	size_t n = 0;

	if (!tn_fact_needed(b, F_SHAPE))
		return;
	for (uint32_t i = 0; i < shape->rank; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%" PRId64,
			i ? "x" : "", shape->dim[i]);
	tn_facts_put(b, node, "shape", text);
}

static int64_t zero_points(const struct tn_quant *q)
{
	int64_t n = 0;

	for (uint32_t i = 0; i < q->n; i++)
		n += q->zero_point[i] != 0;
	return n;
}

static void put_life(struct tn_facts_builder *b, xmlNodePtr node, uint32_t i)
{
	const struct tn_span *span;

	if (b->known.live.tensor) {
		span = &b->known.live.tensor[i];
		if (span->first <= span->last) {
			tn_fact_int(b, node, F_FIRST, span->first / 2);
			tn_fact_int(b, node, F_LAST, span->last / 2);
		}
	}
	if (b->known.aliases.of) {
		tn_fact_int(b, node, F_ROOT, b->known.aliases.of[i].root.i);
		tn_fact_int(b, node, F_OFFSET, b->known.aliases.of[i].offset);
	}
}

static void put_tensor(struct tn_facts_builder *b, xmlNodePtr node, uint32_t i)
{
	const struct tn_tensor *t = &b->g->tensors[i];

	tn_fact_text(b, node, F_NAME, t->name);
	tn_fact_text(b, node, F_DTYPE, tn_dtype_name(t->dtype));
	tn_fact_int(b, node, F_RANK, t->shape.rank);
	put_shape(b, node, &t->shape);
	tn_fact_int(b, node, F_ELEMENTS, t->elements);
	tn_fact_int(b, node, F_BYTES, t->bytes);
	tn_fact_text(b, node, F_ROLE, role_name(t->role));
	tn_fact_flag(b, node, F_CONSTANT, tn_tensor_is_constant(t));
	tn_fact_flag(b, node, F_CLOBBER, t->clobber);
	tn_fact_flag(b, node, F_MUTATED, t->mutated);
	tn_fact_flag(b, node, F_OBSERVED, t->observed);
	tn_fact_flag(b, node, F_IS_INPUT, b->users.is_input && b->users.is_input[i]);
	tn_fact_flag(b, node, F_IS_OUTPUT, b->users.is_output && b->users.is_output[i]);
	if (t->view_of.i != TN_NONE)
		tn_fact_int(b, node, F_VIEW_OF, t->view_of.i);
	if (t->quant.n)
		tn_fact_int(b, node, F_SCALES, t->quant.n);
	if (t->quant.n && tn_fact_needed(b, F_ZERO_POINTS))
		tn_fact_int(b, node, F_ZERO_POINTS, zero_points(&t->quant));
	if (t->quant.n > 1)
		tn_fact_int(b, node, F_CHANNEL, t->quant.axis);
	if (b->users.producer && b->users.producer[i] != TN_NONE)
		tn_fact_int(b, node, F_PRODUCER, b->users.producer[i]);
	if (b->users.reader && b->users.reader[i] != TN_NONE)
		tn_fact_int(b, node, F_READER, b->users.reader[i]);
	if (b->users.readers)
		tn_fact_int(b, node, F_READERS, b->users.readers[i]);
	if (b->users.same_name && b->users.same_name[i] > 1)
		tn_fact_int(b, node, F_SAME_NAME, b->users.same_name[i]);
	put_life(b, node, i);
	if (b->plan && i < b->plan->n_tensors &&
		b->plan->tensors[i].region != TN_REGION_NONE) {
		const struct tn_plan_tensor *p = &b->plan->tensors[i];

		tn_fact_text(b, node, F_REGION, b->plan->regions[p->region].name);
		tn_fact_int(b, node, F_ADDRESS, p->offset);
	}
}

/* An operand has the attributes of its tensor: the same nodes, not copies of them. One
 * that is absent is an element without any, so that operands can be counted. */
static void add_operands(struct tn_facts_builder *b, xmlNodePtr op, enum tn_fact f,
	const tn_tensor_id *ids, uint32_t n)
{
	for (uint32_t k = 0; k < n && tn_fact_needed(b, f) && !b->failed; k++) {
		const bool there = tn_tensor_id_ok(b->g, ids[k]);
		xmlNodePtr node = tn_facts_add(b, op, tn_fact_names[f], !there,
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

static void add_attrs(
	struct tn_facts_builder *b, xmlNodePtr parent, const struct tn_op *op)
{
	for (uint32_t k = 0; k < op->n_attrs && !b->failed; k++) {
		xmlNodePtr node =
			tn_facts_add(b, parent, "attr", true, (uint32_t)(op - b->g->ops));
		struct tn_strbuf text;

		tn_strbuf_init(&text);
		value_text(&op->attrs[k], &text);
		tn_facts_put_text(b, node, "name", op->attrs[k].name);
		tn_facts_put_text(b, node, "value", text.text ? text.text : "");
		b->failed = b->failed || text.failed;
		tn_strbuf_release(&text);
	}
}

static void add_candidate(
	struct tn_facts_builder *b, xmlNodePtr parent, const struct tn_candidate *c)
{
	xmlNodePtr node = tn_facts_add(b, parent, "candidate", true, c->op.i);

	tn_facts_put_int(b, node, "input", c->in.i);
	tn_facts_put_int(b, node, "output", c->out.i);
	tn_facts_put(
		b, node, "verdict", c->verdict == VERDICT_PROVED ? "proved" : "rejected");
	if (c->failed != OBLIGATION_NONE)
		tn_facts_put(b, node, "obligation", tn_obligation_name(c->failed));
	tn_facts_put_int(b, node, "saves", c->saves_bytes);
	if (c->declined)
		tn_facts_put(b, node, "declined", "yes");
}

/* Candidates come in the order of the ops. Of an op, the best: proved, or what fails
 * first. */
static void add_candidates(struct tn_facts_builder *b, xmlNodePtr parent, uint32_t op)
{
	const struct tn_inplace *all = &b->known.inplace;
	const struct tn_candidate *best = NULL;

	for (; b->candidate < all->n; b->candidate++) {
		const struct tn_candidate *c = &all->list[b->candidate];

		if (c->op.i != op || b->failed)
			break;
		if (!best || (best->verdict != VERDICT_PROVED &&
				     (c->verdict == VERDICT_PROVED ||
					     c->failed < best->failed)))
			best = c;
		if (tn_fact_needed(b, F_CANDIDATE))
			add_candidate(b, parent, c);
	}
	if (best)
		tn_fact_text(b, parent, F_IN_PLACE,
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

static void add_op(struct tn_facts_builder *b, xmlNodePtr root, uint32_t position)
{
	const uint32_t i = b->known.order.at[position].i;
	const struct tn_op *op = &b->g->ops[i];
	xmlNodePtr node = tn_facts_add(b, root, "op", true, i);
	bool is_float, quantized;

	b->out->ops[i] = node;
	tn_facts_put_int(b, node, "index", i);
	tn_fact_text(b, node, F_NAME, op->name);
	tn_fact_text(b, node, F_TYPE, op->type);
	tn_fact_int(b, node, F_POSITION, position);
	tn_fact_text(b, node, F_ACCESS, access_name(op->kind));
	if (tn_fact_needed(b, F_FLOAT) || tn_fact_needed(b, F_QUANTIZED)) {
		kind_of(b->g, op, &is_float, &quantized);
		tn_fact_flag(b, node, F_FLOAT, is_float);
		tn_fact_flag(b, node, F_QUANTIZED, quantized);
	}
	tn_fact_flag(
		b, node, F_ELIDED, b->known.aliases.elided && b->known.aliases.elided[i]);
	if (tn_fact_needed(b, F_ATTR))
		add_attrs(b, node, op);
	add_operands(b, node, F_INPUT, op->inputs, op->n_inputs);
	add_operands(b, node, F_OUTPUT, op->outputs, op->n_outputs);
	add_candidates(b, node, i);
}

static void put_model(struct tn_facts_builder *b, xmlNodePtr root)
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
	tn_facts_put_text(b, root, "name", g->name ? g->name : "");
	tn_facts_put(b, root, "format", formats[g->format]);
	tn_facts_put_int(b, root, "ops", g->n_ops);
	tn_facts_put_int(b, root, "tensors", g->n_tensors);
	tn_facts_put_int(b, root, "inputs", g->n_inputs);
	tn_facts_put_int(b, root, "outputs", g->n_outputs);
	tn_facts_put_int(b, root, "constant-bytes", constants);
	tn_facts_put_int(b, root, "float-ops", floats);
	tn_facts_put_int(b, root, "quantized-ops", quantized);
	if (g->lossy)
		tn_facts_put(b, root, "lossy", "yes");
	if (b->plan) {
		tn_facts_put_int(b, root, "arena", b->plan->arena_bytes);
		tn_facts_put_int(b, root, "activations", b->plan->activation_bytes);
	}
}

static enum tn_status make_tables(
	struct tn_facts_builder *b, const struct tn_facts_tables *given)
{
	const uint64_t proofs = BIT(F_CANDIDATE) | BIT(F_IN_PLACE),
		       lives = BIT(F_FIRST) | BIT(F_LAST) | proofs,
		       places = BIT(F_ROOT) | BIT(F_OFFSET) | BIT(F_ELIDED) | lives;
	struct tn_facts_tables *t = &b->known;
	enum tn_status status = tn_facts_find_users(b);

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

static void add_tensors(struct tn_facts_builder *b, xmlNodePtr root)
{
	for (uint32_t i = 0; i < b->g->n_tensors && !b->failed; i++) {
		xmlNodePtr node = tn_facts_add(b, root, "tensor", false, i);

		b->out->tensors[i] = node;
		tn_facts_put_int(b, node, "index", i);
		put_tensor(b, node, i);
	}
}

enum tn_status tn_facts_build(const struct tn_graph *g, const struct tn_plan *plan,
	const struct tn_facts_tables *tables, const struct tn_facts_needs *needs,
	struct tn_arena *arena, struct tn_facts *out)
{
	struct tn_facts_builder b = {
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
