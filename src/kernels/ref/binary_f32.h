/* What the float operations on two operands share. */
#ifndef TENURE_KERNELS_BINARY_F32_H
#define TENURE_KERNELS_BINARY_F32_H

#include "elements.h"
#include "float_math.h"

typedef float tn_binary_f32_fn(float a, float b);

static inline void tn_binary_f32_row(const struct tn_binary_f32_params *p,
	const void *const *in, void *out, const struct tn_row *row, tn_binary_f32_fn *fn)
{
	const tn_f32 *a = (const tn_f32 *)in[0] + row->a;
	const tn_f32 *b = (const tn_f32 *)in[1] + row->b;
	tn_f32 *result = (tn_f32 *)out + row->out;

	for (int32_t t = 0; t < row->n; t++) {
		int32_t i = tn_step_index(p->order, t, row->n);
		float value = fn(
			tn_load_f32(a, i * row->step_a), tn_load_f32(b, i * row->step_b));

		tn_store_f32(
			result, i, tn_clamp_f32_value(value, p->act_min, p->act_max));
	}
}

/* Without an activation: not even to the finite floats. */
static inline void tn_plain_f32_row(const struct tn_binary_params *p,
	const void *const *in, void *out, const struct tn_row *row, tn_binary_f32_fn *fn)
{
	const tn_f32 *a = (const tn_f32 *)in[0] + row->a;
	const tn_f32 *b = (const tn_f32 *)in[1] + row->b;
	tn_f32 *result = (tn_f32 *)out + row->out;

	for (int32_t t = 0; t < row->n; t++) {
		int32_t i = tn_step_index(p->order, t, row->n);

		tn_store_f32(result, i,
			fn(tn_load_f32(a, i * row->step_a),
				tn_load_f32(b, i * row->step_b)));
	}
}

#endif
