/* Windows of frameworks that put channels first (NCHW) as windows over NHWC, which kernels
 * and contracts know. Which tensors change is decided for the whole graph at once: a
 * window's operand and result do, and so do those of ops between windows that work in
 * either layout. A tensor that changes has a double with its channels last; a TRANSPOSE is
 * made only where one side needs what the other has. For rewrite/ only. */
#ifndef TN_REWRITE_LAYOUT_H
#define TN_REWRITE_LAYOUT_H

#include "rewrite/edit.h"

#define TN_LAYOUT_RANK 4

enum tn_layout_role {
	LAYOUT_STAYS, /* reads and writes channels first */
	LAYOUT_WINDOW, /* needs channels last */
	LAYOUT_FOLLOWS, /* takes either, and all its tensors alike */
	LAYOUT_SHUFFLE, /* takes either, with the two ops behind it */
};

struct tn_layout {
	struct tn_edit *e;
	uint32_t n_tensors, n_ops; /* before the pass */
	enum tn_layout_role *role; /* by op */
	uint32_t *
		group; /* by tensor: another one that changes with it; itself: the first */
	bool *wanted; /* by first tensor of a group: a window is in it */
	tn_tensor_id *last; /* by tensor: its double; TN_NONE: none yet */
	size_t *left; /* by tensor: the entry of the log, from 1, of the op that writes its
	                 double instead; 0: none */
	bool *has_first; /* by tensor: its own bytes are there when an op is reached */
	const tn_op_id *reader; /* by tensor: the one when it is private */
	TN_VEC(struct tn_op) made;
	TN_VEC(tn_op_id) schedule;
};

/* The double's dimension i is dimension tn_layout_last[i] of the tensor; dimension i of
 * the tensor is dimension tn_layout_place[i] of the double. */
extern const int64_t tn_layout_last[TN_LAYOUT_RANK], tn_layout_place[TN_LAYOUT_RANK];

void tn_layout_shape(const struct tn_shape *first, struct tn_shape *out);

/* Has it a value of its own, four dimensions, and nobody who looks into it? */
bool tn_layout_may_change(struct tn_layout *l, tn_tensor_id id);
bool tn_layout_is_constant(const struct tn_tensor *t);

/* A constant with its dimensions in another order, as if it had the shape `from`; its
 * scales run along the same dimension as before. TN_NONE when memory ran out. */
tn_tensor_id tn_layout_permuted(struct tn_layout *l, tn_tensor_id id,
	const struct tn_shape *from, const int64_t perm[TN_LAYOUT_RANK]);

/* A window with channels first: may it change? If not, says why. */
bool tn_layout_takes_window(
	struct tn_layout *l, const struct tn_op *op, const char **out_why);
/* Its attributes and constants; operand 0 and the result are not touched. */
void tn_layout_change_window(struct tn_layout *l, struct tn_op *op);

/* Another op: may it work on the doubles as well? */
bool tn_layout_takes_op(struct tn_layout *l, const struct tn_op *op);
/* Does its output 0 change, too? Not when a reduction drops the dimensions. */
bool tn_layout_keeps_rank(struct tn_layout *l, const struct tn_op *op);
void tn_layout_change_op(struct tn_layout *l, struct tn_op *op);

/* The first reshape of a shuffle of channels? *out_result is what its last one writes. */
bool tn_layout_is_shuffle(
	struct tn_layout *l, const struct tn_op *op, tn_tensor_id *out_result);
/* All three ops work on doubles; operand 0 has one. */
void tn_layout_change_shuffle(struct tn_layout *l, struct tn_op *op);

/* A reshape to rows that end in a layer with constant weights: the layer's columns are put
 * in the order of the double. False when it is none. */
bool tn_layout_into_layer(struct tn_layout *l, struct tn_op *reshape);

#endif
