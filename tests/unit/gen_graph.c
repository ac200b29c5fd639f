#include "gen_graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "ir/seed.h"

#define ELEMENTS_MAX 160
#define SCALE	     0.0625f

static void need(bool ok)
{
	if (!ok) {
		fprintf(stderr, "the test ran out of memory\n");
		exit(EXIT_FAILURE);
	}
}

void tn_gen_init(struct tn_gen *gen, uint32_t seed)
{
	tn_arena_init(&gen->arena);
	tn_strings_init(&gen->strings, &gen->arena);
	tn_diags_init(&gen->diags, &gen->arena);
	tn_build_init(&gen->build, &gen->arena, &gen->strings, &gen->diags, NULL);
	gen->state = seed * 2654435761u ^ 0x9e3779b9u;
	if (!gen->state)
		gen->state = 1;
}

void tn_gen_release(struct tn_gen *gen)
{
	tn_arena_release(&gen->arena);
}

uint32_t tn_gen_random(struct tn_gen *gen, uint32_t n)
{
	gen->state ^= gen->state << 13;
	gen->state ^= gen->state >> 17;
	gen->state ^= gen->state << 5;
	return (uint32_t)(((uint64_t)gen->state * n) >> 32);
}

struct tn_tensor *tn_gen_tensor(struct tn_gen *gen, const char *name, enum tn_dtype dtype,
	enum tn_role role, uint32_t rank, const int64_t *dim)
{
	size_t id = gen->build.tensors.count;
	struct tn_path up = { NULL, "tensors", 0 }, path = { &up, NULL, id };
	struct tn_tensor *t = tn_build_tensor(&gen->build, &path);

	need(t);
	t->name = tn_str_intern(&gen->strings, name, strlen(name));
	t->dtype = dtype;
	t->role = role;
	t->shape.rank = rank;
	for (uint32_t i = 0; i < rank; i++)
		t->shape.dim[i] = dim[i];
	if (role == ROLE_INPUT)
		need(tn_vec_push(&gen->arena, &gen->build.inputs,
			((tn_tensor_id){ (uint32_t)id })));
	if (role == ROLE_OUTPUT)
		need(tn_vec_push(&gen->arena, &gen->build.outputs,
			((tn_tensor_id){ (uint32_t)id })));
	return t;
}

static tn_tensor_id *id_list(struct tn_gen *gen, const int *list, uint32_t *out_n)
{
	tn_tensor_id *ids;
	uint32_t n = 0;

	while (list[n] != TN_GEN_END)
		n++;
	ids = TN_NEW_ARRAY(&gen->arena, tn_tensor_id, n);
	need(ids);
	for (uint32_t i = 0; i < n; i++)
		ids[i].i = list[i] < 0 ? TN_NONE : (uint32_t)list[i];
	*out_n = n;
	return ids;
}

struct tn_op *tn_gen_op(struct tn_gen *gen, const char *name, const char *type,
	const int *inputs, const int *outputs)
{
	struct tn_path up = { NULL, "ops", 0 };
	struct tn_path path = { &up, NULL, gen->build.ops.count };
	struct tn_op *op = tn_build_op(&gen->build, &path);

	need(op);
	op->name = tn_str_intern(&gen->strings, name, strlen(name));
	op->type = tn_str_intern(&gen->strings, type, strlen(type));
	op->kind = tn_op_kind_parse(type);
	op->inputs = id_list(gen, inputs, &op->n_inputs);
	op->outputs = id_list(gen, outputs, &op->n_outputs);
	return op;
}

void tn_gen_ints(struct tn_gen *gen, const char *attr, size_t n, const int64_t *values)
{
	need(tn_build_attr_ints(&gen->build, attr, values, n));
}

void tn_gen_finish(struct tn_gen *gen, struct tn_graph *out)
{
	*out = (struct tn_graph){ .name = "generated" };
	need(tn_build_finish(&gen->build, out) == TN_OK);
}

/* The random graph. */

static uint32_t range(struct tn_gen *gen, uint32_t lo, uint32_t hi)
{
	return lo + tn_gen_random(gen, hi - lo + 1);
}

static struct tn_tensor *at(struct tn_gen *gen, int id)
{
	return &gen->build.tensors.items[id];
}

static int64_t elements(struct tn_gen *gen, int id)
{
	int64_t n = 0;

	need(tn_shape_elements(&at(gen, id)->shape, &n));
	return n;
}

