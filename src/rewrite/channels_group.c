/* Which tensors have the same channels, and which ops make, keep and read them. */
#include <stdlib.h>
#include <string.h>

#include "rewrite/channels.h"
#include "rewrite/synonym.h"
#include "rewrite/values.h"

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

bool tn_channels_is_conv(struct tn_edit *e, const struct tn_op *op)
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

/* A constant with one value, or one for each channel. */
static bool is_per_channel(const struct tn_tensor *t, int64_t n)
{
	return tn_edit_is_constant(t) && is_plain(t) &&
	       (t->elements == 1 || (t->elements == n && t->shape.rank > 0 &&
					    t->shape.dim[t->shape.rank - 1] == n));
}

/* Two tensors of one shape, or one and a constant. */
static bool is_binary(struct tn_edit *e, const struct tn_op *op, int64_t n)
{
	const struct tn_tensor *a = tn_edit_in(e, op, 0), *b = tn_edit_in(e, op, 1);
	const struct tn_shape *out = &tn_edit_out(e, op, 0)->shape;

	if ((op->kind != OP_ADD && op->kind != OP_SUB && op->kind != OP_MUL) ||
		op->n_inputs != 2 || !is_plain(a) || !is_plain(b))
		return false;
	if (tn_edit_is_constant(a))
		return is_per_channel(a, n) && tn_shape_equal(&b->shape, out);
	return tn_shape_equal(&a->shape, out) &&
	       (is_per_channel(b, n) ||
		       (!tn_edit_is_constant(b) && tn_shape_equal(&b->shape, out)));
}

/* One channel in, the same channel out, and nothing else. */
static bool keeps_channels(struct tn_edit *e, const struct tn_op *op, int64_t n)
{
	const struct tn_tensor *in = tn_edit_in(e, op, 0), *out = tn_edit_out(e, op, 0);
	const struct tn_tensor *filter = tn_edit_in(e, op, 1);
	uint32_t k;

	if (op->n_outputs != 1 || !is_plain(in) || !is_plain(out))
		return false;
	switch (op->kind) {
	case OP_DEPTHWISE_CONV_2D:
		return are_weights(filter, 4) && in->shape.rank == 4 &&
		       filter->shape.dim[3] == in->shape.dim[3] &&
		       is_bias(tn_edit_in(e, op, 2), filter->shape.dim[3]);
	case OP_AVERAGE_POOL_2D:
	case OP_MAX_POOL_2D:
		return op->n_inputs == 1 && in->shape.rank == 4;
	case OP_RESHAPE:
		return op->n_inputs == 1 && op->n_attrs == 0 && in->shape.rank == 4 &&
		       out->shape.rank == 2 && in->elements == in->shape.dim[3] &&
		       out->shape.dim[1] == in->shape.dim[3];
	case OP_MEAN:
		return tn_synonym_is_global_mean(e, op);
	default:
		return is_binary(e, op, n) ||
		       (tn_values_operand(e, op, &k) && k == 0 &&
			       tn_shape_equal(&in->shape, &out->shape));
	}
}

bool tn_channel_readers_of(struct tn_edit *e, struct tn_channel_readers *out)
{
	const uint32_t n = e->g.n_tensors;
	uint32_t total = 0;

	out->first = TN_NEW_ARRAY(e->scratch, uint32_t, (size_t)n + 2);
	out->position = TN_NEW_ARRAY(e->scratch, uint32_t, e->g.n_ops);
	out->seen = TN_NEW_ARRAY(e->scratch, bool, e->g.n_ops);
	if (!out->first || !out->position || !out->seen)
		return false;
	/* counted one place further, summed up, and filled from there */
	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < e->g.n_ops; i++) {
			const struct tn_op *op = tn_edit_op(e, i);

			out->position[e->g.schedule[i].i] = i;
			for (uint32_t k = 0; op && k < op->n_inputs; k++) {
				if (op->inputs[k].i == TN_NONE)
					continue;
				if (round)
					out->ops[out->first[op->inputs[k].i + 1]++] =
						tn_edit_id(e, op);
				else
					out->first[op->inputs[k].i + 2]++;
			}
		}
		if (round)
			break;
		for (uint32_t i = 0; i < n + 2; i++)
			total = out->first[i] += total;
		out->ops = TN_NEW_ARRAY(e->scratch, tn_op_id, total);
		if (!out->ops)
			return false;
	}
	return true;
}

