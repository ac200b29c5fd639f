/* The DSP instructions of Armv7E-M and Armv8-M as functions; where they do not exist, the
 * same arithmetic in portable C, so that kernels run and are tested everywhere.
 *
 * A word holds two halfwords (signed 16 bits) or four bytes, the first one lowest. */
#ifndef TENURE_KERNELS_DSP_SIMD_H
#define TENURE_KERNELS_DSP_SIMD_H

#include "ref/access.h"

#if defined(__ARM_FEATURE_DSP) && defined(__ARM_ARCH_PROFILE) && !defined(TN_RECORD)
#if __ARM_ARCH_PROFILE == 'M'
#define TN_DSP 1
#endif
#endif
#ifndef TN_DSP
#define TN_DSP 0
#endif

/* Armv7-M and later saturate, too. */
#if defined(__ARM_ARCH_ISA_THUMB) && !defined(TN_RECORD)
#define TN_SSAT (__ARM_ARCH_ISA_THUMB >= 2)
#else
#define TN_SSAT 0
#endif

/* Words at any address. A packed member keeps the compiler from joining two of them into
 * one load that must be aligned. */
struct __attribute__((packed, may_alias)) tn_unaligned {
	uint32_t word;
};

static inline uint32_t tn_load_word(const tn_s8 *p)
{
	TN_LOADS(p, 4);
	return ((const struct tn_unaligned *)(const void *)p)->word;
}

/* Of a constant. */
static inline uint32_t tn_const_word(const int8_t *p)
{
	return ((const struct tn_unaligned *)(const void *)p)->word;
}

static inline void tn_store_word(tn_s8 *p, uint32_t word)
{
	TN_STORES(p, 4);
	((struct tn_unaligned *)(void *)p)->word = word;
}

typedef uint32_t __attribute__((may_alias)) tn_u32;

static inline int32_t tn_low(uint32_t x)
{
	return (int16_t)(x & 0xffff);
}

static inline int32_t tn_high(uint32_t x)
{
	return (int16_t)(x >> 16);
}

/* Bytes 0 and 2 as halfwords. */
static inline uint32_t tn_sxtb16(uint32_t x)
{
#if TN_DSP
	uint32_t r;

	__asm__("sxtb16 %0, %1" : "=r"(r) : "r"(x));
	return r;
#else
	return (uint32_t)(int32_t)(int8_t)(x & 0xff) << 16 >> 16 |
	       (uint32_t)(int32_t)(int8_t)(x >> 16 & 0xff) << 16;
#endif
}

/* Bytes 1 and 3 as halfwords. */
static inline uint32_t tn_sxtb16_odd(uint32_t x)
{
#if TN_DSP
	uint32_t r;

	__asm__("sxtb16 %0, %1, ror #8" : "=r"(r) : "r"(x));
	return r;
#else
	return tn_sxtb16(x >> 8);
#endif
}

/* Bytes 0 and 2, and 1 and 3, added to halfwords. */
static inline uint32_t tn_sxtab16(uint32_t to, uint32_t x)
{
#if TN_DSP
	uint32_t r;

	__asm__("sxtab16 %0, %1, %2" : "=r"(r) : "r"(to), "r"(x));
	return r;
#else
	x = tn_sxtb16(x);
	return ((to + x) & 0xffff) | ((to & 0xffff0000u) + (x & 0xffff0000u));
#endif
}

static inline uint32_t tn_sxtab16_odd(uint32_t to, uint32_t x)
{
#if TN_DSP
	uint32_t r;

	__asm__("sxtab16 %0, %1, %2, ror #8" : "=r"(r) : "r"(to), "r"(x));
	return r;
#else
	return tn_sxtab16(to, x >> 8);
#endif
}

/* Halfwords, doubled. */
static inline uint32_t tn_double16(uint32_t x)
{
#if TN_DSP
	uint32_t r;

	__asm__("sadd16 %0, %1, %1" : "=r"(r) : "r"(x));
	return r;
#else
	return ((x + x) & 0xffff) | ((x & 0xffff0000u) << 1);
#endif
}

/* The low halfwords of both. */
static inline uint32_t tn_pack_low(uint32_t low, uint32_t high)
{
#if TN_DSP
	uint32_t r;

	__asm__("pkhbt %0, %1, %2, lsl #16" : "=r"(r) : "r"(low), "r"(high));
	return r;
#else
	return (low & 0xffff) | high << 16;
#endif
}

