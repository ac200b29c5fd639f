#include "net.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "contract/contract.h"
#include "ir/seed.h"
#include "ir/validate.h"

void net_start(struct net *n)
{
	memset(n, 0, sizeof(*n));
	tn_arena_init(&n->arena);
	tn_strings_init(&n->strings, &n->arena);
	tn_diags_init(&n->diags, &n->arena);
	tn_build_init(&n->build, &n->arena, &n->strings, &n->diags, NULL);
}

void net_release(struct net *n)
{
	tn_arena_release(&n->arena);
}

static const char *intern(struct net *n, const char *text)
{
	return tn_str_intern(&n->strings, text, strlen(text));
}

tn_tensor_id net_tensor(struct net *n, const char *name, enum tn_dtype dtype,
	enum tn_role role, const int64_t *dims, uint32_t rank, float scale,
	int64_t zero_point)
{
	tn_tensor_id id = { (uint32_t)n->build.tensors.count };
	struct tn_tensor *t = tn_build_tensor(&n->build, NULL);
	float *scales = TN_NEW(&n->arena, float);
	int64_t *zero_points = TN_NEW(&n->arena, int64_t);

	ck_assert(t && scales && zero_points);
	t->name = intern(n, name);
	t->dtype = dtype;
	t->role = role;
	t->clobber = role == ROLE_INPUT;
	t->shape.rank = rank;
	for (uint32_t d = 0; d < rank; d++)
		t->shape.dim[d] = dims[d];
	*scales = scale;
	*zero_points = zero_point;
	if (dtype != DTYPE_F32)
		t->quant = (struct tn_quant){
			.n = 1, .scale = scales, .zero_point = zero_points
		};
	return id;
}

tn_tensor_id net_const(struct net *n, const char *name, enum tn_dtype dtype,
	const int64_t *dims, uint32_t rank, float scale, uint32_t seed)
{
	tn_tensor_id id = net_tensor(n, name, dtype, ROLE_CONST, dims, rank, scale, 0);
	struct tn_tensor *t = &n->build.tensors.items[id.i];
	int64_t elements, bytes;
	uint8_t *data;

	ck_assert(tn_shape_elements(&t->shape, &elements));
	ck_assert(tn_dtype_bytes(dtype, elements, &bytes));
	data = tn_arena_alloc(&n->arena, (size_t)bytes);
	ck_assert(data != NULL);
	tn_seed_const(seed, dtype, data, bytes);
	t->data_kind = DATA_BYTES;
	t->data = data;
	t->data_bytes = bytes;
	return id;
}

struct tn_op *net_op(struct net *n, enum tn_op_kind kind, const char *name,
	const tn_tensor_id *inputs, uint32_t n_inputs, tn_tensor_id output)
{
	struct tn_op *op = tn_build_op(&n->build, NULL);

	ck_assert(op != NULL);
	op->kind = kind;
	op->type = intern(n, tn_op_info(kind)->name);
	op->name = intern(n, name);
	op->inputs = TN_NEW_ARRAY(&n->arena, tn_tensor_id, n_inputs);
	op->outputs = TN_NEW(&n->arena, tn_tensor_id);
	ck_assert(op->inputs && op->outputs);
	memcpy(op->inputs, inputs, n_inputs * sizeof(*inputs));
	op->n_inputs = n_inputs;
	op->outputs[0] = output;
	op->n_outputs = 1;
	return op;
}

void net_finish(struct net *n, const char *name)
{
	for (uint32_t i = 0; i < n->build.tensors.count; i++) {
		tn_tensor_id id = { i };

		if (n->build.tensors.items[i].role == ROLE_INPUT)
			ck_assert(tn_vec_push(&n->arena, &n->build.inputs, id));
		if (n->build.tensors.items[i].role == ROLE_OUTPUT)
			ck_assert(tn_vec_push(&n->arena, &n->build.outputs, id));
	}
	n->graph.name = intern(n, name);
	ck_assert_int_eq(tn_build_finish(&n->build, &n->graph), TN_OK);
	ck_assert_msg(tn_validate(&n->graph, &n->diags) == TN_OK, "%s", net_report(n));
}

