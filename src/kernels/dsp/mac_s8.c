#include "mac_s8.h"

#if TN_DSP

/* Fourteen registers hold six sums (r7 to r9: L, r10 to r12: T), two words of weights (r2,
 * r3), three of activations (r4 to r6), the two places (r0, r1) and the end (lr): 17
 * instructions for 24 products. The frame keeps the rest:
 *   0 out, 4 step_1, 8 step_2, 12 strip, 16 bytes of a pair's weights, 20 where to enter the
 *   loop, 24 sums, 28 pairs left, 32 how a pair starts, 36 how it ends
 * The loop is sixteen blocks long and is entered so that the rest comes first; the first
 * block of a pair that starts with its biases is apart. There is a second loop for two
 * pixels, whose blocks are 48 bytes long, not 68; r9 and r12 are no sums there, but are kept
 * and rescaled as such where nothing is won by leaving it. */
#define ACTIVATIONS "ldmia.w r1!, {r4, r5, r6}\n\t"

#define PRODUCTS(w)                                                                      \
	ACTIVATIONS                                                                      \
	"smlad r10, " w ", r4, r10\n\t"                                                  \
	"smlad r11, " w ", r5, r11\n\t"                                                  \
	"smlad r12, " w ", r6, r12\n\t"                                                  \
	"sxtb16 " w ", " w "\n\t"                                                        \
	"smlad r7, " w ", r4, r7\n\t"                                                    \
	"smlad r8, " w ", r5, r8\n\t"                                                    \
	"smlad r9, " w ", r6, r9\n\t"

/* The same for a block of two pixels, one word of weights after the other. */
#define TWO_PRODUCTS                                                                     \
	"ldmia.w r1!, {r4, r5, r6, r9}\n\t"                                              \
	"smlad r10, r2, r4, r10\n\t"                                                     \
	"smlad r11, r2, r5, r11\n\t"                                                     \
	"sxtb16 r2, r2\n\t"                                                              \
	"smlad r7, r2, r4, r7\n\t"                                                       \
	"smlad r8, r2, r5, r8\n\t" TWO_MORE

#define TWO_MORE                                                                         \
	"smlad r10, r3, r6, r10\n\t"                                                     \
	"smlad r11, r3, r9, r11\n\t"                                                     \
	"sxtb16 r3, r3\n\t"                                                              \
	"smlad r7, r3, r6, r7\n\t"                                                       \
	"smlad r8, r3, r9, r8\n\t"

#define FIRST_TWO                                                                        \
	"ldmia.w r1!, {r4, r5, r6, r9}\n\t"                                              \
	"smlad r11, r2, r5, r10\n\t"                                                     \
	"smlad r10, r2, r4, r10\n\t"                                                     \
	"sxtb16 r2, r2\n\t"                                                              \
	"smlad r8, r2, r5, r7\n\t"                                                       \
	"smlad r7, r2, r4, r7\n\t" TWO_MORE

/* Of the first word: all sums start from the two biases. */
#define FIRST_PRODUCTS                                                                   \
	ACTIVATIONS                                                                      \
	"smlad r11, r2, r5, r10\n\t"                                                     \
	"smlad r12, r2, r6, r10\n\t"                                                     \
	"smlad r10, r2, r4, r10\n\t"                                                     \
	"sxtb16 r2, r2\n\t"                                                              \
	"smlad r8, r2, r5, r7\n\t"                                                       \
	"smlad r9, r2, r6, r7\n\t"                                                       \
	"smlad r7, r2, r4, r7\n\t"

#define FLOOR(x)                                                                         \
	"smmla " x ", " x ", r4, r5\n\t"                                                 \
	"asr.w " x ", " x ", r6\n\t"                                                     \
	"ssat " x ", #8, " x "\n\t"

#define TWICE(x)                                                                         \
	"smmulr " x ", " x ", r4\n\t"                                                    \
	"add.w " x ", " x ", " x ", asr #31\n\t"                                         \
	"add.w " x ", " x ", r5\n\t"                                                     \
	"asr.w " x ", " x ", r6\n\t"                                                     \
	"ssat " x ", #8, " x "\n\t"

#define DIFFERENCES                                                                      \
	"sub.w r10, r10, r7\n\t"                                                         \
	"sub.w r11, r11, r8\n\t"                                                         \
	"sub.w r12, r12, r9\n\t"

