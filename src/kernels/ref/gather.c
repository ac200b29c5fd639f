/* GATHER and EMBEDDING_LOOKUP: runs of elements by index. An index out of range gives
 * zeros. */
#include "elements.h"

void tn_gather(const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_gather_params *p = params;
	int32_t runs = p->batches * p->outer * p->indices, bytes = p->inner * p->size;

	(void)scratch;
	for (int32_t t = 0; t < runs; t++) {
		int32_t r = tn_step_index(p->order, t, runs);
		int32_t row = r / p->indices, batch = row / p->outer;
		int32_t k = tn_load_s32(in[1], batch * p->indices + r % p->indices);
		tn_u8 *to = (tn_u8 *)out[0] + r * bytes;

		if (k < 0 || k >= p->n)
			tn_fill_run(to, p->inner, 0, p->size, p->order.descending);
		else
			tn_move_run(to, (const tn_u8 *)in[0] + (row * p->n + k) * bytes,
				p->inner, 1, p->size, p->order.descending);
	}
}
