/* What the graph means: a symbolic run in the graph's own order with every tensor in memory
 * of its own. For each operand it keeps which bytes of which value the op reads or leaves
 * there; a plan is right when its run reads the same. Knows no plan. */
#ifndef TN_VERIFY_REFERENCE_H
#define TN_VERIFY_REFERENCE_H

#include "contract/operand.h"
#include "verify/memory.h"

/* An operand of an op, and contents of its bytes, from the first on. */
struct tn_touch {
	const struct tn_operand *o;
	struct tn_memory before,
		after; /* the op; after: as if nothing else had its bytes */
	struct tn_memory made; /* what it writes */
};

struct tn_deed {
	struct tn_touch *touches; /* by operand */
	uint32_t n;
	uint32_t first_value; /* of touch 0 */
	uint32_t garbage; /* the value of its scratch, behind those of its operands */
	bool tangled; /* the graph itself reads and writes the same bytes */
};

/* Values are numbered: value i < n_tensors is what tensor i is given before the first op
 * (an input, a variable, a constant); the others are what ops write. */
struct tn_reference {
	struct tn_storage storage;
	const struct tn_operands *operands; /* by op */
	struct tn_deed *deeds; /* by op */
	struct tn_memory
		*state; /* by root tensor: what it holds; after the run: the last */
	uint32_t n_values;
};

/* In verify/copies.c, for an op whose outputs' `made` is filled with values of its own: puts
 * the inputs' values where the op only copies. False when memory ran out. */
bool tn_reference_copies(struct tn_reference *ref, uint32_t op, struct tn_arena *arena);

/* Fills what operand k of the op writes with a value of its own. */
bool tn_reference_fresh(struct tn_deed *deed, uint32_t k, struct tn_arena *arena);

/* TN_ERR_INPUT when a view does not resolve or leaves its root. */
enum tn_status TN_MUST_CHECK tn_reference_run(
	const struct tn_graph *g, struct tn_arena *arena, struct tn_reference *out);

#endif
