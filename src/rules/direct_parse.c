/* The part of XPath that needs no document, read by recursive descent. What is not of it,
 * or not XPath at all, is left to libxml2, which also says what is wrong. */
#include <libxml/parser.h>
#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>
#include <string.h>

#include "rules/direct.h"
#include "rules/facts.h"
#include "rules/rules.h"
#include "rules/template.h"

#include "base/banned.h"

#define DEPTH_MAX 40

struct parser {
	const char *at;
	const char *end;
	struct tn_arena *arena;
	enum tn_direct_element element; /* that attributes are of */
	uint64_t fields; /* that were named */
	int depth;
	bool left; /* it is for the document */
	bool nomem;
};

typedef const struct tn_direct_node *node;

static node parse_or(struct parser *p);

static node leave(struct parser *p)
{
	p->left = true;
	return NULL;
}

static void skip_space(struct parser *p)
{
	while (p->at < p->end && strchr(" \t\r\n", *p->at))
		p->at++;
}

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' || c == ':' ||
	       (unsigned char)c >= 0x80;
}

/* The name here, without moving. */
static size_t name_len(struct parser *p)
{
	const char *at;

	skip_space(p);
	at = p->at;
	if (at == p->end || (*at >= '0' && *at <= '9') || *at == '-' || *at == '.')
		return 0;
	while (at < p->end && is_name_char(*at))
		at++;
	return (size_t)(at - p->at);
}

static bool accept_name(struct parser *p, const char *name)
{
	const size_t len = name_len(p);

	if (len != strlen(name) || strncmp(p->at, name, len) != 0)
		return false;
	p->at += len;
	return true;
}

static bool accept(struct parser *p, const char *sign)
{
	const size_t len = strlen(sign);

	skip_space(p);
	if ((size_t)(p->end - p->at) < len || strncmp(p->at, sign, len) != 0)
		return false;
	p->at += len;
	return true;
}

static struct tn_direct_node *make(struct parser *p, enum tn_direct_kind kind,
	enum tn_direct_type type, node a, node b)
{
	struct tn_direct_node *made = TN_NEW(p->arena, struct tn_direct_node);

	if (!made) {
		p->nomem = p->left = true;
		return NULL;
	}
	made->kind = kind;
	made->type = type;
	made->a = a;
	made->b = b;
	return made;
}

static const char *copy(struct parser *p, const char *text, size_t len)
{
	const char *made = tn_arena_strndup(p->arena, text, len);

	if (!made)
		p->nomem = p->left = true;
	return made;
}

static bool has_digit(const struct parser *p)
{
	return p->at < p->end && *p->at >= '0' && *p->at <= '9';
}

static node parse_number(struct parser *p)
{
	const char *start = p->at, *text;
	struct tn_direct_node *made;

	while (has_digit(p))
		p->at++;
	if (p->at < p->end && *p->at == '.') {
		p->at++;
		while (has_digit(p))
			p->at++;
	}
	/* an exponent, or a name that is glued to it */
	if (p->at < p->end && (is_name_char(*p->at) && *p->at != '-'))
		return leave(p);
	text = copy(p, start, (size_t)(p->at - start));
	made = make(p, DIRECT_NUMBER, TYPE_NUMBER, NULL, NULL);
	if (made && text)
		made->number = xmlXPathStringEvalNumber((const xmlChar *)text);
	return made;
}

static node parse_literal(struct parser *p)
{
	const char quote = *p->at++;
	const char *end = memchr(p->at, quote, (size_t)(p->end - p->at));
	struct tn_direct_node *made;

	if (!end)
		return leave(p);
	made = make(p, DIRECT_TEXT, TYPE_TEXT, NULL, NULL);
	if (made)
		made->text = copy(p, p->at, (size_t)(end - p->at));
	p->at = end + 1;
	return made;
}

/* "@name" */
static node parse_attribute(
	struct parser *p, enum tn_direct_whose whose, node a, uint32_t n)
{
	struct tn_direct_node *made;
	size_t len;

	if (!accept(p, "@"))
		return leave(p);
	len = name_len(p);
	for (int f = 0; f < FIELD_COUNT; f++) {
		if (strlen(tn_fact_names[f]) != len || !len ||
			strncmp(tn_fact_names[f], p->at, len) != 0)
			continue;
		p->at += len;
		p->fields |= BIT(f);
		made = make(p, DIRECT_FACT, TYPE_FACT, a, NULL);
		if (made) {
			made->whose = whose;
			made->field = (enum tn_field)f;
			made->n = n;
		}
		/* a step more, or a predicate */
		skip_space(p);
		return p->at < p->end && (*p->at == '/' || *p->at == '[') ? leave(p)
									  : made;
	}
	return leave(p);
}

/* "[2]/@name", behind "input" or "output" */
static node parse_operand(struct parser *p, enum tn_direct_whose whose)
{
	uint32_t n = 0;

	if (p->element != ELEMENT_OP || !accept(p, "["))
		return leave(p);
	skip_space(p);
	while (has_digit(p) && n < 100000)
		n = n * 10 + (uint32_t)(*p->at++ - '0');
	if (n == 0 || !accept(p, "]") || !accept(p, "/"))
		return leave(p);
	return parse_attribute(p, whose, NULL, n - 1);
}

