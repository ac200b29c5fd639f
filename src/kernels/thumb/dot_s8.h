/* Inner products of int8 for processors that multiply and add one pair of numbers at a time:
 * two rows of weights against two windows, or four or two against one, share their loads. */
#ifndef TENURE_KERNELS_THUMB_DOT_S8_H
#define TENURE_KERNELS_THUMB_DOT_S8_H

#include "rescale.h"

/* Operands that move on: x, and four pointers of which two or four are rows of weights. */
struct tn_dot {
	const int8_t *x, *w[4];
	int32_t sum[4];
};

#if TN_THUMB2

/* clang-format off */
#define TN_LOAD(to, from, close, at, end)					\
	"ldrsb " to ", [%[" from "]" close "#" at end "\n\t"
#define TN_MLA(sum, x, w) "mla %[" sum "], " x ", " w ", %[" sum "]\n\t"

/* w1 is the second window. */
#define TN_STEP_2X2(close, at, end)						\
	TN_LOAD("r12", "x", close, at, end)					\
	TN_LOAD("r10", "w0", close, at, end)					\
	TN_LOAD("lr", "w1", close, at, end)					\
	TN_MLA("s0", "r12", "r10")						\
	TN_MLA("s1", "lr", "r10")						\
	TN_LOAD("r10", "w2", close, at, end)					\
	TN_MLA("s2", "r12", "r10")						\
	TN_MLA("s3", "lr", "r10")

#define TN_STEP_4X1(close, at, end)						\
	TN_LOAD("r12", "x", close, at, end)					\
	TN_LOAD("r10", "w0", close, at, end)					\
	TN_MLA("s0", "r12", "r10")						\
	TN_LOAD("r10", "w1", close, at, end)					\
	TN_MLA("s1", "r12", "r10")						\
	TN_LOAD("r10", "w2", close, at, end)					\
	TN_MLA("s2", "r12", "r10")						\
	TN_LOAD("r10", "w3", close, at, end)					\
	TN_MLA("s3", "r12", "r10")

#define TN_STEP_2X1(close, at, end)						\
	TN_LOAD("r12", "x", close, at, end)					\
	TN_LOAD("r10", "w0", close, at, end)					\
	TN_MLA("s0", "r12", "r10")						\
	TN_LOAD("r10", "w1", close, at, end)					\
	TN_MLA("s1", "r12", "r10")

/* Eight steps at a time; the last one, of element 0, moves the pointers. */
#define TN_EIGHTS(d, n, step, ...)						\
	__asm__("1:\n\t"							\
		step(", ", "1", "]") step(", ", "2", "]") step(", ", "3", "]")	\
		step(", ", "4", "]") step(", ", "5", "]") step(", ", "6", "]")	\
		step(", ", "7", "]") step("], ", "8", "")			\
		"cmp %[w0], %[end]\n\t"						\
		"bne 1b"							\
		: [s0] "+r"((d)->sum[0]), [s1] "+r"((d)->sum[1]),		\
		  [s2] "+r"((d)->sum[2]), [s3] "+r"((d)->sum[3]),		\
		  [x] "+r"((d)->x), [w0] "+r"((d)->w[0]), [w1] "+r"((d)->w[1]),	\
		  [w2] "+r"((d)->w[2]), [w3] "+r"((d)->w[3])			\
		: [end] "r"((d)->w[0] + ((n) & ~7))				\
		: __VA_ARGS__, "cc", "memory")
/* clang-format on */

#endif

/* Windows x and w[1] with the rows w[0] and w[2]: sum[0] is x and w[0], sum[1] w[1] and w[0],
 * sum[2] x and w[2], sum[3] w[1] and w[2]. */
static inline void tn_dot_2x2(struct tn_dot *d, int32_t n)
{
#if TN_THUMB2
	if (n >= 8)
		TN_EIGHTS(d, n, TN_STEP_2X2, "r10", "r12", "lr");
	n &= 7;
#endif
	for (; n > 0; n--) {
		int32_t x = *d->x++, y = *d->w[1]++, u = *d->w[0]++, v = *d->w[2]++;

		d->sum[0] = tn_wrap_add(d->sum[0], x * u);
		d->sum[1] = tn_wrap_add(d->sum[1], y * u);
		d->sum[2] = tn_wrap_add(d->sum[2], x * v);
		d->sum[3] = tn_wrap_add(d->sum[3], y * v);
	}
}

/* What is left of window x with the first rows. */
static inline void tn_dot_rest(struct tn_dot *d, int32_t n, const int rows)
{
	for (; n > 0; n--) {
		int32_t x = tn_load_s8(d->x++, 0);

		for (int i = 0; i < rows; i++)
			d->sum[i] = tn_wrap_add(d->sum[i], x * *d->w[i]++);
	}
}

/* Window x with each row. */
static inline void tn_dot_4x1(struct tn_dot *d, int32_t n)
{
#if TN_THUMB2
	if (n >= 8)
		TN_EIGHTS(d, n, TN_STEP_4X1, "r10", "r12");
	n &= 7;
#endif
	tn_dot_rest(d, n, 4);
}

/* Window x with the rows w[0] and w[1]. */
static inline void tn_dot_2x1(struct tn_dot *d, int32_t n)
{
#if TN_THUMB2
	if (n >= 8)
		TN_EIGHTS(d, n, TN_STEP_2X1, "r10", "r12");
	n &= 7;
#endif
	tn_dot_rest(d, n, 2);
}

#endif
