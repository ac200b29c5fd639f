/* What the parts of exec/flow*.c share. */
#ifndef TN_EXEC_FLOW_PART_H
#define TN_EXEC_FLOW_PART_H

#include "exec/exec_part.h"
#include "exec/flow.h"

/* Reports it. TN_ERR_INPUT. */
enum tn_status tn_flow_refuse(
	const struct tn_exec *e, const struct tn_op *op, const char *why);

/* Are both there, of one type and as many bytes? */
bool tn_flow_same(const struct tn_graph *g, tn_tensor_id a, const struct tn_graph *h,
	tn_tensor_id b);
bool tn_flow_is_truth(const struct tn_graph *g, tn_tensor_id id);

void tn_flow_copy(void *to, const void *from, size_t size);
/* Input k of a body; nobody looks at one that has no memory. */
void tn_flow_feed(struct tn_exec *body, uint32_t k, const uint8_t *bytes);
/* Output k of a body. */
void tn_flow_take(const struct tn_exec *body, uint32_t k, void *to);

/* ONNX's Loop, exec/flow_counted.c: its inputs are a number of trips and a condition, either
 * of them may be absent, what is carried, and what the body reads besides. The body is given
 * the trip's number and the condition instead; it gives the condition, what is carried, and
 * rows that are put together, one for each trip. */
bool tn_flow_counts(const struct tn_op *op);
bool tn_flow_fits_counted(const struct tn_graph *g, const struct tn_op *op,
	const struct tn_graph *body, uint32_t *out_carried);
enum tn_status TN_MUST_CHECK tn_flow_run_counted(const struct tn_exec *e,
	const struct tn_op *op, const struct tn_flow *flow, void *const *out);

#endif
