/* Rows of planes that are added up, channel by channel, in the order of the whole op: by
 * rows, then by columns. */
#ifndef TENURE_KERNELS_PLANE_H
#define TENURE_KERNELS_PLANE_H

#include "dsp/taps_s8.h"
#include "mve/mve.h"
#include "ref/access.h"
#include "ref/fixed.h"
#include "ref/float_math.h"
#include "tenure/kernels.h"

/* Adds the columns of a row, several channels at a time; the first channel that is left. */
#if TN_MVE

static inline int32_t tn_plane_groups(
	const struct tn_plane *p, const tn_s8 *row, int32_t columns, tn_s32 *sums)
{
	int32_t c = 0;

	for (; c + 16 <= p->channels; c += 16) {
		const tn_s8 *at = row + c;

		__asm__ volatile("vldrw.u32 q0, [%[sums]]\n\t"
				 "vldrw.u32 q1, [%[sums], #16]\n\t"
				 "vldrw.u32 q2, [%[sums], #32]\n\t"
				 "vldrw.u32 q3, [%[sums], #48]\n\t"
				 "dls lr, %[columns]\n"
				 "1:\n\t"
				 "vldrb.s32 q4, [%[at]]\n\t"
				 "vldrb.s32 q5, [%[at], #4]\n\t"
				 "vadd.i32 q0, q0, q4\n\t"
				 "vldrb.s32 q4, [%[at], #8]\n\t"
				 "vadd.i32 q1, q1, q5\n\t"
				 "vldrb.s32 q5, [%[at], #12]\n\t"
				 "vadd.i32 q2, q2, q4\n\t"
				 "vadd.i32 q3, q3, q5\n\t"
				 "add %[at], %[at], %[step]\n\t"
				 "le lr, 1b\n\t"
				 "vstrw.32 q0, [%[sums]]\n\t"
				 "vstrw.32 q1, [%[sums], #16]\n\t"
				 "vstrw.32 q2, [%[sums], #32]\n\t"
				 "vstrw.32 q3, [%[sums], #48]\n\t"
				 : [at] "+r"(at)
				 : [sums] "r"(sums + c), [columns] "r"(columns),
				 [step] "r"(p->channels)
				 : "q0", "q1", "q2", "q3", "q4", "q5", "lr", "memory");
	}
	return c;
}

#elif TN_DSP

static inline int32_t tn_plane_groups(
	const struct tn_plane *p, const tn_s8 *row, int32_t columns, tn_s32 *sums)
{
	int32_t c = 0;

	for (; c + 4 <= p->channels; c += 4, sums += 4) {
		struct tn_taps s = { 0, 0 };
		const tn_s8 *at = row + c;

		for (int32_t n = columns; n > 0; n--, at += p->channels)
			s = tn_taps_word(s, tn_load_word(at));
		sums[0] = tn_wrap_add(sums[0], tn_low(s.even));
		sums[1] = tn_wrap_add(sums[1], tn_low(s.odd));
		sums[2] = tn_wrap_add(sums[2], tn_high(s.even));
		sums[3] = tn_wrap_add(sums[3], tn_high(s.odd));
	}
	return c;
}

#else

static inline int32_t tn_plane_groups(
	const struct tn_plane *p, const tn_s8 *row, int32_t columns, tn_s32 *sums)
{
	(void)p;
	(void)row;
	(void)columns;
	(void)sums;
	return 0;
}

#endif

static inline void tn_plane_add_s8(
	const struct tn_plane *p, const tn_s8 *in, tn_s32 *sums)
{
	for (int32_t c = 0; p->y_begin == 0 && c < p->channels; c++)
		sums[c] = 0;
	for (int32_t y = p->y_begin; y < p->y_end; y++) {
		const tn_s8 *row = in + y % p->in_rows * p->width * p->channels;
		int32_t n;

		for (int32_t x = 0; x < p->width; x += n, row += n * p->channels) {
			n = p->width - x < TN_TAPS_MAX ? p->width - x : TN_TAPS_MAX;
			for (int32_t c = tn_plane_groups(p, row, n, sums);
				c < p->channels; c++) {
				int32_t sum = sums[c];

				for (int32_t i = 0; i < n; i++)
					sum = tn_wrap_add(sum,
						tn_load_s8(row, i * p->channels + c));
				sums[c] = sum;
			}
		}
	}
}

static inline void tn_plane_add_f32(
	const struct tn_plane *p, const tn_f32 *in, tn_f32 *sums)
{
	for (int32_t c = 0; p->y_begin == 0 && c < p->channels; c++)
		sums[c] = 0.0f;
	for (int32_t y = p->y_begin; y < p->y_end; y++) {
		const tn_f32 *row = in + y % p->in_rows * p->width * p->channels;

		for (int32_t x = 0; x < p->width; x++, row += p->channels)
			for (int32_t c = 0; c < p->channels; c++)
				sums[c] += tn_load_f32(row, c);
	}
}

#endif