/* "(index)/@name", behind "op" or "tensor" */
static node parse_indexed(struct parser *p, enum tn_direct_whose whose)
{
	node index;

	if (!accept(p, "("))
		return leave(p);
	index = parse_or(p);
	if (p->left || !accept(p, ")") || !accept(p, "/"))
		return leave(p);
	return parse_attribute(p, whose, index, 0);
}

static const struct {
	const char *name;
	int n; /* arguments */
	enum tn_direct_kind kind;
	enum tn_direct_type type;
} functions[] = {
	{ "true", 0, DIRECT_TRUE, TYPE_BOOL },
	{ "false", 0, DIRECT_FALSE, TYPE_BOOL },
	{ "not", 1, DIRECT_NOT, TYPE_BOOL },
	{ "contains", 2, DIRECT_CONTAINS, TYPE_BOOL },
	{ "starts-with", 2, DIRECT_STARTS, TYPE_BOOL },
	{ "substring-before", 2, DIRECT_BEFORE, TYPE_TEXT },
	{ "substring-after", 2, DIRECT_AFTER, TYPE_TEXT },
	{ "matches", 2, DIRECT_MATCHES, TYPE_BOOL },
};

static node parse_function(struct parser *p)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		node arguments[2] = { NULL, NULL };

		if (!accept_name(p, functions[i].name))
			continue;
		if (!accept(p, "("))
			return leave(p);
		for (int k = 0; k < functions[i].n; k++) {
			if (k && !accept(p, ","))
				return leave(p);
			arguments[k] = parse_or(p);
			if (p->left)
				return NULL;
		}
		if (!accept(p, ")"))
			return leave(p);
		return make(p, functions[i].kind, functions[i].type, arguments[0],
			arguments[1]);
	}
	return leave(p);
}

static node parse_primary(struct parser *p)
{
	node inner;

	skip_space(p);
	if (p->at == p->end)
		return leave(p);
	if (*p->at == '\'' || *p->at == '"')
		return parse_literal(p);
	if (has_digit(p))
		return parse_number(p);
	if (*p->at == '@')
		return parse_attribute(p, WHOSE_OWN, NULL, 0);
	if (accept(p, "(")) {
		inner = parse_or(p);
		if (p->left || !accept(p, ")"))
			return leave(p);
		skip_space(p);
		return p->at < p->end && (*p->at == '/' || *p->at == '[') ? leave(p)
									  : inner;
	}
	if (accept(p, "/")) {
		if (!accept_name(p, "model") || !accept(p, "/"))
			return leave(p);
		return parse_attribute(p, WHOSE_MODEL, NULL, 0);
	}
	if (accept_name(p, "input"))
		return parse_operand(p, WHOSE_INPUT);
	if (accept_name(p, "output"))
		return parse_operand(p, WHOSE_OUTPUT);
	if (accept_name(p, "op"))
		return parse_indexed(p, WHOSE_OP);
	if (accept_name(p, "tensor"))
		return parse_indexed(p, WHOSE_TENSOR);
	return parse_function(p);
}

static node parse_unary(struct parser *p)
{
	int minus = 0;
	node inner;

	while (accept(p, "-"))
		minus++;
	if (minus > 1)
		return leave(p);
	inner = parse_primary(p);
	return minus && !p->left ? make(p, DIRECT_NEG, TYPE_NUMBER, inner, NULL) : inner;
}

/* Operators by how tightly they bind, the loosest first; a sign before its own start. */
static const struct {
	int level;
	bool word;
	const char *sign;
	enum tn_direct_kind kind;
	enum tn_direct_type type;
} operators[] = {
	{ 0, true, "or", DIRECT_OR, TYPE_BOOL },
	{ 1, true, "and", DIRECT_AND, TYPE_BOOL },
	{ 2, false, "!=", DIRECT_NE, TYPE_BOOL },
	{ 2, false, "=", DIRECT_EQ, TYPE_BOOL },
	{ 3, false, "<=", DIRECT_LE, TYPE_BOOL },
	{ 3, false, "<", DIRECT_LT, TYPE_BOOL },
	{ 3, false, ">=", DIRECT_GE, TYPE_BOOL },
	{ 3, false, ">", DIRECT_GT, TYPE_BOOL },
	{ 4, false, "+", DIRECT_ADD, TYPE_NUMBER },
	{ 4, false, "-", DIRECT_SUB, TYPE_NUMBER },
	{ 5, false, "*", DIRECT_MUL, TYPE_NUMBER },
	{ 5, true, "div", DIRECT_DIV, TYPE_NUMBER },
	{ 5, true, "mod", DIRECT_MOD, TYPE_NUMBER },
};
#define LEVELS 6

