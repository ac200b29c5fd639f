#include "pixel_s8.h"

#include "sums_s8.h"

#if TN_MVE

/* Sums live in the even registers, everything else in odd ones: r1 and r5 the streams of two
 * vectors, r7 where sums go, r9 the vectors left, less two. On the stack: the tile, where
 * four blocks are entered, the window, and the bytes from one stream to the other. */
#define EIGHT(window, even, odd)                                                         \
	"vldrw.u32 " even ", [r1], #16\n\t"                                              \
	"vldrw.u32 " odd ", [r1], #16\n\t"                                               \
	"vmladava.s8 r0, " window ", " even "\n\t"                                       \
	"vldrw.u32 " even ", [r1], #16\n\t"                                              \
	"vmladava.s8 r2, " window ", " odd "\n\t"                                        \
	"vldrw.u32 " odd ", [r1], #16\n\t"                                               \
	"vmladava.s8 r4, " window ", " even "\n\t"                                       \
	"vldrw.u32 " even ", [r5], #16\n\t"                                              \
	"vmladava.s8 r6, " window ", " odd "\n\t"                                        \
	"vldrw.u32 " odd ", [r5], #16\n\t"                                               \
	"vmladava.s8 r8, " window ", " even "\n\t"                                       \
	"vldrw.u32 " even ", [r5], #16\n\t"                                              \
	"vmladava.s8 r10, " window ", " odd "\n\t"                                       \
	"vldrw.u32 " odd ", [r5], #16\n\t"                                               \
	"vmladava.s8 r12, " window ", " even "\n\t"                                      \
	"vmladava.s8 lr, " window ", " odd "\n\t"

#define NEXT_EIGHT                                                                       \
	"stmia.w r7!, {r0, r2, r4, r6, r8, r10, r12, lr}\n\t"                            \
	"mov r1, r5\n\t"                                                                 \
	"subs.w r9, r9, #2\n\t"

/* The window of a few blocks stays in registers. */
#define HELD(window) EIGHT(window, "q4", "q5")
#define BLOCK	     "vldrb.u8 q0, [r3], #16\n\t" EIGHT("q0", "q1", "q2")

__attribute__((naked, noinline)) void tn_pixel_s8(
	const struct tn_tile *t __attribute__((unused)))
{
	/* clang-format off */
	__asm__ volatile(
		"push {r4-r11, lr}\n\t"
		"ldrd r1, r7, [r0, #16]\n\t" /* stream, sums */
		"ldrd r9, r4, [r0, #24]\n\t" /* vectors, blocks */
		"ldr r3, [r0]\n\t"
		"lsls r5, r4, #6\n\t"
		"adds r5, #16\n\t"
		"rsbs r4, r4, #4\n\t"
		"bmi.w 3f\n\t"
		/* at most four blocks: r3 from one stream to the other */
		"push {r0, r2, r3, r5}\n\t"
		"subs.w r9, r9, #2\n\t"
		"blt.w 7f\n\t"
		"vpush {d8-d11}\n\t"
		"adr.w r2, 1f\n\t"
		"add.w r2, r2, r4, lsl #2\n\t"
		"adr.w r11, 10f\n\t"
		"add.w r11, r11, r4, lsl #6\n\t"
		"mov pc, r2\n\t"
		".balign 4\n"
		"1:\n\t"
		"vldrb.u8 q0, [r3], #16\n\t"
		"vldrb.u8 q1, [r3], #16\n\t"
		"vldrb.u8 q2, [r3], #16\n\t"
		"vldrb.u8 q3, [r3], #16\n\t"
		"mov r3, r5\n"
		"2:\n\t"
		"ldmia.w r1!, {r0, r2, r4, r6}\n\t"
		"add.w r5, r1, r3\n\t"
		"ldmdb.w r5, {r8, r10, r12, lr}\n\t"
		"mov pc, r11\n\t"
		".balign 4\n"
		"10:\n\t"
		HELD("q0") HELD("q1") HELD("q2") HELD("q3")
		NEXT_EIGHT
		"bge.w 2b\n\t"
		"vpop {d8-d11}\n"
		/* an odd vector */
		"7:\n\t"
		"ldr.w r11, [sp], #16\n\t" /* the tile */
		"adds.w r9, r9, #1\n\t"
		"bne 6f\n\t"
		"ldmia.w r1!, {r0, r2, r4, r6}\n\t"
		"ldr.w r3, [r11]\n\t"
		"ldr.w r5, [r11, #28]\n"
		"8:\n\t"
		TN_SUM_FOUR
		"subs r5, #1\n\t"
		"bne 8b\n\t"
		"stmia.w r7!, {r0, r2, r4, r6}\n"
		"6:\n\t"
		"ldr.w r0, [r11, #20]\n\t"
		"ldr.w r2, [r11, #56]\n\t"
		"ldrd r4, r5, [r11, #32]\n\t"
		"ldrd r6, r7, [r11, #40]\n\t"
		TN_SCALE_SUMS
		/* more blocks: r3 the window, r11 its end */
		"3:\n\t"
		"rsb.w r6, r4, #4\n\t"
		"add.w r11, r3, r6, lsl #4\n\t"
		"and.w r4, r4, #3\n\t"
		"adr.w r2, 5f\n\t"
		"movs r6, #68\n\t"
		"mla r2, r4, r6, r2\n\t"
		"orr.w r2, r2, #1\n\t"
		"push {r0, r2, r3, r5}\n\t"
		"subs.w r9, r9, #2\n\t"
		"blt.w 7b\n"
		"4:\n\t"
		"ldmia.w r1!, {r0, r2, r4, r6}\n\t"
		"ldrd r3, r5, [sp, #8]\n\t"
		"add r5, r1\n\t"
		"ldmdb.w r5, {r8, r10, r12, lr}\n\t"
		"ldr.w pc, [sp, #4]\n\t"
		".balign 4\n"
		"5:\n\t"
		BLOCK BLOCK BLOCK BLOCK
		"cmp r3, r11\n\t"
		"bne.w 5b\n\t"
		NEXT_EIGHT
		"bge.w 4b\n\t"
		"b.w 7b\n"
		);
	/* clang-format on */
}

#else

void tn_pixel_s8(const struct tn_tile *t)
{
	const int32_t n = TN_BLOCK * t->layer.blocks;
	const uint32_t *w = t->stream;

	for (int32_t v = 0; v < t->layer.vectors; v++)
		w = tn_sum_vector(w, TN_VECTOR, t->a, n, t->sums + TN_VECTOR * v);
	tn_scale_sums(t->sums, w, t->out_a, t->layer.vectors, t->layer.groups,
		t->layer.rest, t->layer.offset, t->layer.floor);
}

#endif
