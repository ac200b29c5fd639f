#include "dot_s8.h"

#if TN_DSP

/* r0 stream, r1 strip, r2 to r5 weights, r6 and r7 activations, r8 and r10 L of two pairs,
 * r9 and r11 T, r12 the loop's end in the stream. The frame: 0 out, 4 channels left, 8 strip,
 * 12 bytes of a pair's weights, 16 where to enter the loop over four channels, 20 over two,
 * 24 how four end, 28 how two do. Loops are entered so that the rest comes first. */
#define PAIR(w, a, low, both)                                                            \
	"smlad " both ", " w ", " a ", " both "\n\t"                                     \
	"sxtb16 " w ", " w "\n\t"                                                        \
	"smlad " low ", " w ", " a ", " low "\n\t"

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
	"ldmia.w r0!, {r2-r7}\n\t"                                                       \
	"sub.w " both ", " both ", " low "\n\t"                                          \
	"lsl.w " low ", " low ", #2\n\t" FLOOR(low, "r2", "r3", "r4")                    \
		FLOOR(both, "r5", "r6", "r7")

#define TWICE_PAIR(low, both)                                                            \
	"ldmia.w r0!, {r2-r7}\n\t"                                                       \
	"sub.w " both ", " both ", " low "\n\t"                                          \
	"lsl.w " low ", " low ", #1\n\t"                                                 \
	"asr.w " both ", " both ", #7\n\t" TWICE(low, "r2", "r3", "r4")                  \
		TWICE(both, "r5", "r6", "r7")

__attribute__((naked, noinline)) void tn_dot_s8(
	const struct tn_dot *d __attribute__((unused)))
{
	/* clang-format off */
	__asm__ volatile(
		"push {r4-r11, lr}\n\t"
		"sub sp, #36\n\t"
		"ldmia.w r0, {r1-r6}\n\t" /* out .. floor */
		"stmia.w sp, {r1-r3}\n\t"
		"mov r0, r4\n\t"
		"lsl.w r4, r5, #3\n\t"
		"rsb.w r5, r5, #0\n\t"
		"and.w r7, r5, #15\n\t"
		"movs r3, #56\n\t"
		"adr.w r8, 1f\n\t"
		"mla r7, r7, r3, r8\n\t"
		"orr.w r7, r7, #1\n\t"
		"strd r4, r7, [sp, #12]\n\t"
		"and.w r5, r5, #7\n\t"
		"adr.w r8, 2f\n\t"
		"add.w r5, r8, r5, lsl #5\n\t"
		"orr.w r5, r5, #1\n\t"
		"adr.w r7, 5f\n\t"
		"adr.w r8, 6f\n\t"
		"cmp r6, #0\n\t"
		"it eq\n\t"
		"adreq.w r7, 7f\n\t"
		"it eq\n\t"
		"adreq.w r8, 8f\n\t"
		"orr.w r7, r7, #1\n\t"
		"orr.w r8, r8, #1\n\t"
		"strd r5, r7, [sp, #20]\n\t"
		"str.w r8, [sp, #28]\n"
		"3:\n\t"
		"ldmia.w sp, {r2, r3, r4, r5}\n\t"
		"mov r1, r4\n\t"
		"cmp r3, #2\n\t"
		"ble.w 4f\n\t"
		"ldmia.w r0!, {r8-r11}\n\t"
		"add.w r12, r0, r5, lsl #1\n\t"
		"ldr.w pc, [sp, #16]\n\t"
		".balign 4\n"
		"1:\n\t"
		".rept 16\n\t"
		"ldmia.w r0!, {r2-r5}\n\t"
		"ldmia.w r1!, {r6, r7}\n\t"
		PAIR("r2", "r6", "r8", "r9")
		PAIR("r3", "r6", "r10", "r11")
		PAIR("r4", "r7", "r8", "r9")
		PAIR("r5", "r7", "r10", "r11")
		".endr\n\t"
		"cmp r0, r12\n\t"
		"bne.w 1b\n\t"
		"ldr.w pc, [sp, #24]\n\t"
		"4:\n\t"
		"ldmia.w r0!, {r8, r9}\n\t"
		"add.w r12, r0, r5\n\t"
		"ldr.w pc, [sp, #20]\n\t"
		".balign 4\n"
		"2:\n\t"
		".rept 8\n\t"
		"ldmia.w r0!, {r2, r3}\n\t"
		"ldmia.w r1!, {r6, r7}\n\t"
		PAIR("r2", "r6", "r8", "r9")
		PAIR("r3", "r7", "r8", "r9")
		".endr\n\t"
		"cmp r0, r12\n\t"
		"bne.w 2b\n\t"
		"ldr.w pc, [sp, #28]\n\t"
		".balign 4\n"
		"7:\n\t"
		TWICE_PAIR("r8", "r9")
		TWICE_PAIR("r10", "r11")
		"b.w 10f\n\t"
		".balign 4\n"
		"5:\n\t"
		FLOOR_PAIR("r8", "r9")
		FLOOR_PAIR("r10", "r11")
		"10:\n\t"
		"ldrd r1, r2, [sp]\n\t"
		"strb r8, [r1], #1\n\t"
		"strb r9, [r1], #1\n\t"
		"strb r10, [r1], #1\n\t"
		"subs r2, #4\n\t"
		"blt.w 9f\n\t" /* three were left */
		"strb r11, [r1], #1\n\t"
		"strd r1, r2, [sp]\n\t"
		"bne.w 3b\n\t"
		"b.w 9f\n\t"
		".balign 4\n"
		"8:\n\t"
		TWICE_PAIR("r8", "r9")
		"b.w 11f\n\t"
		".balign 4\n"
		"6:\n\t"
		FLOOR_PAIR("r8", "r9")
		"11:\n\t"
		"ldrd r1, r2, [sp]\n\t"
		"strb.w r8, [r1]\n\t"
		"cmp r2, #1\n\t"
		"it ne\n\t"
		"strbne.w r9, [r1, #1]\n\t"
		"9:\n\t"
		"add sp, #36\n\t"
		"pop {r4-r11, pc}\n\t");
	/* clang-format on */
}

