#include "rules/check.h"

#include <libxml/parser.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "rules/query.h"

#include "base/banned.h"

#define STEPS_PER_NODE 2000ul /* of all evaluations of a rule, on an average */
#define FINDINGS_MAX   1000 /* of a rule in a graph */
#define MESSAGE_MAX    1000 /* bytes */

/* A template in parts: text, then an expression (the last part has none). */
struct part {
	const char *text;
	size_t len;
	struct tn_expression expression;
};

struct template
{
	TN_VEC(struct part) parts;
};

static bool add_part(struct tn_query *q, struct template *t, struct part part)
{
	if (tn_vec_push(q->arena, &t->parts, part))
		return true;
	xmlXPathFreeCompExpr(part.expression.compiled);
	q->nomem = true;
	return false;
}

/* Quotes in an expression may hold braces. */
static size_t expression_len(const char *at)
{
	size_t len = 0;
	char quote = '\0';

	for (; at[len] && (quote || at[len] != '}'); len++) {
		if (quote)
			quote = at[len] == quote ? '\0' : quote;
		else if (at[len] == '\'' || at[len] == '"')
			quote = at[len];
	}
	return len;
}

static void read_template(struct tn_query *q, const char *at, struct template *out)
{
	*out = (struct template){ 0 };
	while (*at && !q->wrong && !q->nomem) {
		struct part part = { at, strcspn(at, "{"), { 0 } };

		at += part.len;
		if (*at && at[1] == '{') {
			part.len++; /* one of the two */
			at += 2;
		} else if (*at) {
			const size_t len = expression_len(++at);

			if (!at[len]) {
				tn_query_fault(q, "a brace of the message is not closed");
				return;
			}
			part.expression = tn_query_compile(q, at, len);
			at += len + 1;
		}
		if (!add_part(q, out, part))
			return;
	}
}

static void free_template(struct template *t)
{
	for (size_t i = 0; i < t->parts.count; i++)
		xmlXPathFreeCompExpr(t->parts.items[i].expression.compiled);
}

static void put_value(struct tn_query *q, struct tn_strbuf *out, const struct part *part,
	xmlNodePtr node)
{
	xmlXPathObjectPtr value = tn_query_evaluate(q, &part->expression, node);
	xmlChar *text = value ? xmlXPathCastToString(value) : NULL;

	if (text)
		tn_strbuf_puts(out, (const char *)text);
	else if (!q->wrong)
		q->nomem = true;
	xmlFree(text);
	xmlXPathFreeObject(value);
}

/* NULL: nothing, or something went wrong. Cut between characters. */
static const char *fill(struct tn_query *q, const struct template *t, xmlNodePtr node)
{
	struct tn_strbuf text;
	const char *made;
	size_t len;

	tn_strbuf_init(&text);
	for (size_t i = 0; i < t->parts.count && !q->wrong; i++) {
		const struct part *part = &t->parts.items[i];

		tn_strbuf_add(&text, part->text, part->len);
		if (part->expression.compiled)
			put_value(q, &text, part, node);
	}
	len = text.len;
	if (len > MESSAGE_MAX)
		for (len = MESSAGE_MAX; len && (text.text[len] & 0xc0) == 0x80; len--)
			;
	made = text.failed || !text.text ? NULL
					 : tn_arena_strndup(q->arena, text.text, len);
	q->nomem = q->nomem || text.failed || (text.text && !made);
	tn_strbuf_release(&text);
	return made;
}

/* A rule whose expressions are compiled. */
struct compiled {
	struct tn_expression context, assertion;
	struct template message;
};

/* Ops and tensors are children of the model and of nothing else: no need to look for them
 * everywhere, which is slow. */
static const char *direct(struct tn_query *q, const char *context)
{
	static const char *const words[] = { "//op", "//tensor" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		const size_t len = strlen(words[i]);

		if (strncmp(context, words[i], len) == 0 &&
			(!context[len] || context[len] == '[' || context[len] == '/'))
			return tn_arena_printf(q->arena, "/model/%s", context + 2);
	}
	return context;
}

static void compile_rule(
	struct tn_query *q, const struct tn_rule *rule, struct compiled *out)
{
	const char *context;

	*out = (struct compiled){ 0 };
	out->context = tn_query_compile(
		q, rule->context, strlen(rule->context)); /* its errors */
	context = direct(q, rule->context);
	q->nomem = q->nomem || !context;
	if (!q->wrong && !q->nomem && context != rule->context) {
		xmlXPathFreeCompExpr(out->context.compiled);
		out->context = tn_query_compile(q, context, strlen(context));
	}
	if (!q->wrong)
		out->assertion =
			tn_query_compile(q, rule->assertion, strlen(rule->assertion));
	if (!q->wrong && rule->message)
		read_template(q, rule->message, &out->message);
}

static void free_compiled(struct compiled *c)
{
	xmlXPathFreeCompExpr(c->context.compiled);
	xmlXPathFreeCompExpr(c->assertion.compiled);
	free_template(&c->message);
}

static void report(struct tn_query *q, const struct tn_rule *rule,
	const struct compiled *c, xmlNodePtr node, const struct tn_graph *g,
	struct tn_diags *diags)
{
	const char *message = rule->message ? fill(q, &c->message, node) : rule->title;
	struct tn_facts_subject subject;
	const char *pointer = "", *name = NULL;

	if (q->wrong || q->nomem)
		return;
	if (tn_facts_subject(node, &subject)) {
		pointer = subject.is_op ? g->ops[subject.index].pointer
					: g->tensors[subject.index].pointer;
		name = subject.is_op ? g->ops[subject.index].name
				     : g->tensors[subject.index].name;
	}
	tn_diag_at(diags, rule->severity, rule->id, g->source, pointer, name, "%s",
		message ? message : rule->title);
	if (rule->fix)
		tn_diag_note(diags, "to fix it: %s", rule->fix);
}

