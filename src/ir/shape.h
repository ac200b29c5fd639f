/* Shapes: row-major, dim[0] outermost. */
#ifndef TN_IR_SHAPE_H
#define TN_IR_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

#define TN_RANK_MAX    8
#define TN_DIM_UNKNOWN (-1)
#define TN_DIM_POISON  INT64_MIN /* unknown, and the reader has said why */

/* A size as a file gives it. The least number, which no size is, is not known (XLA writes
 * it so): a file cannot say that a reader has said why. */
static inline int64_t tn_dim_given(int64_t value)
{
	return value == TN_DIM_POISON ? TN_DIM_UNKNOWN : value;
}

struct tn_shape {
	uint32_t rank; /* 0: a scalar, one element */
	int64_t dim[TN_RANK_MAX]; /* elements; TN_DIM_UNKNOWN until bound */
};

bool tn_shape_is_known(const struct tn_shape *shape);
bool tn_shape_equal(const struct tn_shape *a, const struct tn_shape *b);

/* Number of elements; false on overflow or an unknown dimension. A zero dimension gives
 * zero even when others would overflow. */
bool tn_shape_elements(const struct tn_shape *shape, int64_t *out_elements);

/* Dense row-major strides in elements. The shape's element count must be known. Without
 * elements nobody takes a step: a stride that is too large is 0 then. */
void tn_shape_strides(const struct tn_shape *shape, int64_t out_strides[TN_RANK_MAX]);

/* Index-aligned (NumPy) broadcast: may `from` be read at the shape `to`? Writes for each
 * dimension of `to` the stride in elements of the dense `from` (0 where it repeats). */
bool tn_shape_broadcast_strides(const struct tn_shape *from, const struct tn_shape *to,
	int64_t out_strides[TN_RANK_MAX]);

#endif
