/* Random small nets of ops that run row by row: windows, sums of what has the same shape,
 * RELU, and now and then a mean over planes at the end. */
#ifndef TN_TESTS_GEN_CHAIN_H
#define TN_TESTS_GEN_CHAIN_H

#include "net.h"

/* int8 or f32, by the seed. The caller releases the net. */
void gen_chain(struct net *n, uint32_t seed);

#endif
