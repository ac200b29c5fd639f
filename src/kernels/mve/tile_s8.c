#include "tile_s8.h"

#if TN_MVE

/* Sums live in the even registers, the only ones that VMLADAVA adds to (r0, r2, r4, r6 of
 * the first pixel, r8, r10, r12, lr of the second), everything else in odd ones: r1 the
 * stream, r3 and r5 the windows, r7 where sums go, r9 the vectors left (or the end of one
 * vector, when it has more blocks than the loop), r11 the tile. */
#define BLOCK                                                                            \
	"vldrb.u8 q0, [r3], #16\n\t"                                                     \
	"vldrb.u8 q1, [r5], #16\n\t"                                                     \
	"vldrw.u32 q2, [r1], #16\n\t"                                                    \
	"vldrw.u32 q3, [r1], #16\n\t"                                                    \
	"vmladava.s8 r0, q0, q2\n\t"                                                     \
	"vmladava.s8 r8, q1, q2\n\t"                                                     \
	"vldrw.u32 q2, [r1], #16\n\t"                                                    \
	"vmladava.s8 r2, q0, q3\n\t"                                                     \
	"vmladava.s8 r10, q1, q3\n\t"                                                    \
	"vldrw.u32 q3, [r1], #16\n\t"                                                    \
	"vmladava.s8 r4, q0, q2\n\t"                                                     \
	"vmladava.s8 r12, q1, q2\n\t"                                                    \
	"vmladava.s8 r6, q0, q3\n\t"                                                     \
	"vmladava.s8 lr, q1, q3\n\t"

#define BIASES                                                                           \
	"ldmia.w r1, {r0, r2, r4, r6}\n\t"                                               \
	"ldmia.w r1!, {r8, r10, r12, lr}\n\t"                                            \
	"ldrd r3, r5, [r11]\n\t"

#define SUMS "stmia.w r7!, {r0, r2, r4, r6, r8, r10, r12, lr}\n\t"

/* One vector of both pixels, in q2 and q3: r0 sums, r1 constants. */
#define SCALE                                                                            \
	"vldrw.u32 q0, [r1], #16\n\t"                                                    \
	"vldrw.u32 q2, [r0], #16\n\t"                                                    \
	"vqrdmulh.s32 q2, q2, q0\n\t"                                                    \
	"vldrw.u32 q3, [r0], #16\n\t"                                                    \
	"vqrdmulh.s32 q3, q3, q0\n\t"                                                    \
	"vldrw.u32 q1, [r1], #16\n\t"
#define SHIFT                                                                            \
	"vrshl.s32 q2, q2, q1\n\t"                                                       \
	"vrshl.s32 q3, q3, q1\n\t"
#define TIES                                                                             \
	"vshr.s32 q0, q2, #31\n\t"                                                       \
	"vadd.i32 q2, q2, q0\n\t"                                                        \
	"vshr.s32 q0, q3, #31\n\t"                                                       \
	"vadd.i32 q3, q3, q0\n\t"

#define GROUP(ties, narrow)                                                              \
	SCALE ties SHIFT narrow("b") " q4, q2\n\t" narrow("b") " q5, q3\n\t" SCALE ties  \
		SHIFT narrow("t") " q4, q2\n\t" narrow("t") " q5, q3\n\t" SCALE ties     \
			SHIFT narrow("b") " q6, q2\n\t" narrow(                          \
				"b") " q7, q3\n\t" SCALE ties SHIFT                      \
				narrow("t") " q6, q2\n\t" narrow("t") " q7, q3\n\t"
#define UNSIGNED(half) "vqmovun" half ".s32"
#define SIGNED(half)   "vqmovn" half ".s32"

