/* EMBEDDING_LOOKUP of int8 rows as floats. An index out of range gives zeros. */
#include "elements.h"

void tn_embedding_s8_f32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_embedding_params *p = params;

	(void)scratch;
	for (int32_t t = 0; t < p->indices; t++) {
		int32_t r = tn_step_index(p->order, t, p->indices);
		int32_t k = tn_load_s32(in[1], r);
		int inside = k >= 0 && k < p->n;

		for (int32_t j = 0; j < p->inner; j++) {
			int32_t i = tn_step_index(p->order, j, p->inner);
			int32_t q = inside ? tn_load_s8(in[0], k * p->inner + i) : 0;

			tn_store_f32(out[0], r * p->inner + i, (float)q * p->scale);
		}
	}
}
