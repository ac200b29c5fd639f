/* What is flattened behind windows is read by a layer whose weights are constant: its
 * columns are put in the order that the elements have with channels last, and nothing is
 * moved at run time. */
#include "rewrite/layout.h"
#include "rewrite/values.h"

#define HOPS_MAX 32

struct way {
	tn_op_id
		ops[HOPS_MAX]; /* on single elements, between the reshape and the layer */
	uint32_t operand[HOPS_MAX];
	uint32_t n;
	struct tn_op *layer;
};

/* Does the op do the same to all elements, wherever they are? */
static bool is_even(struct tn_layout *l, const struct tn_op *op, uint32_t *out_k)
{
	const struct tn_tensor *in, *out = tn_edit_out(l->e, op, 0);

	if (!tn_values_operand(l->e, op, out_k) || op->kind == OP_BATCH_NORM)
		return false;
	in = tn_edit_in(l->e, op, *out_k);
	return in->quant.n <= 1 && out->quant.n <= 1 &&
	       tn_shape_equal(&in->shape, &out->shape);
}

static bool find_layer(struct tn_layout *l, const struct tn_op *reshape, struct way *w)
{
	tn_tensor_id id = reshape->outputs[0];

	w->n = 0;
	while (id.i < l->n_tensors && tn_edit_private(l->e, id)) {
		struct tn_op *op = &l->e->g.ops[l->reader[id.i].i];

		if (op->kind == OP_FULLY_CONNECTED && op->inputs[0].i == id.i) {
			w->layer = op;
			return true;
		}
		if (w->n == HOPS_MAX || !is_even(l, op, &w->operand[w->n]) ||
			op->inputs[w->operand[w->n]].i != id.i)
			return false;
		w->ops[w->n++] = tn_edit_id(l->e, op);
		id = op->outputs[0];
	}
	return false;
}

/* Each row of the filter is one image with channels first. */
static bool takes_columns(
	struct tn_layout *l, const struct tn_op *layer, const struct tn_shape *image)
{
	const struct tn_tensor *filter = tn_edit_in(l->e, layer, 1);
	const int64_t each = image->dim[1] * image->dim[2] * image->dim[3];

	return filter && tn_layout_is_constant(filter) && filter->shape.rank == 2 &&
	       filter->shape.dim[1] == each && tn_dtype_bits(filter->dtype) >= 8 &&
	       (filter->quant.n <= 1 || filter->quant.axis == 0);
}

/* Tensors on the way have their elements in another order: they get doubles, too. */
static tn_tensor_id another(struct tn_layout *l, struct tn_op *op)
{
	const struct tn_tensor like = *tn_edit_out(l->e, op, 0);
	const tn_tensor_id id = tn_edit_activation(l->e, &like, &like.shape, op);

	if (!l->e->failed)
		tn_edit_set_output(l->e, op, id);
	return id;
}

bool tn_layout_into_layer(struct tn_layout *l, struct tn_op *reshape)
{
	const tn_tensor_id from = reshape->inputs[0];
	const struct tn_shape image = tn_edit_in(l->e, reshape, 0)->shape;
	const struct tn_shape *rows = &tn_edit_out(l->e, reshape, 0)->shape;
	struct tn_shape filters = image;
	struct tn_shape flat;
	tn_tensor_id id;
	struct way w;

	if (rows->rank != 2 || rows->dim[0] != image.dim[0] ||
		!find_layer(l, reshape, &w) || !takes_columns(l, w.layer, &image))
		return false;
	flat = tn_edit_in(l->e, w.layer, 1)->shape;
	filters.dim[0] = flat.dim[0];
	id = tn_layout_permuted(l, w.layer->inputs[1], &filters, tn_layout_last);
	if (l->e->failed || !tn_edit_reshape(&l->e->g.tensors[id.i], &flat))
		return true;
	tn_edit_set_input(l->e, w.layer, 1, id);
	tn_edit_set_input(l->e, reshape, 0, l->last[from.i]);
	id = another(l, reshape);
	for (uint32_t i = 0; i < w.n && !l->e->failed; i++) {
		struct tn_op *op = &l->e->g.ops[w.ops[i].i];

		tn_edit_set_input(l->e, op, w.operand[i], id);
		id = another(l, op);
	}
	if (!l->e->failed)
		tn_edit_set_input(l->e, w.layer, 0, id);
	return true;
}
