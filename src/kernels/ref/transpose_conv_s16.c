/* Transposed convolution of int16 with int8 weights. */
#include "fixed.h"
#include "transpose_conv.h"

static void add(void *sum, const void *in, const void *filter, int32_t x, int32_t w,
	int32_t depth)
{
	const tn_s8 *weights = filter;
	int64_t total = 0;

	for (int32_t i = 0; i < depth; i++)
		total += tn_load_s16(in, x + i) * weights[w + i];
	*(int64_t *)sum += total;
}

void tn_transpose_conv_s16(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_conv_params *p = params;
	const tn_s64 *bias = in[2];
	int32_t outputs = tn_transpose_conv_outputs(&p->g);

	(void)scratch;
	for (int32_t t = 0; t < outputs; t++) {
		int32_t o = tn_step_index(p->order, t, outputs);
		int32_t c = o % p->g.out_c, value;
		int64_t sum = 0;

		tn_transpose_conv_sum(&p->g, in[0], in[1], o, add, &sum);
		sum = tn_wrap_add_s64(sum, bias ? bias[c] : 0);
		value = tn_requantize_wide(sum, p->multiplier[c], p->shift[c]);
		tn_store_s16(out[0], o, tn_clamp_s32(value, p->act_min, p->act_max));
	}
}
