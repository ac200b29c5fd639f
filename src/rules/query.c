#define _POSIX_C_SOURCE 200809L
#include "rules/query.h"

#include <string.h>
#include <time.h>

#include "base/banned.h"

#define SECONDS_MAX 30 /* of a rule: for what libxml2 does not count */

/* Of this thread: other files that are judged at the time do not count. */
static double seconds(void)
{
	struct timespec now = { 0 };

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

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
	struct tn_query *q = user;

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

bool tn_query_open(
	struct tn_query *q, const struct tn_facts *facts, struct tn_arena *arena)
{
	*q = (struct tn_query){ .context = xmlXPathNewContext(facts->doc),
		.facts = facts,
		.arena = arena,
		.start = seconds() };
	if (!q->context)
		return false;
	xmlXPathContextSetCache(q->context, 1, -1, 0);
	xmlSetGenericErrorFunc(NULL, silence);
	q->context->error = on_error;
	q->context->userData = q;
	return tn_query_functions(q->context);
}

void tn_query_close(struct tn_query *q)
{
	xmlXPathFreeContext(q->context);
	xmlSetGenericErrorFunc(NULL, NULL);
}

void tn_query_fault(struct tn_query *q, const char *text)
{
	if (!q->wrong)
		q->wrong = text;
}

static void fault_unknown(
	struct tn_query *q, const char *name, size_t len, const char *expression)
{
	const char *text = tn_arena_printf(
		q->arena, "there is no fact '%.*s', in '%s'", (int)len, name, expression);

	q->nomem = q->nomem || !text;
	if (text)
		tn_query_fault(q, text);
}

struct tn_expression tn_query_compile(struct tn_query *q, const char *text, size_t len)
{
	struct tn_expression made = { 0 };
	const char *unknown;
	char *copy =
		len <= TN_EXPRESSION_MAX ? tn_arena_strndup(q->arena, text, len) : NULL;

	if (len > TN_EXPRESSION_MAX) {
		tn_query_fault(q, "an expression is longer than 4096 characters");
		return made;
	}
	if (!copy) {
		q->nomem = true;
		return made;
	}
	made.text = copy;
	made.compiled = xmlXPathCtxtCompile(q->context, (const xmlChar *)copy);
	unknown = tn_facts_unknown(copy, &len);
	if (!made.compiled)
		tn_query_fault(q, "it is no expression");
	else if (unknown)
		fault_unknown(q, unknown, len, copy);
	return made;
}

xmlXPathObjectPtr tn_query_evaluate(
	struct tn_query *q, const struct tn_expression *e, xmlNodePtr node)
{
	xmlXPathObjectPtr result;

	q->context->node = node;
	q->context->opLimit = q->most < TN_QUERY_STEPS_MAX ? q->most : TN_QUERY_STEPS_MAX;
	q->context->opCount = 0;
	q->running = e->text;
	result = xmlXPathCompiledEval(e->compiled, q->context);
	q->running = NULL;
	q->steps += q->context->opCount + 1;
	/* the library reports all but the prefix of a function */
	if (!result && !q->wrong) {
		const char *text = tn_arena_printf(q->arena,
			"it cannot be evaluated (there are no namespaces), in '%s'",
			e->text);

		q->nomem = q->nomem || !text;
		tn_query_fault(q, text ? text : "it cannot be evaluated");
	}
	if (q->steps > q->most)
		tn_query_fault(q, "it takes too many steps");
	else if (seconds() - q->start > SECONDS_MAX)
		tn_query_fault(q,
			"it takes more than 30 s of processor time: compare "
			"single nodes, by op(...) and tensor(...), not two sets");
	if (!q->wrong)
		return result;
	xmlXPathFreeObject(result);
	return NULL;
}