/* Last pixel first: one that stands for a missing pixel is stored over. */
#define STORE                                                                            \
	"ldmia.w sp, {r1, r2, r3}\n\t"                                                   \
	"add r2, r1\n\t"                                                                 \
	"add r3, r2\n\t"                                                                 \
	"cmp r6, #0\n\t"                                                                 \
	"strb.w r9, [r3]\n\t"                                                            \
	"blt 8f\n\t"                                                                     \
	"strb.w r12, [r3, #1]\n\t"                                                       \
	"strb.w r8, [r2]\n\t"                                                            \
	"strb.w r11, [r2, #1]\n\t"                                                       \
	"strb r7, [r1], #1\n\t"                                                          \
	"strb r10, [r1], #1\n\t"                                                         \
	"str r1, [sp]\n\t"                                                               \
	"ldr.w pc, [sp, #32]\n\t"

__attribute__((naked, noinline)) const uint32_t *tn_mac_s8(
	const struct tn_mac *m __attribute__((unused)))
{
	/* clang-format off */
	__asm__ volatile(
		"push {r4-r11, lr}\n\t"
		"sub sp, #44\n\t"
		"ldmia.w r0, {r1-r9}\n\t" /* out .. flags */
		"stmia.w sp, {r1-r4}\n\t"
		"strd r6, r8, [sp, #24]\n\t"
		"mov r0, r5\n\t"
		"and.w r1, r9, #1\n\t"
		"lsl.w r8, r7, #3\n\t"
		"sub.w r7, r7, r1\n\t" /* blocks of the loop */
		"rsb.w r2, r7, #0\n\t"
		"and.w r2, r2, #15\n\t"
		"cmp r7, #0\n\t"
		"it eq\n\t"
		"moveq r2, #16\n\t"
		"movs r3, #68\n\t"
		"adr.w r4, 1f\n\t"
		"mla r2, r2, r3, r4\n\t"
		"orr.w r2, r2, #1\n\t"
		"strd r8, r2, [sp, #16]\n\t"
		"adr.w r2, 2f\n\t"
		"adr.w r3, 4f\n\t"
		"cmp.w r9, #7\n\t"
		"beq 7f\n\t"
		"bmi 12f\n\t"
		"rsb.w r4, r7, #0\n\t" /* two pixels: their loop */
		"and.w r4, r4, #15\n\t"
		"cmp r7, #0\n\t"
		"it eq\n\t"
		"moveq r4, #16\n\t"
		"movs r5, #48\n\t"
		"adr.w r6, 11f\n\t"
		"mla r4, r4, r5, r6\n\t"
		"orr.w r4, r4, #1\n\t"
		"str r4, [sp, #20]\n\t"
		"adr.w r2, 13f\n\t"
		"adr.w r3, 14f\n\t"
		"sub.w r9, r9, #8\n\t"
		"cmp.w r9, #7\n\t"
		"beq 7f\n"
		"12:\n\t"
		"cmp r1, #0\n\t"
		"it eq\n\t"
		"adreq.w r2, 3f\n\t"
		"tst.w r9, #4\n\t"
		"it eq\n\t"
		"adreq.w r3, 5f\n\t"
		"tst.w r9, #2\n\t"
		"it eq\n\t"
		"adreq.w r3, 6f\n\t"
		"tst.w r9, #3\n\t"
		"it eq\n\t"
		"adreq.w r3, 10f\n\t"
		"7:\n\t"
		"orr.w r2, r2, #1\n\t"
		"orr.w r3, r3, #1\n\t"
		"strd r2, r3, [sp, #32]\n\t"
		"bx r2\n\t"
		/* how a pair starts: from sums that were kept */
		".balign 4\n"
		"3:\n\t"
		"ldr r2, [sp, #24]\n\t"
		"ldrd r1, lr, [sp, #12]\n\t"
		"ldmia.w r2!, {r7-r12}\n\t"
		"str r2, [sp, #24]\n\t"
		"add.w lr, lr, r0\n\t"
		"ldr.w pc, [sp, #20]\n\t"
		/* or from its biases */
		".balign 4\n"
		"2:\n\t"
		"ldmia.w r0!, {r7, r10}\n\t"
		"ldrd r1, lr, [sp, #12]\n\t"
		"add.w lr, lr, r0\n\t"
		"ldmia.w r0!, {r2, r3}\n\t"
		FIRST_PRODUCTS
		PRODUCTS( "r3")
		"ldr.w pc, [sp, #20]\n\t"
		".balign 4\n"
		"1:\n\t"
		".rept 16\n\t"
		"ldmia.w r0!, {r2, r3}\n\t"
		PRODUCTS("r2")
		PRODUCTS( "r3")
		".endr\n\t"
		"cmp r0, lr\n\t"
		"bne.w 1b\n\t"
		"ldr.w pc, [sp, #36]\n\t"
		".balign 4\n"
		"11:\n\t"
		".rept 16\n\t"
		"ldmia.w r0!, {r2, r3}\n\t"
		TWO_PRODUCTS
		".endr\n\t"
		"cmp r0, lr\n\t"
		"bne.w 11b\n\t"
		"ldr.w pc, [sp, #36]\n\t"
		/* how two start */
		".balign 4\n"
		"13:\n\t"
		"ldmia.w r0!, {r7, r10}\n\t"
		"ldrd r1, lr, [sp, #12]\n\t"
		"add.w lr, lr, r0\n\t"
		"ldmia.w r0!, {r2, r3}\n\t"
		FIRST_TWO
		"ldr.w pc, [sp, #20]\n\t"
		/* and end, rounded once */
		".balign 4\n"
		"14:\n\t"
		"sub.w r10, r10, r7\n\t"
		"sub.w r11, r11, r8\n\t"
		"lsl.w r7, r7, #2\n\t"
		"lsl.w r8, r8, #2\n\t"
		"ldmia.w r0!, {r4, r5, r6}\n\t"
		FLOOR("r7")
		FLOOR("r8")
		"ldmia.w r0!, {r4, r5, r6}\n\t"
		FLOOR("r10")
		FLOOR("r11")
		"ldrd r1, r2, [sp]\n\t"
		"add r2, r1\n\t"
		"cmp r6, #0\n\t"
		"blt 15f\n\t"
		"strb.w r8, [r2]\n\t"
		"strb.w r11, [r2, #1]\n\t"
		"strb r7, [r1], #1\n\t"
		"strb r10, [r1], #1\n\t"
		"str r1, [sp]\n\t"
		"ldr.w pc, [sp, #32]\n"
		"15:\n\t" /* the last pair */
		"strb.w r8, [r2]\n\t"
		"strb.w r7, [r1]\n\t"
		"lsls r6, r6, #1\n\t"
		"blt.w 9f\n\t"
		"strb.w r11, [r2, #1]\n\t"
		"strb.w r10, [r1, #1]\n\t"
		"b.w 9f\n\t"
		/* how it ends: sums are kept, where they came from */
		".balign 4\n"
		"10:\n\t"
		"ldrd r2, r3, [sp, #24]\n\t"
		"subs r2, #24\n\t"
		"stmia.w r2, {r7-r12}\n\t"
		"subs r3, #1\n\t"
		"str r3, [sp, #28]\n\t"
		"beq.w 9f\n\t"
		"ldr.w pc, [sp, #32]\n\t"
		/* or for the first time */
		".balign 4\n"
		"6:\n\t"
		"ldrd r2, r3, [sp, #24]\n\t"
		"stmia.w r2!, {r7-r12}\n\t"
		"subs r3, #1\n\t"
		"strd r2, r3, [sp, #24]\n\t"
		"beq.w 9f\n\t"
		"ldr.w pc, [sp, #32]\n\t"
		/* or rescaled, rounded once */
		".balign 4\n"
		"4:\n\t"
		DIFFERENCES
		"lsl.w r7, r7, #2\n\t"
		"lsl.w r8, r8, #2\n\t"
		"lsl.w r9, r9, #2\n\t"
		"ldmia.w r0!, {r4, r5, r6}\n\t"
		FLOOR("r7")
		FLOOR("r8")
		FLOOR("r9")
		"ldmia.w r0!, {r4, r5, r6}\n\t"
		FLOOR("r10")
		FLOOR("r11")
		FLOOR("r12")
		STORE
		/* or rounded twice */
		".balign 4\n"
		"5:\n\t"
		DIFFERENCES
		"lsl.w r7, r7, #1\n\t"
		"lsl.w r8, r8, #1\n\t"
		"lsl.w r9, r9, #1\n\t"
		"asr.w r10, r10, #7\n\t"
		"asr.w r11, r11, #7\n\t"
		"asr.w r12, r12, #7\n\t"
		"ldmia.w r0!, {r4, r5, r6}\n\t"
		TWICE("r7")
		TWICE("r8")
		TWICE("r9")
		"ldmia.w r0!, {r4, r5, r6}\n\t"
		TWICE("r10")
		TWICE("r11")
		TWICE("r12")
		STORE
		"8:\n\t" /* the last pair */
		"strb.w r8, [r2]\n\t"
		"strb.w r7, [r1]\n\t"
		"lsls r6, r6, #1\n\t"
		"blt 9f\n\t"
		"strb.w r12, [r3, #1]\n\t"
		"strb.w r11, [r2, #1]\n\t"
		"strb.w r10, [r1, #1]\n"
		"9:\n\t"
		"add sp, #44\n\t"
		"pop {r4-r11, pc}\n\t");
	/* clang-format on */
}

