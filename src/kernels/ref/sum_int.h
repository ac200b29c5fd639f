/* Rescaled sums of integers; a mean's division is part of the multiplier. */
#ifndef TENURE_KERNELS_SUM_INT_H
#define TENURE_KERNELS_SUM_INT_H

#include "fixed.h"
#include "fold.h"

static inline void tn_sum_int(
	const struct tn_sum_params *p, const void *in, void *out, int32_t size)
{
	struct tn_fold_runs f = tn_fold_runs_of(&p->fold);
	int32_t outputs = tn_fold_outputs(&p->fold);

	for (int32_t t = 0; t < outputs; t++) {
		int32_t o = tn_step_index(p->order, t, outputs);
		int32_t start = tn_fold_start(&p->fold, o);
		int32_t sum = 0, value;

		for (int32_t r = 0; r < f.runs; r++) {
			int32_t run = start + tn_fold_run(&p->fold, r);

			for (int32_t i = 0; i < f.length; i++)
				sum = tn_wrap_add(
					sum, tn_load_int(in, run + i * f.step, size));
		}
		value = tn_requantize(
			tn_wrap_sub(sum, p->in_bias), p->multiplier, p->shift);
		value = tn_wrap_add(value, p->out_offset);
		tn_store_int(out, o, size, tn_clamp_s32(value, p->out_min, p->out_max));
	}
}

#endif
