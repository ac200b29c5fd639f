#include "report/traffic.h"

#include "base/checked.h"
#include "report/macs.h"

static const struct tn_tensor *tensor_of(const struct tn_graph *g, tn_tensor_id id)
{
	return tn_tensor_id_ok(g, id) ? &g->tensors[id.i] : NULL;
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
	traffic = (struct tn_traffic){ .macs = tn_macs_of(g, op) };
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

bool tn_traffic_moves_known(const struct tn_traffic *t)
{
	return t->bytes_read >= 0 && t->bytes_written >= 0;
}
