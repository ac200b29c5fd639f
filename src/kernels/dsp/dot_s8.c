#include "dot_s8.h"

#if TN_DSP

/* r0 stream, r1 row or strip, r2 to r4 weights, r5 and r6 activations, r7, r9 and r11 L of
 * three pairs, r8, r10 and r12 T, lr the loop's end in the stream. The frame: 0 out, 4
 * channels left; 8 row and 12 bytes of the stream for its part, 16 strip and 20 the same,
 * for three pairs; 24 to 36 for one; 40 where to enter the loop over the row, 44 over the
 * strip, 48 and 52 for one pair; 56 how three pairs end, 60 how one does. Loops are entered
 * so that the rest comes first; where nothing is read in the row, behind that loop. */
#define PAIR(w, a, low, both)                                                            \
	"smlad " both ", " w ", " a ", " both "\n\t"                                     \
	"sxtb16 " w ", " w "\n\t"                                                        \
	"smlad " low ", " w ", " a ", " low "\n\t"

#define PAIRS(a)                                                                         \
	"ldmia.w r0!, {r2-r4}\n\t" PAIR("r2", a, "r7", "r8") PAIR("r3", a, "r9", "r10")  \
		PAIR("r4", a, "r11", "r12")

#define FROM_ROW                                                                         \
	"ldr.w r5, [r1], #4\n\t"                                                         \
	"sxtb16 r6, r5, ror #8\n\t"                                                      \
	"sxtb16 r5, r5\n\t"

#define FLOOR(x, m, c, e)                                                                \
	"smmla " x ", " x ", " m ", " c "\n\t"                                           \
	"asr.w " x ", " x ", " e "\n\t"                                                  \
	"ssat " x ", #8, " x "\n\t"

#define TWICE(x, m, c, e)                                                                \
	"smmulr " x ", " x ", " m "\n\t"                                                 \
	"add.w " x ", " x ", " x ", asr #31\n\t"                                         \
	"add.w " x ", " x ", " c "\n\t"                                                  \
	"asr.w " x ", " x ", " e "\n\t"                                                  \
	"ssat " x ", #8, " x "\n\t"

#define FLOOR_PAIR(low, both)                                                            \
	"ldmia.w r0!, {r1-r6}\n\t"                                                       \
	"sub.w " both ", " both ", " low "\n\t"                                          \
	"lsl.w " low ", " low ", #2\n\t" FLOOR(low, "r1", "r2", "r3")                    \
		FLOOR(both, "r4", "r5", "r6")

#define TWICE_PAIR(low, both)                                                            \
	"ldmia.w r0!, {r1-r6}\n\t"                                                       \
	"sub.w " both ", " both ", " low "\n\t"                                          \
	"lsl.w " low ", " low ", #1\n\t"                                                 \
	"asr.w " both ", " both ", #7\n\t" TWICE(low, "r1", "r2", "r3")                  \
		TWICE(both, "r4", "r5", "r6")

/* The code address `label` into x. */
#define ADDRESS(x, label)                                                                \
	"adr.w " x ", " label "\n\t"                                                     \
	"orr.w " x ", " x ", #1\n\t"

/* Where n blocks enter a loop over eight of them, of `size` bytes each, into x. */
#define ENTRY(x, n, size, label)                                                         \
	"rsb.w " x ", " n ", #0\n\t"                                                     \
	"and.w " x ", " x ", #7\n\t"                                                     \
	"movs r7, #" size "\n\t" ADDRESS("r8", label) "mla " x ", " x ", r7, r8\n\t"

