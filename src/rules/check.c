#include "rules/check.h"

#include <libxml/parser.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "rules/direct.h"
#include "rules/query.h"
#include "rules/template.h"

#include "base/banned.h"

#define STEPS_PER_NODE	2000ul /* of all evaluations of a rule, on an average */
#define TRIAL_STEPS_MAX 1000000ul /* of a rule that is tried on a small model */
#define FINDINGS_MAX	1000 /* of a rule in a graph */
#define MESSAGE_MAX	1000 /* bytes */

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

static void read_template(struct tn_query *q, const char *at, struct template *out)
{
	*out = (struct template){ 0 };
	q->in_message = true;
	while (*at && !q->wrong && !q->nomem) {
		struct tn_template_part t;
		struct part part;

		if (!tn_template_next(&at, &t)) {
			tn_query_fault(q, "a brace of the message is not closed");
			return;
		}
		part = (struct part){ t.text, t.len, { 0 } };
		if (t.expression)
			part.expression =
				tn_query_compile(q, t.expression, t.expression_len);
		if (!add_part(q, out, part))
			return;
	}
	q->in_message = q->wrong;
}

static void free_template(struct template *t)
{
	for (size_t i = 0; i < t->parts.count; i++)
		xmlXPathFreeCompExpr(t->parts.items[i].expression.compiled);
}

static void put_value(struct tn_query *q, struct tn_strbuf *out, const struct part *part,
	xmlNodePtr node)
{
	xmlXPathObjectPtr value;
	xmlChar *text;

	q->in_message = true;
	value = tn_query_evaluate(q, &part->expression, node);
	q->in_message = q->wrong;
	text = value ? xmlXPathCastToString(value) : NULL;

	if (text)
		tn_strbuf_puts(out, (const char *)text);
	else if (!q->wrong)
		q->nomem = true;
	xmlFree(text);
	xmlXPathFreeObject(value);
}

/* The message, cut between characters. NULL: it is empty, or there is no memory. */
static const char *cut(
	const struct tn_strbuf *text, struct tn_arena *arena, bool *out_nomem)
{
	size_t len = text->len;
	const char *made;

	if (len > MESSAGE_MAX)
		for (len = MESSAGE_MAX; len && (text->text[len] & 0xc0) == 0x80; len--)
			;
	made = text->failed || !text->text ? NULL
					   : tn_arena_strndup(arena, text->text, len);
	*out_nomem = *out_nomem || text->failed || (text->text && !made);
	return made;
}

