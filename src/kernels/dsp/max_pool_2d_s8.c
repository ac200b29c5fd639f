/* Max pooling of int8 for processors with DSP instructions. */
#include "pool_s8.h"

/* The greater byte of each two. */
static inline uint32_t greater(uint32_t a, uint32_t b)
{
	uint32_t r = 0;

#if TN_DSP
	__asm__("ssub8 %0, %1, %2\n\tsel %0, %1, %2" : "=&r"(r) : "r"(a), "r"(b));
#else
	for (int i = 0; i < 32; i += 8) {
		int8_t x = (int8_t)(a >> i & 0xff), y = (int8_t)(b >> i & 0xff);

		r |= (uint32_t)(uint8_t)(x > y ? x : y) << i;
	}
#endif
	return r;
}

static inline uint32_t greatest(uint32_t max, const tn_s8 *at, int32_t taps, int32_t step)
{
	for (; taps >= 2; taps -= 2, at += 2 * step) {
		max = greater(max, tn_load_word(at));
		max = greater(max, tn_load_word(at + step));
	}
	return taps > 0 ? greater(max, tn_load_word(at)) : max;
}

static inline void four(const struct tn_pool_params *p, const struct tn_pixel *px,
	const struct tn_runs *r, const tn_s8 *in, tn_s8 *out)
{
	uint32_t max = (uint32_t)(p->act_min & 0xff) * 0x01010101u;
	const uint32_t top = (uint32_t)(p->act_max & 0xff) * 0x01010101u;

	for (int32_t i = 0; i < r->n; i++)
		max = greatest(
			max, in + tn_run_at(&p->g, px, r, i), r->taps, r->tap_step);
	/* the smaller byte is the one that is left of all bits of both */
	tn_store_word(out, max ^ top ^ greater(max, top));
}

void tn_dsp_max_pool_2d_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	(void)scratch;
	tn_pool_fours(params, in[0], out[0], four);
}
