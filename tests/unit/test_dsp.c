/* The packed kernels against the portable ones: random layers, every variant, apart and at
 * the displacement that the contract allows. And the rescaling, whose proof is the
 * binder's, against the two roundings that it stands for. */
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "bind/dsp.h"
#include "ir/seed.h"
#include "kernels/ref/fixed.h"
#include "net.h"

#define GUARD 32

struct random {
	struct tn_seed seed;
};

static uint32_t pick(struct random *r, uint32_t n)
{
	return tn_seed_next(&r->seed) % n;
}

/* ---- layers ---- */

struct layer {
	const char *name;
	enum tn_op_kind kind;
	int64_t batches, h, w, c, out_c, k_h, k_w, stride;
	const char *pad;
	int64_t in_zero, out_zero;
	const char *activation;
	bool packed; /* a packed kernel must run it */
};

static const struct layer layers[] = {
	{ "1x1", OP_CONV_2D, 1, 5, 5, 8, 6, 1, 1, 1, "SAME", -128, -128, "RELU", true },
	{ "1x1 of 7 pixels", OP_CONV_2D, 1, 7, 1, 4, 2, 1, 1, 1, "SAME", 3, -128, "RELU",
		true },
	{ "1x1 of one pixel", OP_CONV_2D, 1, 1, 1, 5, 3, 1, 1, 1, "SAME", 127, -128,
		"RELU", true },
	{ "1x1 of two pixels", OP_CONV_2D, 1, 1, 2, 16, 9, 1, 1, 1, "SAME", -128, 0,
		"NONE", true },
	{ "1x1, stride 2", OP_CONV_2D, 2, 6, 6, 12, 5, 1, 1, 2, "VALID", -5, -17, "NONE",
		true },
	{ "1x1, deep", OP_CONV_2D, 1, 2, 2, 100, 8, 1, 1, 1, "SAME", -128, 127, "NONE",
		true },
	{ "3x3", OP_CONV_2D, 1, 6, 7, 4, 4, 3, 3, 1, "SAME", -128, -128, "RELU6", true },
	{ "3x3, batches", OP_CONV_2D, 3, 4, 3, 8, 3, 3, 3, 1, "SAME", 9, -128, "RELU",
		true },
	{ "3x3, stride 2", OP_CONV_2D, 1, 9, 8, 16, 8, 3, 3, 2, "SAME", 0, 4, "NONE",
		true },
	{ "3x3, image", OP_CONV_2D, 1, 8, 8, 3, 8, 3, 3, 2, "SAME", -128, -128, "RELU",
		true },
	{ "3x3, in parts", OP_CONV_2D, 1, 4, 5, 64, 6, 3, 3, 1, "SAME", -128, -2, "NONE",
		true },
	{ "5x5, in parts", OP_CONV_2D, 1, 6, 6, 40, 5, 5, 5, 1, "SAME", 12, -128, "RELU",
		true },
	{ "10x4", OP_CONV_2D, 1, 20, 10, 1, 6, 10, 4, 2, "SAME", 83, -128, "RELU", true },
	{ "window larger than the image", OP_CONV_2D, 1, 2, 2, 3, 4, 5, 7, 1, "SAME", 1,
		-128, "RELU", true },
	{ "depthwise", OP_DEPTHWISE_CONV_2D, 1, 7, 6, 8, 8, 3, 3, 1, "SAME", -128, -128,
		"RELU", true },
	{ "depthwise, batches", OP_DEPTHWISE_CONV_2D, 2, 3, 4, 4, 4, 3, 3, 1, "SAME", 5,
		-128, "RELU6", true },
	{ "depthwise, stride 2", OP_DEPTHWISE_CONV_2D, 1, 8, 9, 12, 12, 3, 3, 2, "SAME",
		-128, 3, "NONE", true },
	{ "depthwise, stride 2, even", OP_DEPTHWISE_CONV_2D, 1, 6, 6, 4, 4, 3, 3, 2,
		"SAME", 0, -128, "RELU", true },
	{ "depthwise, no padding", OP_DEPTHWISE_CONV_2D, 1, 5, 8, 4, 4, 3, 3, 1, "VALID",
		-7, 11, "NONE", true },
	{ "depthwise of one pixel", OP_DEPTHWISE_CONV_2D, 1, 1, 1, 8, 8, 3, 3, 1, "SAME",
		-7, -128, "RELU", true },
	{ "depthwise, one row", OP_DEPTHWISE_CONV_2D, 1, 1, 9, 4, 4, 3, 3, 1, "SAME", 2,
		-128, "RELU", true },
	{ "depthwise, in stretches", OP_DEPTHWISE_CONV_2D, 1, 3, 100, 4, 4, 3, 3, 1,
		"SAME", -128, -128, "RELU", true },
	{ "depthwise, stride 2, in stretches", OP_DEPTHWISE_CONV_2D, 1, 5, 120, 8, 8, 3,
		3, 2, "SAME", 4, -9, "NONE", true },
	{ "depthwise of six channels", OP_DEPTHWISE_CONV_2D, 1, 4, 4, 6, 6, 3, 3, 1,
		"SAME", 4, -128, "RELU", true },
	{ "depthwise of three channels", OP_DEPTHWISE_CONV_2D, 1, 4, 4, 3, 3, 3, 3, 1,
		"SAME", 4, -128, "RELU", false },
	{ "depthwise 5x5", OP_DEPTHWISE_CONV_2D, 1, 6, 6, 4, 4, 5, 5, 1, "SAME", 4, -128,
		"RELU", false },
	{ "3x3 to 20 channels", OP_CONV_2D, 1, 5, 5, 16, 20, 3, 3, 1, "SAME", 4, -9,
		"NONE", true },
	{ "1x1 to 35 channels", OP_CONV_2D, 1, 3, 5, 7, 35, 1, 1, 1, "SAME", 4, -128,
		"RELU", true },
	{ "depthwise of 32", OP_DEPTHWISE_CONV_2D, 2, 4, 5, 32, 32, 3, 3, 1, "SAME", 4,
		-128, "RELU", true },
	{ "depthwise of 16, stride 2", OP_DEPTHWISE_CONV_2D, 1, 5, 6, 16, 16, 3, 3, 2,
		"SAME", 4, 9, "NONE", true },
	{ "depthwise of 272", OP_DEPTHWISE_CONV_2D, 1, 2, 3, 272, 272, 3, 3, 1, "SAME",
		-6, -128, "RELU", true },
	{ "depthwise of 144, stride 2", OP_DEPTHWISE_CONV_2D, 1, 3, 7, 144, 144, 3, 3, 2,
		"VALID", 8, 9, "NONE", true },
	{ "fully connected to 150", OP_FULLY_CONNECTED, 2, 1, 1, 20, 150, 0, 0, 0, "", 9,
		-128, "RELU", true },
	{ "fully connected", OP_FULLY_CONNECTED, 1, 1, 1, 64, 10, 0, 0, 0, "", -128, 24,
		"NONE", true },
	{ "fully connected, rows", OP_FULLY_CONNECTED, 3, 1, 1, 37, 11, 0, 0, 0, "", 89,
		-128, "RELU", true },
	{ "fully connected, two", OP_FULLY_CONNECTED, 1, 1, 1, 130, 2, 0, 0, 0, "", -3,
		-5, "NONE", true },
	{ "fully connected, one", OP_FULLY_CONNECTED, 2, 1, 1, 3, 1, 0, 0, 0, "", 127,
		-128, "RELU", true },
	{ "fully connected, eight", OP_FULLY_CONNECTED, 1, 1, 1, 9, 8, 0, 0, 0, "", 1,
		127, "NONE", true },
	{ "sum", OP_ADD, 1, 3, 5, 7, 7, 0, 0, 0, "", -128, 4, "NONE", true },
	{ "sum, rectified", OP_ADD, 2, 4, 2, 4, 4, 0, 0, 0, "", -17, -128, "RELU", true },
	{ "sum, bounded", OP_ADD, 1, 4, 2, 4, 4, 0, 0, 0, "", -17, -100, "RELU", false },
	{ "average of all", OP_AVERAGE_POOL_2D, 1, 8, 8, 12, 12, 8, 8, 8, "VALID", -128,
		-128, "NONE", true },
	{ "average, padded", OP_AVERAGE_POOL_2D, 2, 5, 7, 8, 8, 3, 3, 2, "SAME", 3, 3,
		"NONE", true },
	{ "average, overlapping", OP_AVERAGE_POOL_2D, 1, 6, 6, 4, 4, 2, 3, 1, "SAME", 3,
		3, "RELU", true },
	{ "average of six channels", OP_AVERAGE_POOL_2D, 1, 6, 6, 6, 6, 2, 2, 2, "VALID",
		3, 3, "NONE", false },
	{ "bounded above", OP_CONV_2D, 1, 3, 3, 4, 4, 1, 1, 1, "SAME", 1, -100, "RELU6",
		false },
};

