/* A graph under the hands of the passes: a copy with who writes and who reads each tensor
 * kept up to date. For rewrite/ only. */
#ifndef TN_REWRITE_EDIT_H
#define TN_REWRITE_EDIT_H

#include "rewrite/rewrite.h"

/* A constant that folding makes may have this many bytes, or as many as it replaces. */
#define TN_FOLD_BYTES_MAX (64 * 1024)

struct tn_edit {
	struct tn_arena *arena; /* of the result */
	struct tn_arena *scratch;
	struct tn_strings *strings;
	struct tn_graph g; /* ops keep their ids during a round */
	size_t tensor_capacity;
	uint32_t n_file_tensors;
	bool *dead; /* by op */
	uint32_t n_dead;
	tn_op_id *producer; /* by tensor; TN_NONE: none, or several */
	uint32_t *reads; /* by tensor: operands of living ops that name it */
	bool *pinned; /* by tensor: must keep its bytes, its shape and its op */
	bool *viewed; /* by tensor: other tensors of the file lie in its bytes */
	bool *held; /* by tensor: an op that no pass may touch works on it */
	tn_tensor_id
		*view; /* by tensor of the file: the first one that lies in its bytes */
	tn_tensor_id *instead; /* by tensor: what its readers read; TN_NONE: itself */
	tn_op_id *
		readers; /* by tensor, two of each: the first ops of the file that read it */
	enum tn_pass pass; /* that is running */
	bool changed; /* by the running round */
	bool failed; /* memory ran out */
	struct tn_rewrites *log;
	TN_VEC(struct tn_rewrite) left; /* by the running round */
	struct tn_rewrite spare; /* written to when memory ran out */
	struct tn_values_memo *values; /* of values.c; NULL: nothing is known yet */
};

/* A pass: one sweep. Leaves e->failed set when memory runs out. */
typedef void tn_pass_fn(struct tn_edit *e);

#define PASS(id, name, rule, exact, function, what) tn_pass_fn function;
#include "rewrite/passes.def"
#undef PASS

bool tn_edit_begin(struct tn_edit *e, const struct tn_graph *g, struct tn_arena *arena,
	struct tn_arena *scratch, struct tn_strings *strings, struct tn_rewrites *log);
/* Dead ops are no longer in the graph: the others have new ids, in the same order. */
bool tn_edit_drop_dead(struct tn_edit *e);
bool tn_edit_finish(struct tn_edit *e, struct tn_graph *out);

/* The living op at a position of the schedule, or NULL: it is dead, or has a kernel of its
 * own, and no pass may touch it. Resolves its operands. */
struct tn_op *tn_edit_op(struct tn_edit *e, uint32_t position);
/* Is it a living op that no pass may touch? */
bool tn_edit_is_held(const struct tn_edit *e, tn_op_id id);
static inline tn_op_id tn_edit_id(const struct tn_edit *e, const struct tn_op *op)
{
	return (tn_op_id){ (uint32_t)(op - e->g.ops) };
}

/* The tensor of an operand, or NULL when it is absent. */
struct tn_tensor *tn_edit_in(struct tn_edit *e, const struct tn_op *op, uint32_t k);
struct tn_tensor *tn_edit_out(struct tn_edit *e, const struct tn_op *op, uint32_t k);

/* The op that writes operand k of op; NULL: a constant, an input, several writers, or what
 * no pass may touch. */
struct tn_op *tn_edit_producer(struct tn_edit *e, const struct tn_op *op, uint32_t k);

/* Does only this operand of one op read the tensor, and may the tensor vanish? */
bool tn_edit_private(const struct tn_edit *e, tn_tensor_id id);
/* May readers of another tensor read this one instead: does nobody write it again? */
bool tn_edit_stable(const struct tn_edit *e, tn_tensor_id id);
/* May another op write it, earlier than its own does? */
bool tn_edit_may_move(const struct tn_edit *e, tn_tensor_id id);
bool tn_edit_same_type(const struct tn_tensor *a, const struct tn_tensor *b);
bool tn_edit_same_quant(const struct tn_tensor *a, const struct tn_tensor *b);

/* Sums of products of an input and weights. */
static inline bool tn_edit_is_layer(const struct tn_op *op)
{
	return op->kind == OP_CONV_2D || op->kind == OP_DEPTHWISE_CONV_2D ||
	       op->kind == OP_FULLY_CONNECTED;
}

