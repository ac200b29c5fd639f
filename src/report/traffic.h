/* What an op costs beside memory: multiplications and bytes moved. */
#ifndef TN_REPORT_TRAFFIC_H
#define TN_REPORT_TRAFFIC_H

#include "ir/graph.h"

struct tn_traffic {
	int64_t macs; /* of convolutions, depthwise and fully connected; taps in the padding
	                 count, as is usual; 0 for other ops */
	int64_t bytes_read; /* of all operands, constants included, each operand once */
	int64_t bytes_written; /* of all outputs */
	int64_t const_bytes; /* of bytes_read: what comes from constants */
};

/* Numbers that do not fit, and ops whose shapes make no sense, give 0. An op that need
 * not run moves nothing: that is for the caller to know. */
struct tn_traffic tn_traffic_of(const struct tn_graph *g, const struct tn_op *op);

#endif
