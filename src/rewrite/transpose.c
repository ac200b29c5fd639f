/* Transposes: two in a row are one; one in front of an op on single elements moves behind
 * it, where it may meet its inverse or an op that takes it in: a matrix product that can
 * read its operand either way, or a layer whose weights are permuted instead. Where bytes
 * become fewer it moves behind, where they become more before. */
#include "rewrite/transpose.h"

#include <string.h>

#include "rewrite/values.h"

#include "base/banned.h"

bool tn_transpose_of(struct tn_edit *e, const struct tn_op *op, int64_t perm[TN_RANK_MAX])
{
	const struct tn_tensor *in = tn_edit_in(e, op, 0);

	return in && op->n_outputs == 1 &&
	       tn_edit_permutation(e, op, in->shape.rank, perm);
}

void tn_transpose_set(struct tn_edit *e, struct tn_op *op, tn_tensor_id in,
	const int64_t *perm, uint32_t n)
{
	tn_edit_set_inputs(e, op, &in, 1);
	tn_edit_drop_attrs(op);
	tn_edit_attr_ints(e, op, "perm", perm, n);
}

static void join(struct tn_edit *e, struct tn_op *op, struct tn_op *before)
{
	const uint32_t rank = tn_edit_in(e, op, 0)->shape.rank;
	int64_t first[TN_RANK_MAX], second[TN_RANK_MAX], both[TN_RANK_MAX];
	const struct tn_tensor *between = tn_edit_in(e, op, 0);
	struct tn_rewrite *done;

	if (!tn_transpose_of(e, before, first) || !tn_transpose_of(e, op, second) ||
		!tn_edit_same_type(between, tn_edit_in(e, before, 0)) ||
		!tn_edit_stable(e, before->inputs[0]))
		return;
	for (uint32_t i = 0; i < rank; i++)
		both[i] = first[second[i]];
	done = tn_edit_done(e, op, tn_edit_private(e, op->inputs[0]) ? before : NULL);
	done->tensor = between->name;
	done->ram_bytes = between->bytes;
	/* `before` stays for its other readers, or is dead code */
	tn_transpose_set(e, op, before->inputs[0], both, rank);
}

static int32_t width_of(const struct tn_tensor *t)
{
	return tn_dtype_bits(t->dtype);
}

/* Does the op give fewer bytes, or more? */
static bool narrows(struct tn_edit *e, const struct tn_op *op)
{
	return width_of(tn_edit_out(e, op, 0)) < width_of(tn_edit_in(e, op, 0));
}

static bool widens(struct tn_edit *e, const struct tn_op *op)
{
	return width_of(tn_edit_out(e, op, 0)) > width_of(tn_edit_in(e, op, 0));
}

/* Ops whose result at an index depends on the first operand there and on nothing else,
 * neither on the rank, which a constant may raise, nor on which dimension is which. */
static bool is_elementwise(struct tn_edit *e, const struct tn_op *op)
{
	uint32_t k;

	return op->kind != OP_BATCH_NORM && !tn_op_attr(op, "axis") &&
	       !tn_op_attr(op, "axes") && tn_values_operand(e, op, &k) && k == 0 &&
	       tn_shape_equal(
		       &tn_edit_in(e, op, 0)->shape, &tn_edit_out(e, op, 0)->shape);
}

/* Such ops, or those whose constants can be transposed as well. */
static bool does_not_care(struct tn_edit *e, const struct tn_op *op)
{
	if (tn_transpose_channels(e, op) || tn_transpose_pads(e, op))
		return true;
	return is_elementwise(e, op) && !widens(e, op);
}

/* Does the permutation exchange the last two dimensions and nothing else? */
static bool swaps_last(const int64_t *perm, uint32_t rank)
{
	for (uint32_t i = 0; i + 2 < rank; i++)
		if (perm[i] != i)
			return false;
	return rank >= 2 && perm[rank - 2] == rank - 1 && perm[rank - 1] == rank - 2;
}

