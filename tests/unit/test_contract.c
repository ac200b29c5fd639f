#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract/contract.h"
#include "contract/row_op.h"
#include "ir/build.h"
#include "ir/seed.h"

/* A graph of one op, built from a row of a table. */
struct one {
	struct tn_arena arena;
	struct tn_strings strings;
	struct tn_diags diags;
	struct tn_build b;
	struct tn_graph g;
};

static tn_tensor_id tensor(struct one *o, enum tn_dtype dtype, const int64_t *dim)
{
	struct tn_tensor *t = tn_build_tensor(&o->b, NULL);

	t->dtype = dtype;
	for (t->shape.rank = 0; t->shape.rank < TN_RANK_MAX && dim[t->shape.rank] >= 0;
		t->shape.rank++)
		t->shape.dim[t->shape.rank] = dim[t->shape.rank];
	return (tn_tensor_id){ (uint32_t)o->b.tensors.count - 1 };
}

static struct tn_op *begin(struct one *o, enum tn_op_kind kind)
{
	struct tn_op *op;

	tn_arena_init(&o->arena);
	tn_strings_init(&o->strings, &o->arena);
	tn_diags_init(&o->diags, &o->arena);
	tn_build_init(&o->b, &o->arena, &o->strings, &o->diags, NULL);
	op = tn_build_op(&o->b, NULL);
	op->kind = kind;
	op->type = tn_op_info(kind)->name;
	op->inputs = TN_NEW_ARRAY(&o->arena, tn_tensor_id, 8);
	op->outputs = TN_NEW_ARRAY(&o->arena, tn_tensor_id, 8);
	return op;
}

static void finish(struct one *o)
{
	memset(&o->g, 0, sizeof(o->g));
	ck_assert_int_eq(tn_build_finish(&o->b, &o->g), TN_OK);
}

#define DIMS(...) ((const int64_t[]){ __VA_ARGS__, -1 })

struct displacement_case {
	const char *name;
	enum tn_op_kind kind;
	enum tn_dtype in, out;
	int64_t in_dim[5], out_dim[5];
	int64_t kernel, stride, dilation;
	const char *pad;
	bool descending;
	enum tn_hold hold;
	int64_t want;
};

#define FREE  TN_DISPLACEMENT_FREE
#define NEVER TN_DISPLACEMENT_NEVER