static void set_quant(struct tn_gen *gen, struct tn_tensor *t, uint32_t n, uint32_t axis,
	float scale, int64_t zero_point)
{
	float *scales = TN_NEW_ARRAY(&gen->arena, float, n);
	int64_t *zeros = TN_NEW_ARRAY(&gen->arena, int64_t, n);

	need(scales && zeros);
	for (uint32_t i = 0; i < n; i++) {
		scales[i] = scale * (float)(1 + i % 3);
		zeros[i] = zero_point;
	}
	t->quant = (struct tn_quant){
		.n = n, .axis = axis, .scale = scales, .zero_point = zeros
	};
}

static int add_tensor(
	struct tn_gen *gen, enum tn_role role, uint32_t rank, const int64_t *dim)
{
	int id = (int)gen->build.tensors.count;
	struct tn_tensor *t;
	char name[24];

	snprintf(name, sizeof(name), "t%d", id);
	t = tn_gen_tensor(gen, name, DTYPE_I8, role, rank, dim);
	set_quant(gen, t, 1, 0, SCALE, -1);
	return id;
}

static int like(struct tn_gen *gen, int id)
{
	struct tn_shape shape = at(gen, id)->shape;
	int copy = add_tensor(gen, ROLE_ACT, shape.rank, shape.dim);

	at(gen, copy)->quant = at(gen, id)->quant;
	return copy;
}

static int add_const(
	struct tn_gen *gen, enum tn_dtype dtype, uint32_t rank, const int64_t *dim)
{
	int id = add_tensor(gen, ROLE_CONST, rank, dim);
	struct tn_tensor *t = at(gen, id);
	int64_t bytes = 0;
	uint8_t *data;

	t->dtype = dtype;
	need(tn_dtype_bytes(dtype, elements(gen, id), &bytes));
	data = tn_arena_alloc(&gen->arena, (size_t)bytes);
	need(data);
	tn_seed_const((uint32_t)id, dtype, data, bytes);
	t->data = data;
	t->data_bytes = bytes;
	t->data_kind = DATA_BYTES;
	t->quant.n = 0;
	return id;
}

static int add_ints(struct tn_gen *gen, uint32_t n, const int64_t *values)
{
	int id = add_const(gen, DTYPE_I32, 1, (int64_t[]){ n });
	uint8_t *data = TN_NEW_ARRAY(&gen->arena, uint8_t, 4 * n);

	need(data);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < 4; k++)
			data[4 * i + k] = (uint8_t)((uint64_t)values[i] >> (8 * k));
	at(gen, id)->data = data;
	return id;
}

static void add_op(struct tn_gen *gen, const char *type, const int *in, const int *out)
{
	char name[48];

	snprintf(name, sizeof(name), "%s_%zu", type, gen->build.ops.count);
	(void)tn_gen_op(gen, name, type, in, out);
}

/* Values that an op may read: activations, inputs and variables. */
struct pool {
	int id[256];
	uint32_t n;
	const struct tn_gen_options *options;
};

static void offer(struct pool *p, int id)
{
	if (id >= 0 && p->n < sizeof(p->id) / sizeof(*p->id))
		p->id[p->n++] = id;
}

/* Recent values are more likely: chains with some far branches. */
static int pick(struct tn_gen *gen, const struct pool *p)
{
	uint32_t back = tn_gen_random(gen, 3) ? tn_gen_random(gen, p->n < 4 ? p->n : 4)
					      : tn_gen_random(gen, p->n);

	return p->id[p->n - 1 - back];
}

static bool is_image(struct tn_gen *gen, int id)
{
	return at(gen, id)->shape.rank == 4 && at(gen, id)->shape.dim[0] == 1 &&
	       !at(gen, id)->has_strides;
}

