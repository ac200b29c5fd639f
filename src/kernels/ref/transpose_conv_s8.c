/* Transposed convolution of int8. */
#include "fixed.h"
#include "transpose_conv.h"

struct sum {
	int32_t offset;
	uint32_t total;
};

static void add(void *sum, const void *in, const void *filter, int32_t x, int32_t w,
	int32_t depth)
{
	struct sum *s = sum;
	const tn_s8 *weights = filter;

	for (int32_t i = 0; i < depth; i++)
		s->total +=
			(uint32_t)((tn_load_s8(in, x + i) + s->offset) * weights[w + i]);
}

void tn_transpose_conv_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_conv_params *p = params;
	const tn_s32 *bias = in[2];
	int32_t outputs = tn_transpose_conv_outputs(&p->g);

	(void)scratch;
	for (int32_t t = 0; t < outputs; t++) {
		int32_t o = tn_step_index(p->order, t, outputs);
		struct sum s = { p->in_offset, 0 };
		int32_t c = o % p->g.out_c, value;

		tn_transpose_conv_sum(&p->g, in[0], in[1], o, add, &s);
		value = tn_wrap_add((int32_t)s.total, bias ? bias[c] : 0);
		value = tn_requantize(value, p->multiplier[c], p->shift[c]);
		value = tn_wrap_add(value, p->out_offset);
		tn_store_s8(out[0], o, tn_clamp_s32(value, p->act_min, p->act_max));
	}
}
