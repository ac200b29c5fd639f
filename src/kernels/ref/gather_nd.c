/* GATHER_ND: runs of elements by index tuples. A tuple out of range gives zeros. */
#include "elements.h"

void tn_gather_nd(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_gather_nd_params *p = params;
	int32_t bytes = p->inner * p->size;

	(void)scratch;
	for (int32_t t = 0; t < p->tuples; t++) {
		int32_t r = tn_step_index(p->order, t, p->tuples);
		tn_u8 *to = (tn_u8 *)out[0] + r * bytes;
		int32_t at = 0;
		int inside = 1;

		for (int32_t d = 0; d < p->rank; d++) {
			int32_t k = tn_load_s32(in[1], r * p->rank + d);

			if (k < 0 || k >= p->dim[d])
				inside = 0;
			else
				at += k * p->stride[d];
		}
		if (inside)
			tn_move_run(to, (const tn_u8 *)in[0] + at * p->size, p->inner, 1,
				p->size, p->order.descending);
		else
			tn_fill_run(to, p->inner, 0, p->size, p->order.descending);
	}
}