static int window(struct tn_gen *gen, int in, const char *type)
{
	const struct tn_shape s = at(gen, in)->shape;
	bool conv = strcmp(type, "CONV_2D") == 0;
	bool depthwise = strcmp(type, "DEPTHWISE_CONV_2D") == 0;
	bool same = tn_gen_random(gen, 2);
	int64_t k[2] = { range(gen, 1, 3), range(gen, 1, 3) };
	int64_t stride[2] = { range(gen, 1, 2), range(gen, 1, 2) };
	int64_t dilation[2] = { 1, 1 }, dim[4] = { 1, 0, 0, s.dim[3] };
	int out, filter, bias;

	if ((conv || depthwise) && !tn_gen_random(gen, 3))
		dilation[0] = dilation[1] = 2;
	for (int i = 0; i < 2; i++) {
		int64_t reach = (k[i] - 1) * dilation[i] + 1, n = s.dim[1 + i];

		dim[1 + i] = same ? (n + stride[i] - 1) / stride[i]
				  : (n < reach ? 0 : (n - reach) / stride[i] + 1);
	}
	if (conv)
		dim[3] = range(gen, 1, 6);
	if (depthwise)
		dim[3] *= range(gen, 1, 2);
	if (!dim[1] || !dim[2] || dim[1] * dim[2] * dim[3] > ELEMENTS_MAX)
		return -1;
	out = add_tensor(gen, ROLE_ACT, 4, dim);
	if (conv || depthwise) {
		int64_t f[4] = { conv ? dim[3] : 1, k[0], k[1],
			conv ? s.dim[3] : dim[3] };

		filter = add_const(gen, DTYPE_I8, 4, f);
		set_quant(gen, at(gen, filter), (uint32_t)dim[3], conv ? 0 : 3, 0.01f, 0);
		bias = add_const(gen, DTYPE_I32, 1, &dim[3]);
		set_quant(gen, at(gen, bias), (uint32_t)dim[3], 0, 0.01f * SCALE, 0);
		add_op(gen, type, (int[]){ in, filter, bias, TN_GEN_END },
			(int[]){ out, TN_GEN_END });
	} else {
		at(gen, out)->quant = at(gen, in)->quant;
		add_op(gen, type, (int[]){ in, TN_GEN_END }, (int[]){ out, TN_GEN_END });
		tn_gen_ints(gen, "kernel", 2, k);
	}
	tn_gen_ints(gen, "stride", 2, stride);
	if (conv || depthwise)
		tn_gen_ints(gen, "dilation", 2, dilation);
	need(tn_build_attr_string(&gen->build, "pad", same ? "SAME" : "VALID"));
	return out;
}

static int connected(struct tn_gen *gen, int in)
{
	int64_t n = elements(gen, in), units = range(gen, 1, 24);
	int filter, bias, out;

	filter = add_const(gen, DTYPE_I8, 2, (int64_t[]){ units, n });
	set_quant(gen, at(gen, filter), 1, 0, 0.01f, 0);
	bias = add_const(gen, DTYPE_I32, 1, &units);
	set_quant(gen, at(gen, bias), 1, 0, 0.01f * SCALE, 0);
	out = add_tensor(gen, ROLE_ACT, 2, (int64_t[]){ 1, units });
	add_op(gen, "FULLY_CONNECTED", (int[]){ in, filter, bias, TN_GEN_END },
		(int[]){ out, TN_GEN_END });
	return out;
}

/* A value of the same shape, or one that broadcasts; the value itself if there is none. */
static int partner(struct tn_gen *gen, const struct pool *p, int id)
{
	int64_t strides[TN_RANK_MAX];

	for (uint32_t tries = 0; tries < 12; tries++) {
		int other = p->id[tn_gen_random(gen, p->n)];

		if (!at(gen, other)->has_strides && at(gen, other)->dtype == DTYPE_I8 &&
			tn_shape_broadcast_strides(
				&at(gen, other)->shape, &at(gen, id)->shape, strides))
			return other;
	}
	return id;
}

static int pointwise(struct tn_gen *gen, const struct pool *p, int in)
{
	static const char *const unary[] = { "RELU", "RELU6", "LOGISTIC", "TANH" };
	static const char *const binary[] = { "ADD", "MUL", "SUB", "MAXIMUM" };
	uint32_t k = tn_gen_random(gen, 8);
	int out = like(gen, in), other;

	set_quant(gen, at(gen, out), 1, 0, SCALE, -1);
	if (k == 2)
		set_quant(gen, at(gen, out), 1, 0, 1.0f / 256, -128);
	if (k == 3)
		set_quant(gen, at(gen, out), 1, 0, 1.0f / 128, 0);
	if (k < 4) {
		add_op(gen, unary[k], (int[]){ in, TN_GEN_END },
			(int[]){ out, TN_GEN_END });
		return out;
	}
	other = partner(gen, p, in);
	if (k == 7) { /* needs operands of one scale */
		at(gen, out)->quant = at(gen, in)->quant;
		if (at(gen, other)->quant.scale[0] != at(gen, in)->quant.scale[0] ||
			at(gen, other)->quant.zero_point[0] !=
				at(gen, in)->quant.zero_point[0])
			other = in;
	}
	add_op(gen, binary[k - 4],
		tn_gen_random(gen, 2) && elements(gen, other) == elements(gen, in)
			? (int[]){ other, in, TN_GEN_END }
			: (int[]){ in, other, TN_GEN_END },
		(int[]){ out, TN_GEN_END });
	return out;
}

