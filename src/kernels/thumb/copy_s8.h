/* Copies of bytes between scratch and operands that may share memory with others, by words
 * where these may have any address. */
#ifndef TENURE_KERNELS_THUMB_COPY_S8_H
#define TENURE_KERNELS_THUMB_COPY_S8_H

#include "rescale.h"

#if TN_THUMB2

/* Copies whole sixteens and fours and moves both pointers on; what is left. */
static inline int32_t tn_copy_words(int8_t **to, const int8_t **from, int32_t n)
{
	for (; n >= 16; n -= 16)
		__asm__ volatile("ldr r12, [%1], #4\n\t"
				 "ldr lr, [%1], #4\n\t"
				 "str r12, [%0], #4\n\t"
				 "str lr, [%0], #4\n\t"
				 "ldr r12, [%1], #4\n\t"
				 "ldr lr, [%1], #4\n\t"
				 "str r12, [%0], #4\n\t"
				 "str lr, [%0], #4"
				 : "+r"(*to), "+r"(*from)
				 :
				 : "r12", "lr", "memory");
	for (; n >= 4; n -= 4)
		__asm__ volatile("ldr r12, [%1], #4\n\t"
				 "str r12, [%0], #4"
				 : "+r"(*to), "+r"(*from)
				 :
				 : "r12", "memory");
	return n;
}

#else

static inline int32_t tn_copy_words(int8_t **to, const int8_t **from, int32_t n)
{
	(void)to;
	(void)from;
	return n;
}

#endif

static inline void tn_copy_in(int8_t *to, const tn_s8 *from, int32_t n)
{
	n = tn_copy_words(&to, &from, n);
	for (int32_t i = 0; i < n; i++)
		to[i] = (int8_t)tn_load_s8(from, i);
}

static inline void tn_copy_out(tn_s8 *to, const int8_t *from, int32_t n)
{
	n = tn_copy_words(&to, &from, n);
	for (int32_t i = 0; i < n; i++)
		tn_store_s8(to, i, from[i]);
}

#endif
