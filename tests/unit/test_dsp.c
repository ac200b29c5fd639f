/* The packed kernels against the portable ones: random layers, every variant, apart and at
 * the displacement that the contract allows. And the rescaling, whose proof is the
 * binder's, against the two roundings that it stands for. */
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "bind/dsp.h"
#include "kernels/ref/fixed.h"
#include "layers.h"

#define GUARD 32

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
static void fill_inputs(struct bench *b, struct tn_seed *r, uint32_t try)
{
	for (uint32_t i = 0; i < b->net.graph.n_tensors; i++) {
		if (tensor(b, i)->role != ROLE_INPUT)
			continue;
		for (int64_t k = 0; k < tensor(b, i)->bytes; k++)
			b->at[i][k] = try % 3 == 2 ? (uint8_t)(127 + layer_pick(r, 2))
						   : (uint8_t)layer_pick(r, 256);
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

static bool has_kernel(const struct layer *l, enum tn_kernel_set set, struct tn_variant v)
{
	return (l->packed || (l->mve && set == KERNELS_MVE)) &&
	       !tn_variant_is_buffered(v);
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
	ck_assert_msg(l->kind == OP_ADD || packed == has_kernel(l, set, v),
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

static void try_layer(const struct layer *l, uint32_t seed)
{
	struct tn_variant v[TN_VARIANTS_MAX];
	struct bench b = { 0 };
	struct tn_seed r;
	uint32_t n;

	tn_seed_init(&r, seed);
	net_start(&b.net);
	layer_add(&b.net, l, &r);
	net_finish(&b.net, "dsp");
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
			try_variant(&b, l, KERNELS_THUMB, v[i]);
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
static int32_t sum_near_tie(struct tn_seed *r, const struct tn_rescaling *s)
{
	int64_t half = (int64_t)layer_pick(r, 512) - 256, x;

	x = (2 * half + 1) * (INT64_C(1) << (30 - s->shift)) / (s->multiplier | 1);
	x += (int64_t)layer_pick(r, 5) - 2;
	if (layer_pick(r, 4) == 0)
		x = (int64_t)tn_seed_next(r) - INT64_C(0x80000000);
	if (x > s->most || x < s->least)
		x = s->least + (x < 0 ? -x : x) % (s->most - s->least + 1);
	return (int32_t)x;
}

START_TEST(rescaling_is_exact)
{
	static const int zeros[] = { -128, -127, -1, 0, 4, 126, 127 };
	struct tn_seed r;
	int accepted = 0;

	tn_seed_init(&r, (uint32_t)_i + 1);
	for (int round = 0; round < 2000; round++) {
		const bool floor = layer_pick(&r, 2);
		const int bits = layer_pick(&r, 2) ? 8 : 2;
		struct tn_rescaling s = {
			.multiplier = (int32_t)(0x40000000u | tn_seed_next(&r) >> 2),
			.shift = -(int32_t)layer_pick(&r, 32),
			.zero_point = floor ? -128 : zeros[layer_pick(&r, 7)],
			.most = (INT64_C(1) << layer_pick(&r, 31)) - 1,
		};
		int32_t k[3];

		s.least = -s.most;
		if (layer_pick(&r, 4) == 0) { /* far from 0, with few values */
			s.least = (layer_pick(&r, 2) ? s.most : -s.most) - 128;
			s.most = s.least + 255;
		}
		if (layer_pick(&r, 8) == 0)
			s.multiplier = layer_pick(&r, 2) ? 0x40000000 : INT32_MAX;
		if (!tn_rescale_pack(&s, floor, bits, k))
			continue;
		accepted++;
		for (int i = 0; i < 60; i++) {
			int32_t sum = i == 0   ? (int32_t)s.most
				      : i == 1 ? (int32_t)s.least
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

/* A sum at the end of its range wraps with the zero point: a channel whose ends give one
 * value is no constant then. What is rescaled is at most half the sum where there is a
 * shift, and wraps nowhere. */
START_TEST(what_may_wrap_is_no_constant)
{
	static const struct {
		struct tn_rescaling r;
		bool constant;
	} cases[] = {
		{ { INT32_MAX, 0, 127, INT32_MAX - 100, INT32_MAX }, false },
		{ { INT32_MAX, 0, 1, INT32_MAX - 127, INT32_MAX - 127 }, false },
		{ { INT32_MAX, 0, 127, INT32_MAX - 300, INT32_MAX - 129 }, true },
		{ { INT32_MAX, 0, 127, INT32_MAX - 300, INT32_MAX - 127 }, false },
		{ { INT32_MAX, 0, -128, INT32_MIN, INT32_MIN + 100 }, false },
		{ { INT32_MAX, 0, -1, INT32_MIN + 127, INT32_MIN + 127 }, false },
		{ { INT32_MAX, 0, -128, INT32_MIN + 128, INT32_MIN + 300 }, true },
		{ { INT32_MAX, 0, -128, INT32_MIN, INT32_MAX }, false },
		{ { INT32_MAX, -1, 127, INT32_MAX - 100, INT32_MAX }, true },
		{ { INT32_MAX, -1, -128, INT32_MIN, INT32_MIN + 100 }, true },
		{ { INT32_MAX, 0, 127, INT32_MAX, INT64_C(1) << 31 }, false },
		{ { INT32_MAX, 1, 0, 500, 600 }, false },
	};
	const struct tn_rescaling *r = &cases[_i % 12].r;
	const bool floor = _i >= 12;

	for (int bits = 1; bits < 9; bits++) {
		int32_t k[3] = { 1, 1, 1 };
		const bool packs = tn_rescale_pack(r, floor, bits, k);

		/* none of these sums leaves room for the bits of a product */
		ck_assert_int_eq(packs, cases[_i % 12].constant);
		if (!packs)
			continue;
		ck_assert_int_eq(k[0], 0);
		ck_assert_int_eq(packed(k, floor, bits, (int32_t)r->least),
			twice(r, (int32_t)r->least));
		ck_assert_int_eq(packed(k, floor, bits, (int32_t)r->most),
			twice(r, (int32_t)r->most));
	}
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("dsp");
	TCase *tc = tcase_create("dsp");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, same_as_portable, 0, (int)n_layers);
	tcase_add_loop_test(tc, rescaling_is_exact, 0, 8);
	tcase_add_loop_test(tc, what_may_wrap_is_no_constant, 0, 24);
	suite_add_tcase(s, tc);
	return s;
}
