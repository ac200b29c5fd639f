#include "depth_s8.h"

#if TN_MVE

/* A channel: its words, and both outputs. */
#define CHANNEL(at, a, b)                                                                \
	"vldrw.u32 q0, [q4, #" at "]\n\t"                                                \
	"vldrb.u8 q1, [r3], #24\n\t"                                                     \
	"vldrb.u8 q2, [r5], #24\n\t"                                                     \
	"vmladava.s8 " a ", q0, q1\n\t"                                                  \
	"vmladava.s8 " b ", q0, q2\n\t"

#define VECTOR(c0, c1, c2, c3)                                                           \
	"ldmia.w r9, {r0, r2, r4, r6}\n\t"                                               \
	"ldmia.w r9!, {r8, r10, r12, lr}\n\t" CHANNEL(c0, "r0", "r8")                    \
		CHANNEL(c1, "r2", "r10") CHANNEL(c2, "r4", "r12") CHANNEL(c3, "r6",      \
			"lr") "stmia.w r7!, {r0, r2, r4, r6, r8, r10, r12, lr}\n\t"

__attribute__((naked, noinline)) void tn_depth_s8(
	struct tn_depth *d __attribute__((unused)))
{
	/* clang-format off */
	__asm__ volatile(
		"push {r4-r11, lr}\n\t"
		"vpush {d8-d9}\n\t"
		"mov r11, r0\n\t"
		/* q4: where the four words of channel 0 are */
		"adr.w r1, 9f\n\t"
		"vldrw.u32 q4, [r1]\n\t"
		"ldr r1, [r11, #72]\n\t"
		"vadd.i32 q4, q4, r1\n\t"
		"ldrd r7, r9, [r11, #64]\n" /* sums, stream */
		"2:\n\t"
		"mov r3, r11\n\t"
		"ldrd r1, r5, [r11, #72]\n" /* room, sets */
		"1:\n\t"
		"ldmia.w r3, {r0, r2, r4, r6}\n\t"
		"vldrb.u8 q0, [r0], #16\n\t"
		"vldrb.u8 q1, [r2], #16\n\t"
		"vldrb.u8 q2, [r4], #16\n\t"
		"vldrb.u8 q3, [r6], #16\n\t"
		"stmia.w r3!, {r0, r2, r4, r6}\n\t"
		"vst40.8 {q0, q1, q2, q3}, [r1]\n\t"
		"vst41.8 {q0, q1, q2, q3}, [r1]\n\t"
		"vst42.8 {q0, q1, q2, q3}, [r1]\n\t"
		"vst43.8 {q0, q1, q2, q3}, [r1]!\n\t"
		"subs r5, #1\n\t"
		"bne 1b\n\t"
		"ldr r5, [r11, #80]\n\t"
		"add.w r3, r9, #70\n\t"
		"add r5, r9\n\t"
		VECTOR("0", "16", "32", "48")
		VECTOR("8", "24", "40", "56")
		VECTOR("4", "20", "36", "52")
		VECTOR("12", "28", "44", "60")
		"add.w r9, r9, #384\n\t"
		"ldr r0, [r11, #84]\n\t"
		"subs r0, #1\n\t"
		"str r0, [r11, #84]\n\t"
		"bne.w 2b\n\t"
		"vpop {d8-d9}\n\t"
		"pop {r4-r11, pc}\n\t"
		".balign 4\n"
		"9:\n\t"
		".word 0, 64, 128, 192\n\t");
	/* clang-format on */
}

#else

static int32_t byte_of(const uint32_t *words, int32_t i)
{
	return (int8_t)(words[i / 4] >> 8 * (i % 4) & 0xff);
}

static void channel(const struct tn_depth *d, const uint32_t *w, int32_t vector,
	int32_t lane, int32_t group)
{
	int32_t c = tn_lane_channel(vector, lane, 1),
		record = 16 + 6 * (4 * vector + lane);
	int32_t sum[2] = { (int32_t)w[4 * vector + lane], (int32_t)w[4 * vector + lane] };
	uint32_t *out = d->sums + 32 * group + 8 * vector + lane;

	for (int32_t i = 0; i < 4 * d->sets; i++) {
		int32_t x = tn_load_s8(d->plane[i], c);

		sum[0] = tn_wrap_add(sum[0], x * byte_of(w + record, 6 + i));
		sum[1] = tn_wrap_add(sum[1], x * byte_of(w + record, d->second - 64 + i));
	}
	out[0] = (uint32_t)sum[0];
	out[4] = (uint32_t)sum[1];
}

void tn_depth_s8(struct tn_depth *d)
{
	const uint32_t *w = d->stream;

	for (int32_t group = 0; d->groups > 0; d->groups--, group++, w += 112) {
		for (int32_t i = 0; i < 16; i++)
			channel(d, w, i / 4, i % 4, group);
		for (int32_t i = 0; i < 4 * d->sets; i++)
			d->plane[i] += 16;
	}
}

#endif
