/* A function of one float element. */
#ifndef TENURE_KERNELS_UNARY_F32_H
#define TENURE_KERNELS_UNARY_F32_H

#include "elements.h"
#include "float_math.h"

typedef float tn_unary_f32_fn(float x);

static inline void tn_unary_f32(const struct tn_unary_params *p, const void *const *in,
	void *const *out, tn_unary_f32_fn *fn)
{
	for (int32_t t = 0; t < p->n; t++) {
		int32_t i = tn_step_index(p->order, t, p->n);

		tn_store_f32(out[0], i, fn(tn_load_f32(in[0], i)));
	}
}

#endif