static const struct displacement_case displacements[] = {
	{ "relu in place", OP_RELU, DTYPE_I8, DTYPE_I8, { 1, 8, -1 }, { 1, 8, -1 }, 0, 1,
		1, NULL, false, HOLD_NONE, 0 },
	{ "relu in place, descending", OP_RELU, DTYPE_I8, DTYPE_I8, { 1, 8, -1 },
		{ 1, 8, -1 }, 0, 1, 1, NULL, true, HOLD_NONE, 0 },
	{ "dequantize, ascending: the output runs ahead", OP_DEQUANTIZE, DTYPE_I8,
		DTYPE_F32, { 8, -1 }, { 8, -1 }, 0, 1, 1, NULL, false, HOLD_NONE, 21 },
	{ "dequantize, descending: the output may start at the input", OP_DEQUANTIZE,
		DTYPE_I8, DTYPE_F32, { 8, -1 }, { 8, -1 }, 0, 1, 1, NULL, true, HOLD_NONE,
		-3 },
	{ "quantize to a narrower type", OP_QUANTIZE, DTYPE_F32, DTYPE_I8, { 8, -1 },
		{ 8, -1 }, 0, 1, 1, NULL, false, HOLD_NONE, -3 },
	{ "a single element needs nothing", OP_RELU, DTYPE_I8, DTYPE_I8, { 1, -1 },
		{ 1, -1 }, 0, 1, 1, NULL, false, HOLD_NONE, FREE },
	{ "2x2 pool, stride 2, in place", OP_MAX_POOL_2D, DTYPE_I8, DTYPE_I8,
		{ 1, 4, 4, 2, -1 }, { 1, 2, 2, 2, -1 }, 2, 2, 1, "VALID", false,
		HOLD_NONE, 0 },
	{ "3x3 pool, SAME, 32x32x16", OP_MAX_POOL_2D, DTYPE_I8, DTYPE_I8,
		{ 1, 32, 32, 16, -1 }, { 1, 32, 32, 16, -1 }, 3, 1, 1, "SAME", false,
		HOLD_NONE, 528 },
	{ "3x3 pool, SAME, 32x32x16, descending", OP_MAX_POOL_2D, DTYPE_I8, DTYPE_I8,
		{ 1, 32, 32, 16, -1 }, { 1, 32, 32, 16, -1 }, 3, 1, 1, "SAME", true,
		HOLD_NONE, 528 },
	{ "3x3 convolution, SAME, 64x64x128, int16", OP_CONV_2D, DTYPE_I16, DTYPE_I16,
		{ 1, 64, 64, 128, -1 }, { 1, 64, 64, 128, -1 }, 3, 1, 1, "SAME", false,
		HOLD_PIXEL, 16640 },
	{ "3x3 convolution, SAME, 64x64x128, int8", OP_CONV_2D, DTYPE_I8, DTYPE_I8,
		{ 1, 64, 64, 128, -1 }, { 1, 64, 64, 128, -1 }, 3, 1, 1, "SAME", false,
		HOLD_PIXEL, 8320 },
	{ "1x1 convolution, stride 2, 16 to 32: wider pixels run ahead", OP_CONV_2D,
		DTYPE_I8, DTYPE_I8, { 1, 32, 32, 16, -1 }, { 1, 16, 16, 32, -1 }, 1, 2, 1,
		"SAME", false, HOLD_NONE, 31 },
	{ "the same with a pixel held", OP_CONV_2D, DTYPE_I8, DTYPE_I8,
		{ 1, 32, 32, 16, -1 }, { 1, 16, 16, 32, -1 }, 1, 2, 1, "SAME", false,
		HOLD_PIXEL, 0 },
	{ "1x1 convolution, 8 to 16, descending grows into the space above", OP_CONV_2D,
		DTYPE_I8, DTYPE_I8, { 1, 4, 4, 8, -1 }, { 1, 4, 4, 16, -1 }, 1, 1, 1,
		"SAME", true, HOLD_PIXEL, -8 },
	{ "fully connected reads everything for every output", OP_FULLY_CONNECTED,
		DTYPE_I8, DTYPE_I8, { 1, 128, -1 }, { 1, 64, -1 }, 0, 1, 1, NULL, false,
		HOLD_NONE, 63 },
	{ "with the row held it may land anywhere", OP_FULLY_CONNECTED, DTYPE_I8,
		DTYPE_I8, { 1, 128, -1 }, { 1, 64, -1 }, 0, 1, 1, NULL, false, HOLD_PIXEL,
		FREE },
	{ "softmax in place", OP_SOFTMAX, DTYPE_F32, DTYPE_F32, { 2, 10, -1 },
		{ 2, 10, -1 }, 0, 1, 1, NULL, false, HOLD_NONE, 0 },
	{ "mean over height and width of NHWC", OP_MEAN, DTYPE_I8, DTYPE_I8,
		{ 1, 4, 4, 8, -1 }, { 1, 8, -1 }, 0, 1, 1, NULL, false, HOLD_NONE, 0 },
	{ "nearest neighbour, twice as large, grows downwards",
		OP_RESIZE_NEAREST_NEIGHBOR, DTYPE_I8, DTYPE_I8, { 1, 4, 4, 2, -1 },
		{ 1, 8, 8, 2, -1 }, 0, 1, 1, NULL, true, HOLD_NONE, 0 },
	{ "nearest neighbour, ascending: it must run behind its input",
		OP_RESIZE_NEAREST_NEIGHBOR, DTYPE_I8, DTYPE_I8, { 1, 4, 4, 2, -1 },
		{ 1, 8, 8, 2, -1 }, 0, 1, 1, NULL, false, HOLD_NONE, 96 },
	{ "bilinear, half as large, in place", OP_RESIZE_BILINEAR, DTYPE_F32, DTYPE_F32,
		{ 1, 8, 8, 2, -1 }, { 1, 4, 4, 2, -1 }, 0, 1, 1, NULL, false, HOLD_NONE,
		0 },
	{ "greatest of each row, the next row lies ahead", OP_ARG_MAX, DTYPE_I8,
		DTYPE_I32, { 4, 8, -1 }, { 4, -1 }, 0, 1, 1, NULL, false, HOLD_NONE, -4 },
	{ "running sums in place", OP_CUMSUM, DTYPE_F32, DTYPE_F32, { 4, 8, -1 },
		{ 4, 8, -1 }, 0, 1, 1, NULL, false, HOLD_NONE, 0 },
	{ "what nobody knows never overlaps", OP_GATHER, DTYPE_I8, DTYPE_I8, { 8, -1 },
		{ 8, -1 }, 0, 1, 1, NULL, false, HOLD_NONE, NEVER },
	{ "a shape that does not fit is opaque", OP_CONV_2D, DTYPE_I8, DTYPE_I8,
		{ 1, 4, 4, 8, -1 }, { 1, 9, 9, 16, -1 }, 3, 1, 1, "SAME", false,
		HOLD_NONE, NEVER },
	{ "a walk of ten thousand million pixels is opaque", OP_CONV_2D, DTYPE_I8,
		DTYPE_I8, { 1, 100000, 100000, 1, -1 }, { 1, 100000, 100000, 1, -1 }, 3,
		1, 1, "SAME", false, HOLD_NONE, NEVER },
	{ "as many steps that are all alike need no walk", OP_RELU, DTYPE_I8, DTYPE_I8,
		{ 1, 100000, 100000, 1, -1 }, { 1, 100000, 100000, 1, -1 }, 0, 1, 1, NULL,
		false, HOLD_NONE, 0 },
	{ "nor does a copy of them, descending", OP_RESHAPE, DTYPE_I8, DTYPE_I8,
		{ 1, 100000, 100000, 1, -1 }, { 100000, 100000, -1 }, 0, 1, 1, NULL, true,
		HOLD_NONE, 0 },
};

