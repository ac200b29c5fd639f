/* The least float along any axes. */
#include "float_math.h"
#include "fold.h"

void tn_reduce_min_f32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_fold_params *p = params;
	struct tn_fold_runs f = tn_fold_runs_of(&p->fold);
	int32_t outputs = tn_fold_outputs(&p->fold);

	(void)scratch;
	for (int32_t t = 0; t < outputs; t++) {
		int32_t o = tn_step_index(p->order, t, outputs);
		const tn_f32 *x = (const tn_f32 *)in[0] + tn_fold_start(&p->fold, o);
		float best = tn_f32_of_bits(0x7f7fffffu);

		for (int32_t r = 0; r < f.runs; r++) {
			int32_t run = tn_fold_run(&p->fold, r);

			for (int32_t i = 0; i < f.length; i++) {
				float value = tn_load_f32(x, run + i * f.step);

				best = value < best ? value : best;
			}
		}
		tn_store_f32(out[0], o, best);
	}
}
