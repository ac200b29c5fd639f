/* Any function of one int8 element for processors with MVE: a table whose bytes are gathered,
 * sixteen at a time. They are read before any of them is written. */
#include "mve.h"
#include "tenure/kernels.h"

#define STEP 16

#if TN_MVE

/* n elements, upwards or, a multiple of sixteen, downwards. */
#define SIXTEENS(by)                                                                     \
	__asm__ volatile("vmov.i8 q1, #128\n\t"                                          \
			 "dlstp.8 lr, %[n]\n"                                            \
			 "1:\n\t"                                                        \
			 "vldrb.u8 q0, [%[x]], #" by "\n\t"                              \
			 "veor q0, q0, q1\n\t"                                           \
			 "vldrb.u8 q2, [%[table], q0]\n\t"                               \
			 "vstrb.8 q2, [%[y]], #" by "\n\t"                               \
			 "letp lr, 1b"                                                   \
			 : [x] "+r"(x), [y] "+r"(y)                                      \
			 : [n] "r"(n), [table] "r"(table)                                \
			 : "q0", "q1", "q2", "lr", "cc", "memory")

static inline void up(const int8_t *table, const tn_s8 *x, tn_s8 *y, int32_t n)
{
	if (n)
		SIXTEENS("16");
}

static inline void down(const int8_t *table, const tn_s8 *x, tn_s8 *y, int32_t n)
{
	const int32_t rest = n % STEP;
	const tn_s8 *start = x;
	tn_s8 *first = y;

	if (n >= STEP) {
		x += n - STEP;
		y += n - STEP;
		n -= rest;
		SIXTEENS("-16");
	}
	up(table, start, first, rest);
}

#else

static void up(const int8_t *table, const tn_s8 *x, tn_s8 *y, int32_t n)
{
	for (int32_t i = 0; i < n; i++)
		tn_store_s8(y, i, table[tn_load_s8(x, i) + 128]);
}

static void down(const int8_t *table, const tn_s8 *x, tn_s8 *y, int32_t n)
{
	while (n-- > 0)
		tn_store_s8(y, n, table[tn_load_s8(x, n) + 128]);
}

#endif

void tn_mve_lut_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_lut_params *p = params;

	(void)scratch;
	if (p->order.descending)
		down(p->table, in[0], out[0], p->n);
	else
		up(p->table, in[0], out[0], p->n);
}
