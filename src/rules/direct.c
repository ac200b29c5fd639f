#include "rules/direct.h"

#include <inttypes.h>
#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/glob.h"

#include "base/banned.h"

/* Integers up to here are numbers of XPath without loss. */
#define EXACT ((int64_t)1 << 53)

/* What an expression is asked of. */
struct subject {
	struct tn_facts_source *from;
	enum tn_direct_element element;
	uint32_t i;
};

typedef const struct tn_direct_node *node;

static bool truth(const struct subject *s, node e);
static double number(const struct subject *s, node e);
static const char *text(const struct subject *s, node e);

static const struct tn_fact nothing = { FACT_NONE, 0, NULL };

/* ---- facts ---- */

static struct tn_fact of_operand(const struct subject *s, node e)
{
	const struct tn_graph *g = s->from->g;
	const struct tn_op *op = &g->ops[s->i];
	const bool in = e->whose == WHOSE_INPUT;

	if (e->n >= (in ? op->n_inputs : op->n_outputs))
		return nothing;
	if (!tn_tensor_id_ok(g, in ? op->inputs[e->n] : op->outputs[e->n]))
		return nothing;
	return tn_fact_of_tensor(
		s->from, (in ? op->inputs[e->n] : op->outputs[e->n]).i, e->field);
}

static struct tn_fact of_indexed(const struct subject *s, node e)
{
	const struct tn_graph *g = s->from->g;
	const bool op = e->whose == WHOSE_OP;
	const double index = number(s, e->a);

	if (!(index >= 0 && index < (op ? g->n_ops : g->n_tensors)))
		return nothing;
	return op ? tn_fact_of_op(s->from, (uint32_t)index, e->field)
		  : tn_fact_of_tensor(s->from, (uint32_t)index, e->field);
}

static struct tn_fact fact(const struct subject *s, node e)
{
	switch (e->whose) {
	case WHOSE_INPUT:
	case WHOSE_OUTPUT:
		return of_operand(s, e);
	case WHOSE_OP:
	case WHOSE_TENSOR:
		return of_indexed(s, e);
	case WHOSE_MODEL:
		return tn_fact_of_model(s->from, e->field);
	case WHOSE_OWN:
		break;
	}
	return s->element == ELEMENT_OP	      ? tn_fact_of_op(s->from, s->i, e->field)
	       : s->element == ELEMENT_TENSOR ? tn_fact_of_tensor(s->from, s->i, e->field)
					      : tn_fact_of_model(s->from, e->field);
}

static const char *keep(const struct subject *s, const char *made)
{
	if (!made)
		s->from->failed = true;
	return made ? made : "";
}

static const char *fact_text(const struct subject *s, const struct tn_fact *f)
{
	if (f->kind == FACT_INT)
		return keep(s, tn_arena_printf(s->from->arena, "%" PRId64, f->i));
	return f->kind == FACT_TEXT ? keep(s, f->text) : "";
}

static double fact_number(const struct subject *s, const struct tn_fact *f)
{
	if (f->kind == FACT_INT && f->i > -EXACT && f->i < EXACT)
		return (double)f->i;
	return f->kind == FACT_NONE
		       ? (double)NAN
		       : xmlXPathStringEvalNumber((const xmlChar *)fact_text(s, f));
}

/* ---- comparisons, as XPath has them ---- */

/* A set that is empty is not equal to anything, nor unequal; but as a truth it is false,
 * which is equal to others. */
static bool is_missing(const struct subject *s, node e, node other)
{
	return e->type == TYPE_FACT && other->type != TYPE_BOOL &&
	       fact(s, e).kind == FACT_NONE;
}

static bool equal(const struct subject *s, node a, node b)
{
	if (a->type == TYPE_BOOL || b->type == TYPE_BOOL)
		return truth(s, a) == truth(s, b);
	if (a->type == TYPE_NUMBER || b->type == TYPE_NUMBER) {
		const double x = number(s, a), y = number(s, b);

		return x >= y && x <= y;
	}
	return strcmp(text(s, a), text(s, b)) == 0;
}

static bool compare(const struct subject *s, node e)
{
	double a, b;

	if (is_missing(s, e->a, e->b) || is_missing(s, e->b, e->a))
		return false;
	if (e->kind == DIRECT_EQ || e->kind == DIRECT_NE)
		return equal(s, e->a, e->b) == (e->kind == DIRECT_EQ);
	a = e->b->type == TYPE_BOOL && e->a->type == TYPE_FACT ? (double)truth(s, e->a)
							       : number(s, e->a);
	b = e->a->type == TYPE_BOOL && e->b->type == TYPE_FACT ? (double)truth(s, e->b)
							       : number(s, e->b);
	switch (e->kind) {
	case DIRECT_LT:
		return a < b;
	case DIRECT_LE:
		return a <= b;
	case DIRECT_GT:
		return a > b;
	default:
		return a >= b;
	}
}

/* ---- values ---- */

