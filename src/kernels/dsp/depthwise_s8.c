#include "depthwise_s8.h"

#if TN_DSP

/* The frame: 0 strip and 4 cells of the channel, 8 the strip's end for it, 12 stream,
 * 16 channels left, 20 the loop over outputs, 24 the loop over columns, 28 to 52 the first
 * seven members, 56 strip and 60 cells of the four channels, 64 room, 68 groups left,
 * 72 the strip's end.
 *
 * Columns: r0 strip, r1 top, r2 and r3 distances to the other rows, r4 step, r5 columns, r6
 * the third row's bytes before; r7, r8, r9 the three rows' bytes. */
#define COLUMNS(label, top, bottom)                                                      \
	".balign 4\n" label ":\n\t"                                                      \
	"mov r7, r6\n\t"                                                                 \
	"mov r9, r6\n"                                                                   \
	"1:\n\t" top "ldr.w r8, [r1, r2]\n\t" bottom "add r1, r4\n\t"                    \
	"pkhbt r12, r7, r8, lsl #16\n\t"                                                 \
	"pkhbt lr, r6, r9, lsl #16\n\t"                                                  \
	"sxtb16 r10, r12\n\t"                                                            \
	"sxtb16 r11, lr\n\t"                                                             \
	"sxtb16 r12, r12, ror #8\n\t"                                                    \
	"sxtb16 lr, lr, ror #8\n\t"                                                      \
	"stmia.w r0!, {r10, r11, r12, lr}\n\t"                                           \
	"pkhtb r12, r8, r7, asr #16\n\t"                                                 \
	"pkhtb lr, r9, r6, asr #16\n\t"                                                  \
	"sxtb16 r10, r12\n\t"                                                            \
	"sxtb16 r11, lr\n\t"                                                             \
	"sxtb16 r12, r12, ror #8\n\t"                                                    \
	"sxtb16 lr, lr, ror #8\n\t"                                                      \
	"stmia.w r0!, {r10, r11, r12, lr}\n\t"                                           \
	"mov r6, r9\n\t"                                                                 \
	"subs r5, #1\n\t"                                                                \
	"bne.w 1b\n\t"                                                                   \
	"b.w 8f\n\t"

#define TOP    "ldr r7, [r1]\n\t"
#define BOTTOM "ldr.w r9, [r1, r3]\n\t"

/* Outputs: r2 to r4 weights of V, r5 of P, r6 the last weight and the shift, r7 bias, r8
 * multiplier, r9 constant; r10 to r12 V of three columns, the oldest of which becomes the
 * sum; lr P; r0 strip, r1 cells. */
#define FLOOR(a)                                                                         \
	"smmla " a ", " a ", r8, r9\n\t"                                                 \
	"asr.w " a ", " a ", r6\n\t"                                                     \
	"ssat " a ", #8, " a "\n\t"

#define TWICE(a)                                                                         \
	"smmulr " a ", " a ", r8\n\t"                                                    \
	"add.w " a ", " a ", " a ", asr #31\n\t"                                         \
	"add.w " a ", " a ", r9\n\t"                                                     \
	"asr.w " a ", " a ", r6\n\t"                                                     \
	"ssat " a ", #8, " a "\n\t"

#define NEXT(a, b, c, rescale)                                                           \
	"smlad " a ", " a ", r2, r7\n\t"                                                 \
	"smlad " a ", " b ", r3, " a "\n\t"                                              \
	"smlad " a ", lr, r5, " a "\n\t"                                                 \
	"ldrd " c ", lr, [r0], #32\n\t"                                                  \
	"smlad " a ", " c ", r4, " a "\n\t"                                              \
	"smlatt " a ", lr, r6, " a "\n\t" rescale(a) "strb " a ", [r1], #4\n\t"

#define NEXT_2(a, c, rescale)                                                            \
	"smlad " a ", " a ", r2, r7\n\t"                                                 \
	"ldrd r12, lr, [r0], #32\n\t"                                                    \
	"smlad " a ", r12, r3, " a "\n\t"                                                \
	"smlad " a ", lr, r5, " a "\n\t"                                                 \
	"ldrd " c ", lr, [r0], #32\n\t"                                                  \
	"smlad " a ", " c ", r4, " a "\n\t"                                              \
	"smlatt " a ", lr, r6, " a "\n\t" rescale(a) "strb " a ", [r1], #4\n\t"

#define AGAIN                                                                            \
	"ldr.w r12, [sp, #8]\n\t"                                                        \
	"cmp r0, r12\n\t"                                                                \
	"bne.w 21b\n\t"                                                                  \
	"b.w 9f\n\t"