/* Another shape for the same bytes; a true view of the file now and then. */
static int reshape(struct tn_gen *gen, const struct pool *p, int in)
{
	int64_t n = elements(gen, in), dim[4] = { 1, 1, 1, n };
	uint32_t rank = tn_gen_random(gen, 2) ? 4 : 2;
	int out;

	for (int64_t k = range(gen, 2, 4); rank == 4 && k > 1; k--) {
		if (n % k == 0 && n / k > 0) {
			dim[1] = k;
			dim[3] = n / k;
			break;
		}
	}
	out = add_tensor(gen, ROLE_ACT, rank, rank == 4 ? dim : (int64_t[]){ 1, n });
	at(gen, out)->quant = at(gen, in)->quant;
	if (p->options->views && !tn_gen_random(gen, 3))
		at(gen, out)->view_of.i = (uint32_t)in;
	add_op(gen, "RESHAPE", (int[]){ in, TN_GEN_END }, (int[]){ out, TN_GEN_END });
	return out;
}

static int concat(struct tn_gen *gen, const struct pool *p, int in)
{
	int parts[4] = { in, TN_GEN_END, TN_GEN_END, TN_GEN_END }, out;
	struct tn_shape shape = at(gen, in)->shape;
	int64_t axis = shape.rank - 1;
	uint32_t n = 1;

	for (uint32_t tries = 0; tries < 8 && n < 3; tries++) {
		int other = p->id[tn_gen_random(gen, p->n)];
		const struct tn_tensor *t = at(gen, other);
		struct tn_shape same = t->shape;

		if (same.rank != shape.rank || t->has_strides || t->dtype != DTYPE_I8 ||
			t->quant.scale[0] != at(gen, in)->quant.scale[0] ||
			t->quant.zero_point[0] != at(gen, in)->quant.zero_point[0])
			continue;
		same.dim[axis] = at(gen, in)->shape.dim[axis];
		if (!tn_shape_equal(&same, &at(gen, in)->shape))
			continue;
		shape.dim[axis] += t->shape.dim[axis];
		parts[n++] = other;
	}
	out = add_tensor(gen, ROLE_ACT, shape.rank, shape.dim);
	at(gen, out)->quant = at(gen, in)->quant;
	if (elements(gen, out) > ELEMENTS_MAX)
		return -1; /* a tensor that nobody touches is valid as well */
	add_op(gen, "CONCATENATION", parts, (int[]){ out, TN_GEN_END });
	need(tn_build_attr_int(&gen->build, "axis", axis));
	return out;
}

static int split(struct tn_gen *gen, struct pool *p, int in)
{
	struct tn_shape shape = at(gen, in)->shape;
	int64_t axis = shape.rank - 1;
	int which, a, b;

	if (shape.dim[axis] % 2)
		return -1;
	shape.dim[axis] /= 2;
	which = add_ints(gen, 1, &axis);
	a = add_tensor(gen, ROLE_ACT, shape.rank, shape.dim);
	b = add_tensor(gen, ROLE_ACT, shape.rank, shape.dim);
	at(gen, a)->quant = at(gen, b)->quant = at(gen, in)->quant;
	add_op(gen, "SPLIT", (int[]){ which, in, TN_GEN_END },
		(int[]){ a, b, TN_GEN_END });
	need(tn_build_attr_int(&gen->build, "num_splits", 2));
	offer(p, a);
	return b;
}

