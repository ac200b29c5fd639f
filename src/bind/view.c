#include "bind/view.h"

#include "base/checked.h"

/* Strides that say no more than the shape does. */
static bool is_dense(const struct tn_tensor *t)
{
	int64_t dense[TN_RANK_MAX];

	if (!t->has_strides || t->elements <= 1)
		return true;
	tn_shape_strides(&t->shape, dense);
	for (uint32_t d = 0; d < t->shape.rank; d++)
		if (t->shape.dim[d] != 1 && t->stride[d] != dense[d])
			return false;
	return true;
}

bool tn_view_root(const struct tn_graph *g, tn_tensor_id id, tn_tensor_id *out_root,
	int64_t *out_offset)
{
	int64_t offset = 0;

	for (uint32_t hops = 0; hops <= g->n_tensors; hops++) {
		const struct tn_tensor *t = &g->tensors[id.i];
		const struct tn_tensor *of;
		int64_t bits, end;

		if (!is_dense(t))
			return false;
		if (t->view_of.i == TN_NONE) {
			*out_root = id;
			*out_offset = offset;
			return true;
		}
		if (!tn_tensor_id_ok(g, t->view_of))
			return false;
		of = &g->tensors[t->view_of.i];
		/* the offset counts elements of the view's own type */
		if (!tn_mul_i64(t->view_offset, tn_dtype_bits(t->dtype), &bits) ||
			bits < 0 || bits % 8 != 0 ||
			!tn_add_i64(offset, bits / 8, &offset) ||
			!tn_add_i64(bits / 8, t->bytes, &end) || end > of->bytes)
			return false;
		id = t->view_of;
	}
	return false;
}

const struct tn_tensor *tn_constant_of(
	const struct tn_graph *g, tn_tensor_id id, int64_t *out_offset)
{
	tn_tensor_id root;
	const struct tn_tensor *t;

	if (!tn_view_root(g, id, &root, out_offset))
		return NULL;
	t = &g->tensors[root.i];
	return t->data_kind == DATA_BYTES && t->data_bytes == t->bytes &&
			       tn_tensor_is_constant(t)
		       ? t
		       : NULL;
}

static void use(const struct tn_graph *g, bool *used, tn_tensor_id id)
{
	int64_t offset;

	if (!tn_tensor_id_ok(g, id) || tn_constant_of(g, id, &offset))
		return;
	for (uint32_t hops = 0; hops <= g->n_tensors && tn_tensor_id_ok(g, id); hops++) {
		const struct tn_tensor *t = &g->tensors[id.i];

		if (tn_tensor_is_constant(t))
			return;
		used[id.i] = true;
		id = t->view_of;
	}
}

bool *tn_tensors_used(const struct tn_graph *g, struct tn_arena *arena)
{
	bool *used = TN_NEW_ARRAY(arena, bool, g->n_tensors);

	if (!used)
		return NULL;
	for (uint32_t i = 0; i < g->n_ops; i++) {
		const struct tn_op *op = &g->ops[i];

		for (uint32_t k = 0; k < op->n_inputs; k++)
			use(g, used, op->inputs[k]);
		for (uint32_t k = 0; k < op->n_outputs; k++)
			use(g, used, op->outputs[k]);
	}
	for (uint32_t i = 0; i < g->n_inputs; i++)
		use(g, used, g->inputs[i]);
	for (uint32_t i = 0; i < g->n_outputs; i++)
		use(g, used, g->outputs[i]);
	for (uint32_t i = 0; i < g->n_tensors; i++)
		if (g->tensors[i].role == ROLE_VARIABLE)
			use(g, used, (tn_tensor_id){ i });
	return used;
}
