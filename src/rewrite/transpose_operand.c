/* Ops that take elements before a transpose instead of behind it, when their constants are
 * permuted: one value for each channel, paddings, axes. */
#include <string.h>

#include "rewrite/transpose.h"

#include "base/banned.h"

/* ---- constants that are broadcast ---- */

/* Ops whose kernels take a constant of any shape that can be broadcast. */
static bool broadcasts(const struct tn_op *op)
{
	switch (op->kind) {
	case OP_ADD:
	case OP_SUB:
	case OP_MUL:
	case OP_DIV:
	case OP_MINIMUM:
	case OP_MAXIMUM:
	case OP_SQUARED_DIFFERENCE:
		return op->n_inputs == 2 && op->n_outputs == 1;
	default:
		return false;
	}
}

bool tn_transpose_channels(struct tn_edit *e, const struct tn_op *op)
{
	const struct tn_tensor *x = tn_edit_in(e, op, 0), *k = tn_edit_in(e, op, 1);
	const struct tn_tensor *out = tn_edit_out(e, op, 0);

	return broadcasts(op) && x && k && out && !out->mutated &&
	       !tn_edit_is_constant(x) && tn_edit_is_constant(k) && k->elements > 1 &&
	       k->quant.n <= 1 && k->shape.rank <= x->shape.rank &&
	       tn_dtype_bits(k->dtype) >= 8 && tn_shape_equal(&x->shape, &out->shape);
}

void tn_transpose_constant(struct tn_edit *e, struct tn_op *op, const int64_t *perm)
{
	const uint32_t rank = tn_edit_in(e, op, 0)->shape.rank;
	const struct tn_tensor like = *tn_edit_in(e, op, 1);
	const int64_t width = tn_dtype_bits(like.dtype) / 8;
	struct tn_shape from = { .rank = rank }, to = { .rank = rank };
	int64_t stride[TN_RANK_MAX];
	uint8_t *data = tn_arena_alloc(e->arena, (size_t)like.bytes);
	tn_tensor_id id;

	for (uint32_t i = 0; i < rank; i++) /* ones in front, as broadcasting has it */
		from.dim[i] = i < rank - like.shape.rank
				      ? 1
				      : like.shape.dim[i - (rank - like.shape.rank)];
	for (uint32_t i = 0; i < rank; i++)
		to.dim[perm[i]] = from.dim[i];
	tn_shape_strides(&to, stride);
	for (int64_t n = 0; data && n < like.elements; n++) {
		int64_t at = 0, rest = n;

		for (uint32_t i = rank; i-- > 0;) {
			at += rest % from.dim[i] * stride[perm[i]];
			rest /= from.dim[i];
		}
		memcpy(data + at * width, like.data + n * width, (size_t)width);
	}
	if (!data) {
		e->failed = true;
		return;
	}
	id = tn_edit_constant(e, &like, &to, data);
	if (!e->failed)
		tn_edit_set_input(e, op, 1, id);
}

/* ---- paddings ---- */

bool tn_transpose_pads(struct tn_edit *e, const struct tn_op *op)
{
	const struct tn_tensor *x = tn_edit_in(e, op, 0), *k = tn_edit_in(e, op, 1);
	int64_t value;

	if ((op->kind != OP_PAD && op->kind != OP_PADV2) || !x || !k ||
		!tn_edit_is_constant(k) || k->elements != 2 * (int64_t)x->shape.rank ||
		(k->dtype != DTYPE_I32 && k->dtype != DTYPE_I64) || op->n_outputs != 1 ||
		!tn_edit_out(e, op, 0) || tn_edit_out(e, op, 0)->mutated ||
		(op->n_inputs > 2 && !tn_edit_is_constant(tn_edit_in(e, op, 2))))
		return false;
	for (int64_t i = 0; i < k->elements; i++)
		if (!tn_tensor_int(k, i, &value) || value < 0)
			return false;
	return true;
}

