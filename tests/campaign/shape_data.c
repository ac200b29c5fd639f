#include "shape_data.h"

#include <math.h>
#include <string.h>

#include "ir/seed.h"

static bool clash_step(void *user, const struct tn_step *s)
{
	struct clash *c = user;

	for (uint32_t i = 0; i < s->n_reads; i++)
		for (int64_t b = s->reads[i].begin;
			s->reads[i].operand == c->k && b < s->reads[i].end; b++) {
			int64_t at = b + c->distance;

			if (at < 0 || at >= c->out || !c->written[at])
				continue;
			c->any = true;
			c->read[b] = 1;
		}
	for (uint32_t i = 0; i < s->n_writes; i++)
		memset(c->written + s->writes[i].begin, 1,
			(size_t)(s->writes[i].end - s->writes[i].begin));
	return true;
}

bool shape_replaced_by_itself(const struct trial *t, const struct clash *c)
{
	const struct tn_op *op = &t->g.ops[0];
	const uint8_t *in = t->op.bytes[op->inputs[c->k].i];
	const uint8_t *out = t->op.bytes[op->outputs[0].i];

	for (int64_t b = 0; b < c->in; b++)
		if (c->read[b] && in[b] != out[b + c->distance])
			return false;
	return true;
}

/* Repeats the first element, whose low byte is 0 or 255 now and then, plus `more`; of truth
 * values most become alike. */
static void flatten(
	uint8_t *bytes, const struct tn_tensor *x, uint32_t seed, uint32_t more)
{
	size_t width = (size_t)tn_dtype_bits(x->dtype) / 8;
	struct tn_seed random;

	tn_seed_init(&random, seed);
	if (x->dtype != DTYPE_BOOL && tn_seed_next(&random) % 2)
		bytes[0] = tn_seed_next(&random) % 2 ? 0 : 255;
	if (x->dtype != DTYPE_BOOL)
		bytes[0] = (uint8_t)(bytes[0] + more);
	for (size_t i = width; i < (size_t)x->bytes; i++)
		if (x->dtype != DTYPE_BOOL)
			bytes[i] = bytes[i - width];
		else if (tn_seed_next(&random) % (4u << seed / 2 % 5))
			bytes[i] = seed % 2;
}

/* Bytes near zero, so that sums do not saturate; floats that fill integers. */
static void scale(uint8_t *bytes, const struct tn_tensor *x, uint32_t seed)
{
	float by = (float)(1 << seed % 30);

	for (size_t i = 0; x->dtype == DTYPE_I8 && i < (size_t)x->bytes; i++)
		bytes[i] = (uint8_t)((int8_t)bytes[i] / 16);
	for (size_t i = 0; x->dtype == DTYPE_F32 && i < (size_t)x->bytes; i += 4) {
		float f;

		memcpy(&f, bytes + i, 4);
		f *= by;
		memcpy(bytes + i, &f, 4);
	}
}

static void put_element(uint8_t *at, enum tn_dtype dtype, int64_t i)
{
	float f = (float)i;

	if (dtype == DTYPE_F32)
		memcpy(at, &f, 4);
	else
		memcpy(at, &i, (size_t)tn_dtype_bits(dtype) / 8);
}

/* Rises or falls from element to element. */
static void slope(uint8_t *bytes, const struct tn_tensor *x, int64_t by)
{
	int64_t width = tn_dtype_bits(x->dtype) / 8, n = x->bytes / width;

	for (int64_t i = 0; i < n; i++)
		put_element(bytes + i * width, x->dtype,
			x->dtype == DTYPE_BOOL ? (i + by) % 2 : (i - n / 2) * by);
}

/* What clashes stands out: extreme, or alone. */
static void stand_out(
	uint8_t *bytes, const struct tn_tensor *x, const struct clash *c, uint32_t how)
{
	size_t width = (size_t)tn_dtype_bits(x->dtype) / 8;
	float extreme = how % 2 ? -INFINITY : INFINITY;

	for (size_t i = 0; i < (size_t)x->bytes; i += width) {
		bool clashes = false;

		for (size_t b = i; b < i + width; b++)
			clashes = clashes || c->read[b];
		if (x->dtype == DTYPE_BOOL)
			bytes[i] = clashes == how % 2;
		else if (!clashes)
			continue;
		else if (x->dtype == DTYPE_F32)
			memcpy(bytes + i, &extreme, width);
		else
			memset(bytes + i, how % 2 ? 0 : 255, width - 1);
		if (clashes && x->dtype != DTYPE_BOOL && x->dtype != DTYPE_F32)
			bytes[i + width - 1] = how % 2 ? 128 : 127;
	}
}