/* NULL: nothing, or something went wrong. */
static const char *fill(struct tn_query *q, const struct template *t, xmlNodePtr node)
{
	struct tn_strbuf text;
	const char *made;

	tn_strbuf_init(&text);
	for (size_t i = 0; i < t->parts.count && !q->wrong; i++) {
		const struct part *part = &t->parts.items[i];

		tn_strbuf_add(&text, part->text, part->len);
		if (part->expression.compiled)
			put_value(q, &text, part, node);
	}
	made = cut(&text, q->arena, &q->nomem);
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

/* Who judges: a graph by a rule. */
struct court {
	const struct tn_graph *g;
	struct tn_arena *arena;
	struct tn_diags *diags;
};

static void report(const struct court *c, const struct tn_rule *rule, const char *message,
	const struct tn_facts_subject *about)
{
	const char *pointer = "", *name = NULL;

	if (about && about->is_op) {
		pointer = c->g->ops[about->index].pointer;
		name = c->g->ops[about->index].name;
	} else if (about) {
		pointer = c->g->tensors[about->index].pointer;
		name = c->g->tensors[about->index].name;
	}
	tn_diag_at(c->diags, rule->severity, rule->id, c->g->source, pointer, name, "%s",
		message ? message : rule->title);
	if (rule->fix)
		tn_diag_note(c->diags, "to fix it: %s", rule->fix);
}

static void count_more(const struct court *c, int found)
{
	if (found > FINDINGS_MAX)
		tn_diag_note(c->diags, "and %d more", found - FINDINGS_MAX);
}

/* ---- without a document ---- */

static enum tn_status judge_directly(const struct court *c, const struct tn_rule *rule,
	const struct tn_direct *check, struct tn_facts_source *from)
{
	struct tn_direct_walk walk = { .from = from, .check = check };
	uint32_t i;
	int found = 0;

	while (tn_direct_next(&walk, &i)) {
		const struct tn_facts_subject about = { check->element == ELEMENT_OP, i };
		const char *message = NULL;
		struct tn_strbuf text;

		if (tn_direct_holds(from, check, i) || from->failed)
			continue;
		if (++found > FINDINGS_MAX)
			continue;
		tn_strbuf_init(&text);
		tn_direct_say(from, check, i, &text);
		message = cut(&text, c->arena, &from->failed);
		tn_strbuf_release(&text);
		report(c, rule, message, check->element == ELEMENT_MODEL ? NULL : &about);
	}
	count_more(c, found);
	return from->failed ? TN_ERR_NOMEM : TN_OK;
}

/* ---- by the document ---- */

static void judge(struct tn_query *q, const struct tn_rule *rule,
	const struct compiled *compiled, const struct court *c)
{
	xmlXPathObjectPtr chosen = tn_query_evaluate(
		q, &compiled->context, xmlDocGetRootElement(q->facts->doc));
	xmlNodeSetPtr nodes = chosen ? chosen->nodesetval : NULL;
	int n = nodes ? nodes->nodeNr : 0, found = 0;

	if (chosen && chosen->type != XPATH_NODESET)
		tn_query_fault(q, "the context is no set of nodes");
	q->most += (unsigned long)n * STEPS_PER_NODE;
	for (int i = 0; i < n && !q->wrong && !q->nomem; i++) {
		xmlNode *node = nodes->nodeTab[i];
		xmlXPathObjectPtr value =
			tn_query_evaluate(q, &compiled->assertion, node);
		bool holds = value && xmlXPathCastToBoolean(value);
		struct tn_facts_subject about;
		const char *message;

		xmlXPathFreeObject(value);
		if (holds || q->wrong || ++found > FINDINGS_MAX)
			continue;
		message = rule->message ? fill(q, &compiled->message, node) : NULL;
		if (!q->wrong && !q->nomem)
			report(c, rule, message,
				tn_facts_subject(node, &about) ? &about : NULL);
	}
	if (!q->wrong)
		count_more(c, found);
	xmlXPathFreeObject(chosen);
}

/* Where in the pack the fault is. */
static long line_of(const struct tn_rule *rule, const struct tn_query *q)
{
	return q->in_message ? rule->message_line : rule->check_line;
}

static enum tn_status judge_by_document(
	const struct court *c, const struct tn_rule *rule, const struct tn_facts *facts)
{
	struct tn_query q;
	struct compiled compiled = { 0 };
	struct tn_diag *d;

	if (!tn_query_open(&q, facts, c->arena))
		q.nomem = true;
	q.most = TN_QUERY_STEPS_MAX;
	if (!q.nomem)
		compile_rule(&q, rule, &compiled);
	if (!q.nomem && !q.wrong)
		judge(&q, rule, &compiled, c);
	free_compiled(&compiled);
	tn_query_close(&q);
	if (q.nomem)
		return TN_ERR_NOMEM;
	if (!q.wrong)
		return TN_OK;
	d = tn_diag_at(c->diags, SEVERITY_ERROR, "rules/expression", rule->source, NULL,
		NULL, "the rule '%s' cannot be used: %s", rule->id, q.wrong);
	if (d)
		d->line = (size_t)line_of(rule, &q);
	return TN_ERR_INPUT;
}

/* ---- all rules ---- */

/* How each rule is judged. */
struct way {
	bool skipped, direct;
	struct tn_direct check;
};

static void need(
	const struct tn_rule *rule, struct tn_arena *arena, struct tn_facts_needs *out)
{
	const char *at = rule->message ? rule->message : "";
	struct tn_template_part t;

	tn_facts_need(out, rule->context);
	tn_facts_need(out, rule->assertion);
	/* quotes around an expression are of the text */
	while (*at && tn_template_next(&at, &t)) {
		const char *expression =
			t.expression
				? tn_arena_strndup(arena, t.expression, t.expression_len)
				: NULL;

		if (expression)
			tn_facts_need(out, expression);
		else if (t.expression) /* no memory: all of them */
			tn_facts_need(out, "node()");
	}
}

/* Sorts the rules out, and gathers what both ways ask for. */
static struct way *find_ways(const struct tn_rule_set *rules, const bool *skip,
	struct tn_arena *arena, uint64_t *out_direct, struct tn_facts_needs *out_document)
{
	struct way *ways = TN_NEW_ARRAY(arena, struct way, rules->n);

	for (size_t i = 0; ways && i < rules->n; i++) {
		const struct tn_rule *rule = &rules->items[i];
		bool nomem = false;

		ways[i].skipped = !rule->context || (skip && skip[i]);
		if (ways[i].skipped)
			continue;
		ways[i].direct = tn_direct_compile(rule, arena, &ways[i].check, &nomem);
		if (nomem)
			return NULL;
		if (ways[i].direct) {
			*out_direct |= ways[i].check.fields;
			continue;
		}
		need(rule, arena, out_document);
	}
	return ways;
}

enum tn_status tn_rules_check(const struct tn_rule_set *rules, const bool *skip,
	const struct tn_graph *g, const struct tn_plan *plan,
	const struct tn_facts_tables *tables, struct tn_arena *arena,
	struct tn_diags *diags)
{
	const struct court court = { g, arena, diags };
	struct tn_facts_needs needs = { 0 };
	struct tn_facts facts = { 0 };
	struct tn_facts_source from;
	struct tn_arena scratch;
	struct way *ways;
	uint64_t fields = 0;
	enum tn_status status = TN_ERR_NOMEM;

	tn_arena_init(&scratch);
	ways = find_ways(rules, skip, &scratch, &fields, &needs);
	if (ways)
		status = tn_facts_open(&from, g, plan, tables, fields, &scratch);
	for (size_t i = 0; i < rules->n && status == TN_OK; i++) {
		const struct tn_rule *rule = &rules->items[i];

		if (ways[i].skipped)
			continue;
		if (ways[i].direct) {
			status = judge_directly(&court, rule, &ways[i].check, &from);
			continue;
		}
		if (!facts.doc)
			status =
				tn_facts_build(g, plan, tables, &needs, &scratch, &facts);
		if (status == TN_OK)
			status = judge_by_document(&court, rule, &facts);
	}
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
	if (!q->wrong)
		(void)fill(q, &c->message, node);
	xmlXPathFreeObject(chosen);
}

const char *tn_rule_fault(const struct tn_rule *rule, struct tn_arena *arena,
	long *out_line, bool *out_nomem)
{
	struct tn_facts facts = { .doc = xmlReadMemory(small_model,
					  (int)sizeof(small_model) - 1, "model", NULL,
					  XML_PARSE_NONET) };
	struct tn_query q = { 0 };
	struct compiled c = { 0 };

	if (!facts.doc || !tn_query_open(&q, &facts, arena)) {
		q.nomem = true;
	} else {
		q.most = TRIAL_STEPS_MAX;
		compile_rule(&q, rule, &c);
		if (!q.wrong && !q.nomem)
			try_rule(&q, &c);
	}
	free_compiled(&c);
	tn_query_close(&q);
	tn_facts_release(&facts);
	*out_nomem = *out_nomem || q.nomem;
	*out_line = line_of(rule, &q);
	return q.wrong;
}
