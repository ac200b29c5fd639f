/* FAKE_QUANT as the two halves that it imitates: a QUANTIZE and a DEQUANTIZE, between which
 * and the next ones integer ops fit. Not exact: the values differ in their last bit. */
#include <math.h>
#include <string.h>

#include "rewrite/integers.h"

#include "base/banned.h"

/* The scale whose steps the op rounds to; false when they are not those of int8. */
static bool scale_of(const struct tn_op *op, float *scale, int64_t *zero_point)
{
	const float min = (float)tn_op_float(op, "min", 0.0);
	const float max = (float)tn_op_float(op, "max", 0.0);

	if (tn_op_int(op, "num_bits", 8) != 8 || tn_op_int(op, "narrow_range", 0) != 0 ||
		!(min <= 0.0f) || !(max >= 0.0f) || !(min < max))
		return false;
	*scale = (max - min) / 255.0f;
	if (!(*scale >= 1e-30f && *scale <= 1e30f))
		return false;
	*zero_point = (int64_t)roundf(-min / *scale) - 128;
	return *zero_point >= -128 && *zero_point <= 127;
}

static bool is_fake(struct tn_edit *e, const struct tn_op *op)
{
	const struct tn_tensor *in = tn_edit_in(e, op, 0), *out = tn_edit_out(e, op, 0);
	int64_t zero_point;
	float scale;

	return op->kind == OP_FAKE_QUANT && op->n_inputs == 1 && op->n_outputs == 1 &&
	       in && out && in->dtype == DTYPE_F32 && out->dtype == DTYPE_F32 &&
	       !tn_edit_is_constant(in) && tn_edit_may_move(e, op->outputs[0]) &&
	       scale_of(op, &scale, &zero_point);
}

/* Room for n more ops; pointers to ops are invalid after it. */
static bool make_room(struct tn_edit *e, uint32_t n)
{
	const uint32_t old = e->g.n_ops;
	struct tn_op *ops = TN_NEW_ARRAY(e->arena, struct tn_op, (size_t)old + n);
	tn_op_id *schedule = TN_NEW_ARRAY(e->arena, tn_op_id, (size_t)old + n);
	bool *dead = TN_NEW_ARRAY(e->scratch, bool, (size_t)old + n);

	if (!ops || !schedule || !dead) {
		e->failed = true;
		return false;
	}
	memcpy(ops, e->g.ops, old * sizeof(*ops));
	memcpy(schedule, e->g.schedule, old * sizeof(*schedule));
	memcpy(dead, e->dead, old * sizeof(*dead));
	e->g.ops = ops;
	e->g.schedule = schedule;
	e->dead = dead;
	return true;
}

static const char *name_of(struct tn_edit *e, const struct tn_op *op, const char *part)
{
	const size_t n = strlen(op->name), more = strlen(part);
	char *text = tn_arena_alloc(e->scratch, n + more + 1);
	const char *name;

	if (!text)
		return NULL;
	memcpy(text, op->name, n);
	memcpy(text + n, part, more + 1);
	name = tn_str_intern(e->strings, text, n + more);
	return name;
}

/* op -> QUANTIZE, and a DEQUANTIZE as op number `id` of what it gives. */
static void split(struct tn_edit *e, struct tn_op *op, uint32_t id)
{
	const tn_tensor_id out = op->outputs[0];
	float *scale = TN_NEW_ARRAY(e->arena, float, 1);
	int64_t *zero_point = TN_NEW_ARRAY(e->arena, int64_t, 1);
	struct tn_op *half = &e->g.ops[id];
	tn_tensor_id *in = TN_NEW_ARRAY(e->arena, tn_tensor_id, 1);
	tn_tensor_id *to = TN_NEW_ARRAY(e->arena, tn_tensor_id, 1);
	struct tn_tensor like = e->g.tensors[out.i];
	const struct tn_shape shape = like.shape;

	*half = *op;
	half->kind = OP_DEQUANTIZE;
	half->type = tn_str_intern(e->strings, "DEQUANTIZE", strlen("DEQUANTIZE"));
	half->name = name_of(e, op, "/dequantize");
	op->kind = OP_QUANTIZE;
	op->type = tn_str_intern(e->strings, "QUANTIZE", strlen("QUANTIZE"));
	if (!scale || !zero_point || !in || !to || !half->type || !half->name ||
		!op->type || !scale_of(op, scale, zero_point)) {
		e->failed = true;
		return;
	}
	tn_edit_drop_attrs(op);
	tn_edit_drop_attrs(half);
	like.dtype = DTYPE_I8;
	like.quant = (struct tn_quant){ 1, 0, scale, zero_point, false };
	*in = tn_edit_activation(e, &like, &shape, op);
	if (e->failed)
		return;
	*to = out;
	tn_edit_set_output(e, op, *in);
	half->inputs = in;
	half->n_inputs = 1;
	e->reads[in->i] = 1;
	half->outputs = to;
	e->producer[out.i] = (tn_op_id){ id };
	tn_edit_done(e, half, op);
}

void tn_integers_split(struct tn_edit *e)
{
	const uint32_t old = e->g.n_ops;
	uint32_t n = 0, to;

	for (uint32_t i = 0; i < old; i++) {
		const struct tn_op *op = tn_edit_op(e, i);

		n += op && is_fake(e, op);
	}
	if (!n || !make_room(e, n))
		return;
	/* from the end, so that the schedule can be moved in place */
	to = old + n;
	e->g.n_ops = to;
	for (uint32_t i = old; i-- > 0 && !e->failed;) {
		const tn_op_id id = e->g.schedule[i];
		struct tn_op *op = tn_edit_op(e, i);

		if (op && is_fake(e, op)) {
			n--;
			e->g.schedule[--to] = (tn_op_id){ old + n };
			split(e, op, old + n);
		}
		e->g.schedule[--to] = id;
	}
}
