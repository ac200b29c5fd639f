/* Max pooling of int8 for processors with MVE, sixteen channels at a time. */
#include "pool_s8.h"

#define CHANNELS 16

#if TN_MVE

typedef int8_t vector __attribute__((vector_size(16)));

static inline void channels(const struct tn_pool_params *p,
	const struct tn_pool_window *w, int32_t c, int32_t n, tn_s8 *out)
{
	vector max;

	__asm__ volatile("vdup.8 %q0, %1\n\t"
			 "vctp.8 %2"
			 : "=w"(max)
			 : "r"(p->act_min), "r"(n));
	TN_POOL_TAPS(w, c, max, "vldrbt.u8", "vmax.s8");
	__asm__ volatile("vdup.8 q0, %[top]\n\t"
			 "vmin.s8 q0, q0, %q[max]\n\t"
			 "vpst\n\t"
			 "vstrbt.8 q0, [%[out]]"
			 :
			 : [max] "w"(max), [top] "r"(p->act_max), [out] "r"(out + c)
			 : "q0", "memory");
}

#else

static void channels(const struct tn_pool_params *p, const struct tn_pool_window *w,
	int32_t c, int32_t n, tn_s8 *out)
{
	int32_t max[CHANNELS];

	for (int32_t k = 0; k < n; k++)
		max[k] = p->act_min;
	for (int32_t i = 0; i < w->rows; i++) {
		const tn_s8 *at = w->in + c + (w->y + i) % w->in_rows * w->row_bytes;

		for (int32_t t = 0; t < w->taps; t++, at += w->step)
			for (int32_t k = 0; k < n; k++) {
				int32_t x = tn_load_s8(at, k);

				max[k] = x > max[k] ? x : max[k];
			}
	}
	for (int32_t k = 0; k < n; k++)
		tn_store_s8(out, c + k, max[k] > p->act_max ? p->act_max : max[k]);
}

#endif

static void pixel(
	const struct tn_pool_params *p, const struct tn_pool_window *w, tn_s8 *out)
{
	for (int32_t k = w->channels; k > 0; k -= CHANNELS) {
		int32_t n = k < CHANNELS ? k : CHANNELS;

		channels(p, w, p->order.descending ? k - n : w->channels - k, n, out);
	}
}

void tn_mve_max_pool_2d_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	(void)scratch;
	tn_pool_s8(params, in[0], out[0], pixel);
}
