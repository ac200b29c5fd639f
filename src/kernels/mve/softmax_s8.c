/* Softmax of int8 over the last dimension for processors with MVE: exponentials are gathered
 * from their table, four at a time. A row is read twice; then its elements are read again and
 * written, four at a time, in the order of the contract. */
#include "mve.h"
#include "ref/softmax_row.h"

#if TN_MVE

#define STEP 4

typedef int32_t words __attribute__((vector_size(16)));

static inline words all(int32_t x)
{
	words v;

	__asm__("vdup.32 %q0, %1" : "=w"(v) : "r"(x));
	return v;
}

static inline int32_t greatest(const tn_s8 *x, int32_t n)
{
	int32_t max = INT8_MIN;

	__asm__ volatile("dlstp.8 lr, %[n]\n"
			 "1:\n\t"
			 "vldrb.u8 q0, [%[x]], #16\n\t"
			 "vmaxv.s8 %[max], q0\n\t"
			 "letp lr, 1b"
			 : [x] "+r"(x), [max] "+r"(max)
			 : [n] "r"(n)
			 : "q0", "lr", "cc", "memory");
	return (int8_t)max;
}

/* With 12 integer bits; there are at most 4,095 terms. */
static inline int32_t sum_of(
	const tn_s8 *x, int32_t n, const int32_t *exp_table, int32_t max)
{
	register int32_t sum __asm__("r4") = 0; /* even */

	__asm__ volatile("dlstp.32 lr, %[n]\n"
			 "1:\n\t"
			 "vldrb.s32 q0, [%[x]], #4\n\t"
			 "vsub.i32 q0, %q[max], q0\n\t"
			 "vldrw.u32 q1, [%[table], q0, uxtw #2]\n\t"
			 "vrshr.s32 q1, q1, #12\n\t"
			 "vaddva.s32 %[sum], q1\n\t"
			 "letp lr, 1b"
			 : [x] "+l"(x), [sum] "+r"(sum)
			 : [n] "r"(n), [table] "r"(exp_table), [max] "w"(all(max))
			 : "q0", "q1", "lr", "cc", "memory");
	return sum;
}

/* n elements, upwards or, a multiple of four, downwards. Differences have 8 bits: more only
 * where something else has written there. */
#define FOURS(by)                                                                        \
	__asm__ volatile("dlstp.32 lr, %[n]\n"                                           \
			 "1:\n\t"                                                        \
			 "vldrb.s32 q0, [%[x]], #" by "\n\t"                             \
			 "vsub.i32 q0, %q[max], q0\n\t"                                  \
			 "vmovlb.u8 q0, q0\n\t"                                          \
			 "vmovlb.u16 q0, q0\n\t"                                         \
			 "vldrw.u32 q1, [%[table], q0, uxtw #2]\n\t"                     \
			 "vqrdmulh.s32 q1, q1, %[scale]\n\t"                             \
			 "vrshl.s32 q1, %[shift]\n\t"                                    \
			 "vadd.i32 q1, q1, %[least]\n\t"                                 \
			 "vqmovnb.s32 q1, q1\n\t"                                        \
			 "vqmovnb.s16 q1, q1\n\t"                                        \
			 "vstrb.32 q1, [%[y]], #" by "\n\t"                              \
			 "letp lr, 1b"                                                   \
			 : [x] "+l"(x), [y] "+l"(y)                                      \
			 : [n] "r"(n), [table] "r"(exp_table), [max] "w"(all(row->max)), \
			 [scale] "r"(row->scale), [shift] "r"(8 - 31 - row->shift),      \
			 [least] "r"(INT8_MIN)                                           \
			 : "q0", "q1", "lr", "cc", "memory")

static inline void up(const struct tn_softmax_row *row, const int32_t *exp_table,
	const tn_s8 *x, tn_s8 *y, int32_t n)
{
	if (n)
		FOURS("4");
}

static inline void down(const struct tn_softmax_row *row, const int32_t *exp_table,
	const tn_s8 *x, tn_s8 *y, int32_t n)
{
	const int32_t rest = n % STEP;
	const tn_s8 *start = x;
	tn_s8 *first = y;

	if (n >= STEP) {
		x += n - STEP;
		y += n - STEP;
		n -= rest;
		FOURS("-4");
	}
	up(row, exp_table, start, first, rest);
}

static inline struct tn_softmax_row row_of(
	const tn_s8 *x, int32_t n, const int32_t *exp_table)
{
	struct tn_softmax_row row = { greatest(x, n), 0, 0 };

	tn_softmax_row_set(&row, sum_of(x, n, exp_table, row.max));
	return row;
}

#else

static void one(const struct tn_softmax_row *row, const int32_t *exp_table,
	const tn_s8 *x, tn_s8 *y, int32_t i)
{
	const tn_u8 below = (tn_u8)(row->max - tn_load_s8(x, i));
	const int32_t value = tn_softmax_value(row, exp_table[below], 8) + INT8_MIN;

	tn_store_s8(y, i, tn_clamp_s32(value, INT8_MIN, INT8_MAX));
}

static void up(const struct tn_softmax_row *row, const int32_t *exp_table, const tn_s8 *x,
	tn_s8 *y, int32_t n)
{
	for (int32_t i = 0; i < n; i++)
		one(row, exp_table, x, y, i);
}

static void down(const struct tn_softmax_row *row, const int32_t *exp_table,
	const tn_s8 *x, tn_s8 *y, int32_t n)
{
	while (n-- > 0)
		one(row, exp_table, x, y, n);
}

static struct tn_softmax_row row_of(const tn_s8 *x, int32_t n, const int32_t *exp_table)
{
	return tn_softmax_row_of(x, n, exp_table);
}

#endif

void tn_mve_softmax_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_softmax_s8_params *p = params;

	(void)scratch;
	for (int32_t r = 0; r < p->rows; r++) {
		const int32_t start = tn_step_index(p->order, r, p->rows) * p->n;
		const tn_s8 *x = (const tn_s8 *)in[0] + start;
		tn_s8 *y = (tn_s8 *)out[0] + start;
		const struct tn_softmax_row row = row_of(x, p->n, p->exp_table);

		if (p->order.descending)
			down(&row, p->exp_table, x, y, p->n);
		else
			up(&row, p->exp_table, x, y, p->n);
	}
}