static int pad(struct tn_gen *gen, int in)
{
	struct tn_shape shape = at(gen, in)->shape;
	int64_t pads[8] = { 0 };
	int list, out;

	for (uint32_t d = 1; d < shape.rank && d < 3; d++) {
		pads[2 * d] = range(gen, 0, 1);
		pads[2 * d + 1] = range(gen, 0, 1);
		shape.dim[d] += pads[2 * d] + pads[2 * d + 1];
	}
	list = add_const(gen, DTYPE_I32, 2, (int64_t[]){ shape.rank, 2 });
	at(gen, list)->data = at(gen, add_ints(gen, 2 * shape.rank, pads))->data;
	out = add_tensor(gen, ROLE_ACT, shape.rank, shape.dim);
	at(gen, out)->quant = at(gen, in)->quant;
	if (elements(gen, out) > ELEMENTS_MAX)
		return -1;
	add_op(gen, "PAD", (int[]){ in, list, TN_GEN_END }, (int[]){ out, TN_GEN_END });
	return out;
}

static int transpose(struct tn_gen *gen, int in)
{
	struct tn_shape shape = at(gen, in)->shape;
	int64_t perm[4] = { 0, 2, 1, 3 }, dim[4];
	int list, out;

	if (shape.rank != 4)
		return -1;
	if (tn_gen_random(gen, 2)) {
		perm[2] = 3;
		perm[3] = 1;
	}
	for (int i = 0; i < 4; i++)
		dim[i] = shape.dim[perm[i]];
	list = add_ints(gen, 4, perm);
	out = add_tensor(gen, ROLE_ACT, 4, dim);
	at(gen, out)->quant = at(gen, in)->quant;
	add_op(gen, "TRANSPOSE", (int[]){ in, list, TN_GEN_END },
		(int[]){ out, TN_GEN_END });
	return out;
}

static int mean(struct tn_gen *gen, int in)
{
	struct tn_shape shape = at(gen, in)->shape;
	int list = add_ints(gen, 2, (int64_t[]){ 1, 2 }), out;

	out = add_tensor(gen, ROLE_ACT, 4, (int64_t[]){ 1, 1, 1, shape.dim[3] });
	add_op(gen, "MEAN", (int[]){ in, list, TN_GEN_END }, (int[]){ out, TN_GEN_END });
	need(tn_build_attr_bool(&gen->build, "keep_dims", true));
	return out;
}

static int softmax(struct tn_gen *gen, int in)
{
	int out = like(gen, in);

	set_quant(gen, at(gen, out), 1, 0, 1.0f / 256, -128);
	add_op(gen, "SOFTMAX", (int[]){ in, TN_GEN_END }, (int[]){ out, TN_GEN_END });
	need(tn_build_attr_float(&gen->build, "beta", 1.0));
	return out;
}

/* An op of which nothing is known, with one or two outputs. */
static int mystery(struct tn_gen *gen, struct pool *p, int in)
{
	int other = pick(gen, p), a, b = TN_GEN_END;

	a = add_tensor(gen, ROLE_ACT, 1, (int64_t[]){ range(gen, 1, 40) });
	if (tn_gen_random(gen, 2)) {
		b = add_tensor(gen, ROLE_ACT, 1, (int64_t[]){ range(gen, 1, 40) });
		offer(p, b);
	}
	add_op(gen, "Mystery", (int[]){ in, other, TN_GEN_END },
		(int[]){ a, b, TN_GEN_END });
	return a;
}

/* The later half of a value, its first columns, or the value with two dimensions
 * exchanged: no code runs. */
static int part_view(struct tn_gen *gen, int in)
{
	struct tn_shape shape = at(gen, in)->shape;
	int64_t n = elements(gen, in), stride[TN_RANK_MAX];
	uint32_t how = tn_gen_random(gen, shape.rank == 4 ? 3 : 1);
	int out;

	tn_shape_strides(&shape, stride);
	if (how == 2) {
		out = add_tensor(gen, ROLE_ACT, 2, (int64_t[]){ shape.dim[1], 1 });
		at(gen, out)->has_strides = true;
		at(gen, out)->stride[0] = stride[1];
		at(gen, out)->stride[1] = 1;
	} else if (how == 1) {
		out = add_tensor(gen, ROLE_ACT, 3,
			(int64_t[]){ shape.dim[1], shape.dim[3], shape.dim[2] });
		at(gen, out)->has_strides = true;
		at(gen, out)->stride[0] = stride[1];
		at(gen, out)->stride[1] = stride[3];
		at(gen, out)->stride[2] = stride[2];
	} else {
		out = add_tensor(gen, ROLE_ACT, 2, (int64_t[]){ 1, n - n / 2 });
		at(gen, out)->view_offset = n / 2;
	}
	at(gen, out)->quant = at(gen, in)->quant;
	at(gen, out)->view_of.i = (uint32_t)in;
	add_op(gen, "Slice", (int[]){ in, TN_GEN_END }, (int[]){ out, TN_GEN_END });
	need(tn_build_attr_bool(&gen->build, "view", true));
	return out;
}

