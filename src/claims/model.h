/* The graph as the judge sees it: where the elements of each tensor lie in the storage of
 * its root, in bits, and what is known about the kernel of each op. */
#ifndef TN_CLAIMS_MODEL_H
#define TN_CLAIMS_MODEL_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/status.h"
#include "claims/declared.h"
#include "claims/work.h"
#include "contract/contract.h"
#include "ir/graph.h"

/* Where the elements of a tensor are. */
struct tn_form {
	uint32_t root; /* tensor that owns the storage */
	int64_t start; /* bit of element 0, in the storage of the root */
	int64_t lo, hi; /* bits that the elements lie between, half-open; equal: none */
	int64_t width; /* bits of an element */
	int64_t n; /* elements */
	uint32_t rank;
	int64_t dim[TN_RANK_MAX];
	int64_t stride[TN_RANK_MAX]; /* bits; 0 for dimensions of one element */
	bool known; /* false: the size is not known; stands for one opaque element */
	bool dense; /* element i is at start + i * width */
};

enum tn_kernel_kind {
	KERNEL_OPAQUE, /* each output element reads all */
	KERNEL_VIEW, /* no code runs */
	KERNEL_POINT, /* element i reads element i, with broadcast */
	KERNEL_TRANSPOSE,
	KERNEL_SLICE,
	KERNEL_SPLIT,
	KERNEL_CONCAT,
	KERNEL_UPDATE, /* out = base, then a window of it = update */
	KERNEL_SHIFT, /* out = base, then out[dst + i] = base[src + i] */
	KERNEL_FILL,
	KERNEL_REDUCE,
	KERNEL_ROW, /* element reads its row */
	KERNEL_PLANE, /* element reads the plane of its channel */
	KERNEL_CONTRACT, /* steps of contract/ */
};

#define KERNEL_ANY_TARGET (TN_NONE - 1) /* whichever its output lies on */

struct tn_kernel {
	enum tn_kernel_kind kind;
	bool copies; /* output elements are input elements, moved */
	const bool
		*moves; /* by operand: its elements may move; else they are converted */
	bool desc, buffered, row_buffered, channel_buffered, prezero, always_copy;
	bool accumulates; /* reads what its output held */
	bool scratch_live; /* needs its scratch until the end; so if nothing is said */
	bool gradient; /* belongs to the backward pass */
	bool yields; /* gives its inputs to the caller */
	const struct tn_declaration *declared; /* in a contract file; or NULL */
	bool said; /* the variant is what the plan's file says */
	bool undeclared; /* a kernel of another tool, of which nothing is known: it is
	                    run as if it read all first, and an overlap is unproved */
	bool any_time; /* opaque, and nothing is known of its order: what it reads must last
	                  until it ends, and the variables that it is given change */
	bool unknown_type; /* opaque because nothing defines the type */
	int64_t passes; /* >= 1 */
	int64_t align; /* bytes, of each operand; 1: any */
	int64_t tail; /* bits that the kernel may write behind each output */
	uint32_t source; /* KERNEL_POINT that copies: the operand */
	uint32_t tied; /* operand that an opaque kernel reads element by element */
	uint32_t
		target; /* operand that is read whole for each element; KERNEL_ANY_TARGET */
	const uint32_t *destroys; /* operands */
	uint32_t n_destroys;
	const uint32_t *scratch; /* tensors */
	uint32_t n_scratch;
	int64_t scratch_required; /* bytes; -1: nobody says */
	struct tn_variant variant; /* KERNEL_CONTRACT */
	const uint32_t
		*order; /* of outputs, unless steps say more: those that nobody reads
	                          come last */
};

struct tn_model {
	const struct tn_graph *g;
	struct tn_arena *arena;
	struct tn_form *form; /* by tensor */
	struct tn_kernel *kernel; /* by op */
	int64_t *
		storage_hi; /* by root: bits behind the last that it owns, tails included */
	enum tn_role *role; /* by root: who owns its bytes */
	bool *given; /* by root: has contents before the first op */
	bool *dead; /* by tensor: written, and nobody ever looks at it */
	bool *output; /* by tensor: in the list of outputs, or has the role */
	bool *updated; /* by tensor: an input, or in one, that ops write */
	bool *yielded; /* by tensor: an op gives it to the caller for good */
	uint32_t *
		scope; /* by tensor: the first of the graph's scopes that it is in; TN_NONE */
	uint32_t *branch; /* by op: the first branch that it runs in; TN_NONE */
	uint32_t *
		producer; /* by tensor: first op of the schedule that writes it; TN_NONE */
	uint32_t *root_producer; /* by root: ... that writes any of it */
	int64_t *iteration; /* by op: of an unrolled loop, from 0; -1. loop.c */
	struct tn_work *work; /* that is left for the judgement */
	bool has_gradient;
	bool valid; /* the graph passes tn_validate: contracts may be asked */
	const struct tn_declared *declared; /* or NULL */
	const struct tn_said_variant *said; /* by op; or NULL */
};

/* TN_ERR_INPUT, reported, when a view does not resolve. */
enum tn_status TN_MUST_CHECK tn_model_init(struct tn_model *m, const struct tn_graph *g,
	const struct tn_declared *declared, const struct tn_said_variant *said,
	struct tn_arena *arena, struct tn_diags *diags);

/* Bit of an element, in the root's storage. */
int64_t tn_form_at(const struct tn_form *f, int64_t element);

/* Same elements at the same distances? Dimensions of one element do not count. */
bool tn_form_same_layout(const struct tn_form *a, const struct tn_form *b);

/* False: no two elements share a bit. */
bool tn_form_may_overlap_itself(const struct tn_form *f);

/* The form of an operand: inputs, then outputs; NULL for an absent one. */
const struct tn_form *tn_model_operand(
	const struct tn_model *m, uint32_t op, uint32_t operand);
uint32_t tn_model_tensor(const struct tn_model *m, uint32_t op, uint32_t operand);

/* Is the operand state that the op updates though it is no output: a recurrent kernel's? */
bool tn_model_updates(const struct tn_model *m, uint32_t op, uint32_t operand);

/* First op of the schedule that writes the tensor (or, when none does, its root);
 * TN_NONE. */
uint32_t tn_model_producer(const struct tn_model *m, uint32_t tensor);

/* Does `view` say of the op that no code runs, and can that be: does it compute nothing? Its
 * output is then its input under another name, or what a copy would have moved. */
bool tn_kernel_may_be_view(const struct tn_op *op);

/* Does the kernel read this operand again while it writes, wherever it likes? */
bool tn_kernel_reads_target(const struct tn_kernel *k, uint32_t operand);

/* Fills m->iteration. loop.c */
bool TN_MUST_CHECK tn_loop_init(struct tn_model *m);

/* Fills m->kernel[op]; needs forms. */
enum tn_status TN_MUST_CHECK tn_kernel_init(struct tn_model *m, uint32_t op, bool valid);

#endif