static void make(struct one *o, const struct displacement_case *c)
{
	struct tn_op *op = begin(o, c->kind);

	op->inputs[op->n_inputs++] = tensor(o, c->in, c->in_dim);
	op->outputs[op->n_outputs++] = tensor(o, c->out, c->out_dim);
	if (c->kind == OP_ARG_MAX || c->kind == OP_CUMSUM)
		tn_build_attr_int(&o->b, "axis", 1);
	if (c->kernel) {
		int64_t k[2] = { c->kernel, c->kernel }, s[2] = { c->stride, c->stride };
		int64_t d[2] = { c->dilation, c->dilation };

		tn_build_attr_ints(&o->b, "kernel", k, 2);
		tn_build_attr_ints(&o->b, "stride", s, 2);
		tn_build_attr_ints(&o->b, "dilation", d, 2);
		tn_build_attr_string(&o->b, "pad", c->pad);
	}
	finish(o);
}

START_TEST(displacement_of)
{
	const struct displacement_case *c = &displacements[_i];
	struct tn_variant v = { c->descending, c->hold };
	struct one o;
	int64_t d = -12345;

	make(&o, c);
	ck_assert_int_eq(
		tn_contract_displacement(&o.g, (tn_op_id){ 0 }, v, 0, 0, &d), TN_OK);
	ck_assert_msg(d == c->want, "%s: displacement %lld, want %lld", c->name,
		(long long)d, (long long)c->want);
	tn_arena_release(&o.arena);
}
END_TEST

/* The rule against the bytes: replay the steps in one memory and see whether a read finds
 * a byte that a write has replaced. */
struct replay {
	uint8_t *memory; /* 1: replaced by the output */
	int64_t in, out;
	bool corrupt;
	int64_t written; /* output bytes written, to see that each is written once */
};

static bool replay_step(void *user, const struct tn_step *s)
{
	struct replay *r = user;

	for (uint32_t i = 0; i < s->n_reads; i++)
		for (int64_t b = s->reads[i].begin; b < s->reads[i].end; b++)
			r->corrupt = r->corrupt ||
				     (!s->reads[i].operand && r->memory[r->in + b]);
	for (uint32_t i = 0; i < s->n_writes; i++)
		for (int64_t b = s->writes[i].begin; b < s->writes[i].end; b++) {
			r->memory[r->out + b] = 1;
			r->written++;
		}
	return true;
}

static bool corrupts(
	const struct tn_graph *g, struct tn_variant v, int64_t in, int64_t out)
{
	int64_t n = g->tensors[g->ops[0].inputs[0].i].bytes +
		    g->tensors[g->ops[0].outputs[0].i].bytes + in + out;
	struct replay r = { calloc((size_t)n, 1), in, out, false, 0 };

	ck_assert_int_eq(tn_contract_walk(g, (tn_op_id){ 0 }, v, replay_step, &r), TN_OK);
	ck_assert_int_eq(r.written, g->tensors[g->ops[0].outputs[0].i].bytes);
	free(r.memory);
	return r.corrupt;
}

static int64_t pick(struct tn_seed *s, int64_t lo, int64_t hi)
{
	return lo + (int64_t)(tn_seed_next(s) >> 8) % (hi - lo + 1);
}