/* A matrix product reads operand k by columns instead of rows. */
static bool product_takes(
	struct tn_edit *e, const struct tn_op *op, uint32_t k, const int64_t *perm)
{
	const struct tn_tensor *t = tn_edit_in(e, op, k);

	return op->kind == OP_BATCH_MATMUL && op->n_inputs == 2 && t &&
	       swaps_last(perm, t->shape.rank);
}

/* A reshape to rows, which an int8 layer with constant weights reads: its columns can be
 * put in another order, for sums of integers do not care. Returns the layer. */
static struct tn_op *layer_takes(struct tn_edit *e, const tn_op_id *reader,
	const struct tn_op *op, const int64_t *perm)
{
	const struct tn_tensor *in = tn_edit_in(e, op, 0), *out = tn_edit_out(e, op, 0);
	const struct tn_tensor *filter;
	struct tn_op *layer;

	if (op->kind != OP_RESHAPE || op->n_inputs != 1 || in->dtype != DTYPE_I8 ||
		!out || perm[0] != 0 || out->shape.rank != 2 || in->shape.rank < 2 ||
		in->shape.dim[0] != out->shape.dim[0] ||
		!tn_edit_private(e, op->outputs[0]))
		return NULL;
	layer = &e->g.ops[reader[op->outputs[0].i].i];
	filter = tn_edit_in(e, layer, 1);
	if (layer->kind != OP_FULLY_CONNECTED || layer->inputs[0].i != op->outputs[0].i ||
		!tn_edit_is_constant(filter) || filter->dtype != DTYPE_I8 ||
		filter->shape.rank != 2 || filter->shape.dim[1] != out->shape.dim[1])
		return NULL;
	return layer;
}

/* Do only ops that do not care lie between the tensor and one that takes the transpose? */
static bool meets_taker(
	struct tn_edit *e, const tn_op_id *reader, tn_tensor_id id, const int64_t *perm)
{
	for (int hops = 0; hops < 64 && tn_edit_private(e, id); hops++) {
		const struct tn_op *op = &e->g.ops[reader[id.i].i];
		const uint32_t k = op->inputs[0].i == id.i ? 0 : 1;

		if (op->kind == OP_TRANSPOSE || product_takes(e, op, k, perm) ||
			layer_takes(e, reader, op, perm))
			return true;
		if (!does_not_care(e, op))
			return false;
		id = op->outputs[0];
	}
	return false;
}

/* The transpose has moved away from this tensor, and another one comes in its place: no
 * bytes are said to be saved. */
static void done_with(struct tn_edit *e, const struct tn_op *transpose, tn_tensor_id left)
{
	tn_edit_done(e, transpose, NULL)->tensor = e->g.tensors[left.i].name;
}

/* The op takes the place of the transpose in front of it, which comes behind it and reads
 * a new tensor of this shape. */
static void swap(struct tn_edit *e, tn_op_id *reader, struct tn_op *op,
	struct tn_op *before, const struct tn_shape *shape)
{
	const tn_tensor_id out = op->outputs[0];
	tn_tensor_id moved;

	done_with(e, before, before->outputs[0]);
	moved = tn_edit_activation(e, &e->g.tensors[out.i], shape, op);
	if (e->failed)
		return;
	reader[moved.i] = tn_edit_id(e, op);
	tn_edit_set_output(e, before, moved);
	tn_edit_set_input(e, op, 0, moved);
	tn_edit_exchange(e, before, op);
}

/* transpose, op -> op, transpose: only where another transpose follows, so that the two
 * meet, or where fewer bytes are moved then; else it would gain nothing. */
static void move_behind(
	struct tn_edit *e, tn_op_id *reader, struct tn_op *op, struct tn_op *before)
{
	const tn_tensor_id between = op->inputs[0], out = op->outputs[0];
	int64_t perm[TN_RANK_MAX];
	struct tn_shape shape;

