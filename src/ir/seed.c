#include "ir/seed.h"

#include <string.h>

void tn_seed_init(struct tn_seed *s, uint32_t seed)
{
	s->x = UINT32_C(0x9E3779B9) ^ seed;
	if (!s->x)
		s->x = 1;
}

uint32_t tn_seed_next(struct tn_seed *s)
{
	s->x ^= s->x << 13;
	s->x ^= s->x >> 17;
	s->x ^= s->x << 5;
	return s->x;
}

/* The value little-endian; wider elements end in zeros. */
static void put(uint8_t *out, int64_t at, int64_t bytes, size_t width, uint64_t value)
{
	for (size_t i = 0; i < width && at + (int64_t)i < bytes; i++) {
		out[at + (int64_t)i] = (uint8_t)value;
		value >>= 8;
	}
}

static uint64_t float_bits(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static size_t width_of(enum tn_dtype dtype)
{
	int bits = tn_dtype_bits(dtype);

	return bits < 8 ? 1 : (size_t)bits / 8;
}

void tn_seed_input(uint32_t seed, enum tn_dtype dtype, uint8_t *out, int64_t bytes)
{
	size_t width = width_of(dtype);
	struct tn_seed s;

	tn_seed_init(&s, seed);
	for (int64_t at = 0; at < bytes; at += (int64_t)width) {
		uint32_t x = tn_seed_next(&s);
		uint64_t value = x;

		if (dtype == DTYPE_F32)
			value = float_bits((float)(x >> 8) / 16777216.0f * 2 - 1);
		else if (dtype == DTYPE_I32 || dtype == DTYPE_I64)
			value = (x >> 1) % 4;
		else if (dtype == DTYPE_BOOL)
			value = x & 1;
		put(out, at, bytes, width, value);
	}
}

void tn_seed_const(uint32_t seed, enum tn_dtype dtype, uint8_t *out, int64_t bytes)
{
	size_t width = width_of(dtype);
	struct tn_seed s;

	tn_seed_init(&s, seed);
	for (int64_t at = 0; at < bytes; at += (int64_t)width) {
		uint32_t x = tn_seed_next(&s);
		uint64_t value = x;

		if (dtype == DTYPE_I8)
			value = (uint64_t)((int64_t)((x >> 8) % 255) - 127);
		else if (dtype == DTYPE_I16 || dtype == DTYPE_I32 || dtype == DTYPE_I64)
			value = (uint64_t)((int64_t)((x >> 8) % 2048) - 1024);
		else if (dtype == DTYPE_F32)
			value = float_bits((float)(x >> 8) / 16777216.0f - 0.5f);
		put(out, at, bytes, width, value);
	}
}