#define DIMS(...)                                                                        \
	(const int64_t[]){ __VA_ARGS__ },                                                \
		sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)
#define IDS(...)                                                                         \
	(const tn_tensor_id[]){ __VA_ARGS__ },                                           \
		sizeof((const tn_tensor_id[]){ __VA_ARGS__ }) / sizeof(tn_tensor_id)

void net_residual(struct net *n)
{
	const enum tn_dtype i8 = DTYPE_I8, i32 = DTYPE_I32;
	tn_tensor_id in, a, b, c, d, e, f, out, w[3], bias[3];

	net_start(n);
	in = net_tensor(n, "in", i8, ROLE_INPUT, DIMS(1, 7, 6, 3), 0.05f, -3);
	a = net_tensor(n, "a", i8, ROLE_ACT, DIMS(1, 7, 6, 8), 0.04f, 5);
	b = net_tensor(n, "b", i8, ROLE_ACT, DIMS(1, 7, 6, 8), 0.06f, -7);
	c = net_tensor(n, "c", i8, ROLE_ACT, DIMS(1, 7, 6, 8), 0.08f, 2);
	d = net_tensor(n, "d", i8, ROLE_ACT, DIMS(1, 3, 3, 8), 0.08f, 2);
	e = net_tensor(n, "e", i8, ROLE_ACT, DIMS(1, 72), 0.08f, 2);
	f = net_tensor(n, "f", i8, ROLE_ACT, DIMS(1, 10), 0.1f, 11);
	out = net_tensor(n, "out", i8, ROLE_OUTPUT, DIMS(1, 10), 1.0f / 256, -128);
	w[0] = net_const(n, "w0", i8, DIMS(8, 3, 3, 3), 0.0016f, 1);
	bias[0] = net_const(n, "b0", i32, DIMS(8), 0.00008f, 2);
	w[1] = net_const(n, "w1", i8, DIMS(1, 3, 3, 8), 0.0040f, 3);
	bias[1] = net_const(n, "b1", i32, DIMS(8), 0.00016f, 4);
	w[2] = net_const(n, "w2", i8, DIMS(10, 72), 0.0020f, 5);
	bias[2] = net_const(n, "b2", i32, DIMS(10), 0.00016f, 6);

	net_op(n, OP_CONV_2D, "conv", IDS(in, w[0], bias[0]), a);
	ck_assert(tn_build_attr_string(&n->build, "pad", "SAME"));
	net_op(n, OP_DEPTHWISE_CONV_2D, "depthwise", IDS(a, w[1], bias[1]), b);
	ck_assert(tn_build_attr_string(&n->build, "pad", "SAME"));
	net_op(n, OP_ADD, "residual", IDS(a, b), c);
	net_op(n, OP_AVERAGE_POOL_2D, "pool", IDS(c), d);
	ck_assert(tn_build_attr_ints(&n->build, "kernel", DIMS(2, 2)));
	ck_assert(tn_build_attr_ints(&n->build, "stride", DIMS(2, 2)));
	ck_assert(tn_build_attr_string(&n->build, "pad", "VALID"));
	net_op(n, OP_RESHAPE, "flatten", IDS(d), e);
	net_op(n, OP_FULLY_CONNECTED, "dense", IDS(e, w[2], bias[2]), f);
	net_op(n, OP_SOFTMAX, "softmax", IDS(f), out);
	ck_assert(tn_build_attr_float(&n->build, "beta", 1.0));
	net_finish(n, "residual");
}

void net_arithmetic(struct net *n)
{
	tn_tensor_id a, b, c, d;

	net_start(n);
	a = net_tensor(n, "a", DTYPE_F32, ROLE_INPUT, DIMS(10), 0, 0);
	b = net_tensor(n, "b", DTYPE_F32, ROLE_INPUT, DIMS(10), 0, 0);
	c = net_tensor(n, "c", DTYPE_F32, ROLE_ACT, DIMS(10), 0, 0);
	d = net_tensor(n, "d", DTYPE_F32, ROLE_OUTPUT, DIMS(10), 0, 0);
	net_op(n, OP_ADD, "sum", IDS(a, b), c);
	net_op(n, OP_MUL, "product", IDS(c, a), d);
	net_finish(n, "arithmetic");
}

