/* The parts of the reader of NNVM's graphs; for import/nnvm*.c only. */
#ifndef TN_IMPORT_NNVM_H
#define TN_IMPORT_NNVM_H

#include "import/foreign.h"

struct tn_nnvm {
	struct tn_tree tree;
	struct tn_foreign f;
	struct tn_at nodes, attrs; /* attrs: the graph's */
	TN_VEC(int64_t) first; /* by node, and one more: its first entry */
	TN_VEC(int64_t) storage; /* by entry: its id, or -1; empty: no plan */
	bool shaped; /* the file has shapes */
	struct tn_ints list;
};

/* The list of a graph attribute, [tag, list]. */
struct tn_nnvm_list {
	struct tn_at pair, items;
	bool there; /* with one element for each entry */
};

void tn_nnvm_list(struct tn_nnvm *r, const char *key, struct tn_nnvm_list *out);

/* A node's own attribute, of whatever kind, as text; "" when absent. */
const char *tn_nnvm_attr(struct tn_nnvm *r, const struct tn_at *node, const char *key);

/* Shapes of the newest op's results and parameters, before its operands are taken; its
 * kind, where that depends on attributes. */
void tn_nnvm_infer(struct tn_nnvm *r, const struct tn_at *node, const char *type);

/* The storage ids as a claim of kind `plan`. */
void tn_nnvm_plan(struct tn_nnvm *r);

#endif
