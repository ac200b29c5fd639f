#include "exec/flow.h"

#include <string.h>

#include "base/banned.h"
#include "exec/exec_part.h"

static enum tn_status refuse(
	const struct tn_exec *e, const struct tn_op *op, const char *why)
{
	tn_diag_at(e->diags, SEVERITY_ERROR, "exec/no-kernel", e->graph->source,
		op->pointer, op->name, "op '%s' (%s) cannot run: %s", op->name, op->type,
		why);
	return TN_ERR_INPUT;
}

static bool same_bytes(const struct tn_graph *g, tn_tensor_id a, const struct tn_graph *h,
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
	if (body->n_inputs != op->n_inputs - first)
		return false;
	for (uint32_t k = 0; k < body->n_inputs; k++)
		if (!same_bytes(g, op->inputs[first + k], body, body->inputs[k]))
			return false;
	return true;
}

static bool gives(
	const struct tn_graph *g, const struct tn_op *op, const struct tn_graph *body)
{
	if (body->n_outputs != op->n_outputs)
		return false;
	for (uint32_t k = 0; k < body->n_outputs; k++)
		if (!same_bytes(g, op->outputs[k], body, body->outputs[k]))
			return false;
	return true;
}

static bool is_truth(const struct tn_graph *g, tn_tensor_id id)
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
		if (!same_bytes(g, op->inputs[k], g, op->outputs[k]))
			return false;
	return true;
}

static bool fits(const struct tn_graph *g, const struct tn_op *op,
	const struct tn_graph *const body[2])
{
	if (op->kind == OP_IF)
		return op->n_inputs && is_truth(g, op->inputs[0]) &&
		       takes(g, op, 1, body[0]) && takes(g, op, 1, body[1]) &&
		       gives(g, op, body[0]) && gives(g, op, body[1]);
	return carries(g, op) && takes(g, op, 0, body[0]) && takes(g, op, 0, body[1]) &&
	       body[0]->n_outputs == 1 && is_truth(body[0], body[0]->outputs[0]) &&
	       gives(g, op, body[1]);
}

/* Constants may be missing, and a body may write none. */
static bool has_memory(const struct tn_exec *e, const struct tn_op *op, void *const *out)
{
	for (uint32_t k = 0; k < op->n_inputs; k++)
		if (!e->bytes[op->inputs[k].i] &&
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
	struct tn_flow *flow = TN_NEW(arena, struct tn_flow);
	enum tn_status status;

	if (!flow)
		return TN_ERR_NOMEM;
	for (int i = 0; i < 2; i++) {
		int64_t n = tn_op_int(op, names[op->kind == OP_WHILE][i], 0);

		if (n < 1 || n > e->file->n_subgraphs)
			return refuse(e, op, "it does not name two bodies");
		body[i] = &e->file->subgraphs[n - 1];
	}
	if (!fits(e->graph, op, body))
		return refuse(e, op, "its bodies do not fit its operands");
	if (!has_memory(e, op, out))
		return refuse(e, op, "an operand has no memory");
	if (e->depth == TN_FLOW_DEPTH_MAX || *e->n_bodies > TN_FLOW_BODIES_MAX - 2)
		return refuse(e, op, "there are too many bodies within bodies");
	*e->n_bodies += 2;
	status = allocate(e, op, arena, flow);
	for (int i = 0; i < 2 && status == TN_OK; i++)
		status = tn_exec_new_body(e, body[i], arena, &flow->body[i]);
	*out_flow = flow;
	return status;
}

static void copy(void *to, const void *from, size_t size)
{
	if (size && from)
		memcpy(to, from, size);
}

/* Input k of a body; nobody looks at one that has no memory. */
static void feed(struct tn_exec *body, uint32_t k, const uint8_t *bytes)
{
	size_t size;

	(void)tn_exec_bytes(body, body->graph->inputs[k], &size);
	copy(body->inputs[k], bytes, size);
}

static void take(const struct tn_exec *body, uint32_t k, void *to)
{
	size_t size;
	const uint8_t *bytes = tn_exec_bytes(body, body->graph->outputs[k], &size);

	copy(to, bytes, size);
}

static enum tn_status run_choice(const struct tn_exec *e, const struct tn_op *op,
	const struct tn_flow *flow, void *const *out)
{
	struct tn_exec *body = flow->body[*e->bytes[op->inputs[0].i] ? 0 : 1];
	enum tn_status status;

	for (uint32_t k = 1; k < op->n_inputs; k++)
		feed(body, k - 1, e->bytes[op->inputs[k].i]);
	status = tn_exec_run(body, NULL, NULL);
	for (uint32_t k = 0; k < op->n_outputs && status == TN_OK; k++)
		take(body, k, out[k]);
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
		feed(cond, k, flow->carried[k]);
	status = tn_exec_run(cond, NULL, NULL);
	if (status == TN_OK)
		take(cond, 0, &more);
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
		copy(flow->carried[k], e->bytes[op->inputs[k].i],
			size_of(e, op->inputs[k]));
	status = ask(op, flow, &more);
	for (int trips = 0; status == TN_OK && more; trips++) {
		if (trips == TN_FLOW_TRIPS_MAX) {
			(void)refuse(e, op, "its loop does not end");
			return TN_ERR_REFUSED;
		}
		for (uint32_t k = 0; k < op->n_inputs; k++)
			feed(body, k, flow->carried[k]);
		status = tn_exec_run(body, NULL, NULL);
		for (uint32_t k = 0; k < op->n_inputs && status == TN_OK; k++)
			take(body, k, flow->carried[k]);
		if (status == TN_OK)
			status = ask(op, flow, &more);
	}
	for (uint32_t k = 0; k < op->n_outputs && status == TN_OK; k++)
		copy(out[k], flow->carried[k], size_of(e, op->outputs[k]));
	return status;
}

enum tn_status tn_flow_run(const struct tn_exec *e, tn_op_id id,
	const struct tn_flow *flow, void *const *out)
{
	const struct tn_op *op = &e->graph->ops[id.i];

	return op->kind == OP_IF ? run_choice(e, op, flow, out)
				 : run_loop(e, op, flow, out);
}