__attribute__((naked, noinline)) void tn_tile_s8(
	struct tn_tile *t __attribute__((unused)))
{
	/* clang-format off */
	__asm__ volatile(
		"push {r4-r11, lr}\n\t"
		"vpush {d8-d15}\n\t"
		"mov r11, r0\n\t"
		"ldrd r9, r5, [r11, #24]\n\t" /* vectors, blocks */
		"ldr r1, [r11, #16]\n\t"
		"cmp.w r9, #0\n\t"
		"beq.w 6f\n\t"
		"rsbs r2, r5, #0\n\t"
		"and.w r2, r2, #15\n\t"
		"adr.w r3, 1f\n\t"
		"movs r4, #56\n\t"
		"mla r2, r2, r4, r3\n\t"
		"orr.w r2, r2, #1\n\t"
		"adr.w r4, 3f\n\t"
		"cmp r5, #16\n\t"
		"bls 8f\n\t"
		"lsls r5, r5, #6\n\t"
		"adds r5, #16\n\t"
		"ldr r0, [r11, #20]\n\t"
		"add.w r0, r0, r9, lsl #5\n\t"
		"strd r0, r5, [r11, #68]\n\t"
		"adr.w r4, 5f\n"
		"8:\n\t"
		"orr.w r4, r4, #1\n\t"
		"strd r2, r4, [r11, #8]\n"
		"10:\n\t" /* two pixels */
		"ldrd r1, r7, [r11, #16]\n\t"
		"ldrd r9, r0, [r11, #24]\n\t"
		"cmp r0, #16\n\t"
		"bhi 4f\n"
		"2:\n\t" /* a vector of few blocks */
		BIASES
		"ldr.w pc, [r11, #8]\n"
		"4:\n\t" /* of many */
		"ldr r9, [r11, #72]\n\t"
		"add r9, r1\n\t"
		BIASES
		"ldr.w pc, [r11, #8]\n\t"
		".balign 4\n"
		"1:\n\t"
		".rept 16\n\t"
		BLOCK
		".endr\n\t"
		"ldr.w pc, [r11, #12]\n\t"
		".balign 4\n"
		"5:\n\t"
		"cmp r1, r9\n\t"
		"bne.w 1b\n\t"
		SUMS
		"ldr r0, [r11, #68]\n\t"
		"cmp r7, r0\n\t"
		"bne.w 4b\n\t"
		"b 6f\n\t"
		".balign 4\n"
		"3:\n\t"
		SUMS
		"subs.w r9, r9, #1\n\t"
		"bne.w 2b\n"
		/* all channels, from r0 to r2 and r3 */
		"6:\n\t"
		"ldr r0, [r11, #20]\n\t"
		"ldrd r2, r3, [r11, #56]\n\t"
		"ldrd r4, r5, [r11, #32]\n\t"
		"ldrd r6, r7, [r11, #40]\n\t"
		"cmp r7, #0\n\t"
		"beq.w 7f\n\t"
		/* one rounding */
		"wls lr, r4, 12f\n"
		"11:\n\t"
		GROUP("", UNSIGNED)
		"vqmovnb.u16 q4, q4\n\t"
		"vqmovnt.u16 q4, q6\n\t"
		"vqmovnb.u16 q5, q5\n\t"
		"vqmovnt.u16 q5, q7\n\t"
		"vadd.i8 q4, q4, r6\n\t"
		"vadd.i8 q5, q5, r6\n\t"
		"vstrb.8 q5, [r3], #16\n\t"
		"vstrb.8 q4, [r2], #16\n\t"
		"le lr, 11b\n"
		"12:\n\t"
		"cbz r5, 9f\n"
		"13:\n\t"
		SCALE
		SHIFT
		"vctp.32 r5\n\t"
		"vqmovunb.s32 q2, q2\n\t"
		"vqmovunb.s32 q3, q3\n\t"
		"vqmovnb.u16 q2, q2\n\t"
		"vqmovnb.u16 q3, q3\n\t"
		"vadd.i8 q2, q2, r6\n\t"
		"vadd.i8 q3, q3, r6\n\t"
		"vpstt\n\t"
		"vstrbt.32 q3, [r3], #4\n\t"
		"vstrbt.32 q2, [r2], #4\n\t"
		"subs r5, #4\n\t"
		"bgt 13b\n"
		"9:\n\t" /* the next two pixels */
		"ldrd r3, r5, [r11]\n\t"
		"ldrd r0, r1, [r11, #48]\n\t"
		"ldrd r2, r4, [r11, #56]\n\t"
		"ldr r6, [r11, #64]\n\t"
		"add.w r3, r3, r0, lsl #1\n\t"
		"add.w r5, r5, r0, lsl #1\n\t"
		"add.w r2, r2, r1, lsl #1\n\t"
		"add.w r4, r4, r1, lsl #1\n\t"
		"subs r6, #1\n\t"
		"strd r3, r5, [r11]\n\t"
		"strd r2, r4, [r11, #56]\n\t"
		"str r6, [r11, #64]\n\t"
		"bne.w 10b\n\t"
		"vpop {d8-d15}\n\t"
		"pop {r4-r11, pc}\n"
		/* two roundings */
		"7:\n\t"
		"wls lr, r4, 22f\n"
		"21:\n\t"
		GROUP(TIES, SIGNED)
		"vqadd.s16 q4, q4, r6\n\t"
		"vqadd.s16 q6, q6, r6\n\t"
		"vqmovnb.s16 q4, q4\n\t"
		"vqmovnt.s16 q4, q6\n\t"
		"vqadd.s16 q5, q5, r6\n\t"
		"vqadd.s16 q7, q7, r6\n\t"
		"vqmovnb.s16 q5, q5\n\t"
		"vqmovnt.s16 q5, q7\n\t"
		"vstrb.8 q5, [r3], #16\n\t"
		"vstrb.8 q4, [r2], #16\n\t"
		"le lr, 21b\n"
		"22:\n\t"
		"cmp r5, #0\n\t"
		"beq 9b\n"
		"23:\n\t"
		SCALE
		TIES
		SHIFT
		"vctp.32 r5\n\t"
		"vqmovnb.s32 q2, q2\n\t"
		"vqmovnb.s32 q3, q3\n\t"
		"vqadd.s16 q2, q2, r6\n\t"
		"vqadd.s16 q3, q3, r6\n\t"
		"vqmovnb.s16 q2, q2\n\t"
		"vqmovnb.s16 q3, q3\n\t"
		"vpstt\n\t"
		"vstrbt.32 q3, [r3], #4\n\t"
		"vstrbt.32 q2, [r2], #4\n\t"
		"subs r5, #4\n\t"
		"bgt 23b\n\t"
		"b 9b\n\t");
	/* clang-format on */
}

