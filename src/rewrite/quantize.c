/* Quantisations that only undo a dequantisation, and float ops between the two. The real
 * value of an integer q is (q - z) * s, rounded once; what comes back is that over s,
 * rounded, and is q again because the error is far below one half: at most 2^17 * 2^-23.
 * So an op that only moves elements moves the integers instead; two operands of a byte
 * are compared for all 65,536 pairs. */
#include <string.h>

#include "ir/window.h"
#include "rewrite/integers.h"
#include "rewrite/values.h"

#include "base/banned.h"

bool tn_integers_come_back(const struct tn_tensor *t)
{
	return (t->dtype == DTYPE_I8 || t->dtype == DTYPE_U8 || t->dtype == DTYPE_I16) &&
	       t->quant.n == 1 && !t->quant.damaged && t->quant.scale[0] >= 1e-30f &&
	       t->quant.scale[0] <= 1e30f;
}

tn_tensor_id tn_integers_behind(struct tn_edit *e, const struct tn_op *op, uint32_t k)
{
	const tn_tensor_id none = { TN_NONE };
	const struct tn_op *before = tn_edit_producer(e, op, k);

	if (!before || before->kind != OP_DEQUANTIZE || !tn_edit_in(e, before, 0) ||
		!tn_edit_stable(e, before->inputs[0]))
		return none;
	return before->inputs[0];
}

static void undo(struct tn_edit *e, struct tn_op *op, const struct tn_op *before)
{
	const tn_tensor_id from = before->inputs[0], to = op->outputs[0];
	const struct tn_tensor *in = tn_edit_in(e, before, 0);
	struct tn_rewrite *done;

	if (!tn_integers_come_back(in))
		return;
	if (!tn_edit_same_type(in, &e->g.tensors[to.i])) {
		tn_edit_left(e, op, "the two scales differ", before);
		return;
	}
	if (e->pinned[to.i] || !tn_edit_stable(e, from)) {
		tn_edit_left(e, op, "its result must stay apart", before);
		return;
	}
	done = tn_edit_done(e, NULL, op);
	done->tensor = e->g.tensors[to.i].name;
	done->ram_bytes = e->g.tensors[to.i].bytes;
	tn_edit_kill(e, op);
	tn_edit_redirect(e, to, from);
}

/* The largest value of a window without elements is the least one of the type: another
 * number in floats than in integers. */
static bool has_empty_window(const struct tn_edit *e, const struct tn_op *op)
{
	struct tn_window w;
	const char *why;

	return op->kind == OP_MAX_POOL_2D &&
	       !(tn_window_of(&e->g, op, &w, &why) && tn_window_meets_input(&w));
}

/* Ops whose result consists of elements of their operands, or of 0. */
static bool only_moves(const struct tn_edit *e, const struct tn_op *op)
{
	const char *act = tn_op_string(op, "activation", "NONE");

	switch (op->kind) {
	case OP_MAX_POOL_2D:
	case OP_CONCATENATION:
		return !has_empty_window(e, op) && strcmp(act, "NONE") == 0;
	case OP_REDUCE_MAX:
	case OP_REDUCE_MIN:
		return true;
	case OP_PADV2: /* the element that it pads with is a float */
		return false;
	default:
		return tn_op_info(op->kind)->access == ACCESS_MAP ||
		       tn_op_info(op->kind)->access == ACCESS_VIEW;
	}
}

/* Operands as integers; constants that are no floats stay. */
struct operands {
	tn_tensor_id ids[TN_VALUES_OPS_MAX];
	uint32_t n_data;
};

static bool operands_of(struct tn_edit *e, const struct tn_op *op, struct operands *o)
{
	o->n_data = 0;
	if (op->n_inputs > TN_VALUES_OPS_MAX)
		return false;
	for (uint32_t k = 0; k < op->n_inputs; k++) {
		const struct tn_tensor *t = tn_edit_in(e, op, k);

		o->ids[k] = op->inputs[k];
		if (!t || (tn_edit_is_constant(t) && t->dtype != DTYPE_F32))
			continue;
		o->ids[k] = tn_integers_behind(e, op, k);
		if (o->ids[k].i == TN_NONE ||
			!tn_integers_come_back(&e->g.tensors[o->ids[k].i]))
			return false;
		o->n_data++;
	}
	return o->n_data > 0;
}

