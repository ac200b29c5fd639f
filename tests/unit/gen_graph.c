#include "gen_graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "gen_part.h"

#define ELEMENTS_MAX 160

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

	gen_need(t);
	t->name = tn_str_intern(&gen->strings, name, strlen(name));
	t->dtype = dtype;
	t->role = role;
	t->shape.rank = rank;
	for (uint32_t i = 0; i < rank; i++)
		t->shape.dim[i] = dim[i];
	if (role == ROLE_INPUT)
		gen_need(tn_vec_push(&gen->arena, &gen->build.inputs,
			((tn_tensor_id){ (uint32_t)id })));
	if (role == ROLE_OUTPUT)
		gen_need(tn_vec_push(&gen->arena, &gen->build.outputs,
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
	gen_need(ids);
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

	gen_need(op);
	op->name = tn_str_intern(&gen->strings, name, strlen(name));
	op->type = tn_str_intern(&gen->strings, type, strlen(type));
	op->kind = tn_op_kind_parse(type);
	op->inputs = id_list(gen, inputs, &op->n_inputs);
	op->outputs = id_list(gen, outputs, &op->n_outputs);
	return op;
}

void tn_gen_ints(struct tn_gen *gen, const char *attr, size_t n, const int64_t *values)
{
	gen_need(tn_build_attr_ints(&gen->build, attr, values, n));
}

void tn_gen_finish(struct tn_gen *gen, struct tn_graph *out)
{
	*out = (struct tn_graph){ .name = "generated" };
	gen_need(tn_build_finish(&gen->build, out) == TN_OK);
}

/* The random graph. */

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
	return gen_at(gen, id)->shape.rank == 4 && gen_at(gen, id)->shape.dim[0] == 1 &&
	       !gen_at(gen, id)->has_strides;
}

static int window(struct tn_gen *gen, int in, const char *type)
{
	const struct tn_shape s = gen_at(gen, in)->shape;
	bool conv = strcmp(type, "CONV_2D") == 0;
	bool depthwise = strcmp(type, "DEPTHWISE_CONV_2D") == 0;
	bool same = tn_gen_random(gen, 2);
	int64_t k[2] = { gen_range(gen, 1, 3), gen_range(gen, 1, 3) };
	int64_t stride[2] = { gen_range(gen, 1, 2), gen_range(gen, 1, 2) };
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
		dim[3] = gen_range(gen, 1, 6);
	if (depthwise)
		dim[3] *= gen_range(gen, 1, 2);
	if (!dim[1] || !dim[2] || dim[1] * dim[2] * dim[3] > ELEMENTS_MAX)
		return -1;
	out = gen_add_tensor(gen, DTYPE_I8, ROLE_ACT, 4, dim);
	if (conv || depthwise) {
		int64_t f[4] = { conv ? dim[3] : 1, k[0], k[1],
			conv ? s.dim[3] : dim[3] };

		filter = gen_add_const(gen, DTYPE_I8, 4, f);
		gen_set_quant(gen, gen_at(gen, filter), (uint32_t)dim[3], conv ? 0 : 3,
			0.01f, 0);
		bias = gen_add_const(gen, DTYPE_I32, 1, &dim[3]);
		gen_set_quant(gen, gen_at(gen, bias), (uint32_t)dim[3], 0,
			0.01f * GEN_SCALE, 0);
		gen_add_op(gen, type, (int[]){ in, filter, bias, TN_GEN_END },
			(int[]){ out, TN_GEN_END });
	} else {
		gen_at(gen, out)->quant = gen_at(gen, in)->quant;
		gen_add_op(
			gen, type, (int[]){ in, TN_GEN_END }, (int[]){ out, TN_GEN_END });
		tn_gen_ints(gen, "kernel", 2, k);
	}
	tn_gen_ints(gen, "stride", 2, stride);
	if (conv || depthwise)
		tn_gen_ints(gen, "dilation", 2, dilation);
	gen_need(tn_build_attr_string(&gen->build, "pad", same ? "SAME" : "VALID"));
	return out;
}

static int connected(struct tn_gen *gen, int in)
{
	int64_t n = gen_elements(gen, in), units = gen_range(gen, 1, 24);
	int filter, bias, out;

	filter = gen_add_const(gen, DTYPE_I8, 2, (int64_t[]){ units, n });
	gen_set_quant(gen, gen_at(gen, filter), 1, 0, 0.01f, 0);
	bias = gen_add_const(gen, DTYPE_I32, 1, &units);
	gen_set_quant(gen, gen_at(gen, bias), 1, 0, 0.01f * GEN_SCALE, 0);
	out = gen_add_tensor(gen, DTYPE_I8, ROLE_ACT, 2, (int64_t[]){ 1, units });
	gen_add_op(gen, "FULLY_CONNECTED", (int[]){ in, filter, bias, TN_GEN_END },
		(int[]){ out, TN_GEN_END });
	return out;
}

