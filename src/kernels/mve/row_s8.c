#include "row_s8.h"

#if TN_MVE

/* Sums live in the even registers, everything else in odd ones: r1 the stream, r3 the row,
 * r5 the rounds left (four blocks each), r7 where sums go, r9 the eights left, r11 the
 * struct. */
#define EIGHT                                                                            \
	"vldrb.u8 q0, [r3], #16\n\t"                                                     \
	"vldrw.u32 q1, [r1], #16\n\t"                                                    \
	"vldrw.u32 q2, [r1], #16\n\t"                                                    \
	"vmladava.s8 r0, q0, q1\n\t"                                                     \
	"vldrw.u32 q1, [r1], #16\n\t"                                                    \
	"vmladava.s8 r2, q0, q2\n\t"                                                     \
	"vldrw.u32 q2, [r1], #16\n\t"                                                    \
	"vmladava.s8 r4, q0, q1\n\t"                                                     \
	"vldrw.u32 q1, [r1], #16\n\t"                                                    \
	"vmladava.s8 r6, q0, q2\n\t"                                                     \
	"vldrw.u32 q2, [r1], #16\n\t"                                                    \
	"vmladava.s8 r8, q0, q1\n\t"                                                     \
	"vldrw.u32 q1, [r1], #16\n\t"                                                    \
	"vmladava.s8 r10, q0, q2\n\t"                                                    \
	"vldrw.u32 q2, [r1], #16\n\t"                                                    \
	"vmladava.s8 r12, q0, q1\n\t"                                                    \
	"vmladava.s8 lr, q0, q2\n\t"

#define FOUR                                                                             \
	"vldrb.u8 q0, [r3], #16\n\t"                                                     \
	"vldrw.u32 q1, [r1], #16\n\t"                                                    \
	"vldrw.u32 q2, [r1], #16\n\t"                                                    \
	"vmladava.s8 r0, q0, q1\n\t"                                                     \
	"vldrw.u32 q1, [r1], #16\n\t"                                                    \
	"vmladava.s8 r2, q0, q2\n\t"                                                     \
	"vldrw.u32 q2, [r1], #16\n\t"                                                    \
	"vmladava.s8 r4, q0, q1\n\t"                                                     \
	"vmladava.s8 r6, q0, q2\n\t"

/* One vector, in q2: r0 sums, r1 constants. */
#define SCALE                                                                            \
	"vldrw.u32 q0, [r1], #16\n\t"                                                    \
	"vldrw.u32 q2, [r0], #16\n\t"                                                    \
	"vqrdmulh.s32 q2, q2, q0\n\t"                                                    \
	"vldrw.u32 q1, [r1], #16\n\t"
#define SHIFT "vrshl.s32 q2, q2, q1\n\t"
#define TIES                                                                             \
	"vshr.s32 q0, q2, #31\n\t"                                                       \
	"vadd.i32 q2, q2, q0\n\t"

