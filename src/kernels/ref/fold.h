/* Reductions: for each output element in its order, the folded elements in row-major
 * order (float sums depend on it). */
#ifndef TENURE_KERNELS_FOLD_H
#define TENURE_KERNELS_FOLD_H

#include "elements.h"

/* Input element where the folding of output element `out` starts. */
static inline int32_t tn_fold_start(const struct tn_fold *f, int32_t out)
{
	return tn_dims_offset(f->out_dim, f->out_stride, f->out_rank, out);
}

static inline int32_t tn_fold_outputs(const struct tn_fold *f)
{
	return tn_dims_count(f->out_dim, f->out_rank);
}

/* The folded elements are `runs` runs of `length`, `step` apart. */
struct tn_fold_runs {
	int32_t runs, length, step;
};

static inline struct tn_fold_runs tn_fold_runs_of(const struct tn_fold *f)
{
	int32_t last = f->fold_rank - 1;
	struct tn_fold_runs r = { tn_dims_count(f->fold_dim, last), f->fold_dim[last],
		f->fold_stride[last] };

	return r;
}

/* Input element where run r starts, from the folding's start. */
static inline int32_t tn_fold_run(const struct tn_fold *f, int32_t r)
{
	return tn_dims_offset(f->fold_dim, f->fold_stride, f->fold_rank - 1, r);
}

#endif
