/* Running sums of floats along an axis. */
#include "elements.h"

void tn_cumsum_f32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_cumsum_params *p = params;
	int32_t columns = p->outer * p->inner;

	(void)scratch;
	for (int32_t t = 0; t < columns; t++) {
		int32_t o = tn_step_index(p->order, t, columns);
		int32_t at = o / p->inner * p->n * p->inner + o % p->inner;
		float sum = 0.0f;

		for (int32_t k = 0; k < p->n; k++) {
			int32_t i = at + (p->reverse ? p->n - 1 - k : k) * p->inner;
			float x = tn_load_f32(in[0], i), before = sum;

			sum += x;
			tn_store_f32(out[0], i, p->exclusive ? before : sum);
		}
	}
}
