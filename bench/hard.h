/* Hard offset problems from a seed, with a known optimum. Shared by the tests and the
 * program that writes them for `make bench`. */
#ifndef TN_BENCH_HARD_H
#define TN_BENCH_HARD_H

#include "base/arena.h"
#include "plan/problem.h"

/* Cuts a rectangle, `height` bytes high, into n buffers by straight cuts through a piece
 * at a time. They fill it without a gap, so the height is the load of every moment and the
 * least one possible; cuts are multiples of `grain` bytes. The buffers come in shuffled
 * order. False when memory runs out; fewer than n when no piece can be cut any more. */
bool tn_hard_cuts(uint64_t seed, uint32_t n, int64_t height, int64_t grain,
	struct tn_arena *arena, struct tn_problem *out);

/* n buffers with random lifetimes of up to `span` of n moments and random sizes up to
 * `size`: how dense it is decides who can solve it. */
bool tn_hard_random(uint64_t seed, uint32_t n, int64_t span, int64_t size,
	struct tn_arena *arena, struct tn_problem *out);

#endif