/* A value of the same shape, or one that broadcasts; the value itself if there is none. */
static int partner(struct tn_gen *gen, const struct pool *p, int id)
{
	int64_t strides[TN_RANK_MAX];

	for (uint32_t tries = 0; tries < 12; tries++) {
		int other = p->id[tn_gen_random(gen, p->n)];

		if (!gen_at(gen, other)->has_strides &&
			gen_at(gen, other)->dtype == DTYPE_I8 &&
			tn_shape_broadcast_strides(&gen_at(gen, other)->shape,
				&gen_at(gen, id)->shape, strides))
			return other;
	}
	return id;
}

static int pointwise(struct tn_gen *gen, const struct pool *p, int in)
{
	static const char *const unary[] = { "RELU", "RELU6", "LOGISTIC", "TANH" };
	static const char *const binary[] = { "ADD", "MUL", "SUB", "MAXIMUM" };
	uint32_t k = tn_gen_random(gen, 8);
	int out = gen_like(gen, in), other;

	gen_set_quant(gen, gen_at(gen, out), 1, 0, GEN_SCALE, -1);
	if (k == 2)
		gen_set_quant(gen, gen_at(gen, out), 1, 0, 1.0f / 256, -128);
	if (k == 3)
		gen_set_quant(gen, gen_at(gen, out), 1, 0, 1.0f / 128, 0);
	if (k < 4) {
		gen_add_op(gen, unary[k], (int[]){ in, TN_GEN_END },
			(int[]){ out, TN_GEN_END });
		return out;
	}
	other = partner(gen, p, in);
	if (k == 7) { /* needs operands of one scale */
		gen_at(gen, out)->quant = gen_at(gen, in)->quant;
		if (gen_at(gen, other)->quant.scale[0] !=
				gen_at(gen, in)->quant.scale[0] ||
			gen_at(gen, other)->quant.zero_point[0] !=
				gen_at(gen, in)->quant.zero_point[0])
			other = in;
	}
	gen_add_op(gen, binary[k - 4],
		tn_gen_random(gen, 2) && gen_elements(gen, other) == gen_elements(gen, in)
			? (int[]){ other, in, TN_GEN_END }
			: (int[]){ in, other, TN_GEN_END },
		(int[]){ out, TN_GEN_END });
	return out;
}

/* Another shape for the same bytes; a true view of the file now and then. */
static int reshape(struct tn_gen *gen, const struct pool *p, int in)
{
	int64_t n = gen_elements(gen, in), dim[4] = { 1, 1, 1, n };
	uint32_t rank = tn_gen_random(gen, 2) ? 4 : 2;
	int out;

	for (int64_t k = gen_range(gen, 2, 4); rank == 4 && k > 1; k--) {
		if (n % k == 0 && n / k > 0) {
			dim[1] = k;
			dim[3] = n / k;
			break;
		}
	}
	out = gen_add_tensor(
		gen, DTYPE_I8, ROLE_ACT, rank, rank == 4 ? dim : (int64_t[]){ 1, n });
	gen_at(gen, out)->quant = gen_at(gen, in)->quant;
	if (p->options->views && !tn_gen_random(gen, 3))
		gen_at(gen, out)->view_of.i = (uint32_t)in;
	gen_add_op(gen, "RESHAPE", (int[]){ in, TN_GEN_END }, (int[]){ out, TN_GEN_END });
	return out;
}

static int concat(struct tn_gen *gen, const struct pool *p, int in)
{
	int parts[4] = { in, TN_GEN_END, TN_GEN_END, TN_GEN_END }, out;
	struct tn_shape shape = gen_at(gen, in)->shape;
	int64_t axis = shape.rank - 1;
	uint32_t n = 1;

	for (uint32_t tries = 0; tries < 8 && n < 3; tries++) {
		int other = p->id[tn_gen_random(gen, p->n)];
		const struct tn_tensor *t = gen_at(gen, other);
		struct tn_shape same = t->shape;

		if (same.rank != shape.rank || t->has_strides || t->dtype != DTYPE_I8 ||
			t->quant.scale[0] != gen_at(gen, in)->quant.scale[0] ||
			t->quant.zero_point[0] != gen_at(gen, in)->quant.zero_point[0])
			continue;
		same.dim[axis] = gen_at(gen, in)->shape.dim[axis];
		if (!tn_shape_equal(&same, &gen_at(gen, in)->shape))
			continue;
		shape.dim[axis] += t->shape.dim[axis];
		parts[n++] = other;
	}
	out = gen_add_tensor(gen, DTYPE_I8, ROLE_ACT, shape.rank, shape.dim);
	gen_at(gen, out)->quant = gen_at(gen, in)->quant;
	if (gen_elements(gen, out) > ELEMENTS_MAX)
		return -1; /* a tensor that nobody touches is valid as well */
	gen_add_op(gen, "CONCATENATION", parts, (int[]){ out, TN_GEN_END });
	gen_need(tn_build_attr_int(&gen->build, "axis", axis));
	return out;
}