/* Scales that spread results over int8; for some channels far too small or too large. */
static void set_scales(struct net *n, tn_tensor_id filter, const struct layer *l,
	int64_t taps, struct random *r)
{
	const uint32_t channels = (uint32_t)l->out_c;
	struct tn_tensor *t = &n->build.tensors.items[filter.i];
	float *scale = TN_NEW_ARRAY(&n->arena, float, channels);
	int64_t *zero = TN_NEW_ARRAY(&n->arena, int64_t, channels);
	int64_t root = 1;

	ck_assert(scale && zero);
	while (root * root < taps)
		root++;
	for (uint32_t c = 0; c < channels; c++) {
		scale[c] = (float)(500 + (int)pick(r, 1000)) / 1e5f / (float)root;
		if (pick(r, 8) == 0)
			scale[c] *= pick(r, 2) ? 1e-4f : 1e-7f;
	}
	t->quant.n = channels;
	t->quant.axis = l->kind == OP_DEPTHWISE_CONV_2D ? 3 : 0;
	t->quant.scale = scale;
	t->quant.zero_point = zero;
}

static void fill_weights(struct net *n, tn_tensor_id id, struct random *r)
{
	struct tn_tensor *t = &n->build.tensors.items[id.i];
	int8_t *w = (int8_t *)(uintptr_t)t->data;

	for (int64_t i = 0; i < t->data_bytes; i++)
		w[i] = (int8_t)((int)pick(r, 255) - 127);
}

