/* Channels that need not be computed: what a sum makes of them is nothing (its weights for
 * them are 0) or always the same (they do not depend on the input), and then it belongs
 * into a bias. Exact: sums of 32 bits do not care for the order of their terms. */
#include "rewrite/channels.h"

#include <assert.h>
#include <string.h>

#include "ir/window.h"

#include "base/banned.h"

static bool is_zero(const uint8_t *data, int64_t n, int64_t step)
{
	for (int64_t i = 0; i < n; i++)
		if (data[i * step])
			return false;
	return true;
}

/* What is known of one channel at one op's output: independent of the input? */
struct independence {
	struct tn_edit *e;
	const struct tn_channels *c;
	bool *of; /* by op of the group, then channel */
};

static const bool *of_tensor(const struct independence *in, tn_tensor_id id)
{
	for (uint32_t i = 0; i < in->c->n_ops; i++)
		if (in->e->g.ops[in->c->ops[i].i].outputs[0].i == id.i)
			return in->of + (int64_t)i * in->c->n;
	return NULL; /* a constant */
}

static void mark_op(struct independence *in, uint32_t i)
{
	const struct tn_op *op = &in->e->g.ops[in->c->ops[i].i];
	const struct tn_tensor *filter = tn_edit_in(in->e, op, 1);
	const int64_t n = in->c->n;
	bool *out = in->of + (int64_t)i * n;

	for (int64_t c = 0; c < n; c++) {
		if (op->kind == OP_CONV_2D) {
			const int64_t each = filter->elements / n;

			out[c] = is_zero(filter->data + c * each, each, 1);
			continue;
		}
		out[c] = true;
		for (uint32_t k = 0; k < op->n_inputs; k++) {
			const bool *from = op->inputs[k].i == TN_NONE
						   ? NULL
						   : of_tensor(in, op->inputs[k]);

			out[c] &= !from || from[c];
		}
		if (op->kind == OP_DEPTHWISE_CONV_2D)
			out[c] |= is_zero(filter->data + c, filter->elements / n, n);
	}
}

/* The values that a sum reads, for some input; NULL: they cannot be computed. */
static const int8_t *values_for(
	struct tn_edit *e, const struct tn_channels *c, const struct tn_op *sum)
{
	const tn_op_id last = e->producer[sum->inputs[0].i];
	const uint8_t **results;
	uint32_t n = 0;

	while (c->ops[n].i != last.i)
		n++;
	results = tn_edit_run(e, c->ops, n + 1, NULL, 0);
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

/* What a channel of this value gives to the sum of output o. */
static int64_t share(const struct tn_channels *c, const struct tn_tensor *filter,
	int64_t o, int64_t channel, int64_t value)
{
	const int64_t each = filter->elements / filter->shape.dim[0];
	int64_t sum = 0;

	for (int64_t i = channel; i < each; i += c->n)
		sum += value * (int8_t)filter->data[o * each + i];
	return sum;
}

/* One sum, and what is known of the values that it reads. */
struct reader {
	const struct tn_op *op;
	const struct tn_tensor *filter;
	const bool *independent; /* by channel */
	int64_t zero, pixels;
	bool padded, ran;
	const int8_t *values;
};

/* Does the sum need nothing of the channel but what its bias can give? */
static bool can_do_without(struct tn_edit *e, const struct tn_channels *c,
	struct reader *r, const struct tn_channel_sum *s, int64_t channel)
{
	if (is_zero(r->filter->data + channel, r->filter->elements / c->n, c->n))
		return true;
	if (!r->independent[channel])
		return false;
	if (!r->ran)
		r->values = values_for(e, c, r->op);
	r->ran = true;
	if (!r->values || !is_uniform(r->values, r->pixels, c->n, channel) ||
		(r->padded && r->values[channel] != r->zero))
		return false;
	for (int64_t o = 0; o < r->filter->shape.dim[0]; o++) {
		const int64_t sum = s->bias[o] + share(c, r->filter, o, channel,
							 r->values[channel] - r->zero);

		if (sum < INT32_MIN || sum > INT32_MAX)
			return false;
	}
	return true;
}

static void do_without(const struct tn_channels *c, const struct reader *r,
	struct tn_channel_sum *s, int64_t channel)
{
	if (!r->values || !r->independent[channel] || r->values[channel] == r->zero)
		return;
	for (int64_t o = 0; o < r->filter->shape.dim[0]; o++) {
		const int64_t more =
			share(c, r->filter, o, channel, r->values[channel] - r->zero);

		s->bias[o] += more;
		s->bias_changes |= more != 0;
	}
}

static bool start_sum(struct tn_edit *e, const struct independence *in,
	struct tn_channel_sum *s, struct reader *r)
{
	const struct tn_op *op = &e->g.ops[s->op.i];
	const struct tn_tensor *bias = tn_edit_in(e, op, 2), *read = tn_edit_in(e, op, 0);

	*r = (struct reader){ .op = op,
		.filter = tn_edit_in(e, op, 1),
		.independent = of_tensor(in, op->inputs[0]),
		.zero = read->quant.zero_point[0],
		.pixels = read->elements / in->c->n,
		.padded = pads(e, op) };
	assert(r->independent); /* a sum reads what an op of the group writes */
	s->bias = TN_NEW_ARRAY(e->scratch, int64_t, (size_t)r->filter->shape.dim[0]);
	if (!s->bias) {
		e->failed = true;
		return false;
	}
	for (int64_t o = 0; bias && o < r->filter->shape.dim[0]; o++)
		if (!tn_tensor_int(bias, o, &s->bias[o]))
			return false;
	return true;
}

bool tn_channels_find(struct tn_edit *e, struct tn_channels *c)
{
	struct independence in = { e, c, NULL };
	struct reader readers[TN_GROUP_MAX];

	c->gone = TN_NEW_ARRAY(e->scratch, bool, (size_t)c->n);
	in.of = tn_arena_array(e->scratch, (size_t)c->n, c->n_ops * sizeof(*in.of));
	if (!c->gone || !in.of) {
		e->failed = true;
		return false;
	}
	for (uint32_t i = 0; i < c->n_ops; i++)
		mark_op(&in, i);
	for (uint32_t k = 0; k < c->n_sums; k++)
		if (!start_sum(e, &in, &c->sums[k], &readers[k]))
			return false;
	for (int64_t i = 0; i < c->n && c->n_gone < c->n - 1; i++) {
		c->gone[i] = true;
		for (uint32_t k = 0; c->gone[i] && k < c->n_sums; k++)
			c->gone[i] = can_do_without(e, c, &readers[k], &c->sums[k], i);
		for (uint32_t k = 0; c->gone[i] && k < c->n_sums; k++)
			do_without(c, &readers[k], &c->sums[k], i);
		c->n_gone += c->gone[i];
	}
	return c->n_gone > 0 && !e->failed;
}

void tn_rewrite_channels(struct tn_edit *e)
{
	struct tn_channel_readers readers;

	if (!tn_channel_readers_of(e, &readers)) {
		e->failed = true;
		return;
	}
	for (uint32_t i = 0; i < e->g.n_ops && !e->failed; i++) {
		struct tn_op *op = tn_edit_op(e, i);
		struct tn_channels c;

		if (op && tn_channels_is_conv(e, op) &&
			tn_channels_group(e, &readers, op, &c) && tn_channels_find(e, &c))
			tn_channels_remove(e, &c);
	}
}