static node parse_level(struct parser *p, int level)
{
	node left = level == LEVELS ? parse_unary(p) : parse_level(p, level + 1);

	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators) && !p->left;) {
		node right;

		if (operators[i].level != level ||
			!(operators[i].word ? accept_name(p, operators[i].sign)
					    : accept(p, operators[i].sign))) {
			i++;
			continue;
		}
		right = parse_level(p, level + 1);
		if (!p->left)
			left = make(p, operators[i].kind, operators[i].type, left, right);
		i = 0;
	}
	return p->left ? NULL : left;
}

static node parse_or(struct parser *p)
{
	node made;

	if (++p->depth > DEPTH_MAX)
		return leave(p);
	made = parse_level(p, 0);
	p->depth--;
	return made;
}

/* ---- contexts ---- */

static const struct {
	const char *start;
	bool listed;
	enum tn_direct_set set;
	enum tn_direct_element element;
	uint64_t fields;
} sets[] = {
	{ "//op", false, SET_OPS, ELEMENT_OP, 0 },
	{ "/model/op", false, SET_OPS, ELEMENT_OP, 0 },
	{ "ops(", true, SET_OPS, ELEMENT_OP, 0 },
	{ "//tensor", false, SET_TENSORS, ELEMENT_TENSOR, 0 },
	{ "/model/tensor", false, SET_TENSORS, ELEMENT_TENSOR, 0 },
	{ "tensors(", true, SET_TENSORS, ELEMENT_TENSOR, 0 },
	{ "inputs()", false, SET_INPUTS, ELEMENT_TENSOR, BIT(F_IS_INPUT) },
	{ "outputs()", false, SET_OUTPUTS, ELEMENT_TENSOR, BIT(F_IS_OUTPUT) },
	{ "constants()", false, SET_CONSTANTS, ELEMENT_TENSOR, 0 },
	{ "variables()", false, SET_VARIABLES, ELEMENT_TENSOR, 0 },
	{ "/model", false, SET_MODEL, ELEMENT_MODEL, 0 },
};

static bool parse_list(struct parser *p, struct tn_direct *out)
{
	node list;

	skip_space(p);
	if (p->at == p->end || (*p->at != '\'' && *p->at != '"'))
		return false;
	list = parse_literal(p);
	out->list = list ? list->text : NULL;
	return out->list && accept(p, ")");
}

/* A number as a predicate is a position: that is for the document. */
static bool parse_predicates(struct parser *p, struct tn_direct *out)
{
	while (accept(p, "[")) {
		node test = parse_or(p);

		if (p->left || test->type == TYPE_NUMBER || !accept(p, "]"))
			return false;
		if (!tn_vec_push(p->arena, &out->predicates, test))
			p->nomem = true;
	}
	return p->at == p->end && !p->nomem;
}

static bool parse_context(struct parser *p, struct tn_direct *out)
{
	for (size_t i = 0; i < sizeof(sets) / sizeof(*sets); i++) {
		const size_t len = strlen(sets[i].start);

		if ((size_t)(p->end - p->at) < len ||
			strncmp(p->at, sets[i].start, len) != 0)
			continue;
		if (p->at + len < p->end && !sets[i].listed && p->at[len] != '[')
			continue;
		p->at += len;
		out->set = sets[i].set;
		p->element = out->element = sets[i].element;
		p->fields |= sets[i].fields;
		return (!sets[i].listed || parse_list(p, out)) &&
		       parse_predicates(p, out);
	}
	return false;
}

static void start(struct parser *p, const char *text, size_t len)
{
	p->at = text;
	p->end = text + len;
	p->depth = 0;
	p->left = p->left || len > TN_EXPRESSION_MAX;
}

static node parse_whole(struct parser *p, const char *text, size_t len)
{
	node made;

	start(p, text, len);
	made = p->left ? NULL : parse_or(p);
	skip_space(p);
	return p->left || p->at != p->end ? leave(p) : made;
}

/* ---- rules ---- */

static bool parse_message(struct parser *p, const char *at, struct tn_direct *out)
{
	while (*at) {
		struct tn_template_part t;
		struct tn_direct_part part;

		if (!tn_template_next(&at, &t))
			return false;
		part = (struct tn_direct_part){ t.text, t.len, NULL };
		if (t.expression)
			part.value = parse_whole(p, t.expression, t.expression_len);
		if (p->left)
			return false;
		if (!tn_vec_push(p->arena, &out->message, part))
			p->nomem = true;
	}
	return !p->nomem;
}

bool tn_direct_compile(const struct tn_rule *rule, struct tn_arena *arena,
	struct tn_direct *out, bool *out_nomem)
{
	struct parser p = { .arena = arena };
	bool whole;

	xmlInitParser(); /* it makes the numbers of XPath: NaN */
	*out = (struct tn_direct){ 0 };
	start(&p, rule->context, strlen(rule->context));
	whole = !p.left && parse_context(&p, out);
	if (whole)
		out->assertion =
			parse_whole(&p, rule->assertion, strlen(rule->assertion));
	whole = whole && !p.left &&
		(!rule->message || parse_message(&p, rule->message, out));
	out->fields = p.fields;
	*out_nomem = p.nomem;
	return whole && !p.nomem;
}