	if (!tn_transpose_of(e, before, perm) || !tn_edit_private(e, between) ||
		e->pinned[out.i] ||
		!(narrows(e, op) || meets_taker(e, reader, out, perm)) ||
		!tn_edit_same_type(tn_edit_in(e, op, 0), tn_edit_in(e, before, 0)) ||
		e->g.tensors[between.i].quant.n > 1 || e->g.tensors[out.i].quant.n > 1)
		return;
	shape = e->g.tensors[before->inputs[0].i].shape;
	if (tn_transpose_pads(e, op))
		tn_transpose_unpad(e, op, perm, &shape);
	else if (tn_transpose_channels(e, op))
		tn_transpose_constant(e, op, perm);
	tn_transpose_set(
		e, before, before->inputs[0], perm, e->g.tensors[between.i].shape.rank);
	if (!e->failed)
		swap(e, reader, op, before, &shape);
}

/* op, transpose -> transpose, op: where more bytes would be moved behind the op. */
static void move_before(
	struct tn_edit *e, tn_op_id *reader, struct tn_op *transpose, struct tn_op *op)
{
	const tn_tensor_id between = transpose->inputs[0], from = op->inputs[0];
	struct tn_shape shape = tn_edit_out(e, transpose, 0)->shape;
	int64_t perm[TN_RANK_MAX];
	tn_tensor_id moved;

	if (op->n_outputs != 1 || !widens(e, op) || !is_elementwise(e, op) ||
		!tn_transpose_of(e, transpose, perm) || !tn_edit_private(e, between) ||
		!tn_edit_may_move(e, transpose->outputs[0]) || !tn_edit_stable(e, from) ||
		e->g.tensors[from.i].quant.n > 1 || e->g.tensors[between.i].quant.n > 1 ||
		!tn_edit_same_type(
			tn_edit_in(e, transpose, 0), tn_edit_out(e, transpose, 0)))
		return;
	tn_transpose_set(e, transpose, between, perm, shape.rank);
	done_with(e, transpose, between);
	moved = tn_edit_activation(e, &e->g.tensors[from.i], &shape, op);
	if (e->failed)
		return;
	reader[moved.i] = tn_edit_id(e, transpose);
	tn_edit_set_output(e, op, moved);
	tn_edit_set_input(e, transpose, 0, moved);
	tn_edit_exchange(e, op, transpose);
}

/* A reduction of transposed elements: of those in their own order, and what is left is
 * transposed, which is less. */
static void move_behind_fold(
	struct tn_edit *e, tn_op_id *reader, struct tn_op *op, struct tn_op *before)
{
	int64_t perm[TN_RANK_MAX], rest[TN_RANK_MAX];
	struct tn_shape shape;
	uint32_t n;

	if (!tn_transpose_of(e, before, perm) || !tn_edit_private(e, op->inputs[0]) ||
		e->pinned[op->outputs[0].i] ||
		!tn_edit_same_type(tn_edit_in(e, op, 0), tn_edit_in(e, before, 0)) ||
		tn_edit_in(e, op, 0)->quant.n > 1 || tn_edit_out(e, op, 0)->quant.n > 1 ||
		!tn_transpose_fold(e, op, perm, &shape, rest, &n))
		return;
	tn_transpose_set(e, before, before->inputs[0], rest, n);
	if (!e->failed)
		swap(e, reader, op, before, &shape);
}

/* Operand k of op without its transpose, which goes or stays for other readers. */
static void skip(struct tn_edit *e, struct tn_op *op, uint32_t k, struct tn_op *transpose)
{
	const tn_tensor_id between = op->inputs[k];
	const bool only = tn_edit_private(e, between);
	struct tn_rewrite *done = tn_edit_done(e, op, only ? transpose : NULL);

	done->tensor = e->g.tensors[between.i].name;
	done->ram_bytes = only ? e->g.tensors[between.i].bytes : 0;
	tn_edit_set_input(e, op, k, transpose->inputs[0]);
	if (only)
		tn_edit_kill(e, transpose);
}

static void take_into_product(struct tn_edit *e, struct tn_op *op, uint32_t k)
{
	struct tn_op *before = tn_edit_producer(e, op, k);
	const char *name = k ? "adj_y" : "adj_x";
	int64_t perm[TN_RANK_MAX];

	if (!before || before->kind != OP_TRANSPOSE ||
		!tn_transpose_of(e, before, perm) || !product_takes(e, op, k, perm) ||
		!tn_edit_same_type(tn_edit_in(e, op, k), tn_edit_in(e, before, 0)) ||
		!tn_edit_stable(e, before->inputs[0]))
		return;
	tn_edit_attr_bool(e, op, name, !tn_op_int(op, name, 0));
	skip(e, op, k, before);
}

