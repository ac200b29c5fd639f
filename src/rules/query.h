/* Inside rules/: one rule's expressions and the facts that they are asked of. */
#ifndef TN_RULES_QUERY_H
#define TN_RULES_QUERY_H

#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>

#include "base/arena.h"
#include "rules/facts.h"

#define TN_QUERY_STEPS_MAX 50000000ul /* of one evaluation */

struct tn_query {
	xmlXPathContextPtr context;
	const struct tn_facts *facts;
	struct tn_arena *arena;
	const char *running; /* the expression that is evaluated; NULL: none is */
	const char *wrong; /* the first thing that went wrong, in the arena */
	bool in_message; /* the expressions of the message are at hand, or went wrong */
	bool nomem;
	unsigned long steps, most; /* of this rule so far, and how many it may take */
	double start; /* seconds of the thread */
};

struct tn_expression {
	const char *text;
	xmlXPathCompExprPtr compiled; /* for xmlXPathFreeCompExpr */
};

/* False: no memory. Close it all the same. */
bool tn_query_open(
	struct tn_query *q, const struct tn_facts *facts, struct tn_arena *arena);
void tn_query_close(struct tn_query *q);

/* The first fault counts. */
void tn_query_fault(struct tn_query *q, const char *text);

/* Nothing compiled: a fault, or no memory. */
struct tn_expression tn_query_compile(struct tn_query *q, const char *text, size_t len);

/* NULL: a fault, or no memory. For xmlXPathFreeObject. */
xmlXPathObjectPtr tn_query_evaluate(
	struct tn_query *q, const struct tn_expression *e, xmlNodePtr node);

/* functions.c: what is there besides XPath 1.0. False: no memory. */
bool tn_query_functions(xmlXPathContextPtr context);

#endif
