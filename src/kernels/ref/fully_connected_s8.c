/* Fully connected layer of int8: every output of a row reads the whole row. */
#include "elements.h"
#include "fixed.h"

static int32_t dot(
	const tn_s8 *in, const tn_s8 *w, int32_t n, int32_t in_offset, int32_t w_offset)
{
	uint32_t sum = 0;

	for (int32_t i = 0; i < n; i++)
		sum += (uint32_t)((tn_load_s8(in, i) + in_offset) * (w[i] + w_offset));
	return (int32_t)sum;
}

static int32_t output(
	const struct tn_fc_params *p, const void *const *in, int32_t row, int32_t o)
{
	const tn_s8 *filter = in[1];
	const tn_s32 *bias = in[2];
	int32_t scale = p->n_scales > 1 ? o : 0;
	int32_t sum = dot((const tn_s8 *)in[0] + row * p->in_n, filter + o * p->in_n,
		p->in_n, p->in_offset, p->w_offset);

	if (bias)
		sum = tn_wrap_add(sum, bias[o]);
	sum = tn_requantize(sum, p->multiplier[scale], p->shift[scale]);
	sum = tn_wrap_add(sum, p->out_offset);
	return tn_clamp_s32(sum, p->act_min, p->act_max);
}

void tn_fully_connected_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_fc_params *p = params;
	struct tn_loop_order order = p->order;
	tn_s8 *held = scratch;

	for (int32_t t = 0; t < p->rows; t++) {
		int32_t row = tn_step_index(order, t, p->rows);
		tn_s8 *result = (tn_s8 *)out[0] + row * p->out_n;

		if (order.hold) {
			for (int32_t o = 0; o < p->out_n; o++)
				held[o] = (tn_s8)output(p, in, row, o);
			for (int32_t o = 0; o < p->out_n; o++)
				tn_store_s8(result, o, held[o]);
			continue;
		}
		for (int32_t k = 0; k < p->out_n; k++) {
			int32_t o = tn_step_index(order, k, p->out_n);

			tn_store_s8(result, o, output(p, in, row, o));
		}
	}
}
