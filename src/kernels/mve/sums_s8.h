/* What the inner products of one pixel share (row_s8.c, pixel_s8.c): the sums of four
 * channels against one window, and from the sums of all channels to their outputs. */
#ifndef TENURE_KERNELS_MVE_SUMS_S8_H
#define TENURE_KERNELS_MVE_SUMS_S8_H

#include "rescale.h"

#if TN_MVE

/* Four channels and a block, but for the last product: r0, r2, r4, r6 the sums, r1 the stream,
 * r3 the window. */
#define TN_SUM_FIRST                                                                     \
	"vldrb.u8 q0, [r3], #16\n\t"                                                     \
	"vldrw.u32 q1, [r1], #16\n\t"                                                    \
	"vldrw.u32 q2, [r1], #16\n\t"                                                    \
	"vmladava.s8 r0, q0, q1\n\t"                                                     \
	"vldrw.u32 q1, [r1], #16\n\t"                                                    \
	"vmladava.s8 r2, q0, q2\n\t"                                                     \
	"vldrw.u32 q2, [r1], #16\n\t"                                                    \
	"vmladava.s8 r4, q0, q1\n\t"
#define TN_SUM_FOUR TN_SUM_FIRST "vmladava.s8 r6, q0, q2\n\t"

/* One vector, in q2: r0 sums, r1 constants. */
#define TN_SUM_SCALE                                                                     \
	"vldrw.u32 q0, [r1], #16\n\t"                                                    \
	"vldrw.u32 q2, [r0], #16\n\t"                                                    \
	"vqrdmulh.s32 q2, q2, q0\n\t"                                                    \
	"vldrw.u32 q1, [r1], #16\n\t"
#define TN_SUM_SHIFT "vrshl.s32 q2, q2, q1\n\t"
#define TN_SUM_TIES                                                                      \
	"vshr.s32 q0, q2, #31\n\t"                                                       \
	"vadd.i32 q2, q2, q0\n\t"

/* Rounded once, where results below the zero point are cut off anyway. */
#define TN_SCALE_ONCE                                                                    \
	"wls lr, r4, 12f\n"                                                              \
	"11:\n\t" TN_SUM_SCALE TN_SUM_SHIFT                                              \
	"vqmovunb.s32 q3, q2\n\t" TN_SUM_SCALE TN_SUM_SHIFT "vqmovunt.s32 q3, q2\n\t"    \
	"vqmovnb.u16 q3, q3\n\t" TN_SUM_SCALE TN_SUM_SHIFT "vqmovunb.s32 q0, q2\n\t"     \
	"vldrw.u32 q1, [r1], #16\n\t"                                                    \
	"vldrw.u32 q2, [r0], #16\n\t"                                                    \
	"vqrdmulh.s32 q2, q2, q1\n\t"                                                    \
	"vldrw.u32 q1, [r1], #16\n\t" TN_SUM_SHIFT "vqmovunt.s32 q0, q2\n\t"             \
	"vqmovnt.u16 q3, q0\n\t"                                                         \
	"vadd.i8 q3, q3, r6\n\t"                                                         \
	"vstrb.8 q3, [r2], #16\n\t"                                                      \
	"le lr, 11b\n"                                                                   \
	"12:\n\t"                                                                        \
	"cbz r5, 9f\n"                                                                   \
	"13:\n\t" TN_SUM_SCALE TN_SUM_SHIFT "vctp.32 r5\n\t"                             \
	"vqmovunb.s32 q2, q2\n\t"                                                        \
	"vqmovnb.u16 q2, q2\n\t"                                                         \
	"vadd.i8 q2, q2, r6\n\t"                                                         \
	"vpst\n\t"                                                                       \
	"vstrbt.32 q2, [r2], #4\n\t"                                                     \
	"subs r5, #4\n\t"                                                                \
	"bgt 13b\n"                                                                      \
	"9:\n\t"                                                                         \
	"pop {r4-r11, pc}\n"