#else

#include "rescale.h"

struct sums {
	int32_t low[TN_MAC_PIXELS], both[TN_MAC_PIXELS];
};

static int32_t wrap_sub(int32_t a, int32_t b)
{
	return (int32_t)((uint32_t)a - (uint32_t)b);
}

static int32_t scaled(int32_t a, int32_t factor)
{
	return (int32_t)((uint32_t)a * (uint32_t)factor);
}

static void products(const struct tn_mac *m, const uint32_t *w, struct sums *s)
{
	const int32_t many = m->flags & TN_MAC_TWO ? 2 : TN_MAC_PIXELS;

	for (int32_t i = 0; i < 2 * m->blocks; i++) {
		for (int32_t p = 0; p < many; p++) {
			uint32_t a = m->strip[many * i + p];

			s->both[p] = tn_smlad(w[i], a, s->both[p]);
			s->low[p] = tn_smlad(tn_sxtb16(w[i]), a, s->low[p]);
		}
	}
}

/* The outputs of one channel; `k` holds its multiplier, constant and shift. */
static void rescale(const int32_t *sum, const uint32_t *k, int floor, int32_t *out)
{
	for (int32_t p = 0; p < TN_MAC_PIXELS; p++)
		out[p] = floor ? tn_rescale_floor(sum[p], (int32_t)k[0], (int32_t)k[1],
					 (int32_t)k[2])
			       : tn_rescale_twice(sum[p], (int32_t)k[0], (int32_t)k[1],
					 (int32_t)k[2]);
}

