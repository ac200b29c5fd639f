/* The least integer along any axes; raw values. */
#include "fold.h"

static inline void reduce(
	const struct tn_fold_params *p, const void *in, void *out, int32_t size)
{
	struct tn_fold_runs f = tn_fold_runs_of(&p->fold);
	int32_t outputs = tn_fold_outputs(&p->fold);

	for (int32_t t = 0; t < outputs; t++) {
		int32_t o = tn_step_index(p->order, t, outputs);
		int32_t start = tn_fold_start(&p->fold, o);
		int32_t best = INT32_MAX;

		for (int32_t r = 0; r < f.runs; r++) {
			int32_t run = start + tn_fold_run(&p->fold, r);

			for (int32_t i = 0; i < f.length; i++) {
				int32_t value = tn_load_int(in, run + i * f.step, size);

				best = value < best ? value : best;
			}
		}
		tn_store_int(out, o, size, best);
	}
}

void tn_reduce_min_int(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_fold_params *p = params;

	(void)scratch;
	if (p->size == 1)
		reduce(p, in[0], out[0], 1);
	else if (p->size == 2)
		reduce(p, in[0], out[0], 2);
	else
		reduce(p, in[0], out[0], 4);
}
