/* Fully connected layer of int16 with int8 weights. */
#include "elements.h"
#include "fixed.h"

static int32_t output(const struct tn_fc_params *p, const void *const *in, int32_t row,
	int32_t o, int wide)
{
	const tn_s16 *x = (const tn_s16 *)in[0] + row * p->in_n;
	const tn_s8 *w = (const tn_s8 *)in[1] + o * p->in_n;
	const tn_s64 *bias64 = in[2];
	const tn_s32 *bias32 = in[2];
	int32_t scale = p->n_scales > 1 ? o : 0, value;
	int64_t sum = 0;

	for (int32_t i = 0; i < p->in_n; i++)
		sum += (tn_load_s16(x, i) + p->in_offset) * (w[i] + p->w_offset);
	if (wide) {
		sum = tn_wrap_add_s64(sum, bias64 ? bias64[o] : 0);
		value = tn_requantize_wide(sum, p->multiplier[scale], p->shift[scale]);
	} else {
		value = tn_wrap_add((int32_t)sum, bias32 ? bias32[o] : 0);
		value = tn_requantize(value, p->multiplier[scale], p->shift[scale]);
	}
	value = tn_wrap_add(value, p->out_offset);
	return tn_clamp_s32(value, p->act_min, p->act_max);
}

static inline void all_rows(const struct tn_fc_params *p, const void *const *in,
	tn_s16 *out, tn_s16 *held, int wide)
{
	for (int32_t t = 0; t < p->rows; t++) {
		int32_t row = tn_step_index(p->order, t, p->rows);
		tn_s16 *result = out + row * p->out_n;

		for (int32_t k = 0; k < p->out_n; k++) {
			int32_t o =
				p->order.hold ? k : tn_step_index(p->order, k, p->out_n);
			int32_t value = output(p, in, row, o, wide);

			if (p->order.hold)
				held[o] = (int16_t)value;
			else
				tn_store_s16(result, o, value);
		}
		if (p->order.hold)
			for (int32_t o = 0; o < p->out_n; o++)
				tn_store_s16(result, o, held[o]);
	}
}

void tn_fully_connected_s16(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	all_rows(params, in, out[0], scratch, 1);
}

void tn_fully_connected_s16_b32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	all_rows(params, in, out[0], scratch, 0);
}