void net_state(struct net *n)
{
	tn_tensor_id in, state, out;

	net_start(n);
	in = net_tensor(n, "in", DTYPE_I8, ROLE_INPUT, DIMS(1, 12), 0.05f, -4);
	state = net_tensor(n, "state", DTYPE_I8, ROLE_VARIABLE, DIMS(1, 12), 0.1f, 9);
	out = net_tensor(n, "out", DTYPE_I8, ROLE_OUTPUT, DIMS(1, 12), 0.05f, 1);
	net_op(n, OP_ADD, "accumulate", IDS(state, in), state);
	net_op(n, OP_MUL, "product", IDS(state, in), out);
	net_finish(n, "state");
}

void net_empty(struct net *n)
{
	tn_tensor_id in, none, rest, out;

	net_start(n);
	in = net_tensor(n, "in", DTYPE_F32, ROLE_INPUT, DIMS(2, 5), 0, 0);
	none = net_tensor(n, "none", DTYPE_F32, ROLE_INPUT, DIMS(0, 5), 0, 0);
	rest = net_tensor(n, "rest", DTYPE_F32, ROLE_OUTPUT, DIMS(0, 5), 0, 0);
	out = net_tensor(n, "out", DTYPE_F32, ROLE_OUTPUT, DIMS(2, 5), 0, 0);
	net_op(n, OP_ABS, "nothing", IDS(none), rest);
	net_op(n, OP_ABS, "something", IDS(in), out);
	net_finish(n, "empty");
}

void net_views(struct net *n)
{
	tn_tensor_id in, w, w_half, sum, sum_half, out;

	net_start(n);
	in = net_tensor(n, "in", DTYPE_F32, ROLE_INPUT, DIMS(10), 0, 0);
	w = net_const(n, "w", DTYPE_F32, DIMS(20), 0, 5);
	w_half = net_tensor(n, "w_half", DTYPE_F32, ROLE_CONST, DIMS(10), 0, 0);
	sum = net_tensor(n, "sum", DTYPE_F32, ROLE_ACT, DIMS(10), 0, 0);
	sum_half = net_tensor(n, "sum_half", DTYPE_F32, ROLE_ACT, DIMS(5), 0, 0);
	out = net_tensor(n, "out", DTYPE_F32, ROLE_OUTPUT, DIMS(5), 0, 0);
	n->build.tensors.items[w_half.i].view_of = w;
	n->build.tensors.items[w_half.i].view_offset = 10;
	n->build.tensors.items[sum_half.i].view_of = sum;
	n->build.tensors.items[sum_half.i].view_offset = 5;
	net_op(n, OP_ADD, "sum", IDS(in, w_half), sum);
	net_op(n, OP_MUL, "square", IDS(sum_half, sum_half), out);
	ck_assert(tn_vec_push(&n->arena, &n->build.outputs, w_half));
	net_finish(n, "views");
}

/* ---- the planner ---- */

static uint32_t root_of(const struct net *n, uint32_t id)
{
	while (id != TN_NONE && n->graph.tensors[id].view_of.i != TN_NONE)
		id = n->graph.tensors[id].view_of.i;
	return id;
}

static void life_of(const struct net *n, uint32_t id, struct tn_plan_tensor *out)
{
	const struct tn_graph *g = &n->graph;
	const struct tn_tensor *t = &g->tensors[id];
	bool caller =
		t->role == ROLE_VARIABLE || tn_graph_is_input(g, (tn_tensor_id){ id });

	out->first = caller ? 0 : INT64_MAX;
	out->last = 0;
	for (uint32_t i = 0; i < g->n_ops; i++) {
		const struct tn_op *op = &g->ops[g->schedule[i].i];

		for (uint32_t k = 0; k < op->n_outputs; k++)
			if (root_of(n, op->outputs[k].i) == id &&
				out->first > 2 * (int64_t)i + 1)
				out->first = 2 * (int64_t)i + 1;
		for (uint32_t k = 0; k < op->n_inputs; k++)
			if (root_of(n, op->inputs[k].i) == id)
				out->last = 2 * (int64_t)i + 1;
	}
	if (t->role == ROLE_VARIABLE || tn_graph_is_output(g, (tn_tensor_id){ id }))
		out->last = 2 * (int64_t)g->n_ops;
	if (out->last < out->first)
		out->last = out->first;
}

