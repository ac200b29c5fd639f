/* Depthwise convolution of int8 with any window for processors without DSP instructions. */
#include "dsp/depthwise_any_s8.h"

static __attribute__((noinline)) void four(
	const struct tn_any_window *w, int32_t offset, int32_t c, int32_t sum[4])
{
	const int32_t x_step = w->x_step, w_step = w->w_step;
	const int8_t *weights = w->w + c;
	const tn_s8 *x = w->x + c;
	uint32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;

	for (int32_t n = w->rows; n > 0; n--) {
		const int8_t *v = weights;
		const tn_s8 *at = x;

		for (int32_t t = w->taps; t > 0; t--) {
			s0 += (uint32_t)((tn_load_s8(at, 0) + offset) * v[0]);
			s1 += (uint32_t)((tn_load_s8(at, 1) + offset) * v[1]);
			s2 += (uint32_t)((tn_load_s8(at, 2) + offset) * v[2]);
			s3 += (uint32_t)((tn_load_s8(at, 3) + offset) * v[3]);
			at += x_step;
			v += w_step;
		}
		weights += w->w_row;
		if (n > 1)
			x = tn_any_next_row(w, x);
	}
	sum[0] = (int32_t)s0;
	sum[1] = (int32_t)s1;
	sum[2] = (int32_t)s2;
	sum[3] = (int32_t)s3;
}

static __attribute__((noinline)) void pixel(const struct tn_conv_params *p,
	const struct tn_any_window *w, const tn_s32 *bias, tn_s8 *out)
{
	tn_any_pixel(p, w, bias, out, four);
}

void tn_thumb_depthwise_any_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	(void)scratch;
	tn_any_s8(params, in, out[0], pixel);
}
