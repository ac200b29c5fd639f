/* Channels that need not be computed: what `sum` makes of them is nothing (its weights for
 * them are 0) or always the same (they do not depend on the input), and then it belongs
 * into a bias. Exact: sums of 32 bits do not care for the order of their terms. */
#include <string.h>

#include "rewrite/channels.h"

#include "ir/window.h"

#include "base/banned.h"

static bool is_plain(const struct tn_tensor *t)
{
	return t && t->dtype == DTYPE_I8 && t->quant.n == 1 && !t->quant.damaged;
}

/* 8-bit weights whose zero is 0. */
static bool are_weights(const struct tn_tensor *t, uint32_t rank)
{
	if (!tn_edit_is_constant(t) || t->dtype != DTYPE_I8 || t->shape.rank != rank)
		return false;
	for (uint32_t i = 0; i < t->quant.n; i++)
		if (t->quant.zero_point[i] != 0)
			return false;
	return t->quant.n > 0;
}

static bool is_bias(const struct tn_tensor *t, int64_t n)
{
	return !t ||
	       (tn_edit_is_constant(t) && t->dtype == DTYPE_I32 && t->elements == n);
}

static bool is_conv(struct tn_edit *e, const struct tn_op *op)
{
	const struct tn_tensor *in = tn_edit_in(e, op, 0), *filter = tn_edit_in(e, op, 1);

	return op->kind == OP_CONV_2D && op->n_outputs == 1 && is_plain(in) &&
	       in->shape.rank == 4 && are_weights(filter, 4) &&
	       filter->shape.dim[3] == in->shape.dim[3] &&
	       is_bias(tn_edit_in(e, op, 2), filter->shape.dim[0]) &&
	       is_plain(tn_edit_out(e, op, 0));
}

static bool is_dense(struct tn_edit *e, const struct tn_op *op)
{
	const struct tn_tensor *in = tn_edit_in(e, op, 0), *filter = tn_edit_in(e, op, 1);

	return op->kind == OP_FULLY_CONNECTED && op->n_outputs == 1 && is_plain(in) &&
	       in->shape.rank == 2 && are_weights(filter, 2) &&
	       filter->shape.dim[1] == in->shape.dim[1] &&
	       is_bias(tn_edit_in(e, op, 2), filter->shape.dim[0]);
}

/* One channel in, the same channel out, and nothing else. */
static bool keeps_channels(struct tn_edit *e, const struct tn_op *op)
{
	const struct tn_tensor *in = tn_edit_in(e, op, 0), *out = tn_edit_out(e, op, 0);
	const struct tn_tensor *filter = tn_edit_in(e, op, 1);

	if (op->n_outputs != 1 || !is_plain(in) || !is_plain(out))
		return false;
	switch (op->kind) {
	case OP_DEPTHWISE_CONV_2D:
		return are_weights(filter, 4) && in->shape.rank == 4 &&
		       filter->shape.dim[3] == in->shape.dim[3] &&
		       is_bias(tn_edit_in(e, op, 2), filter->shape.dim[3]);
	case OP_AVERAGE_POOL_2D:
	case OP_MAX_POOL_2D:
	case OP_RELU:
	case OP_RELU6:
		return op->n_inputs == 1 && in->shape.rank == 4;
	case OP_RESHAPE:
		return op->n_inputs == 1 && op->n_attrs == 0 && in->shape.rank == 4 &&
		       out->shape.rank == 2 && in->elements == in->shape.dim[3] &&
		       out->shape.dim[1] == in->shape.dim[3];
	default:
		return false;
	}
}

static bool is_zero(const uint8_t *data, int64_t n, int64_t step)
{
	for (int64_t i = 0; i < n; i++)
		if (data[i * step])
			return false;
	return true;
}

/* Marks the channels whose values at the end of the chain do not depend on the input: some
 * op on the way multiplies them by zero. */
static void mark_independent(struct tn_edit *e, const struct tn_channels *c, bool *out)
{
	for (uint32_t k = 0; k < c->n_chain; k++) {
		const struct tn_tensor *filter = tn_edit_in(e, c->chain[k], 1);
		const int64_t each = filter ? filter->elements / c->n : 0;

		for (int64_t i = 0; filter && i < c->n; i++) {
			if (c->chain[k]->kind == OP_CONV_2D)
				out[i] |= is_zero(filter->data + i * each, each, 1);
			else if (c->chain[k]->kind == OP_DEPTHWISE_CONV_2D)
				out[i] |= is_zero(filter->data + i, each, c->n);
		}
	}
}

/* The values of the channels at the end of the chain for some input; NULL: it cannot run. */
static const int8_t *run_chain(struct tn_edit *e, const struct tn_channels *c)
{
	tn_op_id ids[TN_CHAIN_MAX];
	const uint8_t **results;

	for (uint32_t k = 0; k < c->n_chain; k++)
		ids[k] = tn_edit_id(e, c->chain[k]);
	results = tn_edit_run(e, ids, c->n_chain, NULL, 0);
	return results ? (const int8_t *)results[0] : NULL;
}