/* Where in the untransposed row element i of the transposed one comes from. */
static int64_t source(const struct tn_shape *from, const int64_t *perm, int64_t i)
{
	int64_t stride[TN_RANK_MAX], sum = 0;

	tn_shape_strides(from, stride);
	for (uint32_t d = from->rank; d-- > 1;) {
		const int64_t n = from->dim[perm[d]];

		sum += i % n * stride[perm[d]];
		i /= n;
	}
	return sum;
}

static void take_into_layer(
	struct tn_edit *e, const tn_op_id *reader, struct tn_op *op, struct tn_op *before)
{
	int64_t perm[TN_RANK_MAX], each;
	struct tn_shape from;
	struct tn_tensor like;
	struct tn_op *layer;
	tn_tensor_id weights;
	uint8_t *data;

	if (!tn_transpose_of(e, before, perm) || !tn_edit_stable(e, before->inputs[0]) ||
		!tn_edit_same_type(tn_edit_in(e, op, 0), tn_edit_in(e, before, 0)))
		return;
	layer = layer_takes(e, reader, op, perm);
	if (!layer)
		return;
	from = tn_edit_in(e, before, 0)->shape;
	like = *tn_edit_in(e, layer, 1);
	each = like.shape.dim[1];
	data = tn_arena_alloc(e->arena, (size_t)like.bytes);
	for (int64_t i = 0; data && i < each; i++)
		for (int64_t o = 0; o < like.shape.dim[0]; o++)
			data[o * each + source(&from, perm, i)] = like.data[o * each + i];
	weights =
		data ? tn_edit_constant(e, &like, &like.shape, data) : before->inputs[0];
	if (!data || e->failed) {
		e->failed = true;
		return;
	}
	tn_edit_set_input(e, layer, 1, weights);
	skip(e, op, 0, before);
}

static bool same_permutation(
	struct tn_edit *e, const struct tn_op *a, const struct tn_op *b)
{
	int64_t p[TN_RANK_MAX], q[TN_RANK_MAX];
	const uint32_t rank = tn_edit_in(e, a, 0)->shape.rank;

	return tn_transpose_of(e, a, p) && tn_transpose_of(e, b, q) &&
	       tn_shape_equal(&tn_edit_in(e, a, 0)->shape, &tn_edit_in(e, b, 0)->shape) &&
	       memcmp(p, q, rank * sizeof(*p)) == 0;
}

static bool is_only_moved(struct tn_edit *e, const struct tn_op *transpose)
{
	const struct tn_tensor *in = tn_edit_in(e, transpose, 0);

	return in->quant.n <= 1 && tn_edit_same_type(in, tn_edit_out(e, transpose, 0)) &&
	       tn_edit_stable(e, transpose->inputs[0]) &&
	       tn_edit_private(e, transpose->outputs[0]);
}

/* Both operands are transposed alike: one transpose of the result. It takes the place of
 * the op, which takes that of the later one of the two. */
static void move_behind_both(
	struct tn_edit *e, tn_op_id *reader, const uint32_t *position, struct tn_op *op)
{
	struct tn_op *a = tn_edit_producer(e, op, 0), *b = tn_edit_producer(e, op, 1);
	const struct tn_tensor *out = tn_edit_out(e, op, 0);
	struct tn_op *later, *other;
	tn_tensor_id inputs[2], between;
	int64_t perm[TN_RANK_MAX];
	struct tn_rewrite *done;
	struct tn_op saved;
	uint32_t rank;

