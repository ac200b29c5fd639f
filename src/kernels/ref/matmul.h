/* Batched matrix products: where the operands of an output element lie. */
#ifndef TENURE_KERNELS_MATMUL_H
#define TENURE_KERNELS_MATMUL_H

#include "elements.h"

/* Elements of a (first of its row's) and b (first of its column's). */
struct tn_matmul_at {
	int32_t a, b;
};

static inline int32_t tn_matmul_outputs(const struct tn_matmul *m)
{
	return tn_dims_count(m->batch.dim, m->batch.rank) * m->rows * m->columns;
}

static inline struct tn_matmul_at tn_matmul_at(const struct tn_matmul *m, int32_t out)
{
	int32_t column = out % m->columns, row = out / m->columns % m->rows;
	int32_t batch = out / m->columns / m->rows;
	struct tn_matmul_at at;

	at.a = tn_dims_offset(m->batch.dim, m->batch.stride_a, m->batch.rank, batch) +
	       row * m->a_row;
	at.b = tn_dims_offset(m->batch.dim, m->batch.stride_b, m->batch.rank, batch) +
	       column * m->b_column;
	return at;
}

#endif