static bool truth(const struct subject *s, node e)
{
	double n;

	switch (e->kind) {
	case DIRECT_OR:
		return truth(s, e->a) || truth(s, e->b);
	case DIRECT_AND:
		return truth(s, e->a) && truth(s, e->b);
	case DIRECT_EQ:
	case DIRECT_NE:
	case DIRECT_LT:
	case DIRECT_LE:
	case DIRECT_GT:
	case DIRECT_GE:
		return compare(s, e);
	case DIRECT_TRUE:
		return true;
	case DIRECT_FALSE:
		return false;
	case DIRECT_NOT:
		return !truth(s, e->a);
	case DIRECT_CONTAINS:
		return strstr(text(s, e->a), text(s, e->b)) != NULL;
	case DIRECT_STARTS: {
		const char *start = text(s, e->b);

		return strncmp(text(s, e->a), start, strlen(start)) == 0;
	}
	case DIRECT_MATCHES:
		return tn_glob(text(s, e->b), text(s, e->a));
	default:
		break;
	}
	if (e->type == TYPE_FACT)
		return fact(s, e).kind != FACT_NONE;
	if (e->type == TYPE_TEXT)
		return *text(s, e) != '\0';
	n = number(s, e);
	return n < 0 || n > 0;
}

static double number(const struct subject *s, node e)
{
	struct tn_fact f;

	switch (e->kind) {
	case DIRECT_NUMBER:
		return e->number;
	case DIRECT_ADD:
		return number(s, e->a) + number(s, e->b);
	case DIRECT_SUB:
		return number(s, e->a) - number(s, e->b);
	case DIRECT_MUL:
		return number(s, e->a) * number(s, e->b);
	case DIRECT_DIV:
		return number(s, e->a) / number(s, e->b);
	case DIRECT_MOD:
		return fmod(number(s, e->a), number(s, e->b));
	case DIRECT_NEG:
		return -number(s, e->a);
	case DIRECT_FACT:
		f = fact(s, e);
		return fact_number(s, &f);
	default:
		return e->type == TYPE_BOOL
			       ? (double)truth(s, e)
			       : xmlXPathStringEvalNumber((const xmlChar *)text(s, e));
	}
}

static const char *number_text(const struct subject *s, double n)
{
	xmlChar *made = xmlXPathCastNumberToString(n);
	const char *copy =
		made ? tn_arena_strdup(s->from->arena, (const char *)made) : NULL;

	xmlFree(made);
	return keep(s, copy);
}

/* What is before (or behind) the first place of `part` in the text; "" when there is
 * none. */
static const char *around(const struct subject *s, node e)
{
	const char *whole = text(s, e->a), *part = text(s, e->b);
	const char *at = strstr(whole, part);

	if (!at)
		return "";
	if (e->kind == DIRECT_AFTER)
		return at + strlen(part);
	return keep(s, tn_arena_strndup(s->from->arena, whole, (size_t)(at - whole)));
}

static const char *text(const struct subject *s, node e)
{
	struct tn_fact f;

	switch (e->kind) {
	case DIRECT_TEXT:
		return e->text;
	case DIRECT_FACT:
		f = fact(s, e);
		return fact_text(s, &f);
	case DIRECT_BEFORE:
	case DIRECT_AFTER:
		return around(s, e);
	default:
		return e->type == TYPE_NUMBER ? number_text(s, number(s, e))
		       : truth(s, e)	      ? "true"
					      : "false";
	}
}

/* ---- a rule ---- */

static bool in_set(struct tn_direct_walk *w, uint32_t i)
{
	const struct tn_graph *g = w->from->g;
	const struct tn_direct *c = w->check;

	switch (c->set) {
	case SET_MODEL:
		return true;
	case SET_OPS:
		return !c->list || tn_listed(&w->asked, c->list, g->ops[i].type);
	case SET_TENSORS:
		return !c->list ||
		       tn_listed(&w->asked, c->list, tn_dtype_name(g->tensors[i].dtype));
	case SET_INPUTS:
		return w->from->users.is_input[i];
	case SET_OUTPUTS:
		return w->from->users.is_output[i];
	case SET_CONSTANTS:
		return tn_tensor_is_constant(&g->tensors[i]);
	case SET_VARIABLES:
		return g->tensors[i].role == ROLE_VARIABLE;
	}
	return false;
}

static bool is_chosen(struct tn_direct_walk *w, uint32_t i)
{
	const struct subject s = { w->from, w->check->element, i };

	if (!in_set(w, i))
		return false;
	for (size_t k = 0; k < w->check->predicates.count; k++)
		if (!truth(&s, w->check->predicates.items[k]))
			return false;
	return true;
}

bool tn_direct_next(struct tn_direct_walk *w, uint32_t *out)
{
	const struct tn_graph *g = w->from->g;
	const enum tn_direct_element element = w->check->element;
	const uint32_t n = element == ELEMENT_OP       ? g->n_ops
			   : element == ELEMENT_TENSOR ? g->n_tensors
						       : 1;

	while (w->next < n && !w->from->failed) {
		const uint32_t at = w->next++;

		*out = element == ELEMENT_OP ? w->from->known.order.at[at].i : at;
		if (is_chosen(w, *out))
			return true;
	}
	return false;
}

bool tn_direct_holds(
	struct tn_facts_source *from, const struct tn_direct *check, uint32_t element)
{
	const struct subject s = { from, check->element, element };

	return truth(&s, check->assertion);
}

void tn_direct_say(struct tn_facts_source *from, const struct tn_direct *check,
	uint32_t element, struct tn_strbuf *out)
{
	const struct subject s = { from, check->element, element };

	for (size_t i = 0; i < check->message.count; i++) {
		const struct tn_direct_part *part = &check->message.items[i];

		tn_strbuf_add(out, part->text, part->len);
		if (part->value)
			tn_strbuf_puts(out, text(&s, part->value));
	}
}
