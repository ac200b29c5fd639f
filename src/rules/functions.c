/* What expressions have besides XPath 1.0. */
#include <string.h>

#include "base/glob.h"
#include "rules/listed.h"
#include "rules/query.h"

#include "base/banned.h"

static struct tn_query *tn_query_of(xmlXPathParserContextPtr parser)
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
	const struct tn_facts *f = tn_query_of(parser)->facts;

	by_index(parser, n, f->tensors, f->n_tensors);
}

static void op_function(xmlXPathParserContextPtr parser, int n)
{
	const struct tn_facts *f = tn_query_of(parser)->facts;

	by_index(parser, n, f->ops, f->n_ops);
}

/* The nodes whose word is in the list. */
static void by_word(xmlXPathParserContextPtr parser, int n, bool ops)
{
	const struct tn_facts *f = tn_query_of(parser)->facts;
	xmlNodeSetPtr set = xmlXPathNodeSetCreate(NULL);
	struct tn_listed asked = { .n = 0 };
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

		if (node && tn_listed(&asked, (const char *)list, word) &&
			xmlXPathNodeSetAddUnique(set, node) < 0)
			tn_query_of(parser)->nomem = true;
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
	const struct tn_facts *f = tn_query_of(parser)->facts;
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
			tn_query_of(parser)->nomem = true;
	}
	valuePush(parser, xmlXPathWrapNodeSet(set));
}

static void inputs_function(xmlXPathParserContextPtr parser, int n)
{
	const struct tn_graph *g = tn_query_of(parser)->facts->g;

	by_kind(parser, n, g ? g->inputs : NULL, g ? g->n_inputs : 0, NULL);
}

static void outputs_function(xmlXPathParserContextPtr parser, int n)
{
	const struct tn_graph *g = tn_query_of(parser)->facts->g;

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

bool tn_query_functions(xmlXPathContextPtr context)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (xmlXPathRegisterFunc(context, (const xmlChar *)functions[i].name,
			    functions[i].function) != 0)
			return false;
	return true;
}