/* A way in, twelve bytes each, for every rest of outputs, which come first; the registers
 * of V rotate. */
/* clang-format off */
#define LOAD(a)		      "ldrd " a ", lr, [r0], #32\n\t"
#define ENTER(a, b, step)     LOAD(a) LOAD(b) "b.w " step "f\n\t"
#define ENTER_2(a, step)      LOAD(a) "nop.w\n\tb.w " step "f\n\t"
#define STEP(label, a, b, c, rescale) label ":\n\t" NEXT(a, b, c, rescale)
#define STEP_2(label, a, c, rescale)  label ":\n\t" NEXT_2(a, c, rescale)

#define OUTPUTS(label, rescale)			\
	".balign 4\n" label ":\n\t"		\
	ENTER("r10", "r11", "21")		\
	ENTER("r12", "r10", "26")		\
	ENTER("r11", "r12", "25")		\
	ENTER("r10", "r11", "24")		\
	ENTER("r12", "r10", "23")		\
	ENTER("r11", "r12", "22")		\
	STEP("21", "r10", "r11", "r12", rescale)	\
	STEP("22", "r11", "r12", "r10", rescale)	\
	STEP("23", "r12", "r10", "r11", rescale)	\
	STEP("24", "r10", "r11", "r12", rescale)	\
	STEP("25", "r11", "r12", "r10", rescale)	\
	STEP("26", "r12", "r10", "r11", rescale)	\
	AGAIN

#define OUTPUTS_2(label, rescale)		\
	".balign 4\n" label ":\n\t"		\
	ENTER_2("r10", "21")			\
	ENTER_2("r11", "24")			\
	ENTER_2("r10", "23")			\
	ENTER_2("r11", "22")			\
	STEP_2("21", "r10", "r11", rescale)	\
	STEP_2("22", "r11", "r10", rescale)	\
	STEP_2("23", "r10", "r11", rescale)	\
	STEP_2("24", "r11", "r10", rescale)	\
	AGAIN
/* clang-format on */

__attribute__((naked, noinline)) void tn_depthwise_s8(
	const struct tn_depthwise *d __attribute__((unused)))
{
	/* clang-format off */
	__asm__ volatile(
		"push {r4-r11, lr}\n\t"
		"sub sp, #76\n\t"
		"ldmia.w r0!, {r1-r7}\n\t" /* columns .. zero */
		"add.w r12, sp, #28\n\t"
		"stmia.w r12, {r1-r7}\n\t"
		"ldmia.w r0, {r1-r9}\n\t" /* strip .. outside */
		"strd r1, r2, [sp, #56]\n\t"
		"str r3, [sp, #12]\n\t"
		"strd r8, r7, [sp, #64]\n\t"
		"cmp r5, #1\n\t"
		"ite eq\n\t"
		"moveq r8, #6\n\t"
		"movne r8, #4\n\t"
		"udiv r7, r4, r8\n\t"
		"mls r8, r7, r8, r4\n\t" /* outputs of the rest */
		"mul r4, r4, r5\n\t" /* columns that the outputs read */
		"cmp r5, #1\n\t"
		"ite eq\n\t"
		"addeq r4, #2\n\t"
		"addne r4, #1\n\t"
		"add.w r4, r1, r4, lsl #5\n\t"
		"str r4, [sp, #72]\n\t"
		/* which loop over outputs */
		"adr.w r0, 14f\n\t"
		"adr.w r1, 15f\n\t"
		"adr.w r2, 16f\n\t"
		"adr.w r3, 17f\n\t"
		"cmp r5, #1\n\t"
		"itt ne\n\t"
		"movne r0, r2\n\t"
		"movne r1, r3\n\t"
		"cmp r6, #0\n\t"
		"it eq\n\t"
		"moveq r0, r1\n\t"
		"movs r4, #12\n\t"
		"mla r4, r8, r4, r0\n\t"
		"orr.w r4, r4, #1\n\t"
		/* and over columns */
		"adr.w r0, 10f\n\t"
		"adr.w r1, 11f\n\t"
		"adr.w r2, 12f\n\t"
		"adr.w r3, 13f\n\t"
		"tst.w r9, #1\n\t"
		"itt ne\n\t"
		"movne r0, r1\n\t"
		"movne r2, r3\n\t"
		"tst.w r9, #2\n\t"
		"it ne\n\t"
		"movne r0, r2\n\t"
		"orr.w r5, r0, #1\n\t"
		"strd r4, r5, [sp, #20]\n"
		"2:\n\t" /* four channels */
		"add.w r12, sp, #28\n\t"
		"ldmia.w r12, {r0-r6}\n\t"
		"ldr.w pc, [sp, #24]\n\t"
		COLUMNS("10", TOP, BOTTOM)
		COLUMNS( "11", "", BOTTOM)
		COLUMNS("12", TOP, "")
		COLUMNS("13", "", "")
		"8:\n\t"
		"ldrd r0, r1, [sp, #56]\n\t"
		"ldr r2, [sp, #72]\n\t"
		"stmia.w sp, {r0, r1, r2}\n\t"
		"movs r3, #4\n\t"
		"str r3, [sp, #16]\n"
		"3:\n\t" /* a channel */
		"ldr r0, [sp, #12]\n\t"
		"ldmia.w r0!, {r2-r9}\n\t"
		"str r0, [sp, #12]\n\t"
		"ldrd r0, r1, [sp]\n\t"
		"ldr.w pc, [sp, #20]\n\t"
		OUTPUTS("14", FLOOR)
		OUTPUTS( "15", TWICE)
		OUTPUTS_2("16", FLOOR)
		OUTPUTS_2("17", TWICE)
		"9:\n\t"
		"ldmia.w sp, {r0, r1, r2}\n\t"
		"adds r0, #8\n\t"
		"adds r1, #1\n\t"
		"adds r2, #8\n\t"
		"stmia.w sp, {r0, r1, r2}\n\t"
		"ldr r3, [sp, #16]\n\t"
		"subs r3, #1\n\t"
		"str r3, [sp, #16]\n\t"
		"bne.w 3b\n\t"
		"ldr r0, [sp, #32]\n\t" /* the next four channels */
		"adds r0, #4\n\t"
		"str r0, [sp, #32]\n\t"
		"ldrd r1, r2, [sp, #60]\n\t"
		"add r1, r2\n\t"
		"str r1, [sp, #60]\n\t"
		"ldr r3, [sp, #68]\n\t"
		"subs r3, #1\n\t"
		"str r3, [sp, #68]\n\t"
		"bne.w 2b\n\t"
		"add sp, #76\n\t"
		"pop {r4-r11, pc}\n\t");
	/* clang-format on */
}