/* A random op of a kind that has an order; false when the shape came out empty. */
static bool random_op(struct one *o, struct tn_seed *s)
{
	static const enum tn_op_kind kinds[] = { OP_CONV_2D, OP_DEPTHWISE_CONV_2D,
		OP_MAX_POOL_2D, OP_ADD, OP_RELU, OP_DEQUANTIZE, OP_QUANTIZE, OP_PAD,
		OP_TRANSPOSE, OP_SLICE, OP_FULLY_CONNECTED, OP_SOFTMAX, OP_MEAN,
		OP_CONCATENATION, OP_SPACE_TO_DEPTH, OP_BATCH_MATMUL, OP_RESIZE_BILINEAR,
		OP_RESIZE_NEAREST_NEIGHBOR, OP_ARG_MIN, OP_CUMSUM, OP_GATHER };
	enum tn_op_kind kind = kinds[pick(s, 0, sizeof(kinds) / sizeof(*kinds) - 1)];
	enum tn_dtype in = DTYPE_I8, out = DTYPE_I8;
	int64_t id[5] = { pick(s, 1, 2), pick(s, 1, 6), pick(s, 1, 6), pick(s, 1, 4),
		-1 };
	int64_t od[5] = { id[0], id[1], id[2], id[3], -1 };
	int64_t k[2] = { pick(s, 1, 3), pick(s, 1, 3) };
	int64_t st[2] = { pick(s, 1, 3), pick(s, 1, 3) };
	int64_t di[2] = { pick(s, 1, 2), pick(s, 1, 2) };
	int64_t list[8] = { 0 };
	bool same = pick(s, 0, 1);
	struct tn_op *op = begin(o, kind);

	switch (kind) {
	case OP_CONV_2D:
	case OP_DEPTHWISE_CONV_2D:
	case OP_MAX_POOL_2D:
		/* rows enough that most do the same */
		id[1] += pick(s, 0, 1) * 6;
		for (int d = 0; d < 2; d++) {
			int64_t span = (k[d] - 1) * di[d] + 1;

			od[d + 1] = same	       ? (id[d + 1] + st[d] - 1) / st[d]
				    : id[d + 1] < span ? 0
						       : (id[d + 1] - span) / st[d] + 1;
		}
		if (kind == OP_CONV_2D)
			od[3] = pick(s, 1, 5);
		if (kind == OP_DEPTHWISE_CONV_2D)
			od[3] = id[3] * pick(s, 1, 2);
		if (!od[1] || !od[2])
			return false;
		tn_build_attr_ints(&o->b, "kernel", k, 2);
		tn_build_attr_ints(&o->b, "stride", st, 2);
		tn_build_attr_ints(&o->b, "dilation", di, 2);
		tn_build_attr_string(&o->b, "pad", same ? "SAME" : "VALID");
		break;
	case OP_DEQUANTIZE:
		out = DTYPE_F32;
		break;
	case OP_QUANTIZE:
		in = DTYPE_F32;
		break;
	case OP_PAD:
		for (int d = 0; d < 4; d++) {
			list[2 * d] = pick(s, 0, 1);
			list[2 * d + 1] = pick(s, 0, 1);
			od[d] += list[2 * d] + list[2 * d + 1];
		}
		tn_build_attr_ints(&o->b, "paddings", list, 8);
		break;
	case OP_TRANSPOSE:
		for (int d = 0; d < 4; d++)
			list[d] = d;
		for (int d = 0; d < 4; d++) {
			int64_t j = pick(s, d, 3), swap = list[d];

			list[d] = list[j];
			list[j] = swap;
		}
		for (int d = 0; d < 4; d++)
			od[d] = id[list[d]];
		tn_build_attr_ints(&o->b, "perm", list, 4);
		break;
	case OP_SLICE:
		for (int d = 0; d < 4; d++) {
			list[d] = pick(s, 0, id[d] - 1);
			od[d] = pick(s, 1, id[d] - list[d]);
		}
		tn_build_attr_ints(&o->b, "begin", list, 4);
		break;
	case OP_FULLY_CONNECTED:
		od[1] = pick(s, 1, 6);
		od[2] = -1;
		break;
	case OP_MEAN:
		od[1] = id[3];
		od[2] = -1;
		break;
	case OP_CONCATENATION:
		tn_build_attr_int(&o->b, "axis", 3);
		od[3] += 2;
		break;
	case OP_SPACE_TO_DEPTH:
		tn_build_attr_int(&o->b, "block_size", 2);
		id[1] *= 2;
		id[2] *= 2;
		od[3] *= 4;
		break;
	case OP_BATCH_MATMUL:
		od[3] = pick(s, 1, 5);
		tn_build_attr_int(&o->b, "adj_y", same);
		break;
	case OP_RESIZE_BILINEAR:
	case OP_RESIZE_NEAREST_NEIGHBOR:
		od[1] = pick(s, 1, 8);
		od[2] = pick(s, 1, 8);
		tn_build_attr_int(&o->b, "half_pixel_centers", same);
		break;
	case OP_ARG_MIN:
		out = DTYPE_I32;
		od[2] = od[3];
		od[3] = -1;
		tn_build_attr_int(&o->b, "axis", 2);
		break;
	case OP_CUMSUM:
		tn_build_attr_int(&o->b, "axis", same ? 1 : 3);
		tn_build_attr_int(&o->b, "reverse", k[0] > 2);
		break;
	case OP_GATHER:
		od[1] = pick(s, 1, 6);
		tn_build_attr_int(&o->b, "axis", 1);
		break;
	default:
		break;
	}
	op = &o->b.ops.items[0];
	op->inputs[op->n_inputs++] = tensor(o, in, id);
	if (kind == OP_ADD) {
		int64_t one[5] = { 1, 1, id[2], 1, -1 };

		op->inputs[op->n_inputs++] = tensor(o, in, one);
	}
	if (kind == OP_BATCH_MATMUL)
		op->inputs[op->n_inputs++] = same ? tensor(o, in, DIMS(od[3], id[3]))
						  : tensor(o, in, DIMS(id[3], od[3]));
	if (kind == OP_GATHER)
		op->inputs[op->n_inputs++] = tensor(o, DTYPE_I32, DIMS(od[1]));
	if (kind == OP_CONCATENATION)
		op->inputs[op->n_inputs++] = tensor(o, in, DIMS(id[0], id[1], id[2], 2));
	op->outputs[op->n_outputs++] = tensor(o, out, od);
	return true;
}

