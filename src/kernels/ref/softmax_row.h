/* Integer softmax of a row whose exponentials come from a table. */
#ifndef TENURE_KERNELS_SOFTMAX_ROW_H
#define TENURE_KERNELS_SOFTMAX_ROW_H

#include "elements.h"
#include "fixed_exp.h"

struct tn_softmax_row {
	int32_t max;
	int32_t scale; /* 1 / sum, without its power of two */
	int32_t shift; /* integer bits of the sum */
};

static inline void tn_softmax_row_set(struct tn_softmax_row *row, int32_t sum)
{
	int32_t zeros = 0;

	while (zeros < 31 && !((uint32_t)sum << zeros & 0x80000000u))
		zeros++;
	row->shift = 12 - zeros;
	row->scale = tn_reciprocal_1p(
		(int32_t)(((uint32_t)sum << zeros) - UINT32_C(0x80000000)));
}

/* The sum is kept with 12 integer bits, and saturates after 4095 terms of 1. */
static inline struct tn_softmax_row tn_softmax_row_of(
	const tn_s8 *x, int32_t n, const int32_t *exp_table)
{
	struct tn_softmax_row row = { INT8_MIN, 0, 0 };
	int32_t sum = 0;

	for (int32_t i = 0; i < n; i++) {
		int32_t value = tn_load_s8(x, i);

		row.max = value > row.max ? value : row.max;
	}
	for (int32_t i = 0; i < n; i++) {
		int32_t e = tn_shr_round(exp_table[row.max - tn_load_s8(x, i)], 12);

		sum = e > INT32_MAX - sum ? INT32_MAX : sum + e;
	}
	tn_softmax_row_set(&row, sum);
	return row;
}

/* value in [0, 2^bits], bits of the output type */
static inline int32_t tn_softmax_value(
	const struct tn_softmax_row *row, int32_t exp, int32_t bits)
{
	int32_t shift = row->shift + 31 - bits;

	return shift > 31 ? 0 : tn_shr_round(tn_mulh(row->scale, exp), shift);
}

#endif
