#include "expand_s8.h"

#if TN_DSP

__attribute__((naked, noinline)) uint32_t *tn_expand_s8(uint32_t *strip
	__attribute__((unused)),
	const tn_s8 *a __attribute__((unused)), const tn_s8 *b __attribute__((unused)),
	const tn_s8 *c __attribute__((unused)), int32_t blocks __attribute__((unused)))
{
	/* clang-format off */
	__asm__ volatile(
		"ldr r12, [sp]\n\t"
		"push {r4-r10, lr}\n\t"
		"tst.w r12, #1\n\t"
		"itt ne\n\t"
		"addne.w r12, r12, #1\n\t"
		"bne 2f\n"
		"1:\n\t"
		"ldr r4, [r1], #4\n\t"
		"ldr r5, [r2], #4\n\t"
		"ldr r6, [r3], #4\n\t"
		"sxtb16 r7, r4, ror #8\n\t"
		"sxtb16 r8, r5, ror #8\n\t"
		"sxtb16 r9, r6, ror #8\n\t"
		"sxtb16 r4, r4\n\t"
		"sxtb16 r5, r5\n\t"
		"sxtb16 r6, r6\n\t"
		"stmia.w r0!, {r4-r9}\n"
		"2:\n\t"
		"ldr r4, [r1], #4\n\t"
		"ldr r5, [r2], #4\n\t"
		"ldr r6, [r3], #4\n\t"
		"sxtb16 r7, r4, ror #8\n\t"
		"sxtb16 r8, r5, ror #8\n\t"
		"sxtb16 r9, r6, ror #8\n\t"
		"sxtb16 r4, r4\n\t"
		"sxtb16 r5, r5\n\t"
		"sxtb16 r6, r6\n\t"
		"stmia.w r0!, {r4-r9}\n\t"
		"subs.w r12, r12, #2\n\t"
		"bne 1b\n\t"
		"pop {r4-r10, pc}\n\t");
	/* clang-format on */
}

__attribute__((naked, noinline)) uint32_t *tn_expand_two_s8(
	uint32_t *strip __attribute__((unused)), const tn_s8 *a __attribute__((unused)),
	const tn_s8 *b __attribute__((unused)), int32_t blocks __attribute__((unused)))
{
	/* clang-format off */
	__asm__ volatile(
		"push {r4-r7}\n"
		"1:\n\t"
		"ldr r4, [r1], #4\n\t"
		"ldr r5, [r2], #4\n\t"
		"sxtb16 r6, r4, ror #8\n\t"
		"sxtb16 r7, r5, ror #8\n\t"
		"sxtb16 r4, r4\n\t"
		"sxtb16 r5, r5\n\t"
		"stmia r0!, {r4-r7}\n\t"
		"subs r3, #1\n\t"
		"bne 1b\n\t"
		"pop {r4-r7}\n\t"
		"bx lr\n\t");
	/* clang-format on */
}

#else

uint32_t *tn_expand_two_s8(
	uint32_t *strip, const tn_s8 *a, const tn_s8 *b, int32_t blocks)
{
	for (int32_t i = 0; i < 4 * blocks; i += 4, strip += TN_BLOCK_WORDS_TWO)
		tn_expand_block_two(strip, tn_load_word(a + i), tn_load_word(b + i));
	return strip;
}

uint32_t *tn_expand_s8(
	uint32_t *strip, const tn_s8 *a, const tn_s8 *b, const tn_s8 *c, int32_t blocks)
{
	for (int32_t i = 0; i < 4 * blocks; i += 4, strip += TN_BLOCK_WORDS)
		tn_expand_block(strip, tn_load_word(a + i), tn_load_word(b + i),
			tn_load_word(c + i));
	return strip;
}

#endif
