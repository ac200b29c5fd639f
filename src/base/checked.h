/* Checked arithmetic on model sizes (int64_t bytes, elements, half-steps) and the only
 * conversions between them and host sizes (size_t) and ids (uint32_t). Every function
 * returns false on overflow and then leaves *out untouched. */
#ifndef TN_BASE_CHECKED_H
#define TN_BASE_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool tn_add_i64(int64_t a, int64_t b, int64_t *out)
{
	int64_t r;

	if (__builtin_add_overflow(a, b, &r))
		return false;
	*out = r;
	return true;
}

static inline bool tn_sub_i64(int64_t a, int64_t b, int64_t *out)
{
	int64_t r;

	if (__builtin_sub_overflow(a, b, &r))
		return false;
	*out = r;
	return true;
}

static inline bool tn_mul_i64(int64_t a, int64_t b, int64_t *out)
{
	int64_t r;

	if (__builtin_mul_overflow(a, b, &r))
		return false;
	*out = r;
	return true;
}

/* The least multiple of `align` (> 0) that is >= value; a signed ceiling, so that
 * -17 becomes -16 and -15..0 become 0 for an alignment of 16. */
static inline bool tn_align_up_i64(int64_t value, int64_t align, int64_t *out)
{
	int64_t rem = value % align;
	int64_t pad = rem > 0 ? align - rem : -rem;

	return tn_add_i64(value, pad, out);
}

static inline bool tn_size_from_i64(int64_t value, size_t *out)
{
	if (value < 0 || (uint64_t)value > SIZE_MAX)
		return false;
	*out = (size_t)value;
	return true;
}

static inline bool tn_i64_from_size(size_t value, int64_t *out)
{
	if (value > INT64_MAX)
		return false;
	*out = (int64_t)value;
	return true;
}

static inline bool tn_u32_from_size(size_t value, uint32_t *out)
{
	if (value >= UINT32_MAX) /* UINT32_MAX is TN_NONE */
		return false;
	*out = (uint32_t)value;
	return true;
}

static inline int64_t tn_min_i64(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static inline int64_t tn_max_i64(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

#endif