	if (op->n_inputs != 2 || tn_op_info(op->kind)->access != ACCESS_POINTWISE || !a ||
		!b || a == b || a->kind != OP_TRANSPOSE || b->kind != OP_TRANSPOSE ||
		!same_permutation(e, a, b) || !is_only_moved(e, a) ||
		!is_only_moved(e, b) || e->pinned[op->outputs[0].i] || !out ||
		out->quant.n > 1 ||
		!tn_shape_equal(&out->shape, &tn_edit_in(e, op, 0)->shape) ||
		!tn_transpose_of(e, a, perm))
		return;
	later = position[tn_edit_id(e, a).i] > position[tn_edit_id(e, b).i] ? a : b;
	other = later == a ? b : a;
	inputs[0] = a->inputs[0];
	inputs[1] = b->inputs[0];
	rank = out->shape.rank;
	between = tn_edit_activation(e, out, &e->g.tensors[inputs[0].i].shape, op);
	if (e->failed)
		return;
	done = tn_edit_done(e, op, other);
	done->tensor = e->g.tensors[other->outputs[0].i].name;
	done->ram_bytes = e->g.tensors[other->outputs[0].i].bytes;
	tn_edit_set_inputs(e, op, inputs, 2);
	tn_edit_kill(e, other);
	reader[between.i] = tn_edit_id(e, op);
	done_with(e, later, later->outputs[0]);
	tn_edit_set_output(e, later, between);
	tn_transpose_set(e, later, between, perm, rank);
	saved = *op;
	*op = *later;
	op->outputs = saved.outputs; /* the lists change hands with the records */
	*later = saved;
	later->outputs = tn_arena_alloc(e->arena, sizeof(*later->outputs));
	if (!later->outputs) {
		e->failed = true;
		return;
	}
	later->outputs[0] = between;
}

/* What nobody took: it moves its bytes at each run. */
static void note_left(struct tn_edit *e, const struct tn_op *op)
{
	const struct tn_tensor *t = tn_edit_out(e, op, 0);

	tn_edit_left(e, op, "no op beside it takes it in: it moves its bytes", NULL);
	if (!e->failed)
		e->left.items[e->left.count - 1].ram_bytes = t->bytes;
}

static uint32_t *positions(struct tn_edit *e)
{
	uint32_t *list = TN_NEW_ARRAY(e->scratch, uint32_t, e->g.n_ops);

	if (!list)
		e->failed = true;
	for (uint32_t i = 0; list && i < e->g.n_ops; i++)
		list[e->g.schedule[i].i] = i;
	return list;
}

void tn_rewrite_transposes(struct tn_edit *e)
{
	tn_op_id *reader = tn_edit_readers(e);
	const uint32_t *position = positions(e);

	for (uint32_t i = 0; i < e->g.n_ops && !e->failed; i++) {
		struct tn_op *op = tn_edit_op(e, i), *before;

		if (!op || !tn_edit_in(e, op, 0) || !tn_edit_out(e, op, 0))
			continue;
		if (op->kind == OP_BATCH_MATMUL) {
			take_into_product(e, op, 0);
			take_into_product(e, op, 1);
			continue;
		}
		before = tn_edit_producer(e, op, 0);
		if (before && op->kind == OP_TRANSPOSE && before->kind != OP_TRANSPOSE &&
			tn_edit_in(e, before, 0))
			move_before(e, reader, op, before);
		if (!before || before->kind != OP_TRANSPOSE)
			continue;
		if (op->kind == OP_TRANSPOSE)
			join(e, op, before);
		else if (tn_op_info(op->kind)->access == ACCESS_REDUCE)
			move_behind_fold(e, reader, op, before);
		else if (op->kind == OP_RESHAPE)
			take_into_layer(e, reader, op, before);
		else if (does_not_care(e, op))
			move_behind(e, reader, op, before);
		else
			move_behind_both(e, reader, position, op);
	}
	for (uint32_t i = 0; i < e->g.n_ops && !e->failed; i++) {
		const struct tn_op *op = tn_edit_op(e, i);

		if (op && op->kind == OP_TRANSPOSE && tn_edit_in(e, op, 0) &&
			!tn_edit_is_constant(tn_edit_in(e, op, 0)) &&
			tn_edit_out(e, op, 0))
			note_left(e, op);
	}
}
