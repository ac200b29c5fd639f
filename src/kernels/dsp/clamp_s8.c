/* A table of int8 that only cuts off at both ends, for processors with DSP instructions, four
 * elements at a time: they are read before any of them is written. */
#include "simd.h"
#include "tenure/kernels.h"

static inline void four(const tn_s8 *x, tn_s8 *y, uint32_t low, uint32_t top)
{
	tn_store_word(y, tn_smaller_bytes(tn_greater_bytes(tn_load_word(x), low), top));
}

static inline void four_below(const tn_s8 *x, tn_s8 *y, uint32_t low)
{
	tn_store_word(y, tn_greater_bytes(tn_load_word(x), low));
}

/* The n elements, a multiple of four, from a start that lies `step` of them before the next. */
static void fours(
	const struct tn_lut_params *p, const tn_s8 *x, tn_s8 *y, int32_t n, int32_t step)
{
	const uint32_t low = tn_four_bytes(p->table[0]);
	const uint32_t top = tn_four_bytes(p->table[255]);

	if (p->table[255] != INT8_MAX) {
		for (; n > 0; n -= 4, x += step, y += step)
			four(x, y, low, top);
		return;
	}
	for (; n >= 16; n -= 16, x += 4 * step, y += 4 * step) {
		four_below(x, y, low);
		four_below(x + step, y + step, low);
		four_below(x + 2 * step, y + 2 * step, low);
		four_below(x + 3 * step, y + 3 * step, low);
	}
	for (; n > 0; n -= 4, x += step, y += step)
		four_below(x, y, low);
}

void tn_dsp_clamp_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_lut_params *p = params;
	const int32_t down = p->order.descending, rest = p->n % 4, whole = p->n - rest;
	const tn_s8 *x = in[0];
	tn_s8 *y = out[0];

	(void)scratch;
	if (down)
		fours(p, x + p->n - 4, y + p->n - 4, whole, -4);
	else
		fours(p, x, y, whole, 4);
	for (int32_t i = 0; i < rest; i++) {
		const int32_t at = down ? rest - 1 - i : whole + i;

		tn_store_s8(y, at, p->table[tn_load_s8(x, at) + 128]);
	}
}