/* Are its bytes known and never written? */
bool tn_edit_is_constant(const struct tn_tensor *t);

/* A list that is an operand or an attribute. False when it is neither, not constant, or
 * longer than TN_RANK_MAX. */
bool tn_edit_ints(struct tn_edit *e, const struct tn_op *op, uint32_t k, const char *attr,
	int64_t out[TN_RANK_MAX], uint32_t *out_n);
/* The same for a permutation of `rank` dimensions, none of them negative. */
bool tn_edit_permutation(struct tn_edit *e, const struct tn_op *op, uint32_t rank,
	int64_t out[TN_RANK_MAX]);

void tn_edit_set_input(struct tn_edit *e, struct tn_op *op, uint32_t k, tn_tensor_id id);
void tn_edit_set_inputs(
	struct tn_edit *e, struct tn_op *op, const tn_tensor_id *ids, uint32_t n);
void tn_edit_set_output(struct tn_edit *e, struct tn_op *op, tn_tensor_id id);
void tn_edit_kill(struct tn_edit *e, struct tn_op *op);
/* The two records change places, so that the schedule need not: what was done first is
 * now done second. Operand 0 and the output stay with the place. */
void tn_edit_exchange(struct tn_edit *e, struct tn_op *a, struct tn_op *b);
/* All readers of `from`, which is not pinned, read `to`, which is stable. */
void tn_edit_redirect(struct tn_edit *e, tn_tensor_id from, tn_tensor_id to);

/* Attributes: one changed or added, or all replaced (the list is copied). */
void tn_edit_attr_string(
	struct tn_edit *e, struct tn_op *op, const char *name, const char *value);
void tn_edit_attr_bool(struct tn_edit *e, struct tn_op *op, const char *name, bool value);
void tn_edit_attr_float(
	struct tn_edit *e, struct tn_op *op, const char *name, double value);
void tn_edit_attr_ints(struct tn_edit *e, struct tn_op *op, const char *name,
	const int64_t *values, size_t n);
void tn_edit_drop_attrs(struct tn_op *op);

/* A new constant like an old one, with other bytes; the data is not copied. Pointers to
 * tensors are invalid after it. TN_NONE when memory ran out. */
tn_tensor_id tn_edit_constant(struct tn_edit *e, const struct tn_tensor *like,
	const struct tn_shape *shape, const uint8_t *data);
/* A new activation like another one, of another shape, that `op` will write: named after
 * the op, so that no name stands for another value than it did. As above. */
tn_tensor_id tn_edit_activation(struct tn_edit *e, const struct tn_tensor *like,
	const struct tn_shape *shape, const struct tn_op *op);
/* The tensor becomes a constant with this data. */
void tn_edit_make_constant(struct tn_edit *e, tn_tensor_id id, const uint8_t *data);
/* Sets the shape and what follows from it. */
bool tn_edit_reshape(struct tn_tensor *t, const struct tn_shape *shape);

/* Runs ops, in this order, with the reference kernels. Operands that are neither constant
 * nor made by these ops are those given; what is not is zero bytes. The result is the
 * bytes of each output of the last op, in the edit's arena; NULL: it cannot be run. */
struct tn_edit_given {
	tn_tensor_id id;
	const uint8_t *bytes;
};
const uint8_t **tn_edit_run(struct tn_edit *e, const tn_op_id *ids, uint32_t n,
	const struct tn_edit_given *given, uint32_t n_given);

/* Note what was done or left; strings are borrowed. */
struct tn_rewrite *tn_edit_done(
	struct tn_edit *e, const struct tn_op *op, const struct tn_op *gone);
void tn_edit_left(struct tn_edit *e, const struct tn_op *op, const char *why,
	const struct tn_op *witness);
/* The op was left because the tensor, which `reader` reads, is not private: says why, and
 * who reads it or a view of it. */
void tn_edit_left_kept(struct tn_edit *e, const struct tn_op *op, tn_tensor_id id,
	const struct tn_op *reader);
/* By tensor, as it is now: an op that reads it, the one when it is private. With room for
 * two more tensors for each op. In the scratch arena; NULL on lack of memory. */
tn_op_id *tn_edit_readers(struct tn_edit *e);
/* The first op that reads the tensor besides `op`; NULL: none. */
const struct tn_op *tn_edit_other_reader(
	struct tn_edit *e, tn_tensor_id id, const struct tn_op *op);

#endif
