#include "base/checked.h"
#include "lower/place.h"

static bool touch(const struct tn_tables *t, const struct tn_lowered *l, tn_tensor_id id,
	int64_t *out)
{
	uint32_t b = id.i == TN_NONE ? TN_NONE : l->buffer_of[id.i];

	return b == TN_NONE || tn_add_i64(out[b], t->g->tensors[id.i].bytes, &out[b]);
}

enum tn_status tn_access_count(const struct tn_tables *tables,
	const struct tn_lowered *lowered, struct tn_diags *diags, int64_t *out)
{
	const struct tn_graph *g = tables->g;
	bool ok = true;

	for (uint32_t i = 0; i < g->n_ops && ok; i++) {
		const struct tn_op *op = &g->ops[i];

		if (tables->aliases->elided[i])
			continue;
		for (uint32_t k = 0; k < op->n_inputs && ok; k++)
			ok = touch(tables, lowered, op->inputs[k], out);
		for (uint32_t k = 0; k < op->n_outputs && ok; k++)
			ok = touch(tables, lowered, op->outputs[k], out);
	}
	if (ok)
		return TN_OK;
	tn_diag_at(diags, SEVERITY_ERROR, "graph/too-large", g->source, NULL, NULL,
		"the ops access more than 2^63 bytes");
	return TN_ERR_INPUT;
}