/* The op over the integers, into what `quantize` writes. */
static void exchange(struct tn_edit *e, struct tn_op *op, struct tn_op *quantize,
	const struct operands *o)
{
	const tn_tensor_id between = op->outputs[0], out = quantize->outputs[0];
	struct tn_rewrite *done = tn_edit_done(e, op, quantize);

	done->tensor = e->g.tensors[between.i].name;
	done->ram_bytes = e->g.tensors[between.i].bytes;
	tn_edit_kill(e, quantize);
	tn_edit_set_inputs(e, op, o->ids, op->n_inputs);
	tn_edit_set_output(e, op, out);
}

/* Has it a kernel when it reads and writes the integers? */
static bool runs_on_integers(
	struct tn_edit *e, struct tn_op *op, tn_tensor_id out, const struct operands *o)
{
	const struct tn_op saved = *op;
	tn_tensor_id ids[TN_VALUES_OPS_MAX];
	bool ok;

	memcpy(ids, o->ids, op->n_inputs * sizeof(*ids));
	op->inputs = ids;
	op->outputs = &out;
	ok = tn_values_has_kernel(e, op);
	*op = saved;
	return ok;
}

static bool moves_alike(struct tn_edit *e, const struct tn_op *op, tn_tensor_id out,
	const struct operands *o)
{
	if (!only_moves(e, op))
		return false;
	for (uint32_t k = 0; k < op->n_inputs; k++)
		if (o->ids[k].i != op->inputs[k].i &&
			!tn_edit_same_type(
				&e->g.tensors[o->ids[k].i], &e->g.tensors[out.i]))
			return false;
	return true;
}

/* Two operands of a byte: are the integers alike for each pair of values? */
static bool pairs_alike(struct tn_edit *e, struct tn_op *op, struct tn_op *quantize,
	const struct operands *o)
{
	const tn_tensor_id a = o->ids[0], b = o->ids[1];
	const struct tn_op saved = *op;
	tn_tensor_id ids[2] = { a, b };
	const uint8_t *real, *integer;
	tn_op_id chain[4];

	if (op->n_inputs != 2 || o->n_data != 2 || a.i == b.i ||
		tn_op_info(op->kind)->access != ACCESS_POINTWISE ||
		tn_values_count(tn_edit_out(e, quantize, 0)) != 256)
		return false;
	chain[0] = tn_edit_id(e, tn_edit_producer(e, op, 0));
	chain[1] = tn_edit_id(e, tn_edit_producer(e, op, 1));
	chain[2] = tn_edit_id(e, op);
	chain[3] = tn_edit_id(e, quantize);
	real = tn_values_of_pair(e, chain, 4, a, b);
	op->inputs = ids;
	op->outputs = quantize->outputs;
	integer = real ? tn_values_of_pair(e, chain + 2, 1, a, b) : NULL;
	*op = saved;
	return real && integer && memcmp(real, integer, 65536) == 0;
}

static void between(struct tn_edit *e, struct tn_op *op, struct tn_op *quantize)
{
	const tn_tensor_id out = quantize->outputs[0];
	struct operands o;

	if (op->n_outputs != 1 || !operands_of(e, op, &o) ||
		!tn_integers_come_back(&e->g.tensors[out.i]) || !tn_edit_may_move(e, out))
		return;
	if (!tn_edit_private(e, op->outputs[0])) {
		tn_edit_left_kept(e, quantize, op->outputs[0], quantize);
		return;
	}
	if (!runs_on_integers(e, op, out, &o))
		return;
	if (moves_alike(e, op, out, &o) || pairs_alike(e, op, quantize, &o))
		exchange(e, op, quantize, &o);
	else
		tn_edit_left(e, quantize, "integers would round otherwise", op);
}

/* DEQUANTIZE, then a move of floats: the integers move, a quarter of the bytes, and are
 * floats afterwards. */
