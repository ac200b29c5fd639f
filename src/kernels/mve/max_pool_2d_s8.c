/* Max pooling of int8 for processors with MVE, sixteen channels at a time. */
#include "pool_s8.h"

#define CHANNELS 16

#if TN_MVE && !defined(__clang__) /* clang 14 has no registers left for it */

typedef int8_t vector __attribute__((vector_size(16)));

static inline vector all(int32_t x)
{
	vector v;

	__asm__("vdup.8 %q0, %1" : "=w"(v) : "r"(x));
	return v;
}

/* The n channels from c on, in blocks that are `step` apart; the last one may be part of a
 * block. */
static inline TN_ALL_REGISTERS void channels(const struct tn_pool_params *p,
	const struct tn_pool_window *w, int32_t c, int32_t n, int32_t step, tn_s8 *out)
{
	const tn_s8 *base = w->in + c, *row, *at;
	int32_t left;

	out += c;
	__asm__ volatile(
		"4:\n\t"
		"vctp.8 %[count]\n\t"
		"vmov q1, %q[min]\n\t" TN_POOL_TAPS(
			"vldrbt.u8", "vmax.s8 q1, q1") "vmin.s8 q1, q1, %q[max]\n\t"
						       "vpst\n\t"
						       "vstrbt.8 q1, [%[out]]\n\t"
						       "add %[base], %[by]\n\t"
						       "add %[out], %[by]\n\t"
						       "subs %[count], #16\n\t"
						       "bgt 4b"
		: [base] "+r"(base), [out] "+r"(out), [count] "+r"(n), [row] "=&r"(row),
		[at] "=&r"(at), [n] "=&r"(left)
		: [min] "w"(all(p->act_min)), [max] "w"(all(p->act_max)), [by] "r"(step),
		TN_POOL_OPERANDS(w)
		: "q0", "q1", "lr", "cc", "memory");
}

#else

static void block(const struct tn_pool_params *p, const struct tn_pool_window *w,
	int32_t c, int32_t n, tn_s8 *out)
{
	const tn_s8 *row = w->in + c;
	int32_t max[CHANNELS];

	for (int32_t k = 0; k < n; k++)
		max[k] = p->act_min;
	for (int32_t i = w->rows - 1; i >= 0; row = tn_pool_next_row(w, row, i), i--) {
		const tn_s8 *at = row;

		for (int32_t t = 0; t < w->taps; t++, at += w->step)
			for (int32_t k = 0; k < n; k++) {
				int32_t x = tn_load_s8(at, k);

				max[k] = x > max[k] ? x : max[k];
			}
	}
	for (int32_t k = 0; k < n; k++)
		tn_store_s8(out, c + k, max[k] > p->act_max ? p->act_max : max[k]);
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
	if (w->whole)
		channels(p, w, w->first, w->whole, w->by, out);
	if (w->rest)
		rest(p, w, out);
}

void tn_mve_max_pool_2d_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	(void)scratch;
	tn_pool_s8(params, in[0], out[0], CHANNELS, pixel);
}
