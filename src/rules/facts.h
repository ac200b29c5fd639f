/* The facts of a graph as an XML document, for rules with a check. The graph is the one
 * of the file, in its own order of ops:
 *
 *   <model name format ops tensors inputs outputs constant-bytes float-ops quantized-ops
 *          lossy arena activations>
 *     <tensor index name dtype rank shape elements bytes role constant clobber mutated
 *             observed is-input is-output view-of scales zero-points channel producer
 *             reader readers same-name first last root offset region address/>
 *     <op index name type access position float quantized elided
 *         in-place>
 *       <attr name value/>            lists with blanks between their elements
 *       <input .../> <output .../>    operands, with the attributes of their tensors
 *       <candidate input output verdict obligation saves declined/>
 *     </op>
 *   </model>
 *
 * docs/RULES.md says what each means. What no expression names is not built: a document
 * costs more than most graphs. Indices are those of ops and tensors in the file's order. */
#ifndef TN_RULES_FACTS_H
#define TN_RULES_FACTS_H

#include <libxml/tree.h>

#include "analysis/liveness.h"
#include "base/arena.h"
#include "base/status.h"
#include "inplace/inplace.h"
#include "ir/graph.h"
#include "plan/plan.h"

#define TN_EXPRESSION_MAX 4096 /* characters */

/* What expressions speak of: bits of the fields of facts.c. */
struct tn_facts_needs {
	uint64_t fields;
};

/* Adds the words of an expression. */
void tn_facts_need(struct tn_facts_needs *needs, const char *expression);

/* The first name of an element or attribute that no fact has; NULL: none. */
const char *tn_facts_unknown(const char *expression, size_t *out_len);

struct tn_facts {
	const struct tn_graph *g;
	xmlDocPtr doc;
	xmlNodePtr *ops, *tensors; /* by index */
	uint32_t n_ops, n_tensors;
	bool in_arena; /* the nodes are; the document is libxml2's */
};

/* Tables of the graph that somebody has already. */
struct tn_facts_tables {
	struct tn_order order;
	struct tn_aliases aliases;
	struct tn_liveness live;
	struct tn_inplace inplace;
};

/* The graph has passed validation; plan and tables may be NULL. All but the document itself
 * lives in the arena; tn_facts_release frees it, also after an error. */
enum tn_status TN_MUST_CHECK tn_facts_build(const struct tn_graph *g,
	const struct tn_plan *plan, const struct tn_facts_tables *tables,
	const struct tn_facts_needs *needs, struct tn_arena *arena, struct tn_facts *out);

void tn_facts_release(struct tn_facts *facts);

/* What a node is about: an operand is about its tensor. False: about the model. */
struct tn_facts_subject {
	bool is_op;
	uint32_t index;
};
bool tn_facts_subject(const xmlNode *node, struct tn_facts_subject *out);

#endif
