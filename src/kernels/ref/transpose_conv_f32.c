/* Transposed convolution in single precision: by input rows, columns, channels. */
#include "float_math.h"
#include "transpose_conv.h"

static void add(void *sum, const void *in, const void *filter, int32_t x, int32_t w,
	int32_t depth)
{
	const tn_f32 *weights = filter;
	float total = *(float *)sum;

	for (int32_t i = 0; i < depth; i++)
		total += tn_load_f32(in, x + i) * weights[w + i];
	*(float *)sum = total;
}

void tn_transpose_conv_f32(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_window_f32_params *p = params;
	const tn_f32 *bias = in[2];
	int32_t outputs = tn_transpose_conv_outputs(&p->g);

	(void)scratch;
	for (int32_t t = 0; t < outputs; t++) {
		int32_t o = tn_step_index(p->order, t, outputs);
		float sum = 0.0f;

		tn_transpose_conv_sum(&p->g, in[0], in[1], o, add, &sum);
		if (bias)
			sum += bias[o % p->g.out_c];
		tn_store_f32(out[0], o, tn_clamp_f32_value(sum, p->act_min, p->act_max));
	}
}