static void fill_bias(struct net *n, tn_tensor_id id, struct random *r)
{
	struct tn_tensor *t = &n->build.tensors.items[id.i];

	for (int64_t i = 0; i < t->data_bytes / 4; i++) {
		int32_t value = (int32_t)pick(r, 4001) - 2000;

		memcpy((uint8_t *)(uintptr_t)t->data + 4 * i, &value, 4);
	}
}

static int64_t reduced(const struct layer *l, int64_t size, int64_t k)
{
	return strcmp(l->pad, "SAME") == 0 ? (size + l->stride - 1) / l->stride
					   : (size - k) / l->stride + 1;
}

static void build_conv(struct net *n, const struct layer *l, struct random *r)
{
	const bool depthwise = l->kind == OP_DEPTHWISE_CONV_2D;
	const int64_t in[] = { l->batches, l->h, l->w, l->c };
	const int64_t out[] = { l->batches, reduced(l, l->h, l->k_h),
		reduced(l, l->w, l->k_w), l->out_c };
	const int64_t filter[] = { depthwise ? 1 : l->out_c, l->k_h, l->k_w,
		depthwise ? l->out_c : l->c };
	const int64_t stride[] = { l->stride, l->stride };
	tn_tensor_id ids[3], y;

	ids[0] = net_tensor(n, "x", DTYPE_I8, ROLE_INPUT, in, 4, 0.05f, l->in_zero);
	ids[1] = net_const(n, "w", DTYPE_I8, filter, 4, 1.0f, 1);
	ids[2] = net_const(n, "b", DTYPE_I32, &l->out_c, 1, 1.0f, 2);
	y = net_tensor(n, "y", DTYPE_I8, ROLE_OUTPUT, out, 4, 6.0f / 255.0f, l->out_zero);
	fill_weights(n, ids[1], r);
	fill_bias(n, ids[2], r);
	set_scales(n, ids[1], l, l->k_h * l->k_w * (depthwise ? 1 : l->c), r);
	(void)net_op(n, l->kind, "op", ids, 3, y);
	ck_assert(tn_build_attr_ints(&n->build, "stride", stride, 2));
	ck_assert(tn_build_attr_string(&n->build, "pad", l->pad));
}

static void build_fully_connected(struct net *n, const struct layer *l, struct random *r)
{
	const int64_t in[] = { l->batches, l->c }, out[] = { l->batches, l->out_c };
	const int64_t filter[] = { l->out_c, l->c };
	tn_tensor_id ids[3], y;

	ids[0] = net_tensor(n, "x", DTYPE_I8, ROLE_INPUT, in, 2, 0.05f, l->in_zero);
	ids[1] = net_const(n, "w", DTYPE_I8, filter, 2, 1.0f, 1);
	ids[2] = net_const(n, "b", DTYPE_I32, &l->out_c, 1, 1.0f, 2);
	y = net_tensor(n, "y", DTYPE_I8, ROLE_OUTPUT, out, 2, 6.0f / 255.0f, l->out_zero);
	fill_weights(n, ids[1], r);
	fill_bias(n, ids[2], r);
	set_scales(n, ids[1], l, l->c, r);
	(void)net_op(n, l->kind, "op", ids, 3, y);
}

