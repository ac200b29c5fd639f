/* Inside analysis/: what is known while ops that hand bytes on are judged. */
#ifndef TN_ANALYSIS_ELIDER_H
#define TN_ANALYSIS_ELIDER_H

#include "analysis/liveness.h"
#include "analysis/moves.h"
#include "base/vec.h"
#include "ir/views.h"

/* A class: all tensors with one root. */
struct tn_class {
	uint32_t last; /* member; the first is the root itself */
	bool visible; /* to the caller: some member is an input, an output, observed */
	bool rewritten; /* some member's bytes are written more than once */
	bool variable;
	bool tailed; /* an op writes past the end of some member */
	tn_op_id joined; /* the concatenation whose whole the root is */
};

struct tn_writer {
	uint32_t position;
	tn_tensor_id tensor;
};

struct tn_elider {
	const struct tn_graph *g;
	const struct tn_alias_options *options;
	struct tn_arena *arena;
	struct tn_aliases *al;
	struct tn_class *class; /* by root */
	uint32_t *next; /* by tensor: the next member of its class, or TN_NONE */
	uint32_t *first; /* by storage of the file: its writers; n_tensors + 1 */
	struct tn_writer *writers;
	bool *updated; /* by tensor: tn_graph_updated_inputs */
	bool *input, *output; /* by tensor: tn_graph_input_flags, .._output_flags */
	uint32_t *storage; /* by tensor: where the file puts it */
	struct tn_views views;
	struct tn_order order;
	TN_VEC(struct tn_no_copy) found;
	struct tn_liveness live; /* without what is elided; made when first asked for */
};

/* May operand i of a concatenation, a range of its root, lie in the whole, so that the root
 * lies there too? The root's other bytes are then where the other operands are. Writes a
 * fault into the verdict if not: LAYOUT if the root does not fit into the whole, REWRITTEN
 * if two values with a byte in common live at the same time. The operand itself has been
 * judged (constants, state, later writers). If the order may change, all are
 * taken to: REWRITTEN by nobody. */
enum tn_status TN_MUST_CHECK tn_tie_judge(struct tn_elider *e, const struct tn_op *op,
	const struct tn_moves *moves, uint32_t i, struct tn_no_copy *v);

#endif