/* Rounded twice. */
#define TN_SCALE_TWICE                                                                   \
	"vpush {d8-d9}\n\t"                                                              \
	"wls lr, r4, 22f\n"                                                              \
	"21:\n\t" TN_SUM_SCALE TN_SUM_TIES TN_SUM_SHIFT                                  \
	"vqmovnb.s32 q3, q2\n\t" TN_SUM_SCALE TN_SUM_TIES TN_SUM_SHIFT                   \
	"vqmovnt.s32 q3, q2\n\t" TN_SUM_SCALE TN_SUM_TIES TN_SUM_SHIFT                   \
	"vqmovnb.s32 q4, q2\n\t" TN_SUM_SCALE TN_SUM_TIES TN_SUM_SHIFT                   \
	"vqmovnt.s32 q4, q2\n\t"                                                         \
	"vqadd.s16 q3, q3, r6\n\t"                                                       \
	"vqadd.s16 q4, q4, r6\n\t"                                                       \
	"vqmovnb.s16 q3, q3\n\t"                                                         \
	"vqmovnt.s16 q3, q4\n\t"                                                         \
	"vstrb.8 q3, [r2], #16\n\t"                                                      \
	"le lr, 21b\n"                                                                   \
	"22:\n\t"                                                                        \
	"cbz r5, 19f\n"                                                                  \
	"23:\n\t" TN_SUM_SCALE TN_SUM_TIES TN_SUM_SHIFT "vctp.32 r5\n\t"                 \
	"vqmovnb.s32 q2, q2\n\t"                                                         \
	"vqadd.s16 q2, q2, r6\n\t"                                                       \
	"vqmovnb.s16 q2, q2\n\t"                                                         \
	"vpst\n\t"                                                                       \
	"vstrbt.32 q2, [r2], #4\n\t"                                                     \
	"subs r5, #4\n\t"                                                                \
	"bgt 23b\n"                                                                      \
	"19:\n\t"                                                                        \
	"vpop {d8-d9}\n\t"                                                               \
	"pop {r4-r11, pc}\n\t"

/* All channels: r0 sums, r1 constants, r2 the output, r4 and r5 groups and rest, r6 the
 * offset, r7 the floor. Ends the function, which has pushed r4 to r11 and lr; q4 to q7
 * belong to its caller. */
#define TN_SCALE_SUMS                                                                    \
	"cmp r7, #0\n\t"                                                                 \
	"beq.w 20f\n\t" TN_SCALE_ONCE "20:\n\t" TN_SCALE_TWICE

#else

/* Of `lanes` channels against n bytes, from their biases on; where the next ones are. */
static inline const uint32_t *tn_sum_vector(
	const uint32_t *w, int32_t lanes, const tn_s8 *in, int32_t n, uint32_t *sums)
{
	for (int32_t lane = 0; lane < lanes; lane++) {
		int32_t sum = (int32_t)w[lane];

		for (int32_t i = 0; i < n; i++) {
			int32_t at =
				(i / TN_BLOCK * lanes + lane) * TN_BLOCK + i % TN_BLOCK;
			int32_t x = (int8_t)(w[lanes + at / 4] >> 8 * (at % 4) & 0xff);

			/* what fills a window up may not be there at all */
			if (x)
				sum = tn_wrap_add(sum, x * tn_load_s8(in, i));
		}
		sums[lane] = (uint32_t)sum;
	}
	return w + lanes + lanes * n / 4;
}

static inline void tn_scale_sums(const uint32_t *sums, const uint32_t *constants,
	tn_s8 *out, int32_t vectors, int32_t groups, int32_t rest, int32_t offset,
	int32_t floor)
{
	for (int32_t v = 0; v < vectors;
		v++, sums += TN_VECTOR, constants += TN_VECTOR_WORDS) {
		for (int32_t lane = 0; lane < TN_VECTOR; lane++) {
			int32_t c = tn_lane_channel(v, lane, groups);

			if (c >= TN_GROUP * groups + rest)
				break;
			tn_store_s8(out, c,
				tn_rescale_lane((int32_t)sums[lane],
					(int32_t)constants[lane],
					(int32_t)constants[TN_VECTOR + lane], offset,
					floor));
		}
	}
}

#endif

#endif
