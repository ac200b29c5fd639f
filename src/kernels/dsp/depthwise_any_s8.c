/* Depthwise convolution of int8 with any window for processors with DSP instructions. */
#include "depthwise_any_s8.h"
#include "simd.h"

static __attribute__((noinline)) void four(
	const struct tn_any_window *w, int32_t offset, int32_t c, int32_t sum[4])
{
	const uint32_t offsets = tn_pack_low((uint32_t)offset, (uint32_t)offset);
	const int32_t x_step = w->x_step, w_step = w->w_step;
	const int8_t *weights = w->w + c;
	const tn_s8 *x = w->x + c;
	int32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;

	for (int32_t n = w->rows; n > 0; n--) {
		const int8_t *v = weights;
		const tn_s8 *at = x;

		for (int32_t t = w->taps; t > 0; t--) {
			const uint32_t word = tn_load_word(at), factor = tn_const_word(v);
			const uint32_t even = tn_sxtab16(offsets, word);
			const uint32_t odd = tn_sxtab16_odd(offsets, word);
			const uint32_t u = tn_sxtb16(factor), o = tn_sxtb16_odd(factor);

			s0 = tn_smlabb(even, u, s0);
			s2 = tn_smlatt(even, u, s2);
			s1 = tn_smlabb(odd, o, s1);
			s3 = tn_smlatt(odd, o, s3);
			at += x_step;
			v += w_step;
		}
		weights += w->w_row;
		if (n > 1)
			x = tn_any_next_row(w, x);
	}
	sum[0] = s0;
	sum[1] = s1;
	sum[2] = s2;
	sum[3] = s3;
}

static __attribute__((noinline)) void pixel(const struct tn_conv_params *p,
	const struct tn_any_window *w, const tn_s32 *bias, tn_s8 *out)
{
	tn_any_pixel(p, w, bias, out, four);
}

void tn_dsp_depthwise_any_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	(void)scratch;
	tn_any_s8(params, in, out[0], pixel);
}