static int split(struct tn_gen *gen, struct pool *p, int in)
{
	struct tn_shape shape = gen_at(gen, in)->shape;
	int64_t axis = shape.rank - 1;
	int which, a, b;

	if (shape.dim[axis] % 2)
		return -1;
	shape.dim[axis] /= 2;
	which = gen_add_ints(gen, 1, &axis);
	a = gen_add_tensor(gen, DTYPE_I8, ROLE_ACT, shape.rank, shape.dim);
	b = gen_add_tensor(gen, DTYPE_I8, ROLE_ACT, shape.rank, shape.dim);
	gen_at(gen, a)->quant = gen_at(gen, b)->quant = gen_at(gen, in)->quant;
	gen_add_op(gen, "SPLIT", (int[]){ which, in, TN_GEN_END },
		(int[]){ a, b, TN_GEN_END });
	gen_need(tn_build_attr_int(&gen->build, "num_splits", 2));
	offer(p, a);
	return b;
}

static int pad(struct tn_gen *gen, int in)
{
	struct tn_shape shape = gen_at(gen, in)->shape;
	int64_t pads[8] = { 0 };
	int list, out;

	for (uint32_t d = 1; d < shape.rank && d < 3; d++) {
		pads[2 * d] = gen_range(gen, 0, 1);
		pads[2 * d + 1] = gen_range(gen, 0, 1);
		shape.dim[d] += pads[2 * d] + pads[2 * d + 1];
	}
	list = gen_add_const(gen, DTYPE_I32, 2, (int64_t[]){ shape.rank, 2 });
	gen_at(gen, list)->data =
		gen_at(gen, gen_add_ints(gen, 2 * shape.rank, pads))->data;
	out = gen_add_tensor(gen, DTYPE_I8, ROLE_ACT, shape.rank, shape.dim);
	gen_at(gen, out)->quant = gen_at(gen, in)->quant;
	if (gen_elements(gen, out) > ELEMENTS_MAX)
		return -1;
	gen_add_op(
		gen, "PAD", (int[]){ in, list, TN_GEN_END }, (int[]){ out, TN_GEN_END });
	return out;
}

static int transpose(struct tn_gen *gen, int in)
{
	struct tn_shape shape = gen_at(gen, in)->shape;
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
	list = gen_add_ints(gen, 4, perm);
	out = gen_add_tensor(gen, DTYPE_I8, ROLE_ACT, 4, dim);
	gen_at(gen, out)->quant = gen_at(gen, in)->quant;
	gen_add_op(gen, "TRANSPOSE", (int[]){ in, list, TN_GEN_END },
		(int[]){ out, TN_GEN_END });
	return out;
}

static int mean(struct tn_gen *gen, int in)
{
	struct tn_shape shape = gen_at(gen, in)->shape;
	int list = gen_add_ints(gen, 2, (int64_t[]){ 1, 2 }), out;

	out = gen_add_tensor(
		gen, DTYPE_I8, ROLE_ACT, 4, (int64_t[]){ 1, 1, 1, shape.dim[3] });
	gen_add_op(
		gen, "MEAN", (int[]){ in, list, TN_GEN_END }, (int[]){ out, TN_GEN_END });
	gen_need(tn_build_attr_bool(&gen->build, "keep_dims", true));
	return out;
}

static int softmax(struct tn_gen *gen, int in)
{
	int out = gen_like(gen, in);

	gen_set_quant(gen, gen_at(gen, out), 1, 0, 1.0f / 256, -128);
	gen_add_op(gen, "SOFTMAX", (int[]){ in, TN_GEN_END }, (int[]){ out, TN_GEN_END });
	gen_need(tn_build_attr_float(&gen->build, "beta", 1.0));
	return out;
}

/* An op of which nothing is known, with one or two outputs. */
static int mystery(struct tn_gen *gen, struct pool *p, int in)
{
	int other = pick(gen, p), a, b = TN_GEN_END;

	a = gen_add_tensor(
		gen, DTYPE_I8, ROLE_ACT, 1, (int64_t[]){ gen_range(gen, 1, 40) });
	if (tn_gen_random(gen, 2)) {
		b = gen_add_tensor(
			gen, DTYPE_I8, ROLE_ACT, 1, (int64_t[]){ gen_range(gen, 1, 40) });
		offer(p, b);
	}
	gen_add_op(gen, "Mystery", (int[]){ in, other, TN_GEN_END },
		(int[]){ a, b, TN_GEN_END });
	return a;
}

