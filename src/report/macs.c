/* The formulas, each with where it is from. They take what the operands say and no more:
 * a graph that has only shapes is counted, too. */
#include "report/macs.h"

#include <string.h>

#include "base/checked.h"

#include "base/banned.h"

#define UNKNOWN ((int64_t)-1)

static const struct tn_tensor *tensor_of(const struct tn_graph *g, tn_tensor_id id)
{
	return tn_tensor_id_ok(g, id) ? &g->tensors[id.i] : NULL;
}

static const struct tn_tensor *input_of(
	const struct tn_graph *g, const struct tn_op *op, uint32_t k)
{
	return k < op->n_inputs ? tensor_of(g, op->inputs[k]) : NULL;
}

static int64_t product(int64_t a, int64_t b)
{
	int64_t r;

	return a < 0 || b < 0 || !tn_mul_i64(a, b, &r) ? UNKNOWN : r;
}

static int64_t sum(int64_t a, int64_t b)
{
	int64_t r;

	return a < 0 || b < 0 || !tn_add_i64(a, b, &r) ? UNKNOWN : r;
}

/* Only what has no remainder fits; nothing into nothing is nothing. */
static int64_t quotient(int64_t a, int64_t b)
{
	if (a == 0 && b == 0)
		return 0;
	return a < 0 || b <= 0 || a % b ? UNKNOWN : a / b;
}

/* The dimension `back` from the last one. */
static int64_t dim_back(const struct tn_tensor *t, uint32_t back)
{
	return back < t->shape.rank ? t->shape.dim[t->shape.rank - 1 - back] : UNKNOWN;
}

static int64_t channels(const struct tn_op *op, const struct tn_tensor *t)
{
	if (strcmp(tn_op_string(op, "layout", "NHWC"), "NHWC") == 0)
		return dim_back(t, 0);
	return t->shape.rank > 1 ? t->shape.dim[1] : UNKNOWN;
}

/* Each output element is a sum over the part of the filter that makes its channel
 * (Dumoulin and Visin, A guide to convolution arithmetic, arXiv 1603.07285, section 2). A
 * graph without filters says how large they are: `kernel`, over all channels of a group. */
static int64_t convolution(
	const struct tn_graph *g, const struct tn_op *op, const struct tn_tensor *out)
{
	const struct tn_tensor *in = input_of(g, op, 0), *filter = input_of(g, op, 1);
	int64_t taps = product(tn_op_int_at(op, "kernel", 0, UNKNOWN),
		tn_op_int_at(op, "kernel", 1, UNKNOWN));

	if (filter)
		taps = quotient(filter->elements, channels(op, out));
	else if (!in)
		return UNKNOWN;
	else if (op->kind == OP_CONV_2D)
		taps = product(
			taps, quotient(channels(op, in), tn_op_int(op, "group", 1)));
	return product(out->elements, taps);
}

/* The same with input and output exchanged (section 4): each input element goes, times a
 * filter of its own channel, into a window of the output. Operands: shape, filter
 * [outputs, height, width, inputs], input. */
static int64_t transposed(const struct tn_graph *g, const struct tn_op *op)
{
	const struct tn_tensor *filter = input_of(g, op, 1), *in = input_of(g, op, 2);

	if (!filter || !in)
		return UNKNOWN;
	return product(in->elements, quotient(filter->elements, dim_back(in, 0)));
}

/* Each output is a sum over a row of the weights (outputs of them); without weights each
 * input goes into each output. */
static int64_t dense(
	const struct tn_graph *g, const struct tn_op *op, const struct tn_tensor *out)
{
	const struct tn_tensor *in = input_of(g, op, 0), *weights = input_of(g, op, 1);

	if (weights)
		return product(
			out->elements, quotient(weights->elements, dim_back(out, 0)));
	return in ? product(in->elements, dim_back(out, 0)) : UNKNOWN;
}

/* C[i, j] = sum over k of A[i, k] B[k, j], for each pair of matrices. */
static int64_t matrices(
	const struct tn_graph *g, const struct tn_op *op, const struct tn_tensor *out)
{
	const struct tn_tensor *a = input_of(g, op, 0);

	if (!a)
		return UNKNOWN;
	return product(out->elements, dim_back(a, tn_op_int(op, "adj_x", 0) ? 1 : 0));
}

/* Nakkiran, Alvarez, Prabhavalkar, Parada: Compressing Deep Neural Networks using a
 * Rank-Constrained Topology (Interspeech 2015), section 3: each filter multiplies the
 * frame with its feature weights, and what it remembers with its time weights. Operands:
 * input [batches, inputs], feature weights [filters, inputs], time weights [filters,
 * memory]. */
static int64_t svdf(const struct tn_graph *g, const struct tn_op *op)
{
	const struct tn_tensor *in = input_of(g, op, 0);
	const struct tn_tensor *feature = input_of(g, op, 1), *time = input_of(g, op, 2);

	if (!in || !feature || !time)
		return UNKNOWN;
	return product(quotient(in->elements, dim_back(in, 0)),
		sum(feature->elements, time->elements));
}

/* Operands of an LSTM, by number, in the order of TFLite: the weights of the four gates
 * for the input and for what it said last, then those from the cell to its gates. */
enum { LSTM_INPUT = 1, LSTM_LAST = 8, LSTM_PEEPHOLES = 11, LSTM_PROJECTION = 16 };

/* Sak, Senior, Beaufays: Long Short-Term Memory Based Recurrent Neural Network
 * Architectures for Large Vocabulary Speech Recognition (arXiv 1402.1128), section 2: a
 * time step costs a product for each weight. There may be no input gate (its two
 * matrices), no weights from the cell, no projection. */
static int64_t lstm(const struct tn_graph *g, const struct tn_op *op)
{
	const struct tn_tensor *in = input_of(g, op, 0), *w;
	int64_t weights = 0;

	for (uint32_t k = LSTM_INPUT; k <= LSTM_PROJECTION; k++) {
		if (k > LSTM_PEEPHOLES && k < LSTM_PROJECTION)
			continue; /* biases are added */
		w = input_of(g, op, k);
		if (w)
			weights = sum(weights, w->elements);
		else if (k <= LSTM_LAST && k != LSTM_INPUT && k != LSTM_INPUT + 4)
			return UNKNOWN;
	}
	return in ? product(quotient(in->elements, dim_back(in, 0)), weights) : UNKNOWN;
}

int64_t tn_macs_of(const struct tn_graph *g, const struct tn_op *op)
{
	const struct tn_tensor *out = op->n_outputs ? tensor_of(g, op->outputs[0]) : NULL;

	switch (op->kind) {
	case OP_CONV_2D:
	case OP_DEPTHWISE_CONV_2D:
		return out ? convolution(g, op, out) : UNKNOWN;
	case OP_TRANSPOSE_CONV:
		return transposed(g, op);
	case OP_FULLY_CONNECTED:
		return out ? dense(g, op, out) : UNKNOWN;
	case OP_BATCH_MATMUL:
		return out ? matrices(g, op, out) : UNKNOWN;
	case OP_SVDF:
		return svdf(g, op);
	case OP_UNIDIRECTIONAL_SEQUENCE_LSTM:
		return lstm(g, op);
	case OP_UNKNOWN:
	case OP_IF:
	case OP_WHILE:
	case OP_CALL_ONCE:
		return UNKNOWN;
	default:
		return 0;
	}
}
