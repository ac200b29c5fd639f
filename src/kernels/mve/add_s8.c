/* Sum of two int8 tensors, as in the set "dsp" one linear function, sixteen elements at a
 * time: they are read before any of them is written. */
#include "dsp/sum_s8.h"
#include "mve.h"

#if TN_MVE

#define STEP 16

/* Four sums in q0 or q1, from byte `at` on. */
#define FOUR(sum, at)                                                                    \
	"vldrb.s32 " sum ", [%[a], #" at "]\n\t"                                         \
	"vldrb.s32 q2, [%[b], #" at "]\n\t"                                              \
	"vmul.i32 " sum ", " sum ", %[a_factor]\n\t"                                     \
	"vadd.i32 " sum ", " sum ", %[constant]\n\t"                                     \
	"vmla.u32 " sum ", q2, %[b_factor]\n\t"                                          \
	"vshr.s32 " sum ", " sum ", #22\n\t"

/* n times sixteen elements, each `step` further on than those before. Narrowed twice, bytes
 * are those of elements 0 8 4 12, 1 9 5 13 ... (VQSHRN would shift as well, but GNU as 2.40
 * writes VQRSHRN for it, which rounds.) */
static TN_ALL_REGISTERS void sixteens(const struct tn_dsp_add_params *p, const tn_s8 *a,
	const tn_s8 *b, tn_s8 *out, int32_t n, int32_t step)
{
	static const uint8_t places[16] = { 0, 8, 4, 12, 1, 9, 5, 13, 2, 10, 6, 14, 3, 11,
		7, 15 };

	/* clang-format off */
	__asm__ volatile(
		"vldrb.u8 q5, [%[places]]\n\t"
		"dls lr, %[n]\n"
		"1:\n\t"
		FOUR("q0", "0")
		FOUR("q1", "4")
		"vqmovnb.s32 q3, q0\n\t"
		"vqmovnt.s32 q3, q1\n\t"
		FOUR("q0", "8")
		FOUR("q1", "12")
		"vqmovnb.s32 q4, q0\n\t"
		"vqmovnt.s32 q4, q1\n\t"
		"add %[a], %[step]\n\t"
		"vqmovnb.s16 q3, q3\n\t"
		"add %[b], %[step]\n\t"
		"vqmovnt.s16 q3, q4\n\t"
		"vstrb.8 q3, [%[out], q5]\n\t"
		"add %[out], %[step]\n\t"
		"le lr, 1b"
		: [a] "+l"(a), [b] "+l"(b), [out] "+r"(out)
		: [n] "r"(n), [step] "r"(step), [places] "r"(places),
		  [a_factor] "r"(p->a_factor), [b_factor] "r"(p->b_factor),
		  [constant] "r"(p->constant)
		: "q0", "q1", "q2", "q3", "q4", "q5", "lr", "memory");
	/* clang-format on */
}

void tn_mve_add_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_dsp_add_params *p = params;
	const tn_s8 *a = in[0], *b = in[1];
	const int down = p->order.descending;
	const int32_t n = p->n / STEP, rest = p->n % STEP;
	tn_s8 *y = out[0];
	/* upwards the rest comes last, downwards as well, at the start of the memory */
	int32_t first = down ? p->n - STEP : 0, left = down ? 0 : p->n - rest;

	(void)scratch;
	if (n)
		sixteens(p, a + first, b + first, y + first, n, down ? -STEP : STEP);
	for (int32_t i = 0; i < rest; i++) {
		int32_t at = left + (down ? rest - 1 - i : i);

		tn_add_element_s8(p, a + at, b + at, y + at);
	}
}

#else

void tn_mve_add_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_dsp_add_params *p = params;

	(void)scratch;
	for (int32_t i = 0; i < p->n; i++) {
		int32_t at = p->order.descending ? p->n - 1 - i : i;

		tn_add_element_s8(p, (const tn_s8 *)in[0] + at, (const tn_s8 *)in[1] + at,
			(tn_s8 *)out[0] + at);
	}
}

#endif
