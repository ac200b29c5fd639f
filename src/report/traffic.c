#include "report/traffic.h"

#include "base/checked.h"

static const struct tn_tensor *tensor_of(const struct tn_graph *g, tn_tensor_id id)
{
	return tn_tensor_id_ok(g, id) ? &g->tensors[id.i] : NULL;
}

static const struct tn_tensor *input_of(
	const struct tn_graph *g, const struct tn_op *op, uint32_t k)
{
	return k < op->n_inputs ? tensor_of(g, op->inputs[k]) : NULL;
}

static int64_t product(int64_t a, int64_t b)
{
	int64_t r;

	if (a < 0 || b < 0 || !tn_mul_i64(a, b, &r))
		return TN_TRAFFIC_UNKNOWN;
	return r;
}

/* Products per output element: the filter's taps, or those of the kernel attribute when
 * the graph has no filters (a topology without constants). */
static int64_t taps(const struct tn_graph *g, const struct tn_op *op)
{
	const struct tn_tensor *in = input_of(g, op, 0), *filter = input_of(g, op, 1);
	int64_t area = product(
		tn_op_int_at(op, "kernel", 0, 0), tn_op_int_at(op, "kernel", 1, 0));
	bool filtered = filter && filter->shape.rank == 4;

	if (!in || in->shape.rank != 4)
		return 0;
	if (filtered)
		area = product(filter->shape.dim[1], filter->shape.dim[2]);
	if (op->kind == OP_DEPTHWISE_CONV_2D)
		return area;
	return product(area, filtered ? filter->shape.dim[3] : in->shape.dim[3]);
}

/* Weights are [outputs, depth]; without them the input's last dimension is the depth. */
static int64_t depth(const struct tn_graph *g, const struct tn_op *op)
{
	const struct tn_tensor *in = input_of(g, op, 0), *weights = input_of(g, op, 1);

	if (weights && weights->shape.rank == 2)
		return weights->shape.dim[1];
	return in && in->shape.rank ? in->shape.dim[in->shape.rank - 1] : 0;
}

static int64_t macs(const struct tn_graph *g, const struct tn_op *op)
{
	const struct tn_tensor *out = op->n_outputs ? tensor_of(g, op->outputs[0]) : NULL;

	if (!out)
		return 0;
	if (op->kind == OP_CONV_2D || op->kind == OP_DEPTHWISE_CONV_2D)
		return product(out->elements, taps(g, op));
	if (op->kind == OP_FULLY_CONNECTED)
		return product(out->elements, depth(g, op));
	return 0;
}

static void add(int64_t *sum, int64_t bytes)
{
	if (*sum < 0 || bytes < 0 || !tn_add_i64(*sum, bytes, sum))
		*sum = TN_TRAFFIC_UNKNOWN;
}

static bool runs_bodies(const struct tn_op *op)
{
	return op->kind == OP_IF || op->kind == OP_WHILE || op->kind == OP_CALL_ONCE;
}

struct tn_traffic tn_traffic_of(const struct tn_graph *g, const struct tn_op *op)
{
	struct tn_traffic traffic = { TN_TRAFFIC_UNKNOWN, TN_TRAFFIC_UNKNOWN,
		TN_TRAFFIC_UNKNOWN, TN_TRAFFIC_UNKNOWN };

	if (runs_bodies(op))
		return traffic;
	traffic = (struct tn_traffic){ .macs = macs(g, op) };
	for (uint32_t k = 0; k < op->n_inputs; k++) {
		const struct tn_tensor *t = tensor_of(g, op->inputs[k]);

		if (!t)
			continue;
		add(&traffic.bytes_read, t->bytes);
		if (tn_tensor_is_constant(t))
			add(&traffic.const_bytes, t->bytes);
	}
	for (uint32_t k = 0; k < op->n_outputs; k++) {
		const struct tn_tensor *t = tensor_of(g, op->outputs[k]);

		if (t)
			add(&traffic.bytes_written, t->bytes);
	}
	return traffic;
}

bool tn_traffic_known(const struct tn_traffic *t)
{
	return t->macs >= 0 && t->bytes_read >= 0 && t->bytes_written >= 0;
}
