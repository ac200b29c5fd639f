#include "exec/flow.h"

#include <string.h>

#include "base/banned.h"
#include "exec/flow_part.h"

enum tn_status tn_flow_refuse(
	const struct tn_exec *e, const struct tn_op *op, const char *why)
{
	tn_diag_at(e->diags, SEVERITY_ERROR, "exec/no-kernel", e->graph->source,
		op->pointer, op->name, "op '%s' (%s) cannot run: %s", op->name, op->type,
		why);
	return TN_ERR_INPUT;
}

bool tn_flow_same(const struct tn_graph *g, tn_tensor_id a, const struct tn_graph *h,
	tn_tensor_id b)
{
	return tn_tensor_id_ok(g, a) && tn_tensor_id_ok(h, b) &&
	       g->tensors[a.i].bytes == h->tensors[b.i].bytes &&
	       g->tensors[a.i].dtype == h->tensors[b.i].dtype;
}

/* Does the body take the op's inputs from `first` on? */
static bool takes(const struct tn_graph *g, const struct tn_op *op, uint32_t first,
	const struct tn_graph *body)
{
	if (first > op->n_inputs || body->n_inputs > op->n_inputs - first)
		return false;
	for (uint32_t k = 0; k < body->n_inputs; k++)
		if (!tn_flow_same(g, op->inputs[first + k], body, body->inputs[k]))
			return false;
	return true;
}

static bool gives(
	const struct tn_graph *g, const struct tn_op *op, const struct tn_graph *body)
{
	if (body->n_outputs != op->n_outputs)
		return false;
	for (uint32_t k = 0; k < body->n_outputs; k++)
		if (!tn_flow_same(g, op->outputs[k], body, body->outputs[k]))
			return false;
	return true;
}

bool tn_flow_is_truth(const struct tn_graph *g, tn_tensor_id id)
{
	return tn_tensor_id_ok(g, id) && g->tensors[id.i].dtype == DTYPE_BOOL &&
	       g->tensors[id.i].bytes == 1;
}

/* What a loop carries comes out as it has gone in. */
static bool carries(const struct tn_graph *g, const struct tn_op *op)
{
	if (op->n_inputs != op->n_outputs)
		return false;
	for (uint32_t k = 0; k < op->n_inputs; k++)
		if (!tn_flow_same(g, op->inputs[k], g, op->outputs[k]))
			return false;
	return true;
}

/* Behind the condition both bodies are given all, or the first its own and then the second
 * its own. */
static bool fits_choice(const struct tn_graph *g, const struct tn_op *op,
	const struct tn_graph *const body[2], uint32_t first[2])
{
	const uint32_t n = op->n_inputs ? op->n_inputs - 1 : 0;

	first[0] = first[1] = 1;
	if (body[0]->n_inputs != n || body[1]->n_inputs != n) {
		if ((uint64_t)body[0]->n_inputs + body[1]->n_inputs != n)
			return false;
		first[1] += body[0]->n_inputs;
	}
	return op->n_inputs && tn_flow_is_truth(g, op->inputs[0]) &&
	       takes(g, op, first[0], body[0]) && takes(g, op, first[1], body[1]) &&
	       gives(g, op, body[0]) && gives(g, op, body[1]);
}

static bool fits(const struct tn_graph *g, const struct tn_op *op,
	const struct tn_graph *const body[2], uint32_t first[2])
{
	if (op->kind == OP_IF)
		return fits_choice(g, op, body, first);
	return carries(g, op) && body[0]->n_inputs == op->n_inputs &&
	       body[1]->n_inputs == op->n_inputs && takes(g, op, 0, body[0]) &&
	       takes(g, op, 0, body[1]) && body[0]->n_outputs == 1 &&
	       tn_flow_is_truth(body[0], body[0]->outputs[0]) && gives(g, op, body[1]);
}

/* Constants may be missing, and a body may write none. */
static bool has_memory(const struct tn_exec *e, const struct tn_op *op, void *const *out)
{
	for (uint32_t k = 0; k < op->n_inputs; k++)
		if (op->inputs[k].i != TN_NONE && !e->bytes[op->inputs[k].i] &&
			e->graph->tensors[op->inputs[k].i].bytes > 0)
			return false;
	for (uint32_t k = 0; k < op->n_outputs; k++)
		if (!out[k] && e->graph->tensors[op->outputs[k].i].bytes > 0)
			return false;
	return true;
}

static size_t size_of(const struct tn_exec *e, tn_tensor_id id)
{
	return (size_t)e->graph->tensors[id.i].bytes;
}

static enum tn_status allocate(const struct tn_exec *e, const struct tn_op *op,
	struct tn_arena *arena, struct tn_flow *flow)
{
	flow->carried = TN_NEW_ARRAY(arena, uint8_t *, op->n_inputs);
	for (uint32_t k = 0; flow->carried && k < op->n_inputs; k++) {
		if (op->inputs[k].i == TN_NONE)
			continue;
		flow->carried[k] = tn_arena_alloc(arena, size_of(e, op->inputs[k]));
		if (!flow->carried[k])
			return TN_ERR_NOMEM;
	}
	return flow->carried ? TN_OK : TN_ERR_NOMEM;
}

