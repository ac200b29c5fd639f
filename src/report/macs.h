/* How often an op multiplies and adds. */
#ifndef TN_REPORT_MACS_H
#define TN_REPORT_MACS_H

#include <stdint.h>

#include "ir/graph.h"

/* Products that an op adds up over a dimension of its operands: convolutions and products
 * with matrices, taps in the padding included, as is usual. 0 for ops that do nothing of
 * the kind, also where they multiply element by element, interpolate or take a norm. -1
 * where nobody knows: an op that runs other ops, one of a type that we do not know, a size
 * that is not known, operands that do not fit each other, a number beyond 2^63 - 1. */
int64_t tn_macs_of(const struct tn_graph *g, const struct tn_op *op);

#endif