/* state = state + x, or state = what an unknown op makes of both. */
static int update(struct tn_gen *gen, const struct pool *p, int state)
{
	int x = partner(gen, p, state);
	bool known = !p->options->opaque || tn_gen_random(gen, 2);

	add_op(gen, known ? "ADD" : "Mystery", (int[]){ state, x, TN_GEN_END },
		(int[]){ state, TN_GEN_END });
	at(gen, state)->mutated = true;
	return -1;
}

static int add_some_op(struct tn_gen *gen, struct pool *p, int state)
{
	int in = pick(gen, p);
	bool image = is_image(gen, in), strided = at(gen, in)->has_strides;
	const struct tn_gen_options *o = p->options;

	if (o->opaque && (strided || !tn_gen_random(gen, 12)))
		return mystery(gen, p, in);
	if (strided)
		return -1;
	if (o->views && !o->runnable && !tn_gen_random(gen, 8))
		return part_view(gen, in);
	if (state >= 0 && !tn_gen_random(gen, 8))
		return update(gen, p, state);
	switch (tn_gen_random(gen, 16)) {
	case 0:
	case 1:
		return image ? window(gen, in, "CONV_2D") : connected(gen, in);
	case 2:
	case 3:
		return image ? window(gen, in, "DEPTHWISE_CONV_2D") : -1;
	case 4:
		return image ? window(gen, in, "AVERAGE_POOL_2D") : -1;
	case 5:
		return image ? window(gen, in, "MAX_POOL_2D") : -1;
	case 6:
		return connected(gen, in);
	case 7:
		return softmax(gen, in);
	case 8:
		return concat(gen, p, in);
	case 9:
		return split(gen, p, in);
	case 10:
		return pad(gen, in);
	case 11:
		return transpose(gen, in);
	case 12:
		return image ? mean(gen, in) : -1;
	case 13:
		return reshape(gen, p, in);
	default:
		return pointwise(gen, p, in);
	}
}

static void choose_ends(struct tn_gen *gen, const struct pool *p)
{
	int last = p->id[p->n - 1];

	if (at(gen, last)->role == ROLE_ACT)
		at(gen, last)->role = ROLE_OUTPUT;
	need(tn_vec_push(
		&gen->arena, &gen->build.outputs, ((tn_tensor_id){ (uint32_t)last })));
	for (uint32_t i = 0; i + 1 < p->n; i++) {
		struct tn_tensor *t = at(gen, p->id[i]);

		if (t->role != ROLE_ACT || tn_gen_random(gen, 12))
			continue;
		if (tn_gen_random(gen, 2)) {
			t->observed = true;
			continue;
		}
		t->role = ROLE_OUTPUT;
		need(tn_vec_push(&gen->arena, &gen->build.outputs,
			((tn_tensor_id){ (uint32_t)p->id[i] })));
	}
}

void tn_gen_graph(
	struct tn_gen *gen, const struct tn_gen_options *options, struct tn_graph *out)
{
	struct pool pool = { .options = options };
	uint32_t n_inputs = range(gen, 1, 3);
	int state = -1;

	for (uint32_t i = 0; i < n_inputs; i++) {
		int64_t dim[4] = { 1, range(gen, 2, 5), range(gen, 2, 5),
			range(gen, 1, 4) };
		int in = add_tensor(gen, ROLE_INPUT, 4, dim);

		at(gen, in)->clobber = tn_gen_random(gen, 4) > 0;
		offer(&pool, in);
	}
	if (options->state) {
		state = add_tensor(gen, ROLE_VARIABLE, 4, at(gen, 0)->shape.dim);
		offer(&pool, state);
	}
	for (uint32_t i = 0; i < 3 * options->ops && gen->build.ops.count < options->ops;
		i++)
		offer(&pool, add_some_op(gen, &pool, state));
	choose_ends(gen, &pool);
	tn_gen_finish(gen, out);
}
