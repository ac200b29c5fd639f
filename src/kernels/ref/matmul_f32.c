/* Batched matrix product in single precision. */
#include "matmul.h"

static float element(
	const struct tn_matmul_f32_params *p, const void *const *in, int32_t a, int32_t b)
{
	const struct tn_matmul *m = &p->m;
	float sum = 0.0f;

	for (int32_t k = 0; k < m->depth; k++)
		sum += tn_load_f32(in[0], a + k * m->a_step) *
		       tn_load_f32(in[1], b + k * m->b_step);
	return sum;
}

void tn_matmul_f32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_matmul_f32_params *p = params;
	const struct tn_matmul *m = &p->m;
	int32_t rows = tn_matmul_rows(m);
	tn_f32 *held = scratch;

	for (int32_t t = 0; t < rows; t++) {
		struct tn_matmul_row row = tn_matmul_row_at(m, p->order, t);

		for (int32_t k = 0; k < m->columns; k++) {
			int32_t c = tn_matmul_column(m, p->order, k);
			float value = element(p, in, row.a, row.b + c * m->b_column);

			if (p->order.hold)
				held[c] = value;
			else
				tn_store_f32(out[0], row.out + c, value);
		}
		for (int32_t c = 0; p->order.hold && c < m->columns; c++)
			tn_store_f32(out[0], row.out + c, held[c]);
	}
}
