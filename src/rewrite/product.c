/* Matrix products by a constant as FULLY_CONNECTED, where its kernel gives the same bits.
 * A float one without a bias is left: the layer cuts a sum that overflows to the greatest
 * float, the product does not. With an addition behind it both do. */
#include <string.h>

#include "rewrite/synonym.h"
#include "rewrite/values.h"

#include "base/banned.h"

/* What stands for x * weights + bias. */
struct product {
	tn_tensor_id x, weights, bias; /* bias: may be TN_NONE */
	bool by_output; /* the weights of one output lie together */
	int64_t depth, outputs;
};

static bool is_matrix(const struct tn_tensor *t)
{
	if (!tn_edit_is_constant(t) || t->shape.rank < 2)
		return false;
	for (uint32_t d = 0; d + 2 < t->shape.rank; d++)
		if (t->shape.dim[d] != 1)
			return false;
	return true;
}

/* BATCH_MATMUL by a constant matrix. */
static bool is_matmul(struct tn_edit *e, const struct tn_op *op, struct product *p)
{
	const struct tn_tensor *x = tn_edit_in(e, op, 0), *y = tn_edit_in(e, op, 1);

	if (op->kind != OP_BATCH_MATMUL || op->n_inputs != 2 || !x || !is_matrix(y) ||
		x->shape.rank < 2 || x->shape.rank < y->shape.rank ||
		tn_op_int(op, "adj_x", 0))
		return false;
	*p = (struct product){ op->inputs[0], op->inputs[1], { TN_NONE },
		tn_op_int(op, "adj_y", 0) != 0, 0, 0 };
	return true;
}

/* ONNX's Gemm, when it neither scales nor transposes its first operand. */
static bool is_gemm(struct tn_edit *e, const struct tn_op *op, struct product *p)
{
	const struct tn_tensor *x = tn_edit_in(e, op, 0), *y = tn_edit_in(e, op, 1);

	if (op->kind != OP_UNKNOWN ||
		(strcmp(op->type, "Gemm") != 0 && strcmp(op->type, "GEMM") != 0) ||
		op->n_inputs < 2 || op->n_inputs > 3 || !x || !is_matrix(y) ||
		x->shape.rank != 2 || y->shape.rank != 2 ||
		tn_op_int(op, "transA", 0) != 0)
		return false;
	if (tn_op_float(op, "alpha", 1.0) < 1.0 || tn_op_float(op, "alpha", 1.0) > 1.0 ||
		tn_op_float(op, "beta", 1.0) < 1.0 || tn_op_float(op, "beta", 1.0) > 1.0)
		return false;
	*p = (struct product){ op->inputs[0], op->inputs[1],
		{ op->n_inputs == 3 ? op->inputs[2].i : TN_NONE },
		tn_op_int(op, "transB", 0) != 0, 0, 0 };
	return true;
}

/* One value for each output, added to all rows. */
static bool is_bias(
	const struct tn_edit *e, tn_tensor_id id, enum tn_dtype dtype, int64_t outputs)
{
	const struct tn_tensor *t = &e->g.tensors[id.i];

	return tn_edit_is_constant(t) && t->dtype == dtype && t->elements == outputs &&
	       t->shape.rank > 0 && t->shape.dim[t->shape.rank - 1] == outputs;
}

static bool fits(struct tn_edit *e, struct product *p, const struct tn_tensor *out)
{
	const struct tn_tensor *x = &e->g.tensors[p->x.i];
	const struct tn_tensor *y = &e->g.tensors[p->weights.i];
	const int64_t rows = y->shape.dim[y->shape.rank - 2];
	const int64_t columns = y->shape.dim[y->shape.rank - 1];

	p->depth = p->by_output ? columns : rows;
	p->outputs = p->by_output ? rows : columns;
	return p->depth > 0 && p->outputs > 0 && x->dtype == y->dtype &&
	       x->dtype == out->dtype &&
	       (x->dtype == DTYPE_F32 || x->dtype == DTYPE_I8) && y->quant.n <= 1 &&
	       x->shape.dim[x->shape.rank - 1] == p->depth && out->shape.rank > 0 &&
	       out->shape.dim[out->shape.rank - 1] == p->outputs;
}