static void judge(struct tn_query *q, const struct tn_rule *rule,
	const struct compiled *c, const struct tn_graph *g, struct tn_diags *diags)
{
	xmlXPathObjectPtr chosen =
		tn_query_evaluate(q, &c->context, xmlDocGetRootElement(q->facts->doc));
	xmlNodeSetPtr nodes = chosen ? chosen->nodesetval : NULL;
	int n = nodes ? nodes->nodeNr : 0, found = 0;

	if (chosen && chosen->type != XPATH_NODESET)
		tn_query_fault(q, "the context is no set of nodes");
	q->most += (unsigned long)n * STEPS_PER_NODE;
	for (int i = 0; i < n && !q->wrong && !q->nomem; i++) {
		xmlXPathObjectPtr value =
			tn_query_evaluate(q, &c->assertion, nodes->nodeTab[i]);
		bool holds = value && xmlXPathCastToBoolean(value);

		xmlXPathFreeObject(value);
		if (holds || q->wrong)
			continue;
		if (++found <= FINDINGS_MAX)
			report(q, rule, c, nodes->nodeTab[i], g, diags);
	}
	if (found > FINDINGS_MAX && !q->wrong)
		tn_diag_note(diags, "and %d more", found - FINDINGS_MAX);
	xmlXPathFreeObject(chosen);
}

static enum tn_status check_rule(const struct tn_rule *rule, const struct tn_facts *facts,
	const struct tn_graph *g, struct tn_arena *arena, struct tn_diags *diags)
{
	struct tn_query q;
	struct compiled c = { 0 };
	struct tn_diag *d;

	if (!tn_query_open(&q, facts, arena))
		q.nomem = true;
	q.most = TN_QUERY_STEPS_MAX;
	if (!q.nomem)
		compile_rule(&q, rule, &c);
	if (!q.nomem && !q.wrong)
		judge(&q, rule, &c, g, diags);
	free_compiled(&c);
	tn_query_close(&q);
	if (q.nomem)
		return TN_ERR_NOMEM;
	if (!q.wrong)
		return TN_OK;
	d = tn_diag_at(diags, SEVERITY_ERROR, "rules/expression", rule->source, NULL,
		NULL, "the rule '%s' cannot be used: %s", rule->id, q.wrong);
	if (d)
		d->line = (size_t)rule->check_line;
	return TN_ERR_INPUT;
}

enum tn_status tn_rules_check(const struct tn_rule_set *rules, const bool *skip,
	const struct tn_graph *g, const struct tn_plan *plan,
	const struct tn_facts_tables *tables, struct tn_arena *arena,
	struct tn_diags *diags)
{
	struct tn_facts_needs needs = { 0 };
	struct tn_facts facts;
	struct tn_arena scratch;
	bool any = false;
	enum tn_status status;

	for (size_t i = 0; i < rules->n; i++) {
		const struct tn_rule *rule = &rules->items[i];

		if (!rule->context || (skip && skip[i]))
			continue;
		any = true;
		tn_facts_need(&needs, rule->context);
		tn_facts_need(&needs, rule->assertion);
		if (rule->message)
			tn_facts_need(&needs, rule->message);
	}
	if (!any)
		return TN_OK;
	tn_arena_init(&scratch);
	status = tn_facts_build(g, plan, tables, &needs, &scratch, &facts);
	for (size_t i = 0; i < rules->n && status == TN_OK; i++)
		if (rules->items[i].context && !(skip && skip[i]))
			status = check_rule(&rules->items[i], &facts, g, arena, diags);
	tn_facts_release(&facts);
	tn_arena_release(&scratch);
	return status;
}

/* A model of one op: each kind of element is there. */
static const char small_model[] =
	"<model><op index='0'><attr/><input/><output/><candidate/></op>"
	"<tensor index='0'/></model>";

static void try_rule(struct tn_query *q, const struct compiled *c)
{
	xmlXPathObjectPtr chosen =
		tn_query_evaluate(q, &c->context, xmlDocGetRootElement(q->facts->doc));
	xmlNodePtr node = xmlDocGetRootElement(q->facts->doc);

	if (chosen && chosen->type != XPATH_NODESET)
		tn_query_fault(q, "the context is no set of nodes");
	if (chosen && chosen->nodesetval && chosen->nodesetval->nodeNr > 0)
		node = chosen->nodesetval->nodeTab[0];
	if (!q->wrong)
		xmlXPathFreeObject(tn_query_evaluate(q, &c->assertion, node));
	for (size_t i = 0; i < c->message.parts.count && !q->wrong; i++)
		if (c->message.parts.items[i].expression.compiled)
			xmlXPathFreeObject(tn_query_evaluate(
				q, &c->message.parts.items[i].expression, node));
	xmlXPathFreeObject(chosen);
}

const char *tn_rule_fault(
	const struct tn_rule *rule, struct tn_arena *arena, bool *out_nomem)
{
	struct tn_facts facts = { .doc = xmlReadMemory(small_model,
					  (int)sizeof(small_model) - 1, "model", NULL,
					  XML_PARSE_NONET) };
	struct tn_query q = { 0 };
	struct compiled c = { 0 };

	if (!facts.doc || !tn_query_open(&q, &facts, arena)) {
		q.nomem = true;
	} else {
		q.most = TN_QUERY_STEPS_MAX;
		compile_rule(&q, rule, &c);
		if (!q.wrong && !q.nomem)
			try_rule(&q, &c);
	}
	free_compiled(&c);
	tn_query_close(&q);
	tn_facts_release(&facts);
	*out_nomem = *out_nomem || q.nomem;
	return q.wrong;
}
