/* Clamps: MAXIMUM and MINIMUM with a constant, CLIP, and two clamps in a row, as RELU and
 * its relatives. A float is taken only where NaN and the sign of a zero come out alike. */
#include <math.h>
#include <string.h>

#include "rewrite/synonym.h"
#include "rewrite/values.h"

#include "base/banned.h"

static const enum tn_op_kind plain[] = { OP_RELU, OP_RELU6, OP_RELU_N1_TO_1 };
#define N_PLAIN (sizeof(plain) / sizeof(*plain))

struct bounds {
	float min, max;
	uint32_t k; /* operand that is clamped */
};

static const struct bounds plain_bounds[N_PLAIN] = { { 0.0f, INFINITY, 0 },
	{ 0.0f, 6.0f, 0 }, { -1.0f, 1.0f, 0 } };

static bool same(float a, float b)
{
	return a >= b && a <= b && signbit(a) == signbit(b);
}

static bool float_of(const struct tn_tensor *t, float *out)
{
	if (!tn_edit_is_constant(t) || t->dtype != DTYPE_F32 || t->elements != 1)
		return false;
	memcpy(out, t->data, sizeof(*out));
	return true;
}

/* Does the op give neither NaN nor a negative zero? */
static bool gives_numbers(const struct tn_op *op)
{
	return op && op->kind == OP_DEQUANTIZE;
}

/* MAXIMUM and MINIMUM give their second operand when neither is greater: the order of the
 * operands matters to NaN and to zeros. */
static bool extreme_bounds(struct tn_edit *e, const struct tn_op *op, struct bounds *b)
{
	float bound;

	if (op->n_inputs != 2)
		return false;
	b->k = float_of(tn_edit_in(e, op, 0), &bound) ? 1 : 0;
	if (!tn_edit_in(e, op, b->k) || tn_edit_is_constant(tn_edit_in(e, op, b->k)))
		return false;
	if (b->k == 0 && (!float_of(tn_edit_in(e, op, 1), &bound) ||
				 !gives_numbers(tn_edit_producer(e, op, 0))))
		return false;
	b->min = op->kind == OP_MAXIMUM ? bound : -INFINITY;
	b->max = op->kind == OP_MINIMUM ? bound : INFINITY;
	return true;
}

static bool clip_bounds(struct tn_edit *e, const struct tn_op *op, struct bounds *b)
{
	const bool attrs = tn_op_attr(op, "min") || tn_op_attr(op, "max");

	b->min = (float)tn_op_float(op, "min", (double)-INFINITY);
	b->max = (float)tn_op_float(op, "max", (double)INFINITY);
	for (uint32_t k = 1; k < op->n_inputs && k < 3; k++)
		if (op->inputs[k].i != TN_NONE &&
			!float_of(tn_edit_in(e, op, k), k == 1 ? &b->min : &b->max))
			return false;
	return attrs || op->n_inputs > 1;
}

/* False when the op is no clamp of floats to constant bounds. */
static bool bounds_of(struct tn_edit *e, const struct tn_op *op, struct bounds *b)
{
	*b = (struct bounds){ 0 };
	switch (op->kind) {
	case OP_MAXIMUM:
	case OP_MINIMUM:
		if (!extreme_bounds(e, op, b))
			return false;
		break;
	case OP_CLIP:
		if (!clip_bounds(e, op, b))
			return false;
		break;
	default:
		for (size_t i = 0; i < N_PLAIN; i++)
			if (op->kind == plain[i])
				*b = plain_bounds[i];
		if (op->n_inputs != 1)
			return false;
		break;
	}
	/* a lower bound of -0 would give other zeros than RELU does; without any bound
	 * there is nothing to spell */
	return b->min < b->max && !(isinf(b->min) && isinf(b->max)) &&
	       !same(b->min, -0.0f) && !same(b->max, -0.0f) && tn_edit_in(e, op, b->k) &&
	       tn_edit_in(e, op, b->k)->dtype == DTYPE_F32 &&
	       tn_edit_in(e, op, b->k)->elements == tn_edit_out(e, op, 0)->elements;
}

static float clamped(float x, const struct bounds *b)
{
	return x < b->min ? b->min : x > b->max ? b->max : x;
}

/* As CLIP has them: nothing for a bound that is not there. */
static void set_bounds(struct tn_edit *e, struct tn_op *op, const struct bounds *b)
{
	tn_edit_drop_attrs(op);
	if (!isinf(b->min))
		tn_edit_attr_float(e, op, "min", (double)b->min);
	if (!isinf(b->max))
		tn_edit_attr_float(e, op, "max", (double)b->max);
}

static enum tn_op_kind spelling(const struct bounds *b)
{
	for (size_t i = 0; i < N_PLAIN; i++)
		if (same(b->min, plain_bounds[i].min) &&
			same(b->max, plain_bounds[i].max))
			return plain[i];
	return OP_CLIP;
}

