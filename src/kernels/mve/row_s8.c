#include "row_s8.h"

#include "sums_s8.h"

#if TN_MVE

/* Sums live in the even registers, everything else in odd ones: r1 the stream, r3 the row,
 * r5 the rounds left (eight blocks each; the first one is entered so that no block is left),
 * r7 where sums go, r9 the eights left, r11 the struct. On the stack: where the first round
 * is entered, the row, and the rounds. */
#define EIGHT                                                                            \
	TN_SUM_FIRST                                                                     \
	"vldrw.u32 q1, [r1], #16\n\t"                                                    \
	"vmladava.s8 r6, q0, q2\n\t"                                                     \
	"vldrw.u32 q2, [r1], #16\n\t"                                                    \
	"vmladava.s8 r8, q0, q1\n\t"                                                     \
	"vldrw.u32 q1, [r1], #16\n\t"                                                    \
	"vmladava.s8 r10, q0, q2\n\t"                                                    \
	"vldrw.u32 q2, [r1], #16\n\t"                                                    \
	"vmladava.s8 r12, q0, q1\n\t"                                                    \
	"vmladava.s8 lr, q0, q2\n\t"

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
		"beq.w 4f\n\t"
		"ldr r3, [r11]\n\t"
		"ldrd r2, r5, [r11, #40]\n\t" /* skip, rounds */
		"adr.w r4, 1f\n\t"
		"add r2, r4\n\t"
		"push {r2, r3, r5}\n"
		"2:\n\t" /* eight channels */
		"ldmia.w r1!, {r0, r2, r4, r6, r8, r10, r12, lr}\n\t"
		"ldrd r3, r5, [sp, #4]\n\t"
		"ldr.w pc, [sp]\n\t"
		".balign 4\n"
		"1:\n\t"
		".rept 8\n\t"
		EIGHT
		".endr\n\t"
		"subs r5, #1\n\t"
		"bne.w 1b\n\t"
		"stmia.w r7!, {r0, r2, r4, r6, r8, r10, r12, lr}\n\t"
		"subs.w r9, r9, #1\n\t"
		"bne.w 2b\n\t"
		"add sp, #12\n"
		"4:\n\t"
		"ldr r9, [r11, #12]\n\t"
		"lsls.w r9, r9, #31\n\t"
		"beq 6f\n\t"
		/* four */
		"ldr r5, [r11, #16]\n\t"
		"ldmia.w r1!, {r0, r2, r4, r6}\n\t"
		"ldr r3, [r11]\n"
		"5:\n\t"
		TN_SUM_FOUR
		"subs r5, #1\n\t"
		"bne 5b\n\t"
		"stmia.w r7!, {r0, r2, r4, r6}\n"
		/* all channels, from r0 to r2 */
		"6:\n\t"
		"ldr r0, [r11, #4]\n\t"
		"ldrd r2, r4, [r11, #20]\n\t"
		"ldrd r5, r6, [r11, #28]\n\t"
		"ldr r7, [r11, #36]\n\t"
		TN_SCALE_SUMS
		);
	/* clang-format on */
}

#else

void tn_row_s8(const struct tn_row *r)
{
	const uint32_t *w = r->stream;

	for (int32_t v = 0; v < r->vectors; v += 2)
		w = tn_sum_vector(w, v + 1 < r->vectors ? 2 * TN_VECTOR : TN_VECTOR,
			r->in, TN_BLOCK * r->blocks, r->sums + TN_VECTOR * v);
	tn_scale_sums(
		r->sums, w, r->out, r->vectors, r->groups, r->rest, r->offset, r->floor);
}

#endif
