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

/* Adds the columns of a row, several channels at a time; the first channel that is left.
 * There are at most TN_TAPS_MAX columns, so that halfwords hold their sums. */
#if TN_MVE

/* Eight halfwords in q0 or q1 to words in memory, side by side. */
#define TN_PLANE_ADD(halves, sums)                                                       \
	"vld20.32 {q2, q3}, [" sums "]\n\t"                                              \
	"vld21.32 {q2, q3}, [" sums "]\n\t"                                              \
	"vmovlb.s16 q4, " halves "\n\t"                                                  \
	"vmovlt.s16 " halves ", " halves "\n\t"                                          \
	"vadd.i32 q2, q2, q4\n\t"                                                        \
	"vadd.i32 q3, q3, " halves "\n\t"                                                \
	"vst20.32 {q2, q3}, [" sums "]\n\t"                                              \
	"vst21.32 {q2, q3}, [" sums "]!\n\t"

static inline int32_t tn_plane_groups(
	const struct tn_plane *p, const tn_s8 *row, int32_t columns, tn_s32 *sums)
{
	const int32_t step = p->channels, n = step / 16 * 16;

	for (const tn_s8 *end = row + n; row < end; row += 16) {
		const tn_s8 *at = row;

		__asm__ volatile("vmov.i32 q0, #0\n\t"
				 "vmov.i32 q1, #0\n\t"
				 "dls lr, %[columns]\n"
				 "1:\n\t"
				 "vldrb.s16 q2, [%[at]]\n\t"
				 "vldrb.s16 q3, [%[at], #8]\n\t"
				 "vadd.i16 q0, q0, q2\n\t"
				 "vadd.i16 q1, q1, q3\n\t"
				 "add %[at], %[at], %[step]\n\t"
				 "le lr, 1b\n\t" TN_PLANE_ADD("q0", "%[sums]")
					 TN_PLANE_ADD("q1", "%[sums]")
				 : [at] "+l"(at), [sums] "+r"(sums)
				 : [columns] "r"(columns), [step] "r"(step)
				 : "q0", "q1", "q2", "q3", "q4", "lr", "memory");
	}
	return n;
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
	const int32_t channels = p->channels;

	for (int32_t c = 0; p->y_begin == 0 && c < channels; c++)
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
