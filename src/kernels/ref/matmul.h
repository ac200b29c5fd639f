/* Batched matrix products: where the operands of an output element lie. */
#ifndef TENURE_KERNELS_MATMUL_H
#define TENURE_KERNELS_MATMUL_H

#include "elements.h"

/* One row of the output: its first element, and where its operands start. */
struct tn_matmul_row {
	int32_t out, a, b;
};

static inline int32_t tn_matmul_rows(const struct tn_matmul *m)
{
	return tn_dims_count(m->batch.dim, m->batch.rank) * m->rows;
}

static inline struct tn_matmul_row tn_matmul_row_at(
	const struct tn_matmul *m, struct tn_loop_order order, int32_t t)
{
	int32_t r = tn_step_index(order, t, tn_matmul_rows(m));
	int32_t batch = r / m->rows;
	struct tn_matmul_row row;

	row.out = r * m->columns;
	row.a = tn_dims_offset(m->batch.dim, m->batch.stride_a, m->batch.rank, batch) +
		r % m->rows * m->a_row;
	row.b = tn_dims_offset(m->batch.dim, m->batch.stride_b, m->batch.rank, batch);
	return row;
}

/* The k-th column: held rows are always gathered upwards. */
static inline int32_t tn_matmul_column(
	const struct tn_matmul *m, struct tn_loop_order order, int32_t k)
{
	return order.hold ? k : tn_step_index(order, k, m->columns);
}

#endif
