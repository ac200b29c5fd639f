/* Fully connected layer in single precision; the bias is added last. */
#include "elements.h"
#include "float_math.h"

static float output(
	const struct tn_fc_f32_params *p, const void *const *in, int32_t row, int32_t o)
{
	const tn_f32 *x = (const tn_f32 *)in[0] + row * p->in_n;
	const tn_f32 *w = (const tn_f32 *)in[1] + o * p->in_n;
	const tn_f32 *bias = in[2];
	float sum = 0.0f;

	for (int32_t i = 0; i < p->in_n; i++)
		sum += tn_load_f32(x, i) * w[i];
	sum = sum + (bias ? bias[o] : 0.0f);
	return tn_clamp_f32_value(sum, p->act_min, p->act_max);
}

void tn_fully_connected_f32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_fc_f32_params *p = params;
	struct tn_loop_order order = p->order;
	tn_f32 *held = scratch;

	for (int32_t t = 0; t < p->rows; t++) {
		int32_t row = tn_step_index(order, t, p->rows);
		tn_f32 *result = (tn_f32 *)out[0] + row * p->out_n;

		if (order.hold) {
			for (int32_t o = 0; o < p->out_n; o++)
				held[o] = output(p, in, row, o);
			for (int32_t o = 0; o < p->out_n; o++)
				tn_store_f32(result, o, held[o]);
			continue;
		}
		for (int32_t k = 0; k < p->out_n; k++) {
			int32_t o = tn_step_index(order, k, p->out_n);

			tn_store_f32(result, o, output(p, in, row, o));
		}
	}
}
