/* A table of int8 that only cuts off at both ends, for processors with MVE, sixteen elements at
 * a time: they are read before any of them is written. */
#include "mve.h"
#include "tenure/kernels.h"

#define STEP 16

#if TN_MVE

typedef int8_t vector __attribute__((vector_size(16)));

struct bounds {
	vector low, top;
};

static inline vector all(int32_t x)
{
	vector v;

	__asm__("vdup.8 %q0, %1" : "=w"(v) : "r"(x));
	return v;
}

/* n elements, upwards or, a multiple of sixteen, downwards. */
#define SIXTEENS(by)                                                                     \
	__asm__ volatile("dlstp.8 lr, %[n]\n"                                            \
			 "1:\n\t"                                                        \
			 "vldrb.u8 q0, [%[x]], #" by "\n\t"                              \
			 "vmax.s8 q0, q0, %q[low]\n\t"                                   \
			 "vmin.s8 q0, q0, %q[top]\n\t"                                   \
			 "vstrb.8 q0, [%[y]], #" by "\n\t"                               \
			 "letp lr, 1b"                                                   \
			 : [x] "+r"(x), [y] "+r"(y)                                      \
			 : [n] "r"(n), [low] "w"(b.low), [top] "w"(b.top)                \
			 : "q0", "lr", "cc", "memory")

/* n times sixty-four elements that have no upper bound. */
#define FOUR_BELOW(by)                                                                   \
	"vldrb.u8 q0, [%[x]], #" by "\n\t"                                               \
	"vmax.s8 q0, q0, %q[low]\n\t"                                                    \
	"vstrb.8 q0, [%[y]], #" by "\n\t"

#define BELOW(by)                                                                        \
	__asm__ volatile("dls lr, %[n]\n"                                                \
			 "1:\n\t" FOUR_BELOW(by) FOUR_BELOW(by) FOUR_BELOW(by)           \
				 FOUR_BELOW(by) "le lr, 1b"                              \
			 : [x] "+r"(x), [y] "+r"(y)                                      \
			 : [n] "r"(n / (4 * STEP)), [low] "w"(b.low)                     \
			 : "q0", "lr", "cc", "memory")

static inline void up(struct bounds b, int below, const tn_s8 *x, tn_s8 *y, int32_t n)
{
	if (below && n >= 4 * STEP) {
		BELOW("16");
		n %= 4 * STEP;
	}
	if (n)
		SIXTEENS("16");
}

static inline void down(struct bounds b, int below, const tn_s8 *x, tn_s8 *y, int32_t n)
{
	const int32_t rest = n % STEP;
	const tn_s8 *start = x;
	tn_s8 *first = y;

	x += n - STEP;
	y += n - STEP;
	n -= rest;
	if (below && n >= 4 * STEP) {
		BELOW("-16");
		n %= 4 * STEP;
	}
	if (n)
		SIXTEENS("-16");
	up(b, 0, start, first, rest);
}

void tn_mve_clamp_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_lut_params *p = params;
	const struct bounds b = { all(p->table[0]), all(p->table[255]) };
	const int below = p->table[255] == INT8_MAX;

	(void)scratch;
	if (p->order.descending)
		down(b, below, in[0], out[0], p->n);
	else
		up(b, below, in[0], out[0], p->n);
}

#else

void tn_mve_clamp_s8(
	const void *params, const void *const *in, void *const *out, void *scratch)
{
	const struct tn_lut_params *p = params;

	(void)scratch;
	for (int32_t i = 0; i < p->n; i++) {
		const int32_t at = p->order.descending ? p->n - 1 - i : i;

		tn_store_s8(
			out[0], at, p->table[tn_load_s8((const tn_s8 *)in[0], at) + 128]);
	}
}

#endif
