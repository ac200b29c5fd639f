/* What ops make of a transpose in front of them. For rewrite/ only. */
#ifndef TN_REWRITE_TRANSPOSE_H
#define TN_REWRITE_TRANSPOSE_H

#include "rewrite/edit.h"

/* The permutation of a TRANSPOSE with one output: its dimension i is perm[i] of the input. */
bool tn_transpose_of(
	struct tn_edit *e, const struct tn_op *op, int64_t perm[TN_RANK_MAX]);
/* It becomes an attribute, so that no operand needs to be made for it. */
void tn_transpose_set(struct tn_edit *e, struct tn_op *op, tn_tensor_id in,
	const int64_t *perm, uint32_t n);

/* An op on single elements of operand 0 and of a constant of one value for each channel,
 * row or whatever: of the same rank at most, and broadcast. */
bool tn_transpose_channels(struct tn_edit *e, const struct tn_op *op);
/* Gives it the constant that fits elements before the permutation. */
void tn_transpose_constant(struct tn_edit *e, struct tn_op *op, const int64_t *perm);

/* A PAD with paddings that are known. */
bool tn_transpose_pads(struct tn_edit *e, const struct tn_op *op);
/* Gives it the paddings for elements before the permutation; *shape: the one of its
 * operand, made that of its result. */
void tn_transpose_unpad(
	struct tn_edit *e, struct tn_op *op, const int64_t *perm, struct tn_shape *shape);

/* Gives a reduction the axes for elements before the permutation: the shape of its result,
 * and the permutation of n dimensions that is left. False: sums of floats would change
 * their order, or the axes are not known. */
bool tn_transpose_fold(struct tn_edit *e, struct tn_op *op, const int64_t *perm,
	struct tn_shape *out, int64_t rest[TN_RANK_MAX], uint32_t *n);

#endif