#else

#include "rescale.h"

static void fill(const struct tn_depthwise *d, const tn_s8 *at)
{
	uint32_t *strip = d->columns, before = d->zero;

	for (int32_t i = 0; i < d->n_columns; i++, at += d->step) {
		uint32_t top = d->outside & 1 ? d->zero : tn_load_word(at);
		uint32_t middle = tn_load_word(at + d->middle);
		uint32_t bottom = d->outside & 2 ? d->zero : tn_load_word(at + d->bottom);
		uint32_t v[2] = { tn_pack_low(top, middle), tn_pack_high(top, middle) };
		uint32_t p[2] = { tn_pack_low(before, bottom),
			tn_pack_high(before, bottom) };

		for (int k = 0; k < 2; k++) {
			*strip++ = tn_sxtb16(v[k]);
			*strip++ = tn_sxtb16(p[k]);
			*strip++ = tn_sxtb16_odd(v[k]);
			*strip++ = tn_sxtb16_odd(p[k]);
		}
		before = bottom;
	}
}

static int32_t sum_of(const uint32_t *w, const uint32_t *at)
{
	const uint32_t *next = at + TN_COLUMN_WORDS, *last = next + TN_COLUMN_WORDS;
	int32_t sum = tn_smlad(at[0], w[0], (int32_t)w[5]);

	sum = tn_smlad(next[0], w[1], sum);
	sum = tn_smlad(next[1], w[3], sum);
	sum = tn_smlad(last[0], w[2], sum);
	return (int32_t)((uint32_t)sum + (uint32_t)(tn_high(last[1]) * tn_high(w[4])));
}

static void channel(
	const struct tn_depthwise *d, const uint32_t *w, int32_t c, uint8_t *cells)
{
	const uint32_t *at = d->strip + 2 * c;

	for (int32_t i = 0; i < d->n; i++, at += d->stride * TN_COLUMN_WORDS) {
		int32_t sum = sum_of(w, at), shift = (int32_t)(w[4] & 31);

		sum = d->floor
			      ? tn_rescale_floor(sum, (int32_t)w[6], (int32_t)w[7], shift)
			      : tn_rescale_twice(
					sum, (int32_t)w[6], (int32_t)w[7], shift);
		cells[4 * i + c] = (uint8_t)sum;
	}
}

void tn_depthwise_s8(const struct tn_depthwise *d)
{
	const uint32_t *w = d->stream;

	for (int32_t g = 0; g < d->groups; g++) {
		fill(d, d->top + 4 * g);
		for (int32_t c = 0; c < 4; c++, w += TN_CHANNEL_WORDS)
			channel(d, w, c, d->cells + g * d->room);
	}
}

#endif
