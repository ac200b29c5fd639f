/* Which input byte an output byte is a copy of, element by element: for sim_plan.c. */
#ifndef TN_TESTS_SIM_SOURCE_H
#define TN_TESTS_SIM_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/graph.h"

/* Byte `at` of output k is byte *out_at of input *out_input, moved without a change; false
 * when it is a value of the op's own, or a constant's. */
bool sim_source(const struct tn_graph *g, const struct tn_op *op, uint32_t k, int64_t at,
	uint32_t *out_input, int64_t *out_at);

#endif