START_TEST(displacement_is_exact)
{
	int checked = 0, tight = 0;

	for (uint32_t seed = 0; seed < 500; seed++) {
		struct tn_variant variants[TN_VARIANTS_MAX];
		struct tn_seed s;
		struct one o;
		uint32_t n;

		tn_seed_init(&s, seed);
		if (!random_op(&o, &s)) {
			tn_arena_release(&o.arena);
			continue;
		}
		finish(&o);
		n = tn_contract_variants(&o.g, (tn_op_id){ 0 }, variants);
		ck_assert_msg(n >= 2, "seed %u: %s has no order", seed, o.g.ops[0].type);
		for (uint32_t v = 0; v < n; v++) {
			int64_t in_n = o.g.tensors[o.g.ops[0].inputs[0].i].bytes;
			int64_t out_n = o.g.tensors[o.g.ops[0].outputs[0].i].bytes;
			int64_t d, base = in_n + out_n;

			ck_assert_int_eq(tn_contract_displacement(&o.g, (tn_op_id){ 0 },
						 variants[v], 0, 0, &d),
				TN_OK);
			for (int64_t shift = -out_n; shift <= in_n; shift++) {
				/* shift = out - in; the rule speaks of one direction */
				int64_t have = variants[v].descending ? shift : -shift;
				int64_t grain = tn_contract_grain(
					&o.g, (tn_op_id){ 0 }, variants[v]);
				bool bad =
					corrupts(&o.g, variants[v], base, base + shift);

				if (have % grain)
					continue;
				if (d == FREE || have >= d)
					ck_assert_msg(!bad,
						"seed %u: %s variant %u: %lld is not "
						"safe",
						seed, o.g.ops[0].type, v,
						(long long)have);
				/* apart, nothing can be corrupt */
				if (shift > -out_n && shift < in_n && d != FREE &&
					have < d && have + grain >= d) {
					checked++;
					tight += bad;
				}
			}
		}
		tn_arena_release(&o.arena);
	}
	ck_assert_int_gt(checked, 700);
	ck_assert_msg(tight == checked, "%d of %d corrupt at d - 1", tight, checked);
}
END_TEST