__attribute__((naked, noinline)) void tn_row_s8(
	const struct tn_row *r __attribute__((unused)))
{
	/* clang-format off */
	__asm__ volatile(
		"push {r4-r11, lr}\n\t"
		"mov r11, r0\n\t"
		"ldrd r7, r1, [r11, #4]\n\t" /* sums, stream */
		"ldr r9, [r11, #12]\n\t"
		"lsrs.w r9, r9, #1\n\t"
		"beq.w 4f\n"
		"2:\n\t" /* eight channels */
		"ldr r5, [r11, #16]\n\t"
		"ldmia.w r1!, {r0, r2, r4, r6, r8, r10, r12, lr}\n\t"
		"ldr r3, [r11]\n\t"
		"subs r5, #4\n\t"
		"blt 7f\n"
		"1:\n\t"
		EIGHT EIGHT EIGHT EIGHT
		"subs r5, #4\n\t"
		"bge.w 1b\n"
		"7:\n\t"
		"adds r5, #4\n\t"
		"beq 8f\n"
		"3:\n\t"
		EIGHT
		"subs r5, #1\n\t"
		"bne.w 3b\n"
		"8:\n\t"
		"stmia.w r7!, {r0, r2, r4, r6, r8, r10, r12, lr}\n\t"
		"subs.w r9, r9, #1\n\t"
		"bne.w 2b\n"
		"4:\n\t"
		"ldr r9, [r11, #12]\n\t"
		"lsls.w r9, r9, #31\n\t"
		"beq 6f\n\t"
		/* four */
		"ldr r5, [r11, #16]\n\t"
		"ldmia.w r1!, {r0, r2, r4, r6}\n\t"
		"ldr r3, [r11]\n"
		"5:\n\t"
		FOUR
		"subs r5, #1\n\t"
		"bne 5b\n\t"
		"stmia.w r7!, {r0, r2, r4, r6}\n"
		/* all channels, from r0 to r2 */
		"6:\n\t"
		"ldr r0, [r11, #4]\n\t"
		"ldrd r2, r4, [r11, #20]\n\t"
		"ldrd r5, r6, [r11, #28]\n\t"
		"ldr r7, [r11, #36]\n\t"
		"cmp r7, #0\n\t"
		"beq.w 20f\n\t"
		/* one rounding; q3 is free, as q4 to q7 belong to the caller */
		"wls lr, r4, 12f\n"
		"11:\n\t"
		SCALE SHIFT "vqmovunb.s32 q3, q2\n\t"
		SCALE SHIFT "vqmovunt.s32 q3, q2\n\t"
		"vqmovnb.u16 q3, q3\n\t"
		SCALE SHIFT "vqmovunb.s32 q0, q2\n\t"
		"vldrw.u32 q1, [r1], #16\n\t"
		"vldrw.u32 q2, [r0], #16\n\t"
		"vqrdmulh.s32 q2, q2, q1\n\t"
		"vldrw.u32 q1, [r1], #16\n\t"
		SHIFT "vqmovunt.s32 q0, q2\n\t"
		"vqmovnt.u16 q3, q0\n\t"
		"vadd.i8 q3, q3, r6\n\t"
		"vstrb.8 q3, [r2], #16\n\t"
		"le lr, 11b\n"
		"12:\n\t"
		"cbz r5, 9f\n"
		"13:\n\t"
		SCALE SHIFT
		"vctp.32 r5\n\t"
		"vqmovunb.s32 q2, q2\n\t"
		"vqmovnb.u16 q2, q2\n\t"
		"vadd.i8 q2, q2, r6\n\t"
		"vpst\n\t"
		"vstrbt.32 q2, [r2], #4\n\t"
		"subs r5, #4\n\t"
		"bgt 13b\n"
		"9:\n\t"
		"pop {r4-r11, pc}\n"
		/* two */
		"20:\n\t"
		"vpush {d8-d9}\n\t"
		"wls lr, r4, 22f\n"
		"21:\n\t"
		SCALE TIES SHIFT "vqmovnb.s32 q3, q2\n\t"
		SCALE TIES SHIFT "vqmovnt.s32 q3, q2\n\t"
		SCALE TIES SHIFT "vqmovnb.s32 q4, q2\n\t"
		SCALE TIES SHIFT "vqmovnt.s32 q4, q2\n\t"
		"vqadd.s16 q3, q3, r6\n\t"
		"vqadd.s16 q4, q4, r6\n\t"
		"vqmovnb.s16 q3, q3\n\t"
		"vqmovnt.s16 q3, q4\n\t"
		"vstrb.8 q3, [r2], #16\n\t"
		"le lr, 21b\n"
		"22:\n\t"
		"cbz r5, 19f\n"
		"23:\n\t"
		SCALE TIES SHIFT
		"vctp.32 r5\n\t"
		"vqmovnb.s32 q2, q2\n\t"
		"vqadd.s16 q2, q2, r6\n\t"
		"vqmovnb.s16 q2, q2\n\t"
		"vpst\n\t"
		"vstrbt.32 q2, [r2], #4\n\t"
		"subs r5, #4\n\t"
		"bgt 23b\n"
		"19:\n\t"
		"vpop {d8-d9}\n\t"
		"pop {r4-r11, pc}\n\t");
	/* clang-format on */
}

#else

/* Of `lanes` channels, from their biases on; where the next ones are. */
static const uint32_t *products(
	const struct tn_row *r, const uint32_t *w, int32_t lanes, uint32_t *sums)
{
	const int32_t n = TN_BLOCK * r->blocks;

	for (int32_t lane = 0; lane < lanes; lane++) {
		int32_t sum = (int32_t)w[lane];

		for (int32_t i = 0; i < n; i++) {
			int32_t at =
				(i / TN_BLOCK * lanes + lane) * TN_BLOCK + i % TN_BLOCK;
			int32_t x = (int8_t)(w[lanes + at / 4] >> 8 * (at % 4) & 0xff);

			/* what fills the row up may not be there at all */
			if (x)
				sum = tn_wrap_add(sum, x * tn_load_s8(r->in, i));
		}
		sums[lane] = (uint32_t)sum;
	}
	return w + lanes + lanes * n / 4;
}

void tn_row_s8(const struct tn_row *r)
{
	const uint32_t *w = r->stream;

	for (int32_t v = 0; v < r->vectors; v += 2)
		w = products(r, w, v + 1 < r->vectors ? 2 * TN_VECTOR : TN_VECTOR,
			r->sums + TN_VECTOR * v);
	for (int32_t v = 0; v < r->vectors; v++, w += TN_VECTOR_WORDS) {
		for (int32_t lane = 0; lane < TN_VECTOR; lane++) {
			int32_t c = tn_lane_channel(v, lane, r->groups);

			if (c >= TN_GROUP * r->groups + r->rest)
				break;
			tn_store_s8(r->out, c,
				tn_rescale_lane((int32_t)r->sums[TN_VECTOR * v + lane],
					(int32_t)w[lane], (int32_t)w[TN_VECTOR + lane],
					r->offset, r->floor));
		}
	}
}

#endif
