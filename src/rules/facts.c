#include "rules/facts.h"

#include <inttypes.h>
#include <libxml/xpath.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "rules/facts_part.h"

#include "base/banned.h"

static bool needed(const struct tn_facts_builder *b, enum tn_field f)
{
	return b->from.fields >> f & 1;
}

static void put(struct tn_facts_builder *b, xmlNodePtr node, enum tn_field f,
	const struct tn_fact *value)
{
	if (value->kind == FACT_INT)
		tn_facts_put_int(b, node, tn_fact_names[f], value->i);
	else if (value->kind == FACT_TEXT && value->text)
		tn_facts_put(b, node, tn_fact_names[f], value->text);
}

/* An operand has the attributes of its tensor: the same nodes, not copies of them. One
 * that is absent is an element without any, so that operands can be counted. */
static void add_operands(struct tn_facts_builder *b, xmlNodePtr op, enum tn_field f,
	const tn_tensor_id *ids, uint32_t n)
{
	for (uint32_t k = 0; k < n && needed(b, f) && !b->failed; k++) {
		const bool there = tn_tensor_id_ok(b->from.g, ids[k]);
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
		xmlNodePtr node = tn_facts_add(
			b, parent, "attr", true, (uint32_t)(op - b->from.g->ops));
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

/* Candidates come in the order of the ops. */
static void add_candidates(struct tn_facts_builder *b, xmlNodePtr parent, uint32_t op)
{
	const struct tn_inplace *all = &b->from.known.inplace;

	for (; b->candidate < all->n; b->candidate++) {
		const struct tn_candidate *c = &all->list[b->candidate];

		if (c->op.i != op || b->failed)
			break;
		if (needed(b, F_CANDIDATE))
			add_candidate(b, parent, c);
	}
}

static void add_op(struct tn_facts_builder *b, xmlNodePtr root, uint32_t position)
{
	const uint32_t i = b->from.known.order.at[position].i;
	const struct tn_op *op = &b->from.g->ops[i];
	xmlNodePtr node = tn_facts_add(b, root, "op", true, i);

	b->out->ops[i] = node;
	for (int f = 0; f < FIELD_COUNT; f++) {
		struct tn_fact value;

		if (f != F_INDEX && !needed(b, (enum tn_field)f))
			continue;
		value = tn_fact_of_op(&b->from, i, (enum tn_field)f);
		put(b, node, (enum tn_field)f, &value);
	}
	if (needed(b, F_ATTR))
		add_attrs(b, node, op);
	add_operands(b, node, F_INPUT, op->inputs, op->n_inputs);
	add_operands(b, node, F_OUTPUT, op->outputs, op->n_outputs);
	add_candidates(b, node, i);
}

static void add_tensors(struct tn_facts_builder *b, xmlNodePtr root)
{
	for (uint32_t i = 0; i < b->from.g->n_tensors && !b->failed; i++) {
		xmlNodePtr node = tn_facts_add(b, root, "tensor", false, i);

		b->out->tensors[i] = node;
		for (int f = 0; f < FIELD_COUNT; f++) {
			struct tn_fact value;

			if (f != F_INDEX && !needed(b, (enum tn_field)f))
				continue;
			value = tn_fact_of_tensor(&b->from, i, (enum tn_field)f);
			put(b, node, (enum tn_field)f, &value);
		}
	}
}

static void put_model(struct tn_facts_builder *b, xmlNodePtr root)
{
	for (int f = 0; f < FIELD_COUNT; f++) {
		const struct tn_fact value = tn_fact_of_model(&b->from, (enum tn_field)f);

		put(b, root, (enum tn_field)f, &value);
	}
}

enum tn_status tn_facts_build(const struct tn_graph *g, const struct tn_plan *plan,
	const struct tn_facts_tables *tables, const struct tn_facts_needs *needs,
	struct tn_arena *arena, struct tn_facts *out)
{
	struct tn_facts_builder b = { .arena = arena, .out = out };
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
	status = tn_facts_open(&b.from, g, plan, tables, needs->fields, arena);
	if (status != TN_OK)
		return status;
	put_model(&b, root);
	if (needs->fields & (BIT(F_TENSOR) | BIT(F_INPUT) | BIT(F_OUTPUT)))
		add_tensors(&b, root);
	for (uint32_t i = 0; i < g->n_ops && !b.failed; i++)
		add_op(&b, root, i);
	if (!b.failed) /* numbers the elements: then order is compared at once */
		xmlXPathOrderDocElems(out->doc);
	return b.failed || b.from.failed ? TN_ERR_NOMEM : TN_OK;
}

void tn_facts_release(struct tn_facts *facts)
{
	if (facts->doc && facts->in_arena) /* its nodes are not libxml2's to free */
		facts->doc->children = facts->doc->last = NULL;
	xmlFreeDoc(facts->doc);
	facts->doc = NULL;
}