struct growth {
	struct tn_edit *e;
	const struct tn_channel_readers *readers;
	struct tn_channels *c;
	tn_tensor_id tensors[2 * TN_GROUP_MAX]; /* of the group; looked at in order */
	uint32_t n_tensors;
	bool ok;
};

static void add_tensor(struct growth *w, tn_tensor_id id)
{
	const struct tn_edit *e = w->e;
	const struct tn_tensor *t = &e->g.tensors[id.i];

	for (uint32_t i = 0; i < w->n_tensors; i++)
		if (w->tensors[i].i == id.i)
			return;
	if (w->n_tensors == 2 * TN_GROUP_MAX || e->pinned[id.i] || !is_plain(t) ||
		t->shape.rank < 2 || t->shape.dim[t->shape.rank - 1] != w->c->n ||
		e->producer[id.i].i == TN_NONE)
		w->ok = false;
	else
		w->tensors[w->n_tensors++] = id;
}

static void add_op(struct growth *w, struct tn_op *op)
{
	const tn_op_id id = tn_edit_id(w->e, op);

	for (uint32_t i = 0; i < w->c->n_ops; i++)
		if (w->c->ops[i].i == id.i)
			return;
	if (w->c->n_ops == TN_GROUP_MAX) {
		w->ok = false;
		return;
	}
	w->c->ops[w->c->n_ops++] = id;
	if (op->kind == OP_CONV_2D)
		return;
	/* all its operands that are no constants have the same channels */
	for (uint32_t k = 0; k < op->n_inputs; k++)
		if (tn_edit_in(w->e, op, k) &&
			!tn_edit_is_constant(tn_edit_in(w->e, op, k)))
			add_tensor(w, op->inputs[k]);
	add_tensor(w, op->outputs[0]);
}

static void add_sum(struct growth *w, const struct tn_op *op)
{
	if (w->c->n_sums == TN_GROUP_MAX)
		w->ok = false;
	else
		w->c->sums[w->c->n_sums++] =
			(struct tn_channel_sum){ .op = tn_edit_id(w->e, op) };
}

static void look_at(struct growth *w, tn_tensor_id id)
{
	struct tn_edit *e = w->e;
	struct tn_op *producer = &e->g.ops[e->producer[id.i].i];

	if (tn_channels_is_conv(e, producer) || keeps_channels(e, producer, w->c->n))
		add_op(w, producer);
	else
		w->ok = false;
	for (uint32_t i = w->readers->first[id.i]; i < w->readers->first[id.i + 1]; i++) {
		struct tn_op *op = &e->g.ops[w->readers->ops[i].i];

		if (op->inputs[0].i == id.i &&
			(tn_channels_is_conv(e, op) || is_dense(e, op)))
			add_sum(w, op);
		else if (keeps_channels(e, op, w->c->n))
			add_op(w, op);
		else
			w->ok = false;
	}
}

static void sort_ops(const struct tn_channel_readers *readers, struct tn_channels *c)
{
	for (uint32_t i = 1; i < c->n_ops; i++) {
		const tn_op_id op = c->ops[i];
		uint32_t k = i;

		for (; k && readers->position[c->ops[k - 1].i] > readers->position[op.i];
			k--)
			c->ops[k] = c->ops[k - 1];
		c->ops[k] = op;
	}
}

bool tn_channels_group(struct tn_edit *e, const struct tn_channel_readers *readers,
	struct tn_op *conv, struct tn_channels *c)
{
	struct growth w = { .e = e, .readers = readers, .c = c, .ok = true };

	*c = (struct tn_channels){ .n = tn_edit_in(e, conv, 1)->shape.dim[0] };
	if (readers->seen[tn_edit_id(e, conv).i])
		return false;
	add_tensor(&w, conv->outputs[0]);
	for (uint32_t i = 0; w.ok && i < w.n_tensors; i++)
		look_at(&w, w.tensors[i]);
	for (uint32_t i = 0; i < c->n_ops; i++)
		readers->seen[c->ops[i].i] = true;
	sort_ops(readers, c);
	return w.ok && c->n_sums > 0;
}
