#include "rules/check.h"

#include <libxml/parser.h>
#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/glob.h"
#include "base/strbuf.h"
#include "rules/facts.h"

#include "base/banned.h"

#define EXPRESSION_MAX 4096 /* characters */
#define STEPS_MAX      50000000ul /* of one evaluation */
#define STEPS_PER_NODE 2000ul /* of all evaluations of a rule, on an average */
#define SECONDS_MAX    30 /* of a rule: for what libxml2 does not count */
#define FINDINGS_MAX   1000 /* of a rule in a graph */
#define MESSAGE_MAX    1000 /* bytes */

struct query {
	xmlXPathContextPtr context;
	const struct tn_facts *facts;
	struct tn_arena *arena;
	const char *running; /* the expression that is evaluated; NULL: none is */
	const char *wrong; /* the first thing that went wrong, in the arena */
	bool nomem;
	unsigned long steps, most; /* of this rule so far, and how many it may take */
	clock_t start;
};

static const char *words_of(int code)
{
	switch (code - XML_XPATH_EXPRESSION_OK) {
	case XPATH_UNDEF_VARIABLE_ERROR:
	case XPATH_VARIABLE_REF_ERROR:
		return "there are no variables";
	case XPATH_UNCLOSED_ERROR:
		return "a parenthesis is not closed";
	case XPATH_UNFINISHED_LITERAL_ERROR:
		return "a quote is not closed";
	case XPATH_INVALID_PREDICATE_ERROR:
		return "a predicate is wrong";
	case XPATH_UNKNOWN_FUNC_ERROR:
		return "there is no such function";
	case XPATH_INVALID_ARITY:
		return "a function has too few or too many arguments";
	case XPATH_INVALID_TYPE:
	case XPATH_INVALID_OPERAND:
		return "a value has the wrong type";
	case XPATH_UNDEF_PREFIX_ERROR:
		return "there are no namespaces";
	case XPATH_OP_LIMIT_EXCEEDED:
		return "it takes too many steps";
	case XPATH_RECURSION_LIMIT_EXCEEDED:
		return "it is nested too deep";
	default:
		return "it is no expression";
	}
}

#if LIBXML_VERSION >= 21200
static void on_error(void *user, const xmlError *error)
#else
static void on_error(void *user, xmlError *error)
#endif
{
	struct query *q = user;

	if (q->wrong)
		return;
	if (error->code == XML_XPATH_EXPRESSION_OK + XPATH_MEMORY_ERROR)
		q->nomem = true;
	if (q->running)
		q->wrong = tn_arena_printf(
			q->arena, "%s, in '%s'", words_of(error->code), q->running);
	else
		q->wrong = tn_arena_printf(q->arena, "%s, in '%s' at character %d",
			words_of(error->code), error->str1 ? error->str1 : "",
			error->int1 + 1);
	q->nomem = q->nomem || !q->wrong;
}

/* libxml2 prints some complaints besides: they are reported as errors, too. */
static void silence(void *user, const char *fmt, ...)
{
	(void)user;
	(void)fmt;
}

static struct query *query_of(xmlXPathParserContextPtr parser)
{
	return parser->context->userData;
}

/* tensor(i), op(i): no search. An index that there is not gives no node. */
static void by_index(
	xmlXPathParserContextPtr parser, int n, xmlNodePtr *nodes, uint32_t count)
{
	xmlXPathObjectPtr result;
	double index;

	if (n != 1) {
		xmlXPathErr(parser, XPATH_INVALID_ARITY);
		return;
	}
	xmlXPathNumberFunction(parser, 1); /* a set of nodes gives its first one's text */
	index = xmlXPathPopNumber(parser);
	result = xmlXPathNewNodeSet(
		index >= 0 && index < count && nodes ? nodes[(uint32_t)index] : NULL);
	valuePush(parser, result);
}

static void tensor_function(xmlXPathParserContextPtr parser, int n)
{
	const struct tn_facts *f = query_of(parser)->facts;

	by_index(parser, n, f->tensors, f->n_tensors);
}

static void op_function(xmlXPathParserContextPtr parser, int n)
{
	const struct tn_facts *f = query_of(parser)->facts;

	by_index(parser, n, f->ops, f->n_ops);
}

