/* Average pooling of int8 for processors with MVE, eight channels at a time: halfwords hold
 * the sums of 255 taps. They are divided by multiplication: for d taps, 2^(s - 1) < d <= 2^s,
 * and m = ceil(2^(15 + s) / d), which has 16 bits, 2 n m / 2^(16 + s) exceeds n / d by less
 * than 1 / d, as n < 2^15. */
#include "pool_s8.h"

#define CHANNELS 8

struct rule {
	int32_t half; /* of the taps */
	int32_t factor, shift; /* m and -s */
};

static struct rule rule_of(int32_t taps)
{
	struct rule r = { taps / 2, 0, 0 };

	while (1 << -r.shift < taps)
		r.shift--;
	r.factor = ((1 << (15 - r.shift)) + taps - 1) / taps;
	return r;
}

#if TN_MVE

typedef int16_t vector __attribute__((vector_size(16)));

static inline void channels(const struct tn_pool_params *p,
	const struct tn_pool_window *w, const struct rule *r, int32_t c, int32_t n,
	tn_s8 *out)
{
	vector sum;

	__asm__ volatile("vmov.i32 %q0, #0\n\t"
			 "vctp.16 %1"
			 : "=w"(sum)
			 : "r"(n));
	TN_POOL_TAPS(w, c, sum, "vldrbt.s16", "vadd.i16");
	__asm__ volatile("vabs.s16 q0, %q[sum]\n\t"
			 "vadd.i16 q0, q0, %[half]\n\t"
			 "vadd.i16 q0, q0, q0\n\t"
			 "vdup.16 q1, %[factor]\n\t"
			 "vmulh.u16 q0, q0, q1\n\t"
			 "vshl.u16 q0, %[shift]\n\t"
			 "vshr.s16 q1, %q[sum], #15\n\t"
			 "veor q0, q0, q1\n\t"
			 "vsub.i16 q0, q0, q1\n\t"
			 "vdup.16 q1, %[min]\n\t"
			 "vmax.s16 q0, q0, q1\n\t"
			 "vdup.16 q1, %[max]\n\t"
			 "vmin.s16 q0, q0, q1\n\t"
			 "vpst\n\t"
			 "vstrbt.16 q0, [%[out]]"
			 :
			 : [sum] "w"(sum), [half] "r"(r->half), [factor] "r"(r->factor),
			 [shift] "r"(r->shift), [min] "r"(p->act_min),
			 [max] "r"(p->act_max), [out] "l"(out + c)
			 : "q0", "q1", "memory");
}

#else

static int32_t average(const struct rule *r, int32_t sum)
{
	uint32_t n = 2 * (uint32_t)((sum < 0 ? -sum : sum) + r->half);
	int32_t x = (int32_t)((n * (uint32_t)r->factor >> 16) >> -r->shift);

	return sum < 0 ? -x : x;
}

static void channels(const struct tn_pool_params *p, const struct tn_pool_window *w,
	const struct rule *r, int32_t c, int32_t n, tn_s8 *out)
{
	int32_t sum[CHANNELS] = { 0 };

	for (int32_t i = 0; i < w->rows; i++) {
		const tn_s8 *at = w->in + c + (w->y + i) % w->in_rows * w->row_bytes;

		for (int32_t t = 0; t < w->taps; t++, at += w->step)
			for (int32_t k = 0; k < n; k++)
				sum[k] += tn_load_s8(at, k);
	}
	for (int32_t k = 0; k < n; k++) {
		int32_t x = average(r, sum[k]);

		x = x < p->act_min ? p->act_min : x;
		tn_store_s8(out, c + k, x > p->act_max ? p->act_max : x);
	}
}

#endif

static void pixel(
	const struct tn_pool_params *p, const struct tn_pool_window *w, tn_s8 *out)
{
	const struct rule r = rule_of(w->rows * w->taps);

	for (int32_t k = w->channels; k > 0; k -= CHANNELS) {
		int32_t n = k < CHANNELS ? k : CHANNELS;

		channels(p, w, &r, p->order.descending ? k - n : w->channels - k, n, out);
	}
}

void tn_mve_average_pool_2d_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	(void)scratch;
	tn_pool_s8(params, in[0], out[0], pixel);
}