/* An operand that says where: how many places there are to name; 0: no such operand. */
static uint32_t places(const struct trial *t, uint32_t id, uint32_t element)
{
	const struct tn_op *op = &t->g.ops[0];
	const struct tn_shape *data = &t->g.tensors[op->inputs[0].i].shape;
	uint32_t k = op->kind == OP_EMBEDDING_LOOKUP	   ? 0
		     : op->kind == OP_GATHER		   ? 1
		     : op->kind == OP_GATHER_ND		   ? 1
		     : op->kind == OP_DYNAMIC_UPDATE_SLICE ? 2
		     : op->kind == OP_BROADCAST_ARGS	   ? 0
							   : TN_NONE;
	int64_t axis;

	if (k >= op->n_inputs || op->inputs[k].i != id)
		return 0;
	switch (op->kind) {
	case OP_EMBEDDING_LOOKUP:
		data = &t->g.tensors[op->inputs[1].i].shape;
		return (uint32_t)data->dim[0];
	case OP_GATHER:
		axis = tn_op_int(op, "axis", 0);
		return (uint32_t)data->dim[axis < 0 ? axis + data->rank : axis];
	case OP_GATHER_ND:
		axis = t->g.tensors[id].shape.dim[t->g.tensors[id].shape.rank - 1];
		return (uint32_t)data->dim[element % axis];
	case OP_DYNAMIC_UPDATE_SLICE:
		return (uint32_t)(data->dim[element] + 1 -
				  t->g.tensors[op->inputs[1].i].shape.dim[element]);
	default:
		return 4;
	}
}

void shape_fill(struct trial *t, uint32_t try, const struct clash *c)
{
	const struct tn_op *op = &t->g.ops[0];

	for (uint32_t i = 0; i < t->g.n_tensors; i++) {
		const struct tn_tensor *x = &t->g.tensors[i];
		enum tn_dtype as = x->dtype == DTYPE_F32 || x->dtype == DTYPE_BOOL
					   ? x->dtype
					   : DTYPE_I8;
		uint32_t seed = t->seed + 7919 * try, n = places(t, i, 0);
		uint8_t *bytes = t->op.bytes[i];
		struct tn_seed random;

		if (x->role != ROLE_INPUT)
			continue;
		if (try % 4 < 2)
			seed += 977 * i;
		tn_seed_init(&random, seed);
		tn_seed_input(seed, as, bytes, x->bytes);
		for (int64_t e = 0; n && e < x->bytes / 4; e++) {
			uint32_t at;

			n = places(t, i, (uint32_t)e);
			at = tn_seed_next(&random);
			/* the first and the last are what displacements turn on */
			at = at % 3 == 0 ? 0 : at % 3 == 1 ? n - 1 : at / 3 % n;
			memcpy(bytes + 4 * e, &at, 4);
		}
		if (n)
			continue;
		if (try % 4 == 1)
			scale(bytes, x, seed);
		if (try % 8 == 3)
			flatten(bytes, x, seed, i * (try / 8 % 5 - 2));
		if (try % 8 == 7)
			slope(bytes, x, try / 8 % 2 ? 1 + (int64_t)i : -1 - (int64_t)i);
		if (try && try % 3 == 0 && op->inputs[c->k].i == i)
			stand_out(bytes, x, c, try / 3);
	}
	record_run(&t->op);
}

bool shape_clash(struct trial *t, struct tn_variant v, uint32_t k, int64_t distance,
	struct clash *c)
{
	const struct tn_op *op = &t->g.ops[0];

	*c = (struct clash){ .k = k,
		.distance = distance,
		.in = t->g.tensors[op->inputs[k].i].bytes,
		.out = t->g.tensors[op->outputs[0].i].bytes };
	c->read = TN_NEW_ARRAY(&t->gen.arena, uint8_t, (size_t)c->in);
	c->written = TN_NEW_ARRAY(&t->gen.arena, uint8_t, (size_t)c->out);
	return c->read && c->written &&
	       tn_contract_walk(&t->g, t->op.id, v, clash_step, c) == TN_OK;
}