/* One of the words of a list, which may be patterns. */
static bool is_listed(const char *list, const char *text)
{
	char word[64];

	for (const char *at = list; *at;) {
		size_t len = strcspn(at, " ");

		if (len && len < sizeof(word)) {
			memcpy(word, at, len);
			word[len] = '\0';
			if (tn_glob(word, text))
				return true;
		}
		at += len;
		at += strspn(at, " ");
	}
	return false;
}

/* Answers for the texts that come again and again; equal ones are one pointer. */
struct asked {
	const char *text[32];
	bool listed[32];
	size_t n;
};

static bool ask(struct asked *a, const char *list, const char *text)
{
	size_t i = 0;

	while (i < a->n && a->text[i] != text)
		i++;
	if (i < a->n)
		return a->listed[i];
	i = a->n < 32 ? a->n++ : 31;
	a->text[i] = text;
	a->listed[i] = is_listed(list, text);
	return a->listed[i];
}

/* The nodes whose word is in the list. */
static void by_word(xmlXPathParserContextPtr parser, int n, bool ops)
{
	const struct tn_facts *f = query_of(parser)->facts;
	xmlNodeSetPtr set = xmlXPathNodeSetCreate(NULL);
	struct asked asked = { .n = 0 };
	xmlChar *list;

	if (n != 1 || !set) {
		xmlXPathFreeNodeSet(set);
		xmlXPathErr(parser, n != 1 ? XPATH_INVALID_ARITY : XPATH_MEMORY_ERROR);
		return;
	}
	list = xmlXPathPopString(parser);
	for (uint32_t i = 0; list && f->g && i < (ops ? f->n_ops : f->n_tensors); i++) {
		xmlNodePtr node = ops ? f->ops[i] : f->tensors[i];
		const char *word =
			ops ? f->g->ops[i].type : tn_dtype_name(f->g->tensors[i].dtype);

		if (node && ask(&asked, (const char *)list, word) &&
			xmlXPathNodeSetAddUnique(set, node) < 0)
			query_of(parser)->nomem = true;
	}
	xmlFree(list);
	valuePush(parser, xmlXPathWrapNodeSet(set));
}

static void ops_function(xmlXPathParserContextPtr parser, int n)
{
	by_word(parser, n, true);
}

static void tensors_function(xmlXPathParserContextPtr parser, int n)
{
	by_word(parser, n, false);
}

typedef bool is_one(const struct tn_graph *g, uint32_t tensor);

static bool is_constant(const struct tn_graph *g, uint32_t i)
{
	return tn_tensor_is_constant(&g->tensors[i]);
}

static bool is_variable(const struct tn_graph *g, uint32_t i)
{
	return g->tensors[i].role == ROLE_VARIABLE;
}

/* Tensors: those of a list, or (NULL) those that are of a kind. */
static void by_kind(xmlXPathParserContextPtr parser, int n, const tn_tensor_id *list,
	uint32_t n_list, is_one *is)
{
	const struct tn_facts *f = query_of(parser)->facts;
	xmlNodeSetPtr set = xmlXPathNodeSetCreate(NULL);

	if (n != 0 || !set) {
		xmlXPathFreeNodeSet(set);
		xmlXPathErr(parser, n != 0 ? XPATH_INVALID_ARITY : XPATH_MEMORY_ERROR);
		return;
	}
	for (uint32_t i = 0; f->g && i < (is ? f->n_tensors : n_list); i++) {
		const uint32_t t = is ? i : list[i].i;

		if ((!is || is(f->g, t)) && f->tensors[t] &&
			xmlXPathNodeSetAdd(set, f->tensors[t]) < 0)
			query_of(parser)->nomem = true;
	}
	valuePush(parser, xmlXPathWrapNodeSet(set));
}

static void inputs_function(xmlXPathParserContextPtr parser, int n)
{
	const struct tn_graph *g = query_of(parser)->facts->g;

	by_kind(parser, n, g ? g->inputs : NULL, g ? g->n_inputs : 0, NULL);
}

static void outputs_function(xmlXPathParserContextPtr parser, int n)
{
	const struct tn_graph *g = query_of(parser)->facts->g;

	by_kind(parser, n, g ? g->outputs : NULL, g ? g->n_outputs : 0, NULL);
}

static void constants_function(xmlXPathParserContextPtr parser, int n)
{
	by_kind(parser, n, NULL, 0, is_constant);
}