/* [outputs, depth]; the constant itself when it lies so. */
static tn_tensor_id weights_of(struct tn_edit *e, const struct product *p)
{
	const struct tn_tensor like = e->g.tensors[p->weights.i];
	const struct tn_shape shape = { .rank = 2, .dim = { p->outputs, p->depth } };
	const size_t width = (size_t)tn_dtype_bits(like.dtype) / 8;
	uint8_t *data;

	if (p->by_output && like.shape.rank == 2)
		return p->weights;
	if (p->by_output)
		return tn_edit_constant(e, &like, &shape, like.data);
	data = tn_arena_alloc(e->arena, (size_t)like.bytes);
	for (int64_t o = 0; data && o < p->outputs; o++)
		for (int64_t i = 0; i < p->depth; i++)
			memcpy(data + (size_t)(o * p->depth + i) * width,
				like.data + (size_t)(i * p->outputs + o) * width, width);
	if (!data) {
		e->failed = true;
		return p->weights;
	}
	return tn_edit_constant(e, &like, &shape, data);
}

static tn_tensor_id bias_of(struct tn_edit *e, const struct product *p)
{
	const struct tn_shape line = { .rank = 1, .dim = { p->outputs } };
	const struct tn_tensor like = e->g.tensors[p->bias.i];

	return like.shape.rank == 1 ? p->bias
				    : tn_edit_constant(e, &like, &line, like.data);
}

/* `op` becomes the layer. */
static void make_dense(struct tn_edit *e, struct tn_op *op, const struct product *p,
	const char *activation)
{
	tn_tensor_id ids[3] = { p->x, weights_of(e, p), { TN_NONE } };
	uint32_t n = 2;

	if (p->bias.i != TN_NONE && !e->failed)
		ids[n++] = bias_of(e, p);
	if (e->failed)
		return;
	tn_synonym_rename(e, op, OP_FULLY_CONNECTED);
	tn_edit_drop_attrs(op);
	tn_edit_attr_string(e, op, "activation", activation);
	tn_edit_attr_bool(e, op, "keep_num_dims", true);
	tn_edit_set_inputs(e, op, ids, n);
}

/* op adds a constant to the product that only it reads. */
static bool adds_bias(struct tn_edit *e, const struct tn_op *op, struct product *p,
	struct tn_op **before)
{
	const struct tn_tensor *out = tn_edit_out(e, op, 0);
	uint32_t k = 0;

	if (op->kind != OP_ADD || op->n_inputs != 2 || !tn_edit_in(e, op, 0) ||
		!tn_edit_in(e, op, 1))
		return false;
	if (tn_edit_is_constant(tn_edit_in(e, op, 0)))
		k = 1;
	*before = tn_edit_producer(e, op, k);
	return *before && is_matmul(e, *before, p) && fits(e, p, out) &&
	       out->dtype == DTYPE_F32 &&
	       is_bias(e, op->inputs[1 - k], DTYPE_F32, p->outputs) &&
	       out->elements == tn_edit_in(e, op, k)->elements;
}

void tn_synonym_product(struct tn_edit *e, struct tn_op *op)
{
	const struct tn_tensor *out = tn_edit_out(e, op, 0);
	struct tn_rewrite *done;
	struct tn_op *before;
	struct product p;

	if (adds_bias(e, op, &p, &before)) {
		const struct tn_tensor *between = tn_edit_out(e, before, 0);
		const char *activation = tn_op_string(op, "activation", "NONE");

		if (!tn_edit_private(e, before->outputs[0])) {
			tn_edit_left_kept(e, op, before->outputs[0], op);
			return;
		}
		if (!tn_edit_stable(e, p.x))
			return;
		p.bias = tn_edit_is_constant(tn_edit_in(e, op, 0)) ? op->inputs[0]
								   : op->inputs[1];
		done = tn_edit_done(e, op, before);
		done->tensor = between->name;
		done->ram_bytes = between->bytes;
		make_dense(e, op, &p, activation);
		tn_edit_kill(e, before);
		return;
	}
	if (is_matmul(e, op, &p) ? out->dtype != DTYPE_I8 : !is_gemm(e, op, &p))
		return;
	if (!fits(e, &p, out) ||
		(p.bias.i != TN_NONE && !is_bias(e, p.bias, DTYPE_F32, p.outputs)) ||
		(op->kind == OP_UNKNOWN && out->dtype != DTYPE_F32))
		return;
	make_dense(e, op, &p, "NONE");
	if (!e->failed)
		tn_edit_done(e, op, NULL);
}
