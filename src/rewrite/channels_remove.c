/* Taking channels out of constants and shapes. */
#include <string.h>

#include "rewrite/channels.h"

#include "base/banned.h"

/* Bytes without the channels that are gone: `data` is [outer, n, inner] items. */
static uint8_t *without(struct tn_edit *e, const struct tn_channels *c,
	const uint8_t *data, int64_t outer, int64_t inner, int64_t item)
{
	const int64_t kept = c->n - c->n_gone;
	uint8_t *out = tn_arena_alloc(e->arena, (size_t)(outer * kept * inner * item));
	uint8_t *at = out;

	if (!out) {
		e->failed = true;
		return NULL;
	}
	for (int64_t o = 0; o < outer; o++) {
		for (int64_t i = 0; i < c->n; i++) {
			if (c->gone[i])
				continue;
			memcpy(at, data + (o * c->n + i) * inner * item,
				(size_t)(inner * item));
			at += inner * item;
		}
	}
	return out;
}

/* One scale and zero point for each channel that stays. */
static bool cut_quant(struct tn_edit *e, const struct tn_channels *c, struct tn_quant *q)
{
	float *scale;
	int64_t *zero_point;
	uint32_t n = 0;

	if (q->n <= 1)
		return true;
	scale = TN_NEW_ARRAY(e->arena, float, q->n);
	zero_point = TN_NEW_ARRAY(e->arena, int64_t, q->n);
	if (!scale || !zero_point) {
		e->failed = true;
		return false;
	}
	for (uint32_t i = 0; i < q->n; i++) {
		if (c->gone[i])
			continue;
		scale[n] = q->scale[i];
		zero_point[n++] = q->zero_point[i];
	}
	q->scale = scale;
	q->zero_point = zero_point;
	q->n = n;
	return true;
}

/* Operand k of op without the channels that are gone along a dimension. `channelwise`: its
 * scales run along the same dimension. Gives the bytes saved. */
static int64_t cut_operand(struct tn_edit *e, const struct tn_channels *c,
	struct tn_op *op, uint32_t k, uint32_t axis, bool channelwise)
{
	const struct tn_tensor *t = tn_edit_in(e, op, k);
	struct tn_tensor like;
	struct tn_shape shape;
	const uint8_t *data;
	int64_t outer = 1, inner = 1;
	tn_tensor_id id;

	if (!t || e->failed)
		return 0;
	like = *t;
	shape = like.shape;
	for (uint32_t d = 0; d < axis; d++)
		outer *= shape.dim[d];
	for (uint32_t d = axis + 1; d < shape.rank; d++)
		inner *= shape.dim[d];
	shape.dim[axis] = c->n - c->n_gone;
	data = without(e, c, like.data, outer, inner, tn_dtype_bits(like.dtype) / 8);
	if (!data || (channelwise && !cut_quant(e, c, &like.quant)))
		return 0;
	id = tn_edit_constant(e, &like, &shape, data);
	if (e->failed)
		return 0;
	tn_edit_set_input(e, op, k, id);
	return like.bytes - e->g.tensors[id.i].bytes;
}

/* The bias of a sum, made when there is none. Gives the bytes saved. */
static int64_t set_bias(struct tn_edit *e, const struct tn_channel_sum *s)
{
	struct tn_op *op = &e->g.ops[s->op.i];
	const struct tn_tensor *old = tn_edit_in(e, op, 2);
	const int64_t outputs = tn_edit_in(e, op, 1)->shape.dim[0];
	const struct tn_shape line = { .rank = 1, .dim = { outputs } };
	struct tn_tensor like = old ? *old : *tn_edit_in(e, op, 1);
	uint8_t *data = tn_arena_array(e->arena, (size_t)outputs, 4);
	const bool made = !old;
	tn_tensor_id ids[3];

	if (!data) {
		e->failed = true;
		return 0;
	}
	for (int64_t o = 0; o < outputs; o++)
		for (int b = 0; b < 4; b++)
			data[4 * o + b] = (uint8_t)((uint64_t)s->bias[o] >> (8 * b));
	if (made) {
		like.dtype = DTYPE_I32;
		like.quant = (struct tn_quant){ 0 };
	}
	ids[0] = op->inputs[0];
	ids[1] = op->inputs[1];
	ids[2] = tn_edit_constant(e, &like, &line, data);
	if (!e->failed)
		tn_edit_set_inputs(e, op, ids, 3);
	return made ? -4 * outputs : 0;
}

/* An op that makes or keeps channels: its constants, and the shape of what it writes. */
static void cut_op(struct tn_edit *e, const struct tn_channels *c, struct tn_op *op,
	int64_t *ram, int64_t *flash)
{
	struct tn_tensor *out = tn_edit_out(e, op, 0);
	struct tn_shape shape = out->shape;
	const int64_t before = out->bytes;

	shape.dim[shape.rank - 1] = c->n - c->n_gone;
	if (!tn_edit_reshape(out, &shape)) {
		e->failed = true;
		return;
	}
	*ram += before - out->bytes;
	switch (op->kind) {
	case OP_CONV_2D:
		*flash += cut_operand(e, c, op, 1, 0, true);
		*flash += cut_operand(e, c, op, 2, 0, true);
		return;
	case OP_DEPTHWISE_CONV_2D:
		*flash += cut_operand(e, c, op, 1, 3, true);
		*flash += cut_operand(e, c, op, 2, 0, true);
		return;
	case OP_ADD:
	case OP_SUB:
	case OP_MUL:
		for (uint32_t k = 0; k < op->n_inputs; k++) {
			const struct tn_tensor *t = tn_edit_in(e, op, k);

			if (tn_edit_is_constant(t) && t->elements > 1)
				*flash += cut_operand(
					e, c, op, k, t->shape.rank - 1, false);
		}
		return;
	default:
		return;
	}
}

void tn_channels_remove(struct tn_edit *e, struct tn_channels *c)
{
	struct tn_op *conv = &e->g.ops[c->ops[0].i];
	struct tn_rewrite *done;
	int64_t flash = 0, ram = 0;

	for (uint32_t k = 0; k < c->n_sums && !e->failed; k++)
		if (c->sums[k].bias_changes)
			flash += set_bias(e, &c->sums[k]);
	for (uint32_t k = 0; k < c->n_sums && !e->failed; k++) {
		struct tn_op *op = &e->g.ops[c->sums[k].op.i];

		flash += cut_operand(
			e, c, op, 1, tn_edit_in(e, op, 1)->shape.rank - 1, false);
	}
	for (uint32_t k = 0; k < c->n_ops && !e->failed; k++)
		cut_op(e, c, &e->g.ops[c->ops[k].i], &ram, &flash);
	if (e->failed)
		return;
	done = tn_edit_done(e, conv, NULL);
	done->tensor = tn_edit_out(e, conv, 0)->name;
	done->channels = c->n_gone;
	done->ram_bytes = ram;
	done->flash_bytes = flash;
}
