/* Inside rules/: checks that need no document. Most rules ask only for attributes: of the
 * element itself, of its operands, of an op or a tensor by its index, of the model. Such
 * expressions are read from the graph, without a node of XML; all others are asked of the
 * document (query.h). Both give the same. */
#ifndef TN_RULES_DIRECT_H
#define TN_RULES_DIRECT_H

#include "base/strbuf.h"
#include "base/vec.h"
#include "rules/facts_part.h"
#include "rules/listed.h"

enum tn_direct_kind {
	DIRECT_OR,
	DIRECT_AND,
	DIRECT_EQ,
	DIRECT_NE,
	DIRECT_LT,
	DIRECT_LE,
	DIRECT_GT,
	DIRECT_GE,
	DIRECT_ADD,
	DIRECT_SUB,
	DIRECT_MUL,
	DIRECT_DIV,
	DIRECT_MOD,
	DIRECT_NEG,
	DIRECT_NUMBER,
	DIRECT_TEXT,
	DIRECT_TRUE,
	DIRECT_FALSE,
	DIRECT_NOT,
	DIRECT_CONTAINS,
	DIRECT_STARTS,
	DIRECT_BEFORE,
	DIRECT_AFTER,
	DIRECT_MATCHES,
	DIRECT_FACT,
};

/* Of what an expression is: as in XPath, a fact is a set of no node or one. */
enum tn_direct_type { TYPE_BOOL, TYPE_NUMBER, TYPE_TEXT, TYPE_FACT };

enum tn_direct_element { ELEMENT_OP, ELEMENT_TENSOR, ELEMENT_MODEL };

/* Whose attribute. */
enum tn_direct_whose {
	WHOSE_OWN,
	WHOSE_INPUT, /* of operand n of the op, from 0 */
	WHOSE_OUTPUT,
	WHOSE_OP, /* of the index that `a` gives */
	WHOSE_TENSOR,
	WHOSE_MODEL,
};

struct tn_direct_node {
	enum tn_direct_kind kind;
	enum tn_direct_type type;
	const struct tn_direct_node *a, *b;
	double number;
	const char *text;
	enum tn_direct_whose whose;
	enum tn_field field;
	uint32_t n;
};

/* A text, then the value of an expression (NULL: none). */
struct tn_direct_part {
	const char *text;
	size_t len;
	const struct tn_direct_node *value;
};

enum tn_direct_set {
	SET_MODEL,
	SET_OPS, /* in the order of their run; of a list of types when there is one */
	SET_TENSORS, /* of a list of element types when there is one */
	SET_INPUTS,
	SET_OUTPUTS,
	SET_CONSTANTS,
	SET_VARIABLES,
};

struct tn_direct {
	enum tn_direct_set set;
	enum tn_direct_element element;
	const char *list; /* or NULL */
	TN_VEC(const struct tn_direct_node *) predicates;
	const struct tn_direct_node *assertion;
	TN_VEC(struct tn_direct_part) message; /* none: the title is said */
	uint64_t fields; /* that it asks for */
};

struct tn_rule; /* rules/rules.h */

/* False: the document must be asked, or there is no memory (*out_nomem). */
bool tn_direct_compile(const struct tn_rule *rule, struct tn_arena *arena,
	struct tn_direct *out, bool *out_nomem);

/* The elements of the context, in the order of the document. */
struct tn_direct_walk {
	struct tn_facts_source *from;
	const struct tn_direct *check;
	struct tn_listed asked;
	uint32_t next;
};
bool tn_direct_next(struct tn_direct_walk *walk, uint32_t *out);

bool tn_direct_holds(
	struct tn_facts_source *from, const struct tn_direct *check, uint32_t element);

/* Adds the text of the message. from->failed: no memory. */
void tn_direct_say(struct tn_facts_source *from, const struct tn_direct *check,
	uint32_t element, struct tn_strbuf *out);

#endif