static void build_sum(struct net *n, const struct layer *l, struct random *r)
{
	const int64_t dims[] = { l->batches, l->h, l->w, l->c };
	tn_tensor_id ids[2], y;

	ids[0] = net_tensor(n, "a", DTYPE_I8, ROLE_INPUT, dims, 4,
		0.02f + 0.0001f * (float)pick(r, 300), l->in_zero);
	ids[1] = net_tensor(n, "b", DTYPE_I8, ROLE_INPUT, dims, 4,
		0.02f + 0.0001f * (float)pick(r, 300), (int64_t)pick(r, 256) - 128);
	y = net_tensor(n, "y", DTYPE_I8, ROLE_OUTPUT, dims, 4, 0.06f, l->out_zero);
	(void)net_op(n, l->kind, "op", ids, 2, y);
}

static void build_pool(struct net *n, const struct layer *l)
{
	const int64_t in[] = { l->batches, l->h, l->w, l->c };
	const int64_t out[] = { l->batches, reduced(l, l->h, l->k_h),
		reduced(l, l->w, l->k_w), l->out_c };
	const int64_t stride[] = { l->stride, l->stride }, kernel[] = { l->k_h, l->k_w };
	tn_tensor_id x, y;

	x = net_tensor(n, "x", DTYPE_I8, ROLE_INPUT, in, 4, 0.05f, l->in_zero);
	y = net_tensor(n, "y", DTYPE_I8, ROLE_OUTPUT, out, 4, 0.05f, l->out_zero);
	(void)net_op(n, l->kind, "op", &x, 1, y);
	ck_assert(tn_build_attr_ints(&n->build, "stride", stride, 2));
	ck_assert(tn_build_attr_ints(&n->build, "kernel", kernel, 2));
	ck_assert(tn_build_attr_string(&n->build, "pad", l->pad));
}

/* ---- running ---- */

/* A call with its operands at given places. */
static void run_call(const struct tn_graph *g, const struct tn_call *call,
	uint8_t *const *at, void *scratch)
{
	const void *in[8] = { 0 };
	void *out[1];

	ck_assert_uint_le(call->n_in, 8);
	for (uint32_t k = 0; k < call->n_in; k++) {
		const struct tn_operand *o = &call->in[k];

		in[k] = o->data;
		if (tn_tensor_id_ok(g, o->tensor))
			in[k] = g->tensors[o->tensor.i].data_kind == DATA_BYTES
					? (const void *)g->tensors[o->tensor.i].data
					: at[o->tensor.i];
	}
	out[0] = at[call->out[0].tensor.i];
	call->kernel->run(call->params, in, out, scratch);
}

struct bench {
	struct net net;
	uint8_t *at[8]; /* by tensor: memory of its own, no byte more than it has */
	uint8_t *expected;
	struct tn_call portable;
};

static struct tn_tensor *tensor(struct bench *b, uint32_t id)
{
	return &b->net.graph.tensors[id];
}

static void *exact(int64_t bytes)
{
	void *memory = malloc((size_t)bytes + 1);

	ck_assert(memory != NULL);
	return memory;
}

/* Values at random; some tries take the ends only. */
static void fill_inputs(struct bench *b, struct random *r, uint32_t try)
{
	for (uint32_t i = 0; i < b->net.graph.n_tensors; i++) {
		if (tensor(b, i)->role != ROLE_INPUT)
			continue;
		for (int64_t k = 0; k < tensor(b, i)->bytes; k++)
			b->at[i][k] = try % 3 == 2 ? (uint8_t)(127 + pick(r, 2))
						   : (uint8_t)pick(r, 256);
	}
}

static uint32_t output(const struct bench *b)
{
	return b->net.graph.ops[0].outputs[0].i;
}

