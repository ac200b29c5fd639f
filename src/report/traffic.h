/* What an op costs beside memory: multiplications and bytes moved. */
#ifndef TN_REPORT_TRAFFIC_H
#define TN_REPORT_TRAFFIC_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/graph.h"

/* A number that nobody knows: the op runs other ops (bodies of loops and branches: how
 * often is not known before the run), a size is not known, or the sum does not fit; what an
 * op of an unknown type multiplies. */
#define TN_TRAFFIC_UNKNOWN ((int64_t)-1)

struct tn_traffic {
	int64_t macs; /* macs.h says which products count */
	int64_t bytes_read; /* of all operands, constants included, each operand once */
	int64_t bytes_written; /* of all outputs */
	int64_t const_bytes; /* of bytes_read: what comes from constants */
};

/* Each number is >= 0 or TN_TRAFFIC_UNKNOWN; all of them are unknown where the op runs
 * other ops. An op that need not run moves nothing: that is for the caller to know. */
struct tn_traffic tn_traffic_of(const struct tn_graph *g, const struct tn_op *op);

/* Are the bytes known that it reads and writes? */
bool tn_traffic_moves_known(const struct tn_traffic *t);

#endif
