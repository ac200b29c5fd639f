/* MEAN over height and width as a pool whose window is the whole image, where the two give
 * the same: a pool can clamp what it gives, and two spellings of one value are computed
 * once. Of integers every sum that the elements can have is tried; of floats a pool cuts
 * what has overflowed, so the elements must be known to be small. */
#include <string.h>

#include "base/checked.h"
#include "ir/window.h"
#include "rewrite/synonym.h"
#include "rewrite/values.h"

#include "base/banned.h"

/* Sums of more elements are not tried. */
#define ELEMENTS_MAX ((int64_t)1 << 17)

bool tn_synonym_is_global_mean(struct tn_edit *e, const struct tn_op *op)
{
	int64_t axes[TN_RANK_MAX];
	uint32_t n;

	if (op->kind != OP_MEAN || !tn_edit_in(e, op, 0) ||
		tn_edit_in(e, op, 0)->shape.rank != 4 ||
		!tn_edit_ints(e, op, 1, "axes", axes, &n) || n != 2)
		return false;
	for (uint32_t i = 0; i < 2; i++)
		axes[i] += axes[i] < 0 ? 4 : 0;
	return axes[0] + axes[1] == 3 && axes[0] * axes[1] == 2;
}

/* The op with the pool's attributes; operands and name stay. */
static void set_pool(struct tn_edit *e, struct tn_op *op, const struct tn_shape *in)
{
	static const int64_t one[] = { 1, 1 };

	tn_edit_drop_attrs(op);
	tn_edit_attr_string(e, op, "pad", "VALID");
	tn_edit_attr_ints(e, op, "kernel", &in->dim[1], 2);
	tn_edit_attr_ints(e, op, "stride", one, 2);
	tn_edit_attr_string(e, op, "activation", "NONE");
}

/* An image of `pixels` for each sum, the least first, a channel each. */
static uint8_t *every_sum(struct tn_edit *e, enum tn_dtype dtype, int64_t pixels,
	int64_t sums, int64_t values)
{
	const int64_t width = tn_dtype_bits(dtype) / 8;
	uint8_t *data =
		tn_arena_array(e->scratch, (size_t)(pixels * sums), (size_t)width);

	for (int64_t p = 0; data && p < pixels; p++)
		for (int64_t s = 0; s < sums; s++) {
			const int64_t rest = s - p * (values - 1);
			const uint64_t value =
				(uint64_t)(tn_min_i64(tn_max_i64(rest, 0), values - 1) -
					   values / 2);

			for (int64_t b = 0; b < width; b++)
				data[(p * sums + s) * width + b] =
					(uint8_t)(value >> (8 * b));
		}
	if (!data)
		e->failed = true;
	return data;
}

/* What the mean, or the pool of the same elements, gives for every sum. */
static const uint8_t *results_of(
	struct tn_edit *e, struct tn_op *op, bool pool, const uint8_t *data, int64_t sums)
{
	struct tn_tensor *in = tn_edit_in(e, op, 0), *out = tn_edit_out(e, op, 0);
	const struct tn_tensor saved_in = *in, saved_out = *out;
	const struct tn_op saved = *op;
	const tn_op_id id = tn_edit_id(e, op);
	const struct tn_edit_given given = { op->inputs[0], data };
	struct tn_shape shape = saved_in.shape;
	const uint8_t **results = NULL;
	const bool changed = e->changed;

	shape.dim[0] = 1;
	shape.dim[3] = sums;
	if (tn_edit_reshape(in, &shape)) {
		shape.dim[1] = shape.dim[2] = 1;
		if (pool) {
			op->kind = OP_AVERAGE_POOL_2D;
			op->n_inputs = 1;
			set_pool(e, op, &saved_in.shape);
		} else {
			tn_edit_attr_bool(e, op, "keep_dims", true);
		}
		if (tn_edit_reshape(out, &shape) && !e->failed)
			results = tn_edit_run(e, &id, 1, &given, 1);
	}
	*in = saved_in;
	*out = saved_out;
	*op = saved;
	e->changed = changed;
	return results ? results[0] : NULL;
}

/* Do mean and pool (`identity`: and the element itself) give the same for every sum? */
static bool integers_alike(struct tn_edit *e, struct tn_op *op, bool identity)
{
	const struct tn_tensor *in = tn_edit_in(e, op, 0);
	const int64_t values = tn_values_count(in);
	const uint8_t *data, *a, *b;
	int64_t pixels, sums;

	if ((in->dtype != DTYPE_I8 && in->dtype != DTYPE_I16) ||
		!tn_mul_i64(in->shape.dim[1], in->shape.dim[2], &pixels) || pixels < 1 ||
		pixels > ELEMENTS_MAX || (identity && pixels != 1))
		return false;
	sums = pixels * (values - 1) + 1;
	if (pixels > ELEMENTS_MAX / sums)
		return false;
	data = every_sum(e, in->dtype, pixels, sums, values);
	a = data ? results_of(e, op, false, data, sums) : NULL;
	b = identity ? data : a ? results_of(e, op, true, data, sums) : NULL;
	return a && b && memcmp(a, b, (size_t)(sums * tn_dtype_bits(in->dtype) / 8)) == 0;
}