/* With input k and the output in one memory. */
static bool same_displaced(struct bench *b, const struct tn_call *call, uint32_t k,
	int64_t distance, void *scratch)
{
	const uint32_t x = b->net.graph.ops[0].inputs[k].i, y = output(b);
	const int64_t low = distance < 0 ? distance : 0;
	const int64_t high =
		tn_max_i64(distance + tensor(b, x)->bytes, tensor(b, y)->bytes);
	uint8_t *memory = exact(high - low), *at[8];
	bool same;

	memcpy(at, b->at, sizeof(at));
	at[y] = memory - low;
	at[x] = memory - low + distance;
	memcpy(at[x], b->at[x], (size_t)tensor(b, x)->bytes);
	run_call(&b->net.graph, call, at, scratch);
	same = memcmp(at[y], b->expected, (size_t)tensor(b, y)->bytes) == 0;
	free(memory);
	return same;
}

static void try_variant(struct bench *b, const struct layer *l, enum tn_kernel_set set,
	struct tn_variant v)
{
	struct tn_graph *g = &b->net.graph;
	const tn_op_id op = { 0 };
	struct tn_call call;
	uint8_t *scratch;
	int64_t bytes, d;
	bool packed;

	g->kernels = set;
	bytes = tn_contract_scratch(g, op, v);
	ck_assert_int_eq(tn_bind(g, op, v, &b->net.arena, &b->net.diags, &call), TN_OK);
	packed = strncmp(call.kernel->file, "ref/", 4) != 0;
	/* a sum has a packed kernel only where one linear function was found */
	ck_assert_msg(
		l->kind == OP_ADD || packed == (l->packed && !tn_variant_is_buffered(v)),
		"%s: hold %d, %s runs", l->name, (int)v.hold, call.kernel->symbol);
	scratch = exact(bytes + GUARD);
	memset(scratch + bytes, 0x5a, GUARD);
	memset(b->at[output(b)], 0x33, (size_t)tensor(b, output(b))->bytes);
	run_call(g, &call, b->at, scratch);
	ck_assert_msg(memcmp(b->at[output(b)], b->expected,
			      (size_t)tensor(b, output(b))->bytes) == 0,
		"%s, %s, %s, hold %d: another result", l->name, call.kernel->symbol,
		v.descending ? "descending" : "ascending", (int)v.hold);
	for (uint32_t k = 0; k < g->ops[0].n_inputs; k++) {
		if (tensor(b, g->ops[0].inputs[k].i)->role != ROLE_INPUT)
			continue;
		ck_assert_int_eq(tn_contract_displacement(g, op, v, k, 0, &d), TN_OK);
		if (d == TN_DISPLACEMENT_FREE || tn_contract_grain(g, op, v) > 1)
			continue;
		ck_assert_msg(same_displaced(b, &call, k, v.descending ? -d : d, scratch),
			"%s, %s, %s, hold %d: another result at its displacement",
			l->name, call.kernel->symbol,
			v.descending ? "descending" : "ascending", (int)v.hold);
	}
	for (int i = 0; i < GUARD; i++)
		ck_assert_msg(
			scratch[bytes + i] == 0x5a, "%s: behind its scratch", l->name);
	free(scratch);
}

static void build(struct net *n, const struct layer *l, struct random *r)
{
	net_start(n);
	if (l->kind == OP_FULLY_CONNECTED)
		build_fully_connected(n, l, r);
	else if (l->kind == OP_ADD)
		build_sum(n, l, r);
	else if (l->kind == OP_AVERAGE_POOL_2D)
		build_pool(n, l);
	else
		build_conv(n, l, r);
	ck_assert(tn_build_attr_string(&n->build, "activation", l->activation));
	net_finish(n, "dsp");
}

static void try_layer(const struct layer *l, uint32_t seed)
{
	struct tn_variant v[TN_VARIANTS_MAX];
	struct bench b = { 0 };
	struct random r;
	uint32_t n;

	tn_seed_init(&r.seed, seed);
	build(&b.net, l, &r);
	ck_assert_uint_le(b.net.graph.n_tensors, 8);
	for (uint32_t i = 0; i < b.net.graph.n_tensors; i++)
		b.at[i] = exact(tensor(&b, i)->bytes);
	b.expected = exact(tensor(&b, output(&b))->bytes);
	n = tn_contract_variants(&b.net.graph, (tn_op_id){ 0 }, v);
	ck_assert_uint_ge(n, 2);
	for (uint32_t try = 0; try < 3; try++) {
		fill_inputs(&b, &r, try);
		b.net.graph.kernels = KERNELS_PORTABLE;
		ck_assert_int_eq(tn_bind(&b.net.graph, (tn_op_id){ 0 },
					 (struct tn_variant){ false, HOLD_NONE },
					 &b.net.arena, &b.net.diags, &b.portable),
			TN_OK);
		run_call(&b.net.graph, &b.portable, b.at, NULL);
		memcpy(b.expected, b.at[output(&b)],
			(size_t)tensor(&b, output(&b))->bytes);
		for (uint32_t i = 0; i < n; i++) {
			try_variant(&b, l, KERNELS_DSP, v[i]);
			try_variant(&b, l, KERNELS_MVE, v[i]);
		}
	}
	for (uint32_t i = 0; i < b.net.graph.n_tensors; i++)
		free(b.at[i]);
	free(b.expected);
	net_release(&b.net);
}