static void finish(
	const struct tn_mac *m, const struct sums *s, const uint32_t *k, int32_t channel)
{
	const int32_t at[TN_MAC_PIXELS] = { 0, m->step_1, m->step_1 + m->step_2 };
	int floor = (m->flags & TN_MAC_FLOOR) != 0;
	int32_t u[TN_MAC_PIXELS], v[TN_MAC_PIXELS];
	struct sums x;

	for (int32_t p = 0; p < TN_MAC_PIXELS; p++) {
		x.low[p] = scaled(s->low[p], floor ? 4 : 2);
		x.both[p] = wrap_sub(s->both[p], s->low[p]) >> (floor ? 0 : 7);
	}
	rescale(x.low, k, floor, u);
	rescale(x.both, k + 3, floor, v);
	for (int32_t p = TN_MAC_PIXELS - 1; p >= 0; p--) {
		/* a pixel that stands for a missing one is stored over by it */
		if (p && !(p == 1 ? m->step_1 : m->step_2))
			continue;
		tn_store_s8(m->out, at[p] + channel, u[p]);
		if (!(k[5] & TN_MAC_SINGLE))
			tn_store_s8(m->out, at[p] + channel + 1, v[p]);
	}
}

const uint32_t *tn_mac_s8(const struct tn_mac *m)
{
	const uint32_t *w = m->stream;
	struct sums s;

	for (int32_t pair = 0; pair < m->pairs; pair++) {
		tn_u32 *kept = m->sums ? m->sums + 2 * TN_MAC_PIXELS * pair : 0;

		for (int32_t p = 0; p < TN_MAC_PIXELS; p++) {
			int first = (m->flags & TN_MAC_FIRST) != 0;

			s.low[p] = (int32_t)(first ? w[0] : kept[p]);
			s.both[p] = (int32_t)(first ? w[1] : kept[TN_MAC_PIXELS + p]);
		}
		if (m->flags & TN_MAC_FIRST)
			w += 2;
		products(m, w, &s);
		w += 2 * m->blocks;
		if (m->flags & TN_MAC_LAST) {
			finish(m, &s, w, 2 * pair);
			w += 6;
			continue;
		}
		for (int32_t p = 0; p < TN_MAC_PIXELS; p++) {
			kept[p] = (uint32_t)s.low[p];
			kept[TN_MAC_PIXELS + p] = (uint32_t)s.both[p];
		}
	}
	return w;
}

#endif
