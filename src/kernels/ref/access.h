/* Loads and stores for operands that may overlap. The wide types may alias anything, so
 * that the compiler assumes nothing about two pointers of different types.
 *
 * A kernel touches operands that may share memory through tn_load_* and tn_store_* only,
 * one call for each element and in the order that its contract declares. Built with
 * TN_RECORD, each call is also reported, and a test compares the order. Constants and
 * scratch share memory with nothing and may be read directly. */
#ifndef TENURE_KERNELS_ACCESS_H
#define TENURE_KERNELS_ACCESS_H

#include <stdint.h>

typedef float __attribute__((may_alias)) tn_f32;
typedef int16_t __attribute__((may_alias)) tn_s16;
typedef uint16_t __attribute__((may_alias)) tn_u16;
typedef int32_t __attribute__((may_alias)) tn_s32;
typedef int64_t __attribute__((may_alias)) tn_s64;
typedef int8_t tn_s8; /* character types alias anything already */
typedef uint8_t tn_u8;

#ifdef TN_RECORD
void tn_record_load(const void *at, uint32_t bytes);
void tn_record_store(const void *at, uint32_t bytes);
#define TN_LOADS(at, bytes)  tn_record_load((at), (bytes))
#define TN_STORES(at, bytes) tn_record_store((at), (bytes))
#else
#define TN_LOADS(at, bytes)  ((void)0)
#define TN_STORES(at, bytes) ((void)0)
#endif

static inline int32_t tn_load_s8(const tn_s8 *p, int32_t i)
{
	TN_LOADS(p + i, 1);
	return p[i];
}

static inline void tn_store_s8(tn_s8 *p, int32_t i, int32_t value)
{
	TN_STORES(p + i, 1);
	p[i] = (tn_s8)value;
}

static inline int32_t tn_load_s16(const tn_s16 *p, int32_t i)
{
	TN_LOADS(p + i, 2);
	return p[i];
}

static inline void tn_store_s16(tn_s16 *p, int32_t i, int32_t value)
{
	TN_STORES(p + i, 2);
	p[i] = (int16_t)value;
}

static inline int32_t tn_load_s32(const tn_s32 *p, int32_t i)
{
	TN_LOADS(p + i, 4);
	return p[i];
}

static inline void tn_store_s32(tn_s32 *p, int32_t i, int32_t value)
{
	TN_STORES(p + i, 4);
	p[i] = value;
}

static inline int64_t tn_load_s64(const tn_s64 *p, int32_t i)
{
	TN_LOADS(p + i, 8);
	return p[i];
}

static inline void tn_store_s64(tn_s64 *p, int32_t i, int64_t value)
{
	TN_STORES(p + i, 8);
	p[i] = value;
}

static inline float tn_load_f32(const tn_f32 *p, int32_t i)
{
	TN_LOADS(p + i, 4);
	return p[i];
}

static inline void tn_store_f32(tn_f32 *p, int32_t i, float value)
{
	TN_STORES(p + i, 4);
	p[i] = value;
}

/* Integers of 1, 2 or 4 bytes; `size` is a constant where these are used. */
static inline int32_t tn_load_int(const void *p, int32_t i, int32_t size)
{
	return size == 1   ? tn_load_s8(p, i)
	       : size == 2 ? tn_load_s16(p, i)
			   : tn_load_s32(p, i);
}

static inline void tn_store_int(void *p, int32_t i, int32_t size, int32_t value)
{
	if (size == 1)
		tn_store_s8(p, i, value);
	else if (size == 2)
		tn_store_s16(p, i, value);
	else
		tn_store_s32(p, i, value);
}

#endif