START_TEST(same_as_portable)
{
	for (uint32_t seed = 1; seed <= 2; seed++)
		try_layer(&layers[_i], seed);
}
END_TEST

/* ---- rescaling ---- */

static int32_t twice(const struct tn_rescaling *r, int32_t sum)
{
	return tn_clamp_s32(tn_requantize(sum, r->multiplier, r->shift) + r->zero_point,
		INT8_MIN, INT8_MAX);
}

/* What rescale.h computes, in plain arithmetic of 64 bits. */
static int32_t packed(const int32_t k[3], bool floor, int bits, int32_t sum)
{
	int64_t x;

	if (floor)
		x = (((int64_t)sum * (1 << bits) * k[0]) >> 32) + k[1];
	else
		x = (2 * (int64_t)sum * k[0] + (INT64_C(1) << 31)) >> 32;
	if (!floor)
		x += k[1] + (x < 0 ? -1 : 0);
	ck_assert(x >= INT32_MIN && x <= INT32_MAX);
	return tn_clamp_s32((int32_t)(x >> k[2]), INT8_MIN, INT8_MAX);
}

/* A sum near a tie of the first or the second rounding, or anywhere. */
static int32_t sum_near_tie(struct random *r, const struct tn_rescaling *s)
{
	int64_t half = (int64_t)pick(r, 512) - 256, x;

	x = (2 * half + 1) * (INT64_C(1) << (30 - s->shift)) / (s->multiplier | 1);
	x += (int64_t)pick(r, 5) - 2;
	if (pick(r, 4) == 0)
		x = (int64_t)tn_seed_next(&r->seed) - INT64_C(0x80000000);
	if (x > s->bound || x < -s->bound)
		x %= s->bound + 1;
	return (int32_t)x;
}

START_TEST(rescaling_is_exact)
{
	static const int zeros[] = { -128, -127, -1, 0, 4, 126, 127 };
	struct random r;
	int accepted = 0;

	tn_seed_init(&r.seed, (uint32_t)_i + 1);
	for (int round = 0; round < 2000; round++) {
		const bool floor = pick(&r, 2);
		const int bits = pick(&r, 2) ? 8 : 2;
		struct tn_rescaling s = {
			.multiplier = (int32_t)(0x40000000u | tn_seed_next(&r.seed) >> 2),
			.shift = -(int32_t)pick(&r, 32),
			.zero_point = floor ? -128 : zeros[pick(&r, 7)],
			.bound = (INT64_C(1) << pick(&r, 31)) - 1,
		};
		int32_t k[3];

		if (pick(&r, 8) == 0)
			s.multiplier = pick(&r, 2) ? 0x40000000 : INT32_MAX;
		if (!tn_rescale_pack(&s, floor, bits, k))
			continue;
		accepted++;
		for (int i = 0; i < 60; i++) {
			int32_t sum = i == 0   ? (int32_t)s.bound
				      : i == 1 ? (int32_t)-s.bound
					       : sum_near_tie(&r, &s);

			if (packed(k, floor, bits, sum) == twice(&s, sum))
				continue;
			ck_abort_msg(
				"%d of %s, multiplier %d, shift %d, zero point %d: %d, "
				"not %d",
				sum, floor ? "one rounding" : "two", s.multiplier,
				s.shift, s.zero_point, packed(k, floor, bits, sum),
				twice(&s, sum));
		}
	}
	ck_assert_int_gt(accepted, 500);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("dsp");
	TCase *tc = tcase_create("dsp");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, same_as_portable, 0, sizeof(layers) / sizeof(*layers));
	tcase_add_loop_test(tc, rescaling_is_exact, 0, 8);
	suite_add_tcase(s, tc);
	return s;
}