/* The op clamps `in` to these bounds and is spelled as they ask. */
static void respell(
	struct tn_edit *e, struct tn_op *op, tn_tensor_id in, const struct bounds *b)
{
	const enum tn_op_kind kind = spelling(b);

	tn_synonym_rename(e, op, kind);
	if (kind == OP_CLIP)
		set_bounds(e, op, b);
	else
		tn_edit_drop_attrs(op);
	tn_edit_set_inputs(e, op, &in, 1);
}

/* `before` clamps, and only `op` reads it: one op with the bounds of both. */
static void join(struct tn_edit *e, struct tn_op *op, struct tn_op *before)
{
	const struct tn_tensor *between = &e->g.tensors[before->outputs[0].i];
	struct tn_rewrite *done = tn_edit_done(e, op, before);

	done->tensor = between->name;
	done->ram_bytes = between->bytes;
	tn_edit_kill(e, before);
}

static void float_clamp(struct tn_edit *e, struct tn_op *op)
{
	struct bounds b, first;
	struct tn_op *before;
	tn_tensor_id in;

	if (!bounds_of(e, op, &b))
		return;
	in = op->inputs[b.k];
	before = tn_edit_producer(e, op, b.k);
	if (before && before->n_outputs == 1 && bounds_of(e, before, &first) &&
		tn_edit_private(e, in) && tn_edit_stable(e, before->inputs[first.k])) {
		const struct bounds both = { clamped(first.min, &b),
			clamped(first.max, &b), 0 };

		if (!(both.min < both.max))
			return;
		in = before->inputs[first.k];
		respell(e, op, in, &both);
		join(e, op, before);
		return;
	}
	if (op->n_inputs == 1 && spelling(&b) == op->kind)
		return;
	respell(e, op, in, &b);
	tn_edit_done(e, op, NULL);
}

static bool is_integer_clamp(struct tn_edit *e, const struct tn_op *op, uint32_t *k)
{
	switch (op->kind) {
	case OP_RELU:
	case OP_RELU6:
	case OP_RELU_N1_TO_1:
	case OP_MINIMUM:
	case OP_MAXIMUM:
		return tn_values_operand(e, op, k) &&
		       tn_edit_same_type(tn_edit_in(e, op, *k), tn_edit_out(e, op, 0));
	default:
		return false;
	}
}

/* RELU or a relative that gives the same as the ops for every value, written into `op`.
 * False when there is none; nothing has changed then. */
static bool find_plain(
	struct tn_edit *e, struct tn_op *op, tn_tensor_id in, const uint8_t *wanted)
{
	const struct tn_tensor *t = &e->g.tensors[in.i];
	const size_t size = (size_t)(tn_values_count(t) * tn_dtype_bits(t->dtype) / 8);
	const tn_op_id id = tn_edit_id(e, op);
	const struct tn_op saved = *op;

	for (size_t i = 0; i < N_PLAIN; i++) {
		const uint8_t *results;

		op->kind = plain[i];
		op->inputs = &in;
		op->n_inputs = 1;
		tn_edit_drop_attrs(op);
		results = tn_values_of_chain(e, &id, 1);
		*op = saved;
		if (!results || memcmp(results, wanted, size) != 0)
			continue;
		tn_synonym_rename(e, op, plain[i]);
		tn_edit_drop_attrs(op);
		tn_edit_set_inputs(e, op, &in, 1);
		return true;
	}
	return false;
}

static void integer_clamp(struct tn_edit *e, struct tn_op *op)
{
	tn_op_id ids[2];
	const uint8_t *wanted;
	struct tn_op *before;
	tn_tensor_id in;
	uint32_t k, first;

	if (!is_integer_clamp(e, op, &k) || !tn_values_count(tn_edit_out(e, op, 0)))
		return;
	in = op->inputs[k];
	before = tn_edit_producer(e, op, k);
	if (before && is_integer_clamp(e, before, &first) && tn_edit_private(e, in) &&
		tn_edit_stable(e, before->inputs[first]) &&
		tn_edit_same_type(tn_edit_in(e, before, first), tn_edit_in(e, op, k))) {
		ids[0] = tn_edit_id(e, before);
		ids[1] = tn_edit_id(e, op);
		wanted = tn_values_of_chain(e, ids, 2);
		if (wanted && find_plain(e, op, before->inputs[first], wanted)) {
			join(e, op, before);
			return;
		}
	}
	if (op->kind != OP_MINIMUM && op->kind != OP_MAXIMUM)
		return;
	ids[0] = tn_edit_id(e, op);
	wanted = tn_values_of_chain(e, ids, 1);
	if (wanted && find_plain(e, op, in, wanted))
		tn_edit_done(e, op, NULL);
}

void tn_synonym_clamp(struct tn_edit *e, struct tn_op *op)
{
	if (tn_edit_out(e, op, 0)->mutated)
		return;
	if (tn_edit_out(e, op, 0)->dtype == DTYPE_F32)
		float_clamp(e, op);
	else
		integer_clamp(e, op);
}
