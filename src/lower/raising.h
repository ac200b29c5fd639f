/* Inside lower/: chains on their way from a solution to a plan. */
#ifndef TN_LOWER_RAISING_H
#define TN_LOWER_RAISING_H

#include "lower/lower.h"

/* The plan's streams, once its tensors are placed: their direction by where these are. */
enum tn_status TN_MUST_CHECK tn_stream_raise(
	const struct tn_lowered *l, struct tn_arena *arena, struct tn_plan *plan);

/* The variant of an op in a chain. */
void tn_stream_raise_op(const struct tn_graph *g, const struct tn_lowered *l,
	struct tn_plan *plan, tn_op_id op);

/* The buffer that the op adds up in, or TN_NONE. */
uint32_t tn_stream_state_of(const struct tn_lowered *l, uint32_t op);

#endif
