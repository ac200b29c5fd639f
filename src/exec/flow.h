/* If, While and Loop: the bodies are graphs of their own, run in memory of their own. */
#ifndef TN_EXEC_FLOW_H
#define TN_EXEC_FLOW_H

#include "exec/exec.h"

#define TN_FLOW_DEPTH_MAX  8 /* bodies within bodies */
#define TN_FLOW_BODIES_MAX 256 /* of a graph, those within bodies included */
#define TN_FLOW_TRIPS_MAX  100000 /* of a loop in one run */

/* The bodies of an op, ready to run. */
struct tn_flow {
	struct tn_exec *body[2]; /* then and else; condition and body; NULL and body */
	uint32_t first[2]; /* input of a choice that its body takes first */
	uint8_t **carried; /* by operand of a loop */
	uint32_t n_carried; /* of a loop that decides in its body */
};

/* `out`: where the op's outputs are. TN_ERR_INPUT, reported, when a body does not fit the
 * op's operands, is nested too deep, or has an op without kernel. */
enum tn_status TN_MUST_CHECK tn_flow_new(const struct tn_exec *e, tn_op_id op,
	void *const *out, struct tn_arena *arena, struct tn_flow **out_flow);

/* Runs the op. TN_ERR_REFUSED, reported: a loop that does not end, or ends before its
 * outputs are full. */
enum tn_status TN_MUST_CHECK tn_flow_run(const struct tn_exec *e, tn_op_id op,
	const struct tn_flow *flow, void *const *out);

#endif