static bool meet(const struct tn_plan_tensor *a, const struct tn_plan_tensor *b)
{
	return a->first <= b->last && b->first <= a->last &&
	       a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes;
}

static void place(struct net *n, uint32_t id)
{
	struct tn_plan_tensor *t = &n->plan.tensors[id];

	t->offset = 0;
	for (uint32_t i = 0; i < id; i++) {
		const struct tn_plan_tensor *other = &n->plan.tensors[i];

		if (other->region == TN_REGION_NONE || !meet(t, other))
			continue;
		t->offset = (other->offset + other->bytes + 15) / 16 * 16;
		i = UINT32_MAX; /* again from the first */
	}
	if (t->offset + t->bytes > n->plan.regions[0].used)
		n->plan.regions[0].used = t->offset + t->bytes;
}

void net_plan(struct net *n)
{
	const struct tn_graph *g = &n->graph;
	struct tn_plan *p = &n->plan;

	*p = (struct tn_plan){ .n_tensors = g->n_tensors,
		.n_ops = g->n_ops,
		.n_regions = 1,
		.tensors = TN_NEW_ARRAY(&n->arena, struct tn_plan_tensor, g->n_tensors),
		.ops = TN_NEW_ARRAY(&n->arena, struct tn_plan_op, g->n_ops),
		.order = TN_NEW_ARRAY(&n->arena, uint32_t, g->n_ops),
		.regions = TN_NEW(&n->arena, struct tn_plan_region) };
	ck_assert(p->tensors && p->ops && p->order && p->regions);
	p->regions[0] =
		(struct tn_plan_region){ .name = "sram", .capacity = -1, .align = 16 };
	for (uint32_t i = 0; i < g->n_tensors; i++) {
		p->tensors[i].region = TN_REGION_NONE;
		if (tn_tensor_is_constant(&g->tensors[i]) || root_of(n, i) != i)
			continue;
		p->tensors[i].region = 0;
		p->tensors[i].bytes = g->tensors[i].bytes;
		life_of(n, i, &p->tensors[i]);
		place(n, i);
	}
	for (uint32_t i = 0; i < g->n_ops; i++) {
		struct tn_variant variants[TN_VARIANTS_MAX] = { { false, HOLD_NONE } };
		int64_t scratch;

		p->order[i] = g->schedule[i].i;
		tn_contract_variants(g, (tn_op_id){ i }, variants);
		scratch = tn_contract_scratch(g, (tn_op_id){ i }, variants[0]);
		p->ops[i] = (struct tn_plan_op){ .descending = variants[0].descending,
			.hold = (uint8_t)variants[0].hold,
			.scratch_region = scratch ? 0 : TN_REGION_NONE,
			.scratch_offset = (p->regions[0].used + 15) / 16 * 16,
			.scratch_bytes = scratch };
	}
	for (uint32_t i = 0; i < g->n_ops; i++)
		if (p->ops[i].scratch_bytes &&
			p->ops[i].scratch_offset + p->ops[i].scratch_bytes >
				p->regions[0].used)
			p->regions[0].used =
				p->ops[i].scratch_offset + p->ops[i].scratch_bytes;
	p->arena_bytes = p->regions[0].used;
}

uint32_t net_find_op(const struct net *n, const char *name)
{
	for (uint32_t i = 0; i < n->graph.n_ops; i++)
		if (strcmp(n->graph.ops[i].name, name) == 0)
			return i;
	ck_abort_msg("no op '%s'", name);
	return 0;
}

uint32_t net_find_tensor(const struct net *n, const char *name)
{
	for (uint32_t i = 0; i < n->graph.n_tensors; i++)
		if (strcmp(n->graph.tensors[i].name, name) == 0)
			return i;
	ck_abort_msg("no tensor '%s'", name);
	return 0;
}

const char *net_report(const struct net *n)
{
	static char text[4096];
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < n->diags.list.count && used < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s [%s]\n",
			n->diags.list.items[i].message, n->diags.list.items[i].rule);
	return text;
}