#else

#include "rescale.h"

struct pair {
	int32_t low, both;
};

static void rescale(const struct tn_dot *d, struct pair s, const uint32_t *k, int32_t at)
{
	int32_t u = (int32_t)((uint32_t)s.low * (d->floor ? 4u : 2u));
	int32_t v = (int32_t)((uint32_t)s.both - (uint32_t)s.low) >> (d->floor ? 0 : 7);
	int32_t (*one)(int32_t, int32_t, int32_t, int32_t) =
		d->floor ? tn_rescale_floor : tn_rescale_twice;

	tn_store_s8(d->out, at, one(u, (int32_t)k[0], (int32_t)k[1], (int32_t)k[2]));
	if (at + 1 < d->channels)
		tn_store_s8(d->out, at + 1,
			one(v, (int32_t)k[3], (int32_t)k[4], (int32_t)k[5]));
}

void tn_dot_s8(const struct tn_dot *d)
{
	const uint32_t *w = d->stream;

	for (int32_t at = 0; at < d->channels; at += 4) {
		int32_t pairs = d->channels - at > 2 ? 2 : 1;
		struct pair s[2];

		for (int32_t p = 0; p < pairs; p++, w += 2)
			s[p] = (struct pair){ (int32_t)w[0], (int32_t)w[1] };
		for (int32_t i = 0; i < 2 * d->blocks; i++) {
			for (int32_t p = 0; p < pairs; p++, w++) {
				s[p].both = tn_smlad(*w, d->strip[i], s[p].both);
				s[p].low = tn_smlad(tn_sxtb16(*w), d->strip[i], s[p].low);
			}
		}
		for (int32_t p = 0; p < pairs; p++, w += 6)
			rescale(d, s[p], w, at + 2 * p);
	}
}

#endif