static void variables_function(xmlXPathParserContextPtr parser, int n)
{
	by_kind(parser, n, NULL, 0, is_variable);
}

static void matches_function(xmlXPathParserContextPtr parser, int n)
{
	xmlChar *pattern, *text;

	if (n != 2) {
		xmlXPathErr(parser, XPATH_INVALID_ARITY);
		return;
	}
	pattern = xmlXPathPopString(parser);
	text = xmlXPathPopString(parser);
	valuePush(parser,
		xmlXPathNewBoolean(text && pattern &&
				   tn_glob((const char *)pattern, (const char *)text)));
	xmlFree(pattern);
	xmlFree(text);
}

static const struct {
	const char *name;
	xmlXPathFunction function;
} functions[] = {
	{ "tensor", tensor_function },
	{ "tensors", tensors_function },
	{ "op", op_function },
	{ "ops", ops_function },
	{ "inputs", inputs_function },
	{ "outputs", outputs_function },
	{ "constants", constants_function },
	{ "variables", variables_function },
	{ "matches", matches_function },
};

static bool open_query(
	struct query *q, const struct tn_facts *facts, struct tn_arena *arena)
{
	*q = (struct query){ .context = xmlXPathNewContext(facts->doc),
		.facts = facts,
		.arena = arena,
		.start = clock() };
	if (!q->context)
		return false;
	xmlXPathContextSetCache(q->context, 1, -1, 0);
	xmlSetGenericErrorFunc(NULL, silence);
	q->context->error = on_error;
	q->context->userData = q;
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (xmlXPathRegisterFunc(q->context, (const xmlChar *)functions[i].name,
			    functions[i].function) != 0)
			return false;
	return true;
}

static void close_query(struct query *q)
{
	xmlXPathFreeContext(q->context);
	xmlSetGenericErrorFunc(NULL, NULL);
}

static void fault(struct query *q, const char *text)
{
	if (!q->wrong)
		q->wrong = text;
}

struct expression {
	const char *text;
	xmlXPathCompExprPtr compiled;
};

static struct expression compile(struct query *q, const char *text, size_t len)
{
	struct expression made = { 0 };
	char *copy = len <= EXPRESSION_MAX ? tn_arena_strndup(q->arena, text, len) : NULL;

	if (len > EXPRESSION_MAX) {
		fault(q, "an expression is longer than 4096 characters");
		return made;
	}
	if (!copy) {
		q->nomem = true;
		return made;
	}
	made.text = copy;
	made.compiled = xmlXPathCtxtCompile(q->context, (const xmlChar *)copy);
	if (!made.compiled)
		fault(q, "it is no expression");
	return made;
}

static xmlXPathObjectPtr evaluate(
	struct query *q, const struct expression *e, xmlNodePtr node)
{
	xmlXPathObjectPtr result;

	q->context->node = node;
	q->context->opLimit = STEPS_MAX;
	q->context->opCount = 0;
	q->running = e->text;
	result = xmlXPathCompiledEval(e->compiled, q->context);
	q->running = NULL;
	q->steps += q->context->opCount + 1;
	if (!result)
		fault(q, "it cannot be evaluated");
	if (q->steps > q->most || clock() - q->start > SECONDS_MAX * CLOCKS_PER_SEC)
		fault(q, "it takes too many steps");
	if (!q->wrong)
		return result;
	xmlXPathFreeObject(result);
	return NULL;
}

/* A template in parts: text, then an expression (the last part has none). */
struct part {
	const char *text;
	size_t len;
	struct expression expression;
};

struct template
{
	TN_VEC(struct part) parts;
};

static bool add_part(struct query *q, struct template *t, struct part part)
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

static void read_template(struct query *q, const char *at, struct template *out)
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
				fault(q, "a brace of the message is not closed");
				return;
			}
			part.expression = compile(q, at, len);
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

static void put_value(
	struct query *q, struct tn_strbuf *out, const struct part *part, xmlNodePtr node)
{
	xmlXPathObjectPtr value = evaluate(q, &part->expression, node);
	xmlChar *text = value ? xmlXPathCastToString(value) : NULL;

	if (text)
		tn_strbuf_puts(out, (const char *)text);
	else if (!q->wrong)
		q->nomem = true;
	xmlFree(text);
	xmlXPathFreeObject(value);
}