/* Only a walk that is too long makes a known op opaque, and that can be asked. */
START_TEST(long_walks_are_given_up)
{
	static const struct {
		enum tn_op_kind kind;
		int64_t side;
		bool is_long, gives_up;
	} cases[] = { { OP_MAX_POOL_2D, 3000, false, false },
		{ OP_MAX_POOL_2D, 4000, true, true }, { OP_RELU, 4000, false, false },
		{ OP_RELU, 100000, true, false }, { OP_GATHER, 100000, true, false } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct displacement_case c = { "", cases[i].kind, DTYPE_I8,
			DTYPE_I8, { 1, cases[i].side, cases[i].side, 1, -1 },
			{ 1, cases[i].side, cases[i].side, 1, -1 }, 3, 1, 1, "SAME",
			false, HOLD_NONE, 0 };
		struct one o;

		make(&o, &c);
		ck_assert_msg(
			tn_contract_is_long(&o.g, (tn_op_id){ 0 }) == cases[i].is_long &&
				tn_contract_gives_up(&o.g, (tn_op_id){ 0 }) ==
					cases[i].gives_up,
			"%s of %d x %d", o.g.ops[0].type, (int)cases[i].side,
			(int)cases[i].side);
		tn_arena_release(&o.arena);
	}
}
END_TEST

/* A window that is larger than its image reads all of it, whatever its size; no tap in the
 * padding costs time. */
