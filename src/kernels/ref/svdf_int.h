/* SVDF of int8 with a state of 1 or 2 bytes an element. Each filter remembers its last
 * `memory` values; the oldest comes first. */
#ifndef TENURE_KERNELS_SVDF_INT_H
#define TENURE_KERNELS_SVDF_INT_H

#include "elements.h"
#include "fixed.h"

/* The newest value of a filter: the input's projection on its features. */
static inline int32_t tn_svdf_feature(const struct tn_svdf_params *p,
	const void *const *in, int32_t batch, int32_t filter)
{
	const tn_s8 *w = (const tn_s8 *)in[1] + filter * p->n_in;
	int32_t sum = 0;

	for (int32_t i = 0; i < p->n_in; i++) {
		int32_t x = tn_load_s8(in[0], batch * p->n_in + i) + p->in_offset;

		sum = tn_wrap_add(sum, x * w[i]);
	}
	sum = tn_requantize(sum, p->feature_multiplier, p->feature_shift);
	return tn_wrap_add(sum, -p->state_offset);
}

/* What a filter makes of its memory. */
static inline int32_t tn_svdf_time(const struct tn_svdf_params *p, const void *weights,
	const void *state, int32_t batch, int32_t filter, int32_t size)
{
	int32_t at = (batch * p->filters + filter) * p->memory, sum = 0;

	for (int32_t k = 0; k < p->memory; k++) {
		int32_t s = tn_load_int(state, at + k, size) + p->state_offset;
		int32_t w = tn_load_int(weights, filter * p->memory + k, size);

		sum = tn_wrap_add(sum, tn_wrap_mul(s, w));
	}
	return sum;
}

static inline void tn_svdf_int(const struct tn_svdf_params *p, const void *const *in,
	void *const *out, int32_t size)
{
	int32_t cells = p->batches * p->filters * p->memory;
	int32_t least = size == 1 ? INT8_MIN : INT16_MIN;
	int32_t most = size == 1 ? INT8_MAX : INT16_MAX;
	const tn_s32 *bias = in[3];

	tn_move_run(out[1], (const tn_u8 *)out[1] + size, cells - 1, 1, size, 0);
	for (int32_t k = 0; k < p->batches * p->filters; k++) {
		int32_t value = tn_svdf_feature(p, in, k / p->filters, k % p->filters);

		tn_store_int(out[1], (k + 1) * p->memory - 1, size,
			tn_clamp_s32(value, least, most));
	}
	for (int32_t o = 0; o < p->batches * p->units; o++) {
		int32_t unit = o % p->units, sum = bias ? bias[unit] : 0;

		for (int32_t r = 0; r < p->rank; r++)
			sum = tn_wrap_add(
				sum, tn_svdf_time(p, in[2], out[1], o / p->units,
					     unit * p->rank + r, size));
		sum = tn_requantize(sum, p->time_multiplier, p->time_shift);
		sum = tn_wrap_add(sum, p->out_offset);
		tn_store_s8(out[0], o, tn_clamp_s32(sum, INT8_MIN, INT8_MAX));
	}
}

#endif