/* NULL: nothing, or something went wrong. Cut between characters. */
static const char *fill(struct query *q, const struct template *t, xmlNodePtr node)
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
	struct expression context, assertion;
	struct template message;
};

/* Ops and tensors are children of the model and of nothing else: no need to look for them
 * everywhere, which is slow. */
static const char *direct(struct query *q, const char *context)
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
	struct query *q, const struct tn_rule *rule, struct compiled *out)
{
	const char *context;

	*out = (struct compiled){ 0 };
	out->context = compile(q, rule->context, strlen(rule->context)); /* its errors */
	context = direct(q, rule->context);
	q->nomem = q->nomem || !context;
	if (!q->wrong && !q->nomem && context != rule->context) {
		xmlXPathFreeCompExpr(out->context.compiled);
		out->context = compile(q, context, strlen(context));
	}
	if (!q->wrong)
		out->assertion = compile(q, rule->assertion, strlen(rule->assertion));
	if (!q->wrong && rule->message)
		read_template(q, rule->message, &out->message);
}

static void free_compiled(struct compiled *c)
{
	xmlXPathFreeCompExpr(c->context.compiled);
	xmlXPathFreeCompExpr(c->assertion.compiled);
	free_template(&c->message);
}

static void report(struct query *q, const struct tn_rule *rule, const struct compiled *c,
	xmlNodePtr node, const struct tn_graph *g, struct tn_diags *diags)
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

static void judge(struct query *q, const struct tn_rule *rule, const struct compiled *c,
	const struct tn_graph *g, struct tn_diags *diags)
{
	xmlXPathObjectPtr chosen =
		evaluate(q, &c->context, xmlDocGetRootElement(q->facts->doc));
	xmlNodeSetPtr nodes = chosen ? chosen->nodesetval : NULL;
	int n = nodes ? nodes->nodeNr : 0, found = 0;

	if (chosen && chosen->type != XPATH_NODESET)
		fault(q, "the context is no set of nodes");
	q->most += (unsigned long)n * STEPS_PER_NODE;
	for (int i = 0; i < n && !q->wrong && !q->nomem; i++) {
		xmlXPathObjectPtr value = evaluate(q, &c->assertion, nodes->nodeTab[i]);
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
	struct query q;
	struct compiled c = { 0 };
	struct tn_diag *d;

	if (!open_query(&q, facts, arena))
		q.nomem = true;
	q.most = STEPS_MAX;
	if (!q.nomem)
		compile_rule(&q, rule, &c);
	if (!q.nomem && !q.wrong)
		judge(&q, rule, &c, g, diags);
	free_compiled(&c);
	close_query(&q);
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

static void try_rule(struct query *q, const struct compiled *c)
{
	xmlXPathObjectPtr chosen =
		evaluate(q, &c->context, xmlDocGetRootElement(q->facts->doc));
	xmlNodePtr node = xmlDocGetRootElement(q->facts->doc);

	if (chosen && chosen->type != XPATH_NODESET)
		fault(q, "the context is no set of nodes");
	if (chosen && chosen->nodesetval && chosen->nodesetval->nodeNr > 0)
		node = chosen->nodesetval->nodeTab[0];
	if (!q->wrong)
		xmlXPathFreeObject(evaluate(q, &c->assertion, node));
	for (size_t i = 0; i < c->message.parts.count && !q->wrong; i++)
		if (c->message.parts.items[i].expression.compiled)
			xmlXPathFreeObject(
				evaluate(q, &c->message.parts.items[i].expression, node));
	xmlXPathFreeObject(chosen);
}

const char *tn_rule_fault(
	const struct tn_rule *rule, struct tn_arena *arena, bool *out_nomem)
{
	struct tn_facts facts = { .doc = xmlReadMemory(small_model,
					  (int)sizeof(small_model) - 1, "model", NULL,
					  XML_PARSE_NONET) };
	struct query q = { 0 };
	struct compiled c = { 0 };

	if (!facts.doc || !open_query(&q, &facts, arena)) {
		q.nomem = true;
	} else {
		q.most = STEPS_MAX;
		compile_rule(&q, rule, &c);
		if (!q.wrong && !q.nomem)
			try_rule(&q, &c);
	}
	free_compiled(&c);
	close_query(&q);
	tn_facts_release(&facts);
	*out_nomem = *out_nomem || q.nomem;
	return q.wrong;
}