enum tn_status tn_flow_new(const struct tn_exec *e, tn_op_id id, void *const *out,
	struct tn_arena *arena, struct tn_flow **out_flow)
{
	static const char *const names[2][2] = { { "then_subgraph", "else_subgraph" },
		{ "cond_subgraph", "body_subgraph" } };
	const struct tn_op *op = &e->graph->ops[id.i];
	const struct tn_graph *body[2];
	const bool counts = tn_flow_counts(op);
	struct tn_flow *flow = TN_NEW(arena, struct tn_flow);
	enum tn_status status;

	if (!flow)
		return TN_ERR_NOMEM;
	for (int i = counts; i < 2; i++) {
		int64_t n = tn_op_int(op, names[op->kind == OP_WHILE][i], 0);

		if (n < 1 || n > e->file->n_subgraphs)
			return tn_flow_refuse(e, op,
				counts ? "it does not name its body"
				       : "it does not name two bodies");
		body[i] = &e->file->subgraphs[n - 1];
	}
	if (counts ? !tn_flow_fits_counted(e->graph, op, body[1], &flow->n_carried)
		   : !fits(e->graph, op, body, flow->first))
		return tn_flow_refuse(e, op, "its bodies do not fit its operands");
	if (!has_memory(e, op, out))
		return tn_flow_refuse(e, op, "an operand has no memory");
	if (e->depth == TN_FLOW_DEPTH_MAX || *e->n_bodies > TN_FLOW_BODIES_MAX - 2)
		return tn_flow_refuse(e, op, "there are too many bodies within bodies");
	*e->n_bodies += 2;
	status = allocate(e, op, arena, flow);
	for (int i = counts; i < 2 && status == TN_OK; i++)
		status = tn_exec_new_body(e, body[i], arena, &flow->body[i]);
	*out_flow = flow;
	return status;
}

void tn_flow_copy(void *to, const void *from, size_t size)
{
	if (size && from)
		memcpy(to, from, size);
}

void tn_flow_feed(struct tn_exec *body, uint32_t k, const uint8_t *bytes)
{
	size_t size;

	(void)tn_exec_bytes(body, body->graph->inputs[k], &size);
	tn_flow_copy(body->inputs[k], bytes, size);
}

void tn_flow_take(const struct tn_exec *body, uint32_t k, void *to)
{
	size_t size;
	const uint8_t *bytes = tn_exec_bytes(body, body->graph->outputs[k], &size);

	tn_flow_copy(to, bytes, size);
}

static enum tn_status run_choice(const struct tn_exec *e, const struct tn_op *op,
	const struct tn_flow *flow, void *const *out)
{
	const int which = *e->bytes[op->inputs[0].i] ? 0 : 1;
	struct tn_exec *body = flow->body[which];
	enum tn_status status;

	for (uint32_t k = 0; k < body->graph->n_inputs; k++)
		tn_flow_feed(body, k, e->bytes[op->inputs[flow->first[which] + k].i]);
	status = tn_exec_run(body, NULL, NULL);
	for (uint32_t k = 0; k < op->n_outputs && status == TN_OK; k++)
		tn_flow_take(body, k, out[k]);
	return status;
}

/* *out_more: does the loop go on? */
static enum tn_status ask(
	const struct tn_op *op, const struct tn_flow *flow, bool *out_more)
{
	struct tn_exec *cond = flow->body[0];
	uint8_t more = 0;
	enum tn_status status;

	for (uint32_t k = 0; k < op->n_inputs; k++)
		tn_flow_feed(cond, k, flow->carried[k]);
	status = tn_exec_run(cond, NULL, NULL);
	if (status == TN_OK)
		tn_flow_take(cond, 0, &more);
	*out_more = more != 0;
	return status;
}

static enum tn_status run_loop(const struct tn_exec *e, const struct tn_op *op,
	const struct tn_flow *flow, void *const *out)
{
	struct tn_exec *body = flow->body[1];
	enum tn_status status;
	bool more;

	for (uint32_t k = 0; k < op->n_inputs; k++)
		tn_flow_copy(flow->carried[k], e->bytes[op->inputs[k].i],
			size_of(e, op->inputs[k]));
	status = ask(op, flow, &more);
	for (int trips = 0; status == TN_OK && more; trips++) {
		if (trips == TN_FLOW_TRIPS_MAX) {
			(void)tn_flow_refuse(e, op, "its loop does not end");
			return TN_ERR_REFUSED;
		}
		for (uint32_t k = 0; k < op->n_inputs; k++)
			tn_flow_feed(body, k, flow->carried[k]);
		status = tn_exec_run(body, NULL, NULL);
		for (uint32_t k = 0; k < op->n_inputs && status == TN_OK; k++)
			tn_flow_take(body, k, flow->carried[k]);
		if (status == TN_OK)
			status = ask(op, flow, &more);
	}
	for (uint32_t k = 0; k < op->n_outputs && status == TN_OK; k++)
		tn_flow_copy(out[k], flow->carried[k], size_of(e, op->outputs[k]));
	return status;
}

enum tn_status tn_flow_run(const struct tn_exec *e, tn_op_id id,
	const struct tn_flow *flow, void *const *out)
{
	const struct tn_op *op = &e->graph->ops[id.i];

	if (op->kind == OP_IF)
		return run_choice(e, op, flow, out);
	return tn_flow_counts(op) ? tn_flow_run_counted(e, op, flow, out)
				  : run_loop(e, op, flow, out);
}
