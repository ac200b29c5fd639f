/* Which tensors are the same bytes: true views of the file, and ops that only hand bytes on
 * and so need not run. Their outputs are ranges of the input's bytes (views, splits,
 * slices), or the parts lie where the whole is (concatenations). Every tensor resolves to a
 * root and a byte range in it; all later questions about life and overlap are asked of
 * roots and ranges. */
#ifndef TN_ANALYSIS_ALIAS_H
#define TN_ANALYSIS_ALIAS_H

#include "analysis/order.h"
#include "base/arena.h"
#include "base/status.h"
#include "base/strbuf.h"
#include "ir/graph.h"

struct tn_alias {
	tn_tensor_id root; /* itself when it has storage of its own */
	int64_t offset; /* of its lowest byte, in the root */
	int64_t extent; /* bytes from offset to behind its highest */
	int64_t start; /* of element 0; above offset where a stride is negative */
	bool dense; /* the extent holds the value and nothing else, in order */
};

/* Why an op that only hands bytes on must run all the same. */
enum tn_no_copy_fault {
	NO_COPY_NONE,
	NO_COPY_CONSTANT, /* a constant does not lie in planned memory */
	NO_COPY_STATE, /* a variable outlives the run */
	NO_COPY_REWRITTEN, /* `other` writes these bytes later */
	NO_COPY_CALLER, /* the caller can tell the two apart */
	NO_COPY_ALIGNMENT, /* the caller would find it at an odd place */
	NO_COPY_LAYOUT, /* where it lies is decided already, by the file or by `other` */
	NO_COPY_APART, /* the bytes of one do not lie together in the other */
	NO_COPY_SCALE, /* other quantisation: other bytes for the same number */
	NO_COPY_TAKEN, /* `other` has put these bytes into another whole */
	NO_COPY_TWICE, /* an operand for two places */
	NO_COPY_PINNED, /* the user has said where it is */
	NO_COPY_TAIL, /* an op writes past its end, where other parts would be */
	NO_COPY_OPERAND, /* nothing, but another operand of the op has to be copied */
};

/* The verdict on one operand of an op that only hands bytes on (analysis/moves.h). */
struct tn_no_copy {
	tn_op_id op;
	uint32_t input, output; /* operand indices */
	enum tn_no_copy_fault fault;
	tn_tensor_id victim; /* whose bytes they are; with NONE: the input */
	tn_op_id other; /* who stands in the way; TN_NONE: the caller, or nobody */
	int64_t begin, end; /* bytes of the output that are the input's */
	bool declined; /* legal, and not wanted (tn_alias_options.run) */
};

struct tn_aliases {
	struct tn_alias *of; /* by tensor */
	bool *elided; /* by op: hands bytes on, nothing runs */
	bool *parted; /* by root: elided ops made parts of it, that live and die alone */
	bool *tied; /* by root, parted: bytes may hold one value first, another later */
	bool *may_elide; /* by op: it runs, but with other ops running or in another order
	                    it might not need to */
	uint32_t n_tensors, n_ops;
	struct tn_no_copy *no_copy; /* in the order of the schedule */
	uint32_t n_no_copy;
};

struct tn_alias_options {
	int64_t align; /* bytes; of what the caller sees */
	const bool *run; /* by op: runs although it need not; NULL: none */
	const bool *apart; /* by tensor: is no part and has none; NULL: none */
	bool views_only; /* leave out only what gives all bytes of a tensor another name */
	bool any_order; /* the order may change: no wholes are tied together */
	const struct tn_order *order; /* NULL: the graph's */
};

/* Elides all ops that need not run. With NULL options: alignment 16. */
enum tn_status TN_MUST_CHECK tn_aliases_choose(const struct tn_graph *g,
	const struct tn_alias_options *options, struct tn_arena *arena,
	struct tn_aliases *out);

enum tn_status TN_MUST_CHECK tn_aliases_find(
	const struct tn_graph *g, struct tn_arena *arena, struct tn_aliases *out);

void tn_aliases_print(const struct tn_graph *g, const struct tn_aliases *aliases,
	struct tn_strbuf *out);

/* Does the tensor live in planned memory at all (not a constant, not without bytes)? */
bool tn_tensor_is_planned(const struct tn_tensor *t);

#endif