void tn_transpose_unpad(
	struct tn_edit *e, struct tn_op *op, const int64_t *perm, struct tn_shape *shape)
{
	const struct tn_tensor like = *tn_edit_in(e, op, 1);
	const size_t row = (size_t)(2 * tn_dtype_bits(like.dtype) / 8);
	const struct tn_shape padded = tn_edit_out(e, op, 0)->shape;
	uint8_t *data = tn_arena_alloc(e->arena, (size_t)like.bytes);
	tn_tensor_id id;

	if (!data) {
		e->failed = true;
		return;
	}
	for (uint32_t i = 0; i < shape->rank; i++) {
		memcpy(data + (size_t)perm[i] * row, like.data + i * row, row);
		shape->dim[perm[i]] = padded.dim[i];
	}
	id = tn_edit_constant(e, &like, &like.shape, data);
	if (!e->failed)
		tn_edit_set_input(e, op, 1, id);
}

/* ---- axes ---- */

static bool is_fold(const struct tn_op *op)
{
	switch (op->kind) {
	case OP_MEAN:
	case OP_SUM:
	case OP_REDUCE_MAX:
	case OP_REDUCE_MIN:
	case OP_REDUCE_ALL:
	case OP_REDUCE_ANY:
		return op->n_outputs == 1;
	default:
		return false;
	}
}

/* By dimension behind the permutation: is it folded? */
static bool folded_of(struct tn_edit *e, const struct tn_op *op, uint32_t rank,
	bool folded[TN_RANK_MAX])
{
	int64_t axes[TN_RANK_MAX];
	uint32_t n;

	memset(folded, 0, TN_RANK_MAX * sizeof(*folded));
	if (!tn_edit_ints(e, op, 1, "axes", axes, &n))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		axes[i] += axes[i] < 0 ? rank : 0;
		if (axes[i] < 0 || axes[i] >= rank)
			return false;
		folded[axes[i]] = true;
	}
	return n > 0;
}

/* Do the folded dimensions come in the same order before the permutation? */
static bool keeps_order(const bool *folded, const int64_t *perm, uint32_t rank)
{
	int64_t last = -1;

	for (uint32_t i = 0; i < rank; i++) {
		if (folded[i] && perm[i] < last)
			return false;
		last = folded[i] ? perm[i] : last;
	}
	return true;
}

bool tn_transpose_fold(struct tn_edit *e, struct tn_op *op, const int64_t *perm,
	struct tn_shape *out, int64_t rest[TN_RANK_MAX], uint32_t *n)
{
	const struct tn_tensor *x = tn_edit_in(e, op, 0);
	const struct tn_shape result = tn_edit_out(e, op, 0)->shape;
	const uint32_t rank = x->shape.rank;
	const tn_tensor_id in = op->inputs[0];
	int64_t axes[TN_RANK_MAX], place[TN_RANK_MAX];
	bool folded[TN_RANK_MAX], before[TN_RANK_MAX] = { false };
	uint32_t n_axes = 0;

	if (!is_fold(op) || !result.rank || !folded_of(e, op, rank, folded) ||
		(x->dtype == DTYPE_F32 && !keeps_order(folded, perm, rank)))
		return false;
	for (uint32_t i = 0; i < rank; i++)
		before[perm[i]] = folded[i];
	*out = (struct tn_shape){ .rank = result.rank };
	for (uint32_t d = 0, k = 0; d < rank; d++) {
		place[d] = k;
		if (before[d])
			axes[n_axes++] = d;
		k += result.rank == rank || !before[d];
	}
	*n = 0;
	for (uint32_t i = 0; i < rank; i++) {
		if (result.rank != rank && folded[i])
			continue;
		out->dim[place[perm[i]]] = result.dim[*n];
		rest[(*n)++] = place[perm[i]];
	}
	if (*n != result.rank)
		return false;
	tn_edit_set_inputs(e, op, &in, 1);
	tn_edit_attr_ints(e, op, "axes", axes, n_axes);
	return !e->failed;
}
