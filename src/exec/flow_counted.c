#include <string.h>

#include "base/checked.h"
#include "exec/flow_part.h"

#include "base/banned.h"

#define CARRIED 2 /* the first input of an op, and of its body, that is carried */

bool tn_flow_counts(const struct tn_op *op)
{
	return op->kind == OP_WHILE && !tn_op_attr(op, "cond_subgraph");
}

static bool is_count(const struct tn_graph *g, tn_tensor_id id)
{
	return tn_tensor_id_ok(g, id) && g->tensors[id.i].dtype == DTYPE_I64 &&
	       g->tensors[id.i].bytes == 8;
}

/* Is the op's output the rows that the body gives one by one? */
static bool is_rows(const struct tn_graph *g, tn_tensor_id out,
	const struct tn_graph *body, tn_tensor_id row)
{
	const struct tn_tensor *t, *r;
	int64_t bytes;

	if (!tn_tensor_id_ok(g, out) || !tn_tensor_id_ok(body, row))
		return false;
	t = &g->tensors[out.i];
	r = &body->tensors[row.i];
	return t->dtype == r->dtype && t->shape.rank == r->shape.rank + 1 &&
	       tn_mul_i64(t->shape.dim[0], r->bytes, &bytes) && bytes == t->bytes;
}

/* A slot comes out as it has gone in. */
static bool is_slot(const struct tn_graph *g, const struct tn_op *op,
	const struct tn_graph *body, uint32_t k)
{
	const tn_tensor_id in = op->inputs[CARRIED + k], out = op->outputs[k];

	return tn_flow_same(g, in, g, out) &&
	       tn_flow_same(g, out, body, body->outputs[k + 1]) &&
	       g->tensors[out.i].shape.rank ==
		       body->tensors[body->outputs[k + 1].i].shape.rank;
}

bool tn_flow_fits_counted(const struct tn_graph *g, const struct tn_op *op,
	const struct tn_graph *body, uint32_t *out_carried)
{
	uint32_t n = 0;

	if (op->n_inputs < CARRIED || body->n_inputs != op->n_inputs ||
		body->n_outputs != op->n_outputs + 1 ||
		tn_op_int(op, "num_scan_inputs", 0) || !is_count(body, body->inputs[0]) ||
		!tn_flow_is_truth(body, body->inputs[1]) ||
		!tn_flow_is_truth(body, body->outputs[0]))
		return false;
	if ((op->inputs[0].i != TN_NONE && !is_count(g, op->inputs[0])) ||
		(op->inputs[1].i != TN_NONE && !tn_flow_is_truth(g, op->inputs[1])))
		return false;
	for (uint32_t k = CARRIED; k < op->n_inputs; k++)
		if (!tn_flow_same(g, op->inputs[k], body, body->inputs[k]))
			return false;
	while (n < op->n_outputs && n + CARRIED < op->n_inputs && is_slot(g, op, body, n))
		n++;
	*out_carried = n;
	for (; n < op->n_outputs; n++)
		if (!is_rows(g, op->outputs[n], body, body->outputs[n + 1]))
			return false;
	return true;
}

/* After so many trips: have all rows been given, is there room for one more? */
static bool rows_left(const struct tn_exec *e, const struct tn_op *op,
	const struct tn_flow *flow, int64_t trips)
{
	for (uint32_t k = flow->n_carried; k < op->n_outputs; k++)
		if (e->graph->tensors[op->outputs[k].i].shape.dim[0] > trips)
			return true;
	return false;
}

static bool room_left(const struct tn_exec *e, const struct tn_op *op,
	const struct tn_flow *flow, int64_t trips)
{
	for (uint32_t k = flow->n_carried; k < op->n_outputs; k++)
		if (e->graph->tensors[op->outputs[k].i].shape.dim[0] <= trips)
			return false;
	return true;
}

static enum tn_status run_trip(const struct tn_exec *e, const struct tn_op *op,
	const struct tn_flow *flow, int64_t trip, uint8_t *more, void *const *out)
{
	struct tn_exec *body = flow->body[1];
	uint8_t count[8];
	enum tn_status status;

	memcpy(count, &trip, sizeof(count));
	tn_flow_feed(body, 0, count);
	tn_flow_feed(body, 1, more);
	for (uint32_t k = CARRIED; k < op->n_inputs; k++)
		tn_flow_feed(body, k,
			k - CARRIED < flow->n_carried ? flow->carried[k]
						      : e->bytes[op->inputs[k].i]);
	status = tn_exec_run(body, NULL, NULL);
	if (status != TN_OK)
		return status;
	tn_flow_take(body, 0, more);
	for (uint32_t k = 0; k < flow->n_carried; k++)
		tn_flow_take(body, k + 1, flow->carried[CARRIED + k]);
	for (uint32_t k = flow->n_carried; k < op->n_outputs; k++) {
		int64_t row = body->graph->tensors[body->graph->outputs[k + 1].i].bytes;

		if (out[k])
			tn_flow_take(body, k + 1, (uint8_t *)out[k] + trip * row);
	}
	return TN_OK;
}

enum tn_status tn_flow_run_counted(const struct tn_exec *e, const struct tn_op *op,
	const struct tn_flow *flow, void *const *out)
{
	int64_t most = INT64_MAX, trip = 0;
	uint8_t more = 1;
	enum tn_status status = TN_OK;

	if (op->inputs[0].i != TN_NONE)
		memcpy(&most, e->bytes[op->inputs[0].i], sizeof(most));
	if (op->inputs[1].i != TN_NONE)
		more = *e->bytes[op->inputs[1].i];
	for (uint32_t k = 0; k < flow->n_carried; k++)
		tn_flow_copy(flow->carried[CARRIED + k],
			e->bytes[op->inputs[CARRIED + k].i],
			(size_t)e->graph->tensors[op->inputs[CARRIED + k].i].bytes);
	for (; status == TN_OK && more && trip < most; trip++) {
		const char *why = trip == TN_FLOW_TRIPS_MAX ? "its loop does not end"
				  : !room_left(e, op, flow, trip)
					  ? "its loop goes on when its outputs are full"
					  : NULL;

		if (why) {
			(void)tn_flow_refuse(e, op, why);
			return TN_ERR_REFUSED;
		}
		status = run_trip(e, op, flow, trip, &more, out);
	}
	if (status == TN_OK && rows_left(e, op, flow, trip)) {
		(void)tn_flow_refuse(e, op, "its loop ends before its outputs are full");
		return TN_ERR_REFUSED;
	}
	for (uint32_t k = 0; k < flow->n_carried && status == TN_OK; k++)
		tn_flow_copy(out[k], flow->carried[CARRIED + k],
			(size_t)e->graph->tensors[op->outputs[k].i].bytes);
	return status;
}