/* Is what the op gives small, and so every sum of it? */
static bool gives_small(struct tn_edit *e, const struct tn_op *op)
{
	const struct tn_tensor *t = op ? tn_edit_in(e, op, 0) : NULL;
	const char *act = op ? tn_op_string(op, "activation", "NONE") : "NONE";

	if (!t || op->n_outputs != 1)
		return false;
	switch (op->kind) {
	case OP_RELU6:
	case OP_RELU_N1_TO_1:
	case OP_LOGISTIC:
	case OP_TANH:
	case OP_SOFTMAX:
		return true;
	case OP_DEQUANTIZE:
		return t->quant.n == 1 && t->quant.scale[0] <= 1e10f;
	default:
		return strcmp(act, "RELU6") == 0 || strcmp(act, "RELU_N1_TO_1") == 0;
	}
}

static void become_reshape(struct tn_edit *e, struct tn_op *op)
{
	const tn_tensor_id in = op->inputs[0];

	tn_synonym_rename(e, op, OP_RESHAPE);
	tn_edit_drop_attrs(op);
	tn_edit_set_inputs(e, op, &in, 1);
	tn_edit_done(e, op, NULL);
}

/* The pool of the same elements that another op is, to be spelled alike; or NULL. */
static const struct tn_op *pool_beside(struct tn_edit *e, const struct tn_op *op)
{
	const struct tn_op *pool = tn_edit_other_reader(e, op->inputs[0], op);
	const struct tn_tensor *in = tn_edit_in(e, op, 0);
	struct tn_window w;
	const char *why;

	return pool && pool->kind == OP_AVERAGE_POOL_2D &&
			       !tn_edit_is_held(e, tn_edit_id(e, pool)) &&
			       tn_window_of(&e->g, pool, &w, &why) &&
			       w.k_h == in->shape.dim[1] && w.k_w == in->shape.dim[2] &&
			       w.out_h == 1 && w.out_w == 1 && !w.pad_top && !w.pad_left
		       ? pool
		       : NULL;
}

static void become_pool(struct tn_edit *e, struct tn_op *op)
{
	const tn_tensor_id in = op->inputs[0];
	const struct tn_shape shape = tn_edit_in(e, op, 0)->shape;
	const struct tn_op *beside = pool_beside(e, op);

	tn_synonym_rename(e, op, OP_AVERAGE_POOL_2D);
	set_pool(e, op, &shape);
	if (beside && strcmp(tn_op_string(beside, "activation", "NONE"), "NONE") == 0) {
		op->attrs = beside->attrs; /* never changed in place */
		op->n_attrs = beside->n_attrs;
	}
	tn_edit_set_inputs(e, op, &in, 1);
	tn_edit_done(e, op, NULL);
}

/* The op for whose sake a pool would be better: a clamp that it could do, or a pool of the
 * same elements. */
static const struct tn_op *would_gain(struct tn_edit *e, const struct tn_op *op)
{
	const struct tn_op *after = tn_edit_other_reader(e, op->outputs[0], op);

	if (after && (after->kind == OP_RELU || after->kind == OP_RELU6))
		return after;
	return pool_beside(e, op);
}

void tn_synonym_mean(struct tn_edit *e, struct tn_op *op)
{
	const struct tn_tensor *in, *out = tn_edit_out(e, op, 0);
	const struct tn_op *gains;

	if (!tn_synonym_is_global_mean(e, op))
		return;
	in = tn_edit_in(e, op, 0);
	if (!tn_edit_same_type(in, out) || tn_edit_is_constant(in) || out->mutated)
		return;
	if (integers_alike(e, op, true)) {
		become_reshape(e, op);
		return;
	}
	if (out->shape.rank != 4)
		return;
	if (in->dtype == DTYPE_F32 ? gives_small(e, tn_edit_producer(e, op, 0))
				   : integers_alike(e, op, false)) {
		become_pool(e, op);
		return;
	}
	gains = would_gain(e, op);
	if (gains)
		tn_edit_left(e, op,
			in->dtype == DTYPE_F32 ? "a pool would cut an infinite mean"
					       : "a pool of as many pixels rounds "
						 "otherwise",
			gains);
}
