/* SELECT_V2: elements of one of two tensors, by a boolean; all broadcast. */
#include "elements.h"

void tn_select(const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_select_params *p = params;
	int32_t last = p->rank - 1, n = p->dim[last];
	int32_t rows = tn_dims_count(p->dim, last);

	(void)scratch;
	for (int32_t t = 0; t < rows; t++) {
		int32_t r = tn_step_index(p->order, t, rows);
		const tn_s8 *c = (const tn_s8 *)in[0] +
				 tn_dims_offset(p->dim, p->stride_c, last, r);
		const tn_u8 *a = (const tn_u8 *)in[1] +
				 tn_dims_offset(p->dim, p->stride_a, last, r) * p->size;
		const tn_u8 *b = (const tn_u8 *)in[2] +
				 tn_dims_offset(p->dim, p->stride_b, last, r) * p->size;
		tn_u8 *result = (tn_u8 *)out[0] + r * n * p->size;

		for (int32_t j = 0; j < n; j++) {
			int32_t i = tn_step_index(p->order, j, n);
			int first = tn_load_s8(c, i * p->stride_c[last]) != 0;
			const tn_u8 *from = first ? a + i * p->stride_a[last] * p->size
						  : b + i * p->stride_b[last] * p->size;

			tn_move_run(result + i * p->size, from, 1, 1, p->size, 0);
		}
	}
}