__attribute__((naked, noinline)) void tn_dot_s8(
	const struct tn_dot *d __attribute__((unused)))
{
	/* clang-format off */
	__asm__ volatile(
		"push {r4-r11, lr}\n\t"
		"sub sp, #68\n\t"
		"ldmia.w r0, {r1-r6, r8, r9}\n\t"
		"mov r0, r8\n\t"
		"mov r12, r9\n\t" /* floor */
		"strd r1, r2, [sp]\n\t"
		"add.w r9, r4, r4, lsl #1\n\t"
		"lsl.w r9, r9, #3\n\t"
		"strd r3, r9, [sp, #8]\n\t"
		"lsl.w r9, r4, #3\n\t"
		"strd r3, r9, [sp, #24]\n\t"
		"add.w r9, r6, r6, lsl #1\n\t"
		"lsl.w r9, r9, #3\n\t"
		"strd r5, r9, [sp, #16]\n\t"
		"lsl.w r9, r6, #3\n\t"
		"strd r5, r9, [sp, #32]\n\t"
		ENTRY("r1", "r4", "92", "1f")
		ENTRY("r2", "r6", "84", "2f")
		ENTRY("r3", "r4", "40", "5f")
		ENTRY("r5", "r6", "32", "6f")
		"cmp r4, #0\n\t"
		"bne 12f\n\t"
		ADDRESS("r1", "13f")
		ADDRESS("r3", "14f")
		"12:\n\t"
		"strd r1, r2, [sp, #40]\n\t"
		"strd r3, r5, [sp, #48]\n\t"
		ADDRESS("r1", "7f")
		ADDRESS("r2", "9f")
		"cmp r12, #0\n\t"
		"bne 15f\n\t"
		ADDRESS("r1", "8f")
		ADDRESS("r2", "10f")
		"15:\n\t"
		"strd r1, r2, [sp, #56]\n\t"
		"ldr r2, [sp, #4]\n\t"
		"cmp r2, #4\n\t"
		"ble.w 4f\n"
		"3:\n\t"
		"ldmia.w r0!, {r7-r12}\n\t"
		"ldrd r1, r5, [sp, #8]\n\t"
		"add.w lr, r0, r5\n\t"
		"ldr.w pc, [sp, #40]\n\t"
		".balign 4\n"
		"1:\n\t"
		".rept 8\n\t"
		FROM_ROW
		PAIRS("r5")
		PAIRS("r6")
		".endr\n\t"
		"cmp r0, lr\n\t"
		"bne.w 1b\n\t"
		".balign 4\n"
		"13:\n\t"
		"ldrd r1, r5, [sp, #16]\n\t"
		"add.w lr, r0, r5\n\t"
		"ldr.w pc, [sp, #44]\n\t"
		".balign 4\n"
		"2:\n\t"
		".rept 8\n\t"
		"ldmia.w r1!, {r5, r6}\n\t"
		PAIRS("r5")
		PAIRS("r6")
		".endr\n\t"
		"cmp r0, lr\n\t"
		"bne.w 2b\n\t"
		"ldr.w pc, [sp, #56]\n\t"
		".balign 4\n"
		"8:\n\t"
		TWICE_PAIR("r7", "r8")
		TWICE_PAIR("r9", "r10")
		TWICE_PAIR("r11", "r12")
		"b.w 11f\n\t"
		".balign 4\n"
		"7:\n\t"
		FLOOR_PAIR("r7", "r8")
		FLOOR_PAIR("r9", "r10")
		FLOOR_PAIR("r11", "r12")
		"11:\n\t"
		"ldrd r1, r2, [sp]\n\t"
		"strb r7, [r1], #1\n\t"
		"strb r8, [r1], #1\n\t"
		"strb r9, [r1], #1\n\t"
		"strb r10, [r1], #1\n\t"
		"strb r11, [r1], #1\n\t"
		"subs r2, #6\n\t"
		"blt.w 17f\n\t" /* five were left */
		"strb r12, [r1], #1\n\t"
		"strd r1, r2, [sp]\n\t"
		"cmp r2, #4\n\t"
		"bgt.w 3b\n\t"
		"cmp r2, #0\n\t"
		"beq.w 17f\n"
		"4:\n\t"
		"ldmia.w r0!, {r7, r8}\n\t"
		"ldrd r1, r5, [sp, #24]\n\t"
		"add.w lr, r0, r5\n\t"
		"ldr.w pc, [sp, #48]\n\t"
		".balign 4\n"
		"5:\n\t"
		".rept 8\n\t"
		FROM_ROW
		"ldmia.w r0!, {r2, r3}\n\t"
		PAIR("r2", "r5", "r7", "r8")
		PAIR("r3", "r6", "r7", "r8")
		".endr\n\t"
		"cmp r0, lr\n\t"
		"bne.w 5b\n\t"
		".balign 4\n"
		"14:\n\t"
		"ldrd r1, r5, [sp, #32]\n\t"
		"add.w lr, r0, r5\n\t"
		"ldr.w pc, [sp, #52]\n\t"
		".balign 4\n"
		"6:\n\t"
		".rept 8\n\t"
		"ldmia.w r1!, {r5, r6}\n\t"
		"ldmia.w r0!, {r2, r3}\n\t"
		PAIR("r2", "r5", "r7", "r8")
		PAIR("r3", "r6", "r7", "r8")
		".endr\n\t"
		"cmp r0, lr\n\t"
		"bne.w 6b\n\t"
		"ldr.w pc, [sp, #60]\n\t"
		".balign 4\n"
		"10:\n\t"
		TWICE_PAIR("r7", "r8")
		"b.w 16f\n\t"
		".balign 4\n"
		"9:\n\t"
		FLOOR_PAIR("r7", "r8")
		"16:\n\t"
		"ldrd r1, r2, [sp]\n\t"
		"strb r7, [r1], #1\n\t"
		"subs r2, #2\n\t"
		"blt.w 17f\n\t" /* one was left */
		"strb r8, [r1], #1\n\t"
		"strd r1, r2, [sp]\n\t"
		"bne.w 4b\n"
		"17:\n\t"
		"add sp, #68\n\t"
		"pop {r4-r11, pc}\n\t");
	/* clang-format on */
}