/* The high halfwords of both. */
static inline uint32_t tn_pack_high(uint32_t low, uint32_t high)
{
#if TN_DSP
	uint32_t r;

	__asm__("pkhtb %0, %1, %2, asr #16" : "=r"(r) : "r"(high), "r"(low));
	return r;
#else
	return low >> 16 | (high & 0xffff0000u);
#endif
}

/* Both products of halfwords, added; wraps. */
static inline int32_t tn_smlad(uint32_t a, uint32_t b, int32_t sum)
{
#if TN_DSP
	int32_t r;

	__asm__("smlad %0, %1, %2, %3" : "=r"(r) : "r"(a), "r"(b), "r"(sum));
	return r;
#else
	uint32_t low = (uint32_t)(tn_low(a) * tn_low(b));
	uint32_t high = (uint32_t)(tn_high(a) * tn_high(b));

	return (int32_t)((uint32_t)sum + low + high);
#endif
}

/* The product of the low halfwords, and of the high ones, added; wraps. */
static inline int32_t tn_smlabb(uint32_t a, uint32_t b, int32_t sum)
{
#if TN_DSP
	int32_t r;

	__asm__("smlabb %0, %1, %2, %3" : "=r"(r) : "r"(a), "r"(b), "r"(sum));
	return r;
#else
	return (int32_t)((uint32_t)sum + (uint32_t)(tn_low(a) * tn_low(b)));
#endif
}

static inline int32_t tn_smlatt(uint32_t a, uint32_t b, int32_t sum)
{
#if TN_DSP
	int32_t r;

	__asm__("smlatt %0, %1, %2, %3" : "=r"(r) : "r"(a), "r"(b), "r"(sum));
	return r;
#else
	return (int32_t)((uint32_t)sum + (uint32_t)(tn_high(a) * tn_high(b)));
#endif
}

/* The high word of a product, plus c; wraps. */
static inline int32_t tn_smmla(int32_t a, int32_t b, int32_t c)
{
#if TN_DSP
	int32_t r;

	__asm__("smmla %0, %1, %2, %3" : "=r"(r) : "r"(a), "r"(b), "r"(c));
	return r;
#else
	return (int32_t)((uint32_t)((int64_t)a * b >> 32) + (uint32_t)c);
#endif
}

/* The high word of a product, rounded half up. */
static inline int32_t tn_smmulr(int32_t a, int32_t b)
{
#if TN_DSP
	int32_t r;

	__asm__("smmulr %0, %1, %2" : "=r"(r) : "r"(a), "r"(b));
	return r;
#else
	const int64_t product = (int64_t)a * b;

	return (int32_t)((uint32_t)(product >> 32) + ((uint32_t)product >> 31));
#endif
}

static inline int32_t tn_saturate_s8(int32_t x)
{
#if TN_SSAT
	int32_t r;

	__asm__("ssat %0, #8, %1" : "=r"(r) : "r"(x));
	return r;
#else
	return x < INT8_MIN ? INT8_MIN : x > INT8_MAX ? INT8_MAX : x;
#endif
}

static inline uint32_t tn_four_bytes(int32_t x)
{
	return (uint32_t)(x & 0xff) * 0x01010101u;
}

/* The greater byte of each two. */
static inline uint32_t tn_greater_bytes(uint32_t a, uint32_t b)
{
	uint32_t r = 0;

#if TN_DSP
	__asm__("ssub8 %0, %1, %2\n\tsel %0, %1, %2" : "=&r"(r) : "r"(a), "r"(b));
#else
	for (int i = 0; i < 32; i += 8) {
		int8_t x = (int8_t)(a >> i & 0xff), y = (int8_t)(b >> i & 0xff);

		r |= (uint32_t)(uint8_t)(x > y ? x : y) << i;
	}
#endif
	return r;
}

/* The smaller one. */
static inline uint32_t tn_smaller_bytes(uint32_t a, uint32_t b)
{
#if TN_DSP
	uint32_t r;

	__asm__("ssub8 %0, %1, %2\n\tsel %0, %2, %1" : "=&r"(r) : "r"(a), "r"(b));
	return r;
#else
	/* what is left of all bits of both */
	return a ^ b ^ tn_greater_bytes(a, b);
#endif
}

#endif
