/* Are any of the booleans along any axes true? */
#include "fold.h"

void tn_reduce_any(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_fold_params *p = params;
	struct tn_fold_runs f = tn_fold_runs_of(&p->fold);
	int32_t outputs = tn_fold_outputs(&p->fold);

	(void)scratch;
	for (int32_t t = 0; t < outputs; t++) {
		int32_t o = tn_step_index(p->order, t, outputs);
		const tn_s8 *x = (const tn_s8 *)in[0] + tn_fold_start(&p->fold, o);
		int32_t result = 0;

		for (int32_t r = 0; r < f.runs; r++) {
			int32_t run = tn_fold_run(&p->fold, r);

			for (int32_t i = 0; i < f.length; i++)
				result |= tn_load_s8(x, run + i * f.step) != 0;
		}
		tn_store_s8(out[0], o, result);
	}
}
