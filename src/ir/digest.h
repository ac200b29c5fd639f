/* Digests by which a plan knows the graph that it was made for. */
#ifndef TN_IR_DIGEST_H
#define TN_IR_DIGEST_H

#include <stdint.h>

#include "ir/graph.h"

/* Over all that decides what a plan must look like: tensors (names, types, shapes, roles,
 * quantisation to the bit, views), ops with their operands and attributes, inputs,
 * outputs, the order. Not over what the caller allows (`clobber`, `observed`): that may
 * differ from run to run, and the verifier judges it. */
uint64_t tn_digest_graph(const struct tn_graph *g);

/* Over the bytes of the constants that are there. */
uint64_t tn_digest_constants(const struct tn_graph *g);

#endif