#else

/* A byte of packed weights. */
static int32_t weight(const uint32_t *words, int32_t i)
{
	return (int8_t)(words[i / 4] >> 8 * (i % 4) & 0xff);
}

static void products(const struct tn_tile *t, int32_t vector)
{
	const int32_t n = TN_BLOCK * t->layer.blocks;
	const uint32_t *w = t->stream + vector * (TN_VECTOR + n);

	for (int32_t lane = 0; lane < TN_VECTOR; lane++) {
		uint32_t *sum = t->sums + 2 * TN_VECTOR * vector + lane;
		int32_t a = (int32_t)w[lane], b = a;

		for (int32_t i = 0; i < n; i++) {
			int32_t at = i / TN_BLOCK * TN_VECTOR * TN_BLOCK +
				     lane * TN_BLOCK + i % TN_BLOCK;
			int32_t x = weight(w + TN_VECTOR, at);

			/* what fills a window up may not be there at all */
			if (!x)
				continue;
			a = tn_wrap_add(a, x * tn_load_s8(t->a, i));
			b = tn_wrap_add(b, x * tn_load_s8(t->b, i));
		}
		sum[0] = (uint32_t)a;
		sum[TN_VECTOR] = (uint32_t)b;
	}
}

static void rescale(const struct tn_tile *t, int32_t vector)
{
	const uint32_t *k = t->stream +
			    t->layer.vectors * (TN_VECTOR + TN_BLOCK * t->layer.blocks) +
			    vector * TN_VECTOR_WORDS;
	const uint32_t *sum = t->sums + 2 * TN_VECTOR * vector;

	for (int32_t lane = 0; lane < TN_VECTOR; lane++) {
		int32_t c = tn_lane_channel(vector, lane, t->layer.groups);
		int32_t multiplier = (int32_t)k[lane],
			shift = (int32_t)k[TN_VECTOR + lane];

		if (c >= TN_GROUP * t->layer.groups + t->layer.rest)
			break;
		tn_store_s8(t->out_b, c,
			tn_rescale_lane((int32_t)sum[TN_VECTOR + lane], multiplier, shift,
				t->layer.offset, t->layer.floor));
		tn_store_s8(t->out_a, c,
			tn_rescale_lane((int32_t)sum[lane], multiplier, shift,
				t->layer.offset, t->layer.floor));
	}
}

void tn_tile_s8(struct tn_tile *t)
{
	for (; t->pairs > 0; t->pairs--) {
		for (int32_t i = 0; i < t->layer.vectors; i++)
			products(t, i);
		for (int32_t i = 0;
			TN_VECTOR * i < TN_GROUP * t->layer.groups + t->layer.rest; i++)
			rescale(t, i);
		if (!t->layer.vectors)
			continue;
		t->a += 2 * t->layer.in_step;
		t->b += 2 * t->layer.in_step;
		t->out_a += 2 * t->layer.out_step;
		t->out_b += 2 * t->layer.out_step;
	}
}

#endif
