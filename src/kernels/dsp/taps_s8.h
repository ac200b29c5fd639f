/* Sums of int8 over taps, four channels at a time. */
#ifndef TENURE_KERNELS_DSP_TAPS_S8_H
#define TENURE_KERNELS_DSP_TAPS_S8_H

#include "simd.h"

#define TN_TAPS_MAX 255 /* whose sums a halfword holds */

/* Sums of bytes 0 and 2, and of 1 and 3. */
struct tn_taps {
	uint32_t even, odd;
};

static inline struct tn_taps tn_taps_word(struct tn_taps s, uint32_t word)
{
	s.even = tn_sxtab16(s.even, word);
	s.odd = tn_sxtab16_odd(s.odd, word);
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
