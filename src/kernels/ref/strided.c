/* TRANSPOSE and relatives: the input read with other strides. */
#include "elements.h"

void tn_strided(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_strided_params *p = params;
	int32_t last = p->rank - 1, n = p->dim[last];
	int32_t rows = tn_dims_count(p->dim, last);

	(void)scratch;
	for (int32_t t = 0; t < rows; t++) {
		int32_t r = tn_step_index(p->order, t, rows);
		int32_t source = p->base + tn_dims_offset(p->dim, p->stride, last, r);

		tn_move_run((tn_u8 *)out[0] + r * n * p->size,
			(const tn_u8 *)in[0] + source * p->size, n, p->stride[last],
			p->size, p->order.descending);
	}
}