/* The later half of a value, its first columns, or the value with two dimensions
 * exchanged: no code runs. */
static int part_view(struct tn_gen *gen, int in)
{
	struct tn_shape shape = gen_at(gen, in)->shape;
	int64_t n = gen_elements(gen, in), stride[TN_RANK_MAX];
	uint32_t how = tn_gen_random(gen, shape.rank == 4 ? 3 : 1);
	int out;

	tn_shape_strides(&shape, stride);
	if (how == 2) {
		out = gen_add_tensor(
			gen, DTYPE_I8, ROLE_ACT, 2, (int64_t[]){ shape.dim[1], 1 });
		gen_at(gen, out)->has_strides = true;
		gen_at(gen, out)->stride[0] = stride[1];
		gen_at(gen, out)->stride[1] = 1;
	} else if (how == 1) {
		out = gen_add_tensor(gen, DTYPE_I8, ROLE_ACT, 3,
			(int64_t[]){ shape.dim[1], shape.dim[3], shape.dim[2] });
		gen_at(gen, out)->has_strides = true;
		gen_at(gen, out)->stride[0] = stride[1];
		gen_at(gen, out)->stride[1] = stride[3];
		gen_at(gen, out)->stride[2] = stride[2];
	} else {
		out = gen_add_tensor(
			gen, DTYPE_I8, ROLE_ACT, 2, (int64_t[]){ 1, n - n / 2 });
		gen_at(gen, out)->view_offset = n / 2;
	}
	gen_at(gen, out)->quant = gen_at(gen, in)->quant;
	gen_at(gen, out)->view_of.i = (uint32_t)in;
	gen_add_op(gen, "Slice", (int[]){ in, TN_GEN_END }, (int[]){ out, TN_GEN_END });
	gen_need(tn_build_attr_bool(&gen->build, "view", true));
	return out;
}

/* state = state + x, or state = what an unknown op makes of both. */
static int update(struct tn_gen *gen, const struct pool *p, int state)
{
	int x = partner(gen, p, state);
	bool known = !p->options->opaque || tn_gen_random(gen, 2);

	gen_add_op(gen, known ? "ADD" : "Mystery", (int[]){ state, x, TN_GEN_END },
		(int[]){ state, TN_GEN_END });
	gen_at(gen, state)->mutated = true;
	return -1;
}

static int add_some_op(struct tn_gen *gen, struct pool *p, int state)
{
	int in = pick(gen, p);
	bool image = is_image(gen, in), strided = gen_at(gen, in)->has_strides;
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

	if (gen_at(gen, last)->role == ROLE_ACT)
		gen_at(gen, last)->role = ROLE_OUTPUT;
	gen_need(tn_vec_push(
		&gen->arena, &gen->build.outputs, ((tn_tensor_id){ (uint32_t)last })));
	for (uint32_t i = 0; i + 1 < p->n; i++) {
		struct tn_tensor *t = gen_at(gen, p->id[i]);

		if (t->role != ROLE_ACT || tn_gen_random(gen, 12))
			continue;
		if (tn_gen_random(gen, 2)) {
			t->observed = true;
			continue;
		}
		t->role = ROLE_OUTPUT;
		gen_need(tn_vec_push(&gen->arena, &gen->build.outputs,
			((tn_tensor_id){ (uint32_t)p->id[i] })));
	}
}

void tn_gen_graph(
	struct tn_gen *gen, const struct tn_gen_options *options, struct tn_graph *out)
{
	struct pool pool = { .options = options };
	uint32_t n_inputs = gen_range(gen, 1, 3);
	int state = -1;

	for (uint32_t i = 0; i < n_inputs; i++) {
		int64_t dim[4] = { 1, gen_range(gen, 2, 5), gen_range(gen, 2, 5),
			gen_range(gen, 1, 4) };
		int in = gen_add_tensor(gen, DTYPE_I8, ROLE_INPUT, 4, dim);

		gen_at(gen, in)->clobber = tn_gen_random(gen, 4) > 0;
		offer(&pool, in);
	}
	if (options->state) {
		state = gen_add_tensor(
			gen, DTYPE_I8, ROLE_VARIABLE, 4, gen_at(gen, 0)->shape.dim);
		offer(&pool, state);
	}
	for (uint32_t i = 0; i < 3 * options->ops && gen->build.ops.count < options->ops;
		i++)
		offer(&pool, add_some_op(gen, &pool, state));
	choose_ends(gen, &pool);
	tn_gen_finish(gen, out);
}