START_TEST(windows_larger_than_their_image)
{
	static const struct {
		enum tn_op_kind kind;
		int64_t small, large, dilation;
	} cases[] = { { OP_MAX_POOL_2D, 15, 2000000001, 1 },
		{ OP_CONV_2D, 15, 2000000001, 1 },
		{ OP_AVERAGE_POOL_2D, 15, 700000001, 3 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct displacement_case c = { "", cases[i].kind, DTYPE_I8, DTYPE_I8,
			{ 1, 8, 8, 2, -1 }, { 1, 8, 8, 2, -1 }, cases[i].small, 1,
			cases[i].dilation, "SAME", false, HOLD_NONE, 0 };
		struct tn_variant a[TN_VARIANTS_MAX], b[TN_VARIANTS_MAX];
		struct one small, large;
		uint32_t n;

		make(&small, &c);
		c.kernel = cases[i].large;
		make(&large, &c);
		n = tn_contract_variants(&small.g, (tn_op_id){ 0 }, a);
		ck_assert_uint_ge(n, 2);
		ck_assert_uint_eq(tn_contract_variants(&large.g, (tn_op_id){ 0 }, b), n);
		for (uint32_t v = 0; v < n; v++) {
			int64_t d[2] = { 0, 1 };

			ck_assert_int_eq(
				tn_contract_ring(&small.g, (tn_op_id){ 0 }, a[v]),
				tn_contract_ring(&large.g, (tn_op_id){ 0 }, b[v]));
			ck_assert_int_eq(tn_contract_displacement(&small.g,
						 (tn_op_id){ 0 }, a[v], 0, 0, &d[0]),
				TN_OK);
			ck_assert_int_eq(tn_contract_displacement(&large.g,
						 (tn_op_id){ 0 }, b[v], 0, 0, &d[1]),
				TN_OK);
			ck_assert_msg(d[0] == d[1], "case %d, variant %u: %lld, %lld",
				(int)i, v, (long long)d[0], (long long)d[1]);
		}
		tn_arena_release(&small.arena);
		tn_arena_release(&large.arena);
	}
}
END_TEST

/* A tensor without elements may have dimensions that nothing else could have: there is
 * nothing to walk, to list or to count. */
#define HUGE_DIM (INT64_C(1) << 40)
#define LONG_DIM INT32_MAX

static const struct empty_case {
	const char *name;
	enum tn_op_kind kind;
	int64_t in[5], second[5], out[5]; /* second: no dimension given, none */
	const char *attr;
	int64_t value[8];
	uint32_t n;
} empties[] = {
	{ "blocks", OP_SPACE_TO_DEPTH, { 0, HUGE_DIM << 16, HUGE_DIM << 16, 4, -1 },
		{ -1 }, { 0, HUGE_DIM, HUGE_DIM, INT64_C(1) << 34, -1 }, "block_size",
		{ 1 << 16 }, 0 },
	{ "transpose", OP_TRANSPOSE, { HUGE_DIM, HUGE_DIM, 0, -1 }, { -1 },
		{ 0, HUGE_DIM, HUGE_DIM, -1 }, "perm", { 2, 0, 1 }, 3 },
	{ "slice", OP_SLICE, { 0, HUGE_DIM, HUGE_DIM, -1 }, { -1 },
		{ 0, HUGE_DIM / 2, HUGE_DIM, -1 }, "begin", { 0, 5, 0 }, 3 },
	{ "slice of a long dimension", OP_SLICE, { 0, LONG_DIM, -1 }, { -1 },
		{ 0, LONG_DIM - 5, -1 }, "begin", { 0, 5 }, 2 },
	{ "pad", OP_PAD, { 0, INT64_MAX - 1, -1 }, { -1 }, { 0, INT64_MAX, -1 },
		"paddings", { 0, 0, 1, 0 }, 4 },
	{ "broadcast", OP_BROADCAST_TO, { 0, HUGE_DIM, HUGE_DIM, -1 }, { -1 },
		{ 0, HUGE_DIM, HUGE_DIM, -1 }, NULL, { 0 }, 0 },
	{ "concatenation", OP_CONCATENATION, { HUGE_DIM, HUGE_DIM, 0, -1 },
		{ HUGE_DIM, HUGE_DIM, 0, -1 }, { HUGE_DIM, HUGE_DIM, 0, -1 }, "axis",
		{ 2 }, 0 },
	{ "concatenation of long columns", OP_CONCATENATION,
		{ LONG_DIM, LONG_DIM, 0, -1 }, { LONG_DIM, LONG_DIM, 0, -1 },
		{ LONG_DIM, LONG_DIM, 0, -1 }, "axis", { 2 }, 0 },
	{ "matrix product", OP_BATCH_MATMUL, { 0, HUGE_DIM, HUGE_DIM, -1 },
		{ 0, HUGE_DIM, HUGE_DIM, -1 }, { 0, HUGE_DIM, HUGE_DIM, -1 }, NULL, { 0 },
		0 },
	{ "matrix product of long rows", OP_BATCH_MATMUL,
		{ LONG_DIM, 0, LONG_DIM, LONG_DIM, -1 },
		{ LONG_DIM, 0, LONG_DIM, LONG_DIM, -1 },
		{ LONG_DIM, 0, LONG_DIM, LONG_DIM, -1 }, NULL, { 0 }, 0 },
	{ "relu", OP_RELU, { HUGE_DIM, HUGE_DIM, 0, -1 }, { -1 },
		{ HUGE_DIM, HUGE_DIM, 0, -1 }, NULL, { 0 }, 0 },
	{ "sum with a row", OP_ADD, { LONG_DIM, 0, LONG_DIM, -1 }, { LONG_DIM, -1 },
		{ LONG_DIM, 0, LONG_DIM, -1 }, NULL, { 0 }, 0 },
	{ "softmax", OP_SOFTMAX, { LONG_DIM, LONG_DIM, LONG_DIM, 0, -1 }, { -1 },
		{ LONG_DIM, LONG_DIM, LONG_DIM, 0, -1 }, NULL, { 0 }, 0 },
};

static bool any_step(void *user, const struct tn_step *step)
{
	int64_t *steps = user;

	*steps += step->count;
	return true;
}

START_TEST(empty_of_any_length)
{
	const struct empty_case *c = &empties[_i];
	struct tn_variant v[TN_VARIANTS_MAX];
	struct tn_op *op;
	struct one o;
	uint32_t n;

	op = begin(&o, c->kind);
	op->inputs[op->n_inputs++] = tensor(&o, DTYPE_I8, c->in);
	if (c->second[0] >= 0)
		op->inputs[op->n_inputs++] = tensor(&o, DTYPE_I8, c->second);
	op->outputs[op->n_outputs++] = tensor(&o, DTYPE_I8, c->out);
	if (c->attr && c->n)
		tn_build_attr_ints(&o.b, c->attr, c->value, c->n);
	else if (c->attr)
		tn_build_attr_int(&o.b, c->attr, c->value[0]);
	finish(&o);
	n = tn_contract_variants(&o.g, (tn_op_id){ 0 }, v);
	(void)tn_contract_gives_up(&o.g, (tn_op_id){ 0 });
	for (uint32_t i = 0; i < n; i++) {
		int64_t d = 0, steps = 0;

		ck_assert_msg(tn_contract_displacement(
				      &o.g, (tn_op_id){ 0 }, v[i], 0, 0, &d) == TN_OK &&
				      d == FREE,
			"%s: %lld", c->name, (long long)d);
		ck_assert_int_eq(
			tn_contract_walk(&o.g, (tn_op_id){ 0 }, v[i], any_step, &steps),
			TN_OK);
		ck_assert_msg(!steps, "%s: %lld steps", c->name, (long long)steps);
	}
	tn_arena_release(&o.arena);
}
END_TEST

/* What pads may be a constant; of one that the graph computes no kernel is known, and no
 * step would say when it is read. */
START_TEST(element_to_pad_with)
{
	static const int64_t pads[] = { 1, 2 };

	for (int constant = 0; constant < 2; constant++) {
		struct tn_variant v[TN_VARIANTS_MAX];
		struct tn_op *op;
		struct one o;
		uint8_t *data;

		op = begin(&o, OP_PADV2);
		op->inputs[0] = tensor(&o, DTYPE_I8, DIMS(4));
		op->inputs[1] = tensor(&o, DTYPE_I64, DIMS(1, 2));
		op->inputs[2] = tensor(&o, DTYPE_I8, DIMS(1));
		op->n_inputs = 3;
		op->outputs[op->n_outputs++] = tensor(&o, DTYPE_I8, DIMS(7));
		finish(&o);
		data = tn_arena_alloc(&o.arena, sizeof(pads));
		ck_assert_ptr_nonnull(data);
		for (int i = 0; i < 16; i++)
			data[i] = (uint8_t)(pads[i / 8] >> (8 * (i % 8)));
		o.g.tensors[1].role = ROLE_CONST;
		o.g.tensors[1].data_kind = DATA_BYTES;
		o.g.tensors[1].data = data;
		o.g.tensors[1].data_bytes = sizeof(pads);
		o.g.tensors[2].role = constant ? ROLE_CONST : ROLE_ACT;
		ck_assert_uint_eq(
			tn_contract_variants(&o.g, (tn_op_id){ 0 }, v), constant ? 2 : 0);
		tn_arena_release(&o.arena);
	}
}
END_TEST

/* An op whose graph names its order has one kernel, whatever the shapes offer, and none that
 * makes some rows. */
START_TEST(order_of_the_graph)
{
	static const struct {
		const char *order;
		uint32_t n;
		bool descending;
	} cases[] = { { "asc", 1, false }, { "ascending", 1, false }, { "desc", 1, true },
		{ "descending", 1, true }, { "row by row", 0, false }, { "", 0, false } };
	static const struct displacement_case pool = { "", OP_CONV_2D, DTYPE_I8, DTYPE_I8,
		{ 1, 8, 8, 2, -1 }, { 1, 8, 8, 2, -1 }, 3, 1, 1, "SAME", false, HOLD_NONE,
		0 };
	struct tn_variant v[TN_VARIANTS_MAX];
	struct tn_attr attrs[8] = { { .name = "order", .kind = ATTR_STRING, .n = 1 } };
	struct tn_row_op rows;
	struct one o;

	make(&o, &pool);
	ck_assert_uint_gt(tn_contract_variants(&o.g, (tn_op_id){ 0 }, v), 4);
	ck_assert(tn_row_op_of(&o.g, (tn_op_id){ 0 }, false, &rows));
	ck_assert_uint_lt(o.g.ops[0].n_attrs, 8);
	memcpy(&attrs[1], o.g.ops[0].attrs, o.g.ops[0].n_attrs * sizeof(*attrs));
	o.g.ops[0].attrs = attrs;
	o.g.ops[0].n_attrs++;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint32_t n;

		attrs[0].v.s = cases[i].order;
		n = tn_contract_variants(&o.g, (tn_op_id){ 0 }, v);
		ck_assert_msg(
			n == cases[i].n &&
				(!n || (v[0].hold == HOLD_NONE &&
					       v[0].descending == cases[i].descending)),
			"%s: %u variants", cases[i].order, n);
		ck_assert_msg(!tn_row_op_of(&o.g, (tn_op_id){ 0 }, false, &rows), "%s",
			cases[i].order);
	}
	tn_arena_release(&o.arena);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("contract");
	TCase *tc = tcase_create("contract");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, displacement_of, 0,
		(int)(sizeof(displacements) / sizeof(*displacements)));
	tcase_add_test(tc, displacement_is_exact);
	tcase_add_test(tc, long_walks_are_given_up);
	tcase_add_test(tc, windows_larger_than_their_image);
	tcase_add_loop_test(
		tc, empty_of_any_length, 0, (int)(sizeof(empties) / sizeof(*empties)));
	tcase_add_test(tc, element_to_pad_with);
	tcase_add_test(tc, order_of_the_graph);
	suite_add_tcase(s, tc);
	return s;
}
