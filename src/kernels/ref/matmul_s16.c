/* Batched matrix product of int16, wide sums. */
#include "fixed.h"
#include "matmul.h"

static int32_t element(
	const struct tn_matmul_params *p, const void *const *in, int32_t a, int32_t b)
{
	const struct tn_matmul *m = &p->m;
	int64_t sum = 0;
	int32_t value;

	for (int32_t k = 0; k < m->depth; k++) {
		int64_t x = tn_load_s16(in[0], a + k * m->a_step) + p->a_offset;
		int64_t y = tn_load_s16(in[1], b + k * m->b_step) + p->b_offset;

		sum += x * y;
	}
	value = tn_requantize_wide(sum, p->multiplier, p->shift);
	value = tn_wrap_add(value, p->out_offset);
	return tn_clamp_s32(value, INT16_MIN, INT16_MAX);
}

void tn_matmul_s16(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_matmul_params *p = params;
	const struct tn_matmul *m = &p->m;
	int32_t rows = tn_matmul_rows(m);
	tn_s16 *held = scratch;

	for (int32_t t = 0; t < rows; t++) {
		struct tn_matmul_row row = tn_matmul_row_at(m, p->order, t);

		for (int32_t k = 0; k < m->columns; k++) {
			int32_t c = tn_matmul_column(m, p->order, k);
			int32_t value = element(p, in, row.a, row.b + c * m->b_column);

			if (p->order.hold)
				held[c] = (int16_t)value;
			else
				tn_store_s16(out[0], row.out + c, value);
		}
		for (int32_t c = 0; p->order.hold && c < m->columns; c++)
			tn_store_s16(out[0], row.out + c, held[c]);
	}
}