/* Is the channel the same at every pixel? */
static bool is_uniform(const int8_t *values, int64_t pixels, int64_t n, int64_t channel)
{
	for (int64_t p = 1; p < pixels; p++)
		if (values[p * n + channel] != values[channel])
			return false;
	return true;
}

static bool pads(struct tn_edit *e, const struct tn_op *op)
{
	struct tn_window w;
	const char *why;

	if (op->kind != OP_CONV_2D)
		return false;
	return !tn_window_of(&e->g, op, &w, &why) || w.pad_top || w.pad_left ||
	       (w.out_h - 1) * w.stride_h + (w.k_h - 1) * w.dilation_h >= w.in_h ||
	       (w.out_w - 1) * w.stride_w + (w.k_w - 1) * w.dilation_w >= w.in_w;
}

/* Adds what a channel of this value gives to each sum. False when a bias would not fit;
 * nothing has changed then. */
static bool add_to_bias(struct tn_channels *c, const struct tn_tensor *filter,
	int64_t channel, int64_t value)
{
	const int64_t outputs = filter->shape.dim[0];
	const int64_t each = filter->elements / outputs;

	for (int pass = 0; pass < 2; pass++) {
		for (int64_t o = 0; o < outputs; o++) {
			int64_t sum = c->bias[o];

			for (int64_t i = channel; i < each; i += c->n)
				sum += value * (int8_t)filter->data[o * each + i];
			if (sum < INT32_MIN || sum > INT32_MAX)
				return false;
			if (pass)
				c->bias[o] = sum;
		}
	}
	c->bias_changes = true;
	return true;
}

static bool start_bias(struct tn_edit *e, struct tn_channels *c)
{
	const struct tn_tensor *bias = tn_edit_in(e, c->sum, 2);
	const int64_t outputs = tn_edit_in(e, c->sum, 1)->shape.dim[0];

	c->bias = TN_NEW_ARRAY(e->scratch, int64_t, (size_t)outputs);
	if (!c->bias) {
		e->failed = true;
		return false;
	}
	for (int64_t o = 0; bias && o < outputs; o++)
		if (!tn_tensor_int(bias, o, &c->bias[o]))
			return false;
	return true;
}

bool tn_channels_find(struct tn_edit *e, struct tn_channels *c)
{
	const struct tn_tensor *filter = tn_edit_in(e, c->sum, 1);
	const struct tn_tensor *read = tn_edit_in(e, c->sum, 0);
	const int64_t zero = read->quant.zero_point[0], pixels = read->elements / c->n;
	const bool padded = pads(e, c->sum);
	bool *independent = TN_NEW_ARRAY(e->scratch, bool, (size_t)c->n);
	const int8_t *values = NULL;
	bool ran = false;

	c->gone = TN_NEW_ARRAY(e->scratch, bool, (size_t)c->n);
	if (!c->gone || !independent) {
		e->failed = true;
		return false;
	}
	if (!start_bias(e, c))
		return false;
	mark_independent(e, c, independent);
	for (int64_t i = 0; i < c->n && c->n_gone < c->n - 1; i++) {
		c->gone[i] = is_zero(filter->data + i, filter->elements / c->n, c->n);
		if (!c->gone[i] && independent[i]) {
			if (!ran)
				values = run_chain(e, c);
			ran = true;
			c->gone[i] = values && is_uniform(values, pixels, c->n, i) &&
				     (!padded || values[i] == zero) &&
				     (values[i] == zero ||
					     add_to_bias(c, filter, i, values[i] - zero));
		}
		c->n_gone += c->gone[i];
	}
	return c->n_gone > 0 && !e->failed;
}

/* Follows private tensors from a convolution to the op that sums over its channels. */
static bool follow(struct tn_edit *e, const tn_op_id *reader, struct tn_channels *c)
{
	while (c->n_chain < TN_CHAIN_MAX) {
		const tn_tensor_id out = c->chain[c->n_chain - 1]->outputs[0];
		struct tn_op *next;

		if (!tn_edit_private(e, out) || e->dead[reader[out.i].i])
			return false;
		next = &e->g.ops[reader[out.i].i];
		if (next->inputs[0].i != out.i)
			return false;
		if (is_conv(e, next) || is_dense(e, next)) {
			c->sum = next;
			return true;
		}
		if (!keeps_channels(e, next))
			return false;
		c->chain[c->n_chain++] = next;
	}
	return false;
}

void tn_rewrite_channels(struct tn_edit *e)
{
	const tn_op_id *reader = tn_edit_readers(e);

	for (uint32_t i = 0; i < e->g.n_ops && !e->failed; i++) {
		struct tn_channels c = { .n_chain = 1 };

		c.chain[0] = tn_edit_op(e, i);
		if (!c.chain[0] || !is_conv(e, c.chain[0]))
			continue;
		c.n = tn_edit_in(e, c.chain[0], 1)->shape.dim[0];
		if (follow(e, reader, &c) && tn_channels_find(e, &c))
			tn_channels_remove(e, &c);
	}
}
