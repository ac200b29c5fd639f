/* Product of two int8 tensors for processors with MVE, eight elements at a time: they are read
 * before any of them is written. */
#include "dsp/product_s8.h"
#include "mve.h"

#define STEP 8

#if TN_MVE

/* Eight elements, or those that VCTP has set (`pair` and `one` predicate, `t`), then on to the
 * next ones, `by` further. One is taken off negative numbers before the shift, so that their
 * ties move away from zero. */
#define PRODUCTS(pair, one, t, by)                                                       \
	pair "vldrb" t ".s16 q0, [%[a]], #" by "\n\t"                                    \
	     "vldrb" t ".s16 q1, [%[b]], #" by "\n\t"                                    \
	     "vadd.i16 q0, q0, %[a_offset]\n\t"                                          \
	     "vadd.i16 q1, q1, %[b_offset]\n\t"                                          \
	     "vmullb.s16 q2, q0, q1\n\t"                                                 \
	     "vmullt.s16 q0, q0, q1\n\t"                                                 \
	     "vqrdmulh.s32 q2, q2, %[multiplier]\n\t"                                    \
	     "vqrdmulh.s32 q0, q0, %[multiplier]\n\t"                                    \
	     "vshr.s32 q1, q2, #31\n\t"                                                  \
	     "vadd.i32 q2, q2, q1\n\t"                                                   \
	     "vshr.s32 q1, q0, #31\n\t"                                                  \
	     "vadd.i32 q0, q0, q1\n\t"                                                   \
	     "vrshl.s32 q2, %[shift]\n\t"                                                \
	     "vrshl.s32 q0, %[shift]\n\t"                                                \
	     "vqmovnb.s32 q1, q2\n\t"                                                    \
	     "vqmovnt.s32 q1, q0\n\t"                                                    \
	     "vqadd.s16 q1, q1, %[offset]\n\t"                                           \
	     "vqmovnb.s16 q1, q1\n\t" one "vstrb" t ".16 q1, [%[out]], #" by "\n\t"

#define RUN(code)                                                                        \
	__asm__ volatile(                                                                \
		code                                                                     \
		: [a] "+l"(a), [b] "+l"(b), [out] "+l"(out)                              \
		: [n] "r"(n), [a_offset] "r"(p->a_offset), [b_offset] "r"(p->b_offset),  \
		[multiplier] "r"(p->out_multiplier), [shift] "r"(p->out_shift),          \
		[offset] "r"(p->out_offset)                                              \
		: "q0", "q1", "q2", "lr", "memory")

/* n times eight elements. */
static __attribute__((noinline)) TN_ALL_REGISTERS void up(const struct tn_mul_params *p,
	const tn_s8 *a, const tn_s8 *b, tn_s8 *out, int32_t n)
{
	RUN("dls lr, %[n]\n"
	    "1:\n\t" PRODUCTS("", "", "", "8") "le lr, 1b");
}

static __attribute__((noinline)) TN_ALL_REGISTERS void down(const struct tn_mul_params *p,
	const tn_s8 *a, const tn_s8 *b, tn_s8 *out, int32_t n)
{
	RUN("dls lr, %[n]\n"
	    "1:\n\t" PRODUCTS("", "", "", "-8") "le lr, 1b");
}

/* n elements, less than eight. */
static __attribute__((noinline)) TN_ALL_REGISTERS void some(const struct tn_mul_params *p,
	const tn_s8 *a, const tn_s8 *b, tn_s8 *out, int32_t n)
{
	RUN("vctp.16 %[n]\n\t" PRODUCTS("vpstt\n\t", "vpst\n\t", "t", "8"));
}

static void products(const struct tn_mul_params *p, const tn_s8 *a, const tn_s8 *b,
	tn_s8 *out, int32_t n)
{
	const int32_t rest = n % STEP, whole = n - rest, last = n - STEP;

	if (whole && p->order.descending)
		down(p, a + last, b + last, out + last, n / STEP);
	else if (whole)
		up(p, a, b, out, n / STEP);
	if (rest && p->order.descending)
		some(p, a, b, out, rest);
	else if (rest)
		some(p, a + whole, b + whole, out + whole, rest);
}

static void mul_row(
	const void *params, const void *const *in, void *out, const struct tn_row *row)
{
	const struct tn_mul_params *m = params;
	const tn_s8 *a = (const tn_s8 *)in[0] + row->a,
		    *b = (const tn_s8 *)in[1] + row->b;
	tn_s8 *y = (tn_s8 *)out + row->out;

	if (!row->step_a || !row->step_b) {
		const struct tn_product p = tn_product_of(m);

		tn_product_elements(&p, a, row->step_a, b, row->step_b, y, row->n,
			m->order.descending);
	} else {
		products(m, a, b, y, row->n);
	}
}

#else

static void mul_row(
	const void *params, const void *const *in, void *out, const struct tn_row *row)
{
	const struct tn_mul_params *m = params;
	const struct tn_product p = tn_product_of(m);

	tn_product_elements(&p, (const tn_s8 *)in[0] + row->a, row->step_a,
		(const tn_s8 *)in[1] + row->b, row->step_b, (tn_s8 *)out + row->out,
		row->n, m->order.descending);
}

#endif

void tn_mve_mul_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_mul_params *p = params;

	(void)scratch;
	tn_rows(&p->shape, p->order, mul_row, p, in, out[0]);
}
