/* Constants made from a seed, the same bytes on every machine. One rule for native files
 * whose constants are generated, for fixtures and for `validate --synthetic`. */
#ifndef TN_IR_SEED_H
#define TN_IR_SEED_H

#include <stdint.h>

#include "base/arena.h"
#include "ir/graph.h"

/* The xorshift32 stream of the input rule: state 0x9E3779B9 ^ seed (1 if that is 0), and
 * before each element x ^= x << 13; x ^= x >> 17; x ^= x << 5. */
struct tn_seed {
	uint32_t x;
};

void tn_seed_init(struct tn_seed *s, uint32_t seed);
uint32_t tn_seed_next(struct tn_seed *s);

/* Fills `bytes` bytes of a graph input: i8/u8 x & 0xff; i16/u16 the low 16 bits; f32
 * (x >> 8) / 2^24 * 2 - 1; i32 and i64 (x >> 1) % 4; bool x & 1; others the bytes of x,
 * least significant first. */
void tn_seed_input(uint32_t seed, enum tn_dtype dtype, uint8_t *out, int64_t bytes);

/* Fills a constant with values in a range that keeps a net alive: i8 weights in
 * [-127, 127]; i32 in [-1024, 1023]; i16 in [-1024, 1023]; i64 in [-1024, 1023]; f32 in
 * (-0.5, 0.5); others as tn_seed_input. */
void tn_seed_const(uint32_t seed, enum tn_dtype dtype, uint8_t *out, int64_t bytes);

#endif