static void move_integers(struct tn_edit *e, struct tn_op *op, struct tn_op *before)
{
	const uint32_t n_tensors = e->g.n_tensors;
	const bool changed = e->changed;
	const struct tn_tensor *from = tn_edit_in(e, before, 0);
	struct operands o = { .n_data = 1 };
	tn_tensor_id moved;

	if (op->n_outputs != 1 || !op->n_inputs || op->n_inputs > TN_VALUES_OPS_MAX ||
		!tn_integers_come_back(from) || !tn_edit_private(e, op->inputs[0]) ||
		!tn_edit_stable(e, before->inputs[0]) ||
		!tn_edit_may_move(e, op->outputs[0]))
		return;
	if (!only_moves(e, op)) {
		if (has_empty_window(e, op))
			tn_edit_left(e, before,
				"a window without elements gives "
				"another value of integers",
				op);
		return;
	}
	for (uint32_t k = 1; k < op->n_inputs; k++)
		if (tn_edit_in(e, op, k) && !tn_edit_is_constant(tn_edit_in(e, op, k)))
			return;
	moved = tn_edit_activation(e, from, &tn_edit_out(e, op, 0)->shape, op);
	if (e->failed)
		return;
	memcpy(o.ids, op->inputs, op->n_inputs * sizeof(*o.ids));
	o.ids[0] = before->inputs[0];
	if (!runs_on_integers(e, op, moved, &o)) {
		e->g.n_tensors = n_tensors;
		e->changed = changed;
		return;
	}
	tn_edit_done(e, before, NULL)->tensor = e->g.tensors[before->outputs[0].i].name;
	tn_edit_set_output(e, before, moved);
	tn_edit_set_input(e, op, 0, moved);
	tn_edit_exchange(e, before, op);
}

void tn_rewrite_quantize(struct tn_edit *e)
{
	for (uint32_t i = 0; i < e->g.n_ops; i++) {
		struct tn_op *op = tn_edit_op(e, i), *before;

		if (!op || !tn_edit_out(e, op, 0))
			continue;
		before = tn_edit_producer(e, op, 0);
		if (before && before->kind == OP_DEQUANTIZE && tn_edit_in(e, before, 0)) {
			if (op->kind == OP_QUANTIZE)
				undo(e, op, before);
			else
				move_integers(e, op, before);
		} else if (before && op->kind == OP_QUANTIZE &&
			   tn_edit_in(e, op, 0)->dtype == DTYPE_F32)
			between(e, before, op);
	}
}

/* Layers: weights and bias are constants of their own types. */
static bool layer_operands(struct tn_edit *e, const struct tn_op *op, struct operands *o)
{
	o->n_data = 1;
	o->ids[0] = tn_integers_behind(e, op, 0);
	if (op->n_inputs < 2 || o->ids[0].i == TN_NONE ||
		!tn_integers_come_back(tn_edit_in(e, tn_edit_producer(e, op, 0), 0)))
		return false;
	return tn_integers_weights(
		e, op, &e->g.tensors[o->ids[0].i], &o->ids[1], &o->ids[2]);
}

/* Not exact: sums of floats and of integers are rounded otherwise. */
void tn_rewrite_integers(struct tn_edit *e)
{
	tn_integers_split(e);
	for (uint32_t i = 0; i < e->g.n_ops; i++) {
		struct tn_op *quantize = tn_edit_op(e, i), *op;
		const uint32_t n_tensors = e->g.n_tensors;
		const bool changed = e->changed;
		struct operands o;
		tn_tensor_id out;

		if (!quantize || quantize->kind != OP_QUANTIZE ||
			!tn_edit_out(e, quantize, 0))
			continue;
		out = quantize->outputs[0];
		op = tn_edit_producer(e, quantize, 0);
		if (!op || op->kind == OP_DEQUANTIZE || op->n_outputs != 1 ||
			!tn_edit_private(e, quantize->inputs[0]) ||
			!tn_edit_may_move(e, out) ||
			!tn_integers_come_back(&e->g.tensors[out.i]))
			continue;
		if (tn_edit_is_layer(op) ? !layer_operands(e, op, &o)
					 : !operands_of(e, op, &o)) {
			tn_edit_left(
				e, quantize, "an operand has no integers behind it", op);
		} else if (runs_on_integers(e, op, out, &o)) {
			exchange(e, op, quantize, &o);
			continue;
		} else {
			tn_edit_left(e, quantize, "no kernel runs it on integers", op);
		}
		e->g.n_tensors = n_tensors; /* without constants made for it */
		e->changed = changed;
	}
}
