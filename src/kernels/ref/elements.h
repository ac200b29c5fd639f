/* Loops over elements that keep the order of the contract: element by element, up or
 * down, whatever the operands' overlap. */
#ifndef TENURE_KERNELS_ELEMENTS_H
#define TENURE_KERNELS_ELEMENTS_H

#include "access.h"
#include "tenure/kernels.h"

/* Moves n elements of `size` bytes: out[j] = in[j * step]. */
static inline void tn_move_run(
	void *out, const void *in, int32_t n, int32_t step, int32_t size, int descending)
{
	int32_t j = descending ? n - 1 : 0, d = descending ? -1 : 1;

	switch (size) {
	case 1:
		for (; n > 0; n--, j += d)
			tn_store_s8(out, j, tn_load_s8(in, j * step));
		break;
	case 2:
		for (; n > 0; n--, j += d)
			tn_store_s16(out, j, tn_load_s16(in, j * step));
		break;
	case 4:
		for (; n > 0; n--, j += d)
			tn_store_s32(out, j, tn_load_s32(in, j * step));
		break;
	default:
		for (; n > 0; n--, j += d)
			tn_store_s64(out, j, tn_load_s64(in, j * step));
		break;
	}
}

/* Writes n elements; `fill` holds the bits of one (8-byte elements: zero-extended). */
static inline void tn_fill_run(
	void *out, int32_t n, uint32_t fill, int32_t size, int descending)
{
	int32_t j = descending ? n - 1 : 0, d = descending ? -1 : 1;

	switch (size) {
	case 1:
		for (; n > 0; n--, j += d)
			tn_store_s8(out, j, (int8_t)fill);
		break;
	case 2:
		for (; n > 0; n--, j += d)
			tn_store_s16(out, j, (int16_t)fill);
		break;
	case 4:
		for (; n > 0; n--, j += d)
			tn_store_s32(out, j, (int32_t)fill);
		break;
	default:
		for (; n > 0; n--, j += d)
			tn_store_s64(out, j, (int64_t)fill);
		break;
	}
}

static inline int32_t tn_dims_count(const int32_t *dim, int32_t rank)
{
	int32_t count = 1;

	for (int32_t k = 0; k < rank; k++)
		count *= dim[k];
	return count;
}

/* Offset of the i-th index (row-major) of the first `rank` dimensions. */
static inline int32_t tn_dims_offset(
	const int32_t *dim, const int32_t *stride, int32_t rank, int32_t i)
{
	int32_t offset = 0;

	for (int32_t k = rank - 1; k >= 0; k--) {
		int32_t rest = i / dim[k];

		offset += (i - rest * dim[k]) * stride[k];
		i = rest;
	}
	return offset;
}

/* One innermost row of an operation on two operands. */
struct tn_row {
	int32_t n; /* elements */
	int32_t out; /* element of the output where the row starts */
	int32_t a, b; /* the same in the operands */
	int32_t step_a, step_b; /* 0 where the operand repeats */
};

typedef void tn_row_fn(
	const void *params, const void *const *in, void *out, const struct tn_row *row);

/* Calls fn for each row of the output, last row first when descending; fn walks its row
 * in the same direction. */
static inline void tn_rows(const struct tn_broadcast *shape, struct tn_loop_order order,
	tn_row_fn *fn, const void *params, const void *const *in, void *out)
{
	int32_t outer = shape->rank - 1;
	int32_t rows = tn_dims_count(shape->dim, outer);
	struct tn_row row = {
		.n = shape->dim[outer],
		.step_a = shape->stride_a[outer],
		.step_b = shape->stride_b[outer],
	};

	for (int32_t t = 0; t < rows; t++) {
		int32_t i = order.descending ? rows - 1 - t : t;

		row.out = i * row.n;
		row.a = tn_dims_offset(shape->dim, shape->stride_a, outer, i);
		row.b = tn_dims_offset(shape->dim, shape->stride_b, outer, i);
		fn(params, in, out, &row);
	}
}

/* Index of the t-th of n elements. */
static inline int32_t tn_step_index(struct tn_loop_order order, int32_t t, int32_t n)
{
	return order.descending ? n - 1 - t : t;
}

#endif
