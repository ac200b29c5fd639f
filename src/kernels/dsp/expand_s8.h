/* Activations of int8 as halfwords, in the order of a strip (mac_s8.h). */
#ifndef TENURE_KERNELS_DSP_EXPAND_S8_H
#define TENURE_KERNELS_DSP_EXPAND_S8_H

#include "simd.h"

/* Whole blocks of four elements of three pixels, at least one; the strip's next word. */
uint32_t *tn_expand_s8(
	uint32_t *strip, const tn_s8 *a, const tn_s8 *b, const tn_s8 *c, int32_t blocks);

/* The same of two pixels, for the loop of two. */
uint32_t *tn_expand_two_s8(
	uint32_t *strip, const tn_s8 *a, const tn_s8 *b, int32_t blocks);

#define TN_BLOCK_WORDS	   6 /* of a strip */
#define TN_BLOCK_WORDS_TWO 4

static inline void tn_expand_block_two(uint32_t *strip, uint32_t a, uint32_t b)
{
	strip[0] = tn_sxtb16(a);
	strip[1] = tn_sxtb16(b);
	strip[2] = tn_sxtb16_odd(a);
	strip[3] = tn_sxtb16_odd(b);
}

static inline void tn_expand_block(uint32_t *strip, uint32_t a, uint32_t b, uint32_t c)
{
	strip[0] = tn_sxtb16(a);
	strip[1] = tn_sxtb16(b);
	strip[2] = tn_sxtb16(c);
	strip[3] = tn_sxtb16_odd(a);
	strip[4] = tn_sxtb16_odd(b);
	strip[5] = tn_sxtb16_odd(c);
}

/* The last 1 to 3 elements, and zeros; nothing behind them is read. */
static inline uint32_t tn_load_rest(const tn_s8 *p, int32_t n)
{
	uint32_t x = (uint32_t)(tn_load_s8(p, 0) & 0xff);

	if (n > 1)
		x |= (uint32_t)(tn_load_s8(p, 1) & 0xff) << 8;
	if (n > 2)
		x |= (uint32_t)(tn_load_s8(p, 2) & 0xff) << 16;
	return x;
}

#endif
