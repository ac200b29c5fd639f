/* Average pooling of int8 for processors with MVE, eight channels at a time: halfwords hold
 * the sums of 255 taps. They are divided by multiplication: for d taps, 2^(s - 1) < d <= 2^s,
 * and m = ceil(2^(15 + s) / d), which has 16 bits, 2 n m / 2^(16 + s) exceeds n / d by less
 * than 1 / d, as n < 2^15. */
#include "pool_s8.h"

#define CHANNELS 8

enum { HALF, FACTOR, SHIFT }; /* of the taps; m; -s */

static void set_rule(struct tn_pool_window *w)
{
	const int32_t taps = w->rows * w->taps;
	int32_t shift = 0;

	while (1 << shift < taps)
		shift++;
	w->count = taps;
	w->rule[HALF] = taps / 2;
	w->rule[FACTOR] = ((1 << (15 + shift)) + taps - 1) / taps;
	w->rule[SHIFT] = -shift;
}

#if TN_MVE && !defined(__clang__) /* clang 14 has no registers left for it */

typedef int16_t vector __attribute__((vector_size(16)));

static inline vector all(int32_t x)
{
	vector v;

	__asm__("vdup.16 %q0, %1" : "=w"(v) : "r"(x));
	return v;
}

/* The n channels from c on, in blocks that are `step` apart; the last one may be part of a
 * block. */
static inline TN_ALL_REGISTERS void channels(const struct tn_pool_params *p,
	const struct tn_pool_window *w, int32_t c, int32_t n, int32_t step, tn_s8 *out)
{
	const int32_t *r = w->rule;
	const tn_s8 *base = w->in + c, *row, *at;
	int32_t left;

	out += c;
	__asm__ volatile("4:\n\t"
			 "vctp.16 %[count]\n\t"
			 "vmov.i32 q1, #0\n\t" TN_POOL_TAPS("vldrbt.s16",
				 "vadd.i16 q1, q1") "vabs.s16 q0, q1\n\t"
						    "vadd.i16 q0, q0, %q[half]\n\t"
						    "vadd.i16 q0, q0, q0\n\t"
						    "vmulh.u16 q0, q0, %q[factor]\n\t"
						    "vshl.u16 q0, q0, %q[shift]\n\t"
						    "vshr.s16 q1, q1, #15\n\t"
						    "veor q0, q0, q1\n\t"
						    "vsub.i16 q0, q0, q1\n\t"
						    "vmax.s16 q0, q0, %q[min]\n\t"
						    "vmin.s16 q0, q0, %q[max]\n\t"
						    "vpst\n\t"
						    "vstrbt.16 q0, [%[out]]\n\t"
						    "ldr %[at], %[by]\n\t"
						    "add %[base], %[at]\n\t"
						    "add %[out], %[at]\n\t"
						    "subs %[count], #8\n\t"
						    "bgt 4b"
			 : [base] "+r"(base), [out] "+l"(out), [count] "+r"(n),
			 [row] "=&r"(row), [at] "=&l"(at), [n] "=&r"(left)
			 : [min] "w"(all(p->act_min)), [max] "w"(all(p->act_max)),
			 [half] "w"(all(r[HALF])), [factor] "w"(all(r[FACTOR])),
			 [shift] "w"(all(r[SHIFT])), [by] "m"(step), TN_POOL_OPERANDS(w)
			 : "q0", "q1", "lr", "cc", "memory");
}

#else

static int32_t average(const int32_t *r, int32_t sum)
{
	uint32_t n = 2 * (uint32_t)((sum < 0 ? -sum : sum) + r[HALF]);
	int32_t x = (int32_t)((n * (uint32_t)r[FACTOR] >> 16) >> -r[SHIFT]);

	return sum < 0 ? -x : x;
}

static void block(const struct tn_pool_params *p, const struct tn_pool_window *w,
	int32_t c, int32_t n, tn_s8 *out)
{
	const tn_s8 *row = w->in + c;
	int32_t sum[CHANNELS] = { 0 };

	for (int32_t i = w->rows - 1; i >= 0; row = tn_pool_next_row(w, row, i), i--) {
		const tn_s8 *at = row;

		for (int32_t t = 0; t < w->taps; t++, at += w->step)
			for (int32_t k = 0; k < n; k++)
				sum[k] += tn_load_s8(at, k);
	}
	for (int32_t k = 0; k < n; k++) {
		int32_t x = average(w->rule, sum[k]);

		x = x < p->act_min ? p->act_min : x;
		tn_store_s8(out, c + k, x > p->act_max ? p->act_max : x);
	}
}

static void channels(const struct tn_pool_params *p, const struct tn_pool_window *w,
	int32_t c, int32_t n, int32_t step, tn_s8 *out)
{
	for (; n > 0; n -= CHANNELS, c += step)
		block(p, w, c, n < CHANNELS ? n : CHANNELS, out);
}

#endif

/* Apart from the others, which are in a loop over pixels. */
static __attribute__((noinline)) void rest(
	const struct tn_pool_params *p, const struct tn_pool_window *w, tn_s8 *out)
{
	channels(p, w, w->rest_at, w->rest, CHANNELS, out);
}

static inline void pixel(
	const struct tn_pool_params *p, struct tn_pool_window *w, tn_s8 *out)
{
	if (w->count != w->rows * w->taps)
		set_rule(w);
	if (w->whole)
		channels(p, w, w->first, w->whole, w->by, out);
	if (w->rest)
		rest(p, w, out);
}

void tn_mve_average_pool_2d_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	(void)scratch;
	tn_pool_s8(params, in[0], out[0], CHANNELS, pixel);
}
