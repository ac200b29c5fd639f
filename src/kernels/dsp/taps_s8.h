/* Sums of int8 over taps, four channels at a time. */
#ifndef TENURE_KERNELS_DSP_TAPS_S8_H
#define TENURE_KERNELS_DSP_TAPS_S8_H

#include "simd.h"

#define TN_TAPS_MAX 255 /* whose sums a halfword holds */

/* Sums of bytes 0 and 2, and of 1 and 3. */
struct tn_taps {
	uint32_t even, odd;
};

#if TN_DSP

static inline uint32_t tn_taps_even(uint32_t sum, uint32_t word)
{
	__asm__("sxtab16 %0, %0, %1" : "+r"(sum) : "r"(word));
	return sum;
}

static inline uint32_t tn_taps_odd(uint32_t sum, uint32_t word)
{
	__asm__("sxtab16 %0, %0, %1, ror #8" : "+r"(sum) : "r"(word));
	return sum;
}

#else

static inline uint32_t tn_taps_halves(uint32_t sum, uint32_t x)
{
	return ((sum + x) & 0xffff) | ((sum & 0xffff0000u) + (x & 0xffff0000u));
}

static inline uint32_t tn_taps_even(uint32_t sum, uint32_t word)
{
	return tn_taps_halves(sum, tn_sxtb16(word));
}

static inline uint32_t tn_taps_odd(uint32_t sum, uint32_t word)
{
	return tn_taps_halves(sum, tn_sxtb16_odd(word));
}

#endif

static inline struct tn_taps tn_taps_word(struct tn_taps s, uint32_t word)
{
	s.even = tn_taps_even(s.even, word);
	s.odd = tn_taps_odd(s.odd, word);
	return s;
}

/* Taps that follow each other with one distance. */
static inline struct tn_taps tn_taps_add(
	struct tn_taps s, const tn_s8 *at, int32_t taps, int32_t step)
{
	for (; taps >= 4; taps -= 4) {
		const tn_s8 *next = at + 2 * step;

		s = tn_taps_word(s, tn_load_word(at));
		s = tn_taps_word(s, tn_load_word(at + step));
		s = tn_taps_word(s, tn_load_word(next));
		s = tn_taps_word(s, tn_load_word(next + step));
		at = next + 2 * step;
	}
	for (; taps > 0; taps--, at += step)
		s = tn_taps_word(s, tn_load_word(at));
	return s;
}

#endif