#else

#include "rescale.h"

struct pair {
	int32_t low, both;
};

static int32_t rescaled(const struct tn_dot *d, int32_t sum, const uint32_t *k)
{
	const int32_t m = (int32_t)k[0], c = (int32_t)k[1], e = (int32_t)k[2];

	return d->floor ? tn_rescale_floor(sum, m, c, e) : tn_rescale_twice(sum, m, c, e);
}

static void rescale(const struct tn_dot *d, struct pair s, const uint32_t *k, int32_t at)
{
	int32_t u = (int32_t)((uint32_t)s.low * (d->floor ? 4u : 2u));
	int32_t v = (int32_t)((uint32_t)s.both - (uint32_t)s.low) >> (d->floor ? 0 : 7);

	tn_store_s8(d->out, at, rescaled(d, u, k));
	if (at + 1 < d->channels)
		tn_store_s8(d->out, at + 1, rescaled(d, v, k + 3));
}

static uint32_t halfwords(const struct tn_dot *d, int32_t i)
{
	uint32_t word;

	if (i >= 2 * d->direct)
		return d->strip[i - 2 * d->direct];
	word = tn_load_word(d->row + i / 2 * 4);
	return i % 2 ? tn_sxtb16_odd(word) : tn_sxtb16(word);
}

void tn_dot_s8(const struct tn_dot *d)
{
	const uint32_t *w = d->stream;
	int32_t pairs;

	for (int32_t at = 0; at < d->channels; at += 2 * pairs) {
		struct pair s[3];

		pairs = d->channels - at > 4 ? 3 : 1;
		for (int32_t p = 0; p < pairs; p++, w += 2)
			s[p] = (struct pair){ (int32_t)w[0], (int32_t)w[1] };
		for (int32_t i = 0; i < 2 * (d->direct + d->blocks); i++) {
			uint32_t a = halfwords(d, i);

			for (int32_t p = 0; p < pairs; p++, w++) {
				s[p].both = tn_smlad(*w, a, s[p].both);
				s[p].low = tn_smlad(tn_sxtb16(*w), a, s[p].low);
			}
		}
		for (int32_t p = 0; p < pairs; p++, w += 6)
			if (at + 2 * p < d->channels)
				rescale(d, s[p], w, at + 2 * p);
	}
}

#endif
