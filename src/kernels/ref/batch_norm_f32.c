/* Channels normalised by statistics that are known before. */
#include "elements.h"

void tn_batch_norm_f32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_batch_norm_f32_params *p = params;
	const float *mean = in[1], *factor = in[2], *offset = in[3];
	int32_t rows = p->outer * p->channels;

	(void)scratch;
	for (int32_t r = 0; r < rows; r++) {
		int32_t row = tn_step_index(p->order, r, rows);
		int32_t c = row % p->channels;
		float m = mean[c], f = factor[c], o = offset[c];
		const tn_f32 *x = (const tn_f32 *)in[0] + row * p->inner;
		tn_f32 *y = (tn_f32 *)out[0] + row * p->inner;

		for (int32_t t = 0; t < p->inner; t++) {
			int32_t i = tn_step_index(p->order, t, p->inner);

			tn_store_f32(y, i, (tn_load_f32(x, i) - m) * f + o);
		}
	}
}
