/* What the graph means: a symbolic run in the graph's own order with every tensor in memory
 * of its own. For each operand it keeps which bytes of which value the op reads or leaves
 * there; a plan is right when its run reads the same. Knows no plan. */
#ifndef TN_VERIFY_REFERENCE_H
#define TN_VERIFY_REFERENCE_H

#include "base/status.h"
#include "ir/graph.h"
#include "verify/memory.h"

/* Where a tensor's bytes are in the storage of its root; half-open. */
struct tn_extent {
	uint32_t root;
	int64_t start; /* of element 0 */
	int64_t begin, end; /* of all elements, gaps between strides included */
};

/* An operand of an op. */
struct tn_touch {
	uint32_t tensor;
	struct tn_extent at; /* empty: nothing in planned memory (absent, a constant) */
	bool reads, writes;
	bool strict; /* reads: every byte must have been written by somebody */
	/* contents of the extent, from its begin */
	struct tn_memory before,
		after; /* the op; after: as if nothing else had its bytes */
	struct tn_memory made; /* what it writes */
};

struct tn_deed {
	struct tn_touch *touches; /* inputs, then outputs */
	uint32_t n; /* 0: the graph itself says that no code runs, a view of its input */
	uint32_t first_value; /* of touch 0 */
	uint32_t garbage; /* the value of its scratch, behind those of its operands */
	bool opaque; /* reads and writes in any order */
	bool tangled; /* the graph itself reads and writes the same bytes */
};

/* Values are numbered: value i < n_tensors is what tensor i is given before the first op
 * (an input, a variable, a constant); the others are what ops write. */
struct tn_reference {
	const struct tn_graph *g;
	struct tn_deed *deeds; /* by op */
	struct tn_extent *extent; /* by tensor */
	bool *given, *constant; /* by root tensor */
	struct tn_memory
		*state; /* by root tensor: what it holds; after the run: the last */
	uint32_t n_values;
};

/* In verify/copies.c, for an op whose outputs' `made` is filled with values of its own: puts
 * the inputs' values where the op only copies. False when memory ran out. */
bool tn_reference_copies(struct tn_reference *ref, tn_op_id op, struct tn_arena *arena);

/* TN_ERR_INPUT when a view does not resolve or leaves its root. */
enum tn_status TN_MUST_CHECK tn_reference_run(
	const struct tn_graph *g, struct tn_arena *arena, struct tn_reference *out);

#endif
