#include "suite.h"

#include <inttypes.h>

#include "report/macs.h"

#define OPERANDS 17
#define NONE                                                                             \
	{                                                                                \
		0,                                                                       \
		{                                                                        \
			-2                                                               \
		}                                                                        \
	}
#define OUT                                                                              \
	{                                                                                \
		4,                                                                       \
		{                                                                        \
			1, 2, 2, 8                                                       \
		}                                                                        \
	}

/* An op by its shapes; the numbers on the right are worked out by hand. */
static const struct {
	const char *name;
	enum tn_op_kind kind;
	struct tn_shape out;
	struct tn_shape in[OPERANDS]; /* a first dimension of -2: not there */
	uint32_t n_in;
	const char *layout;
	int64_t kernel, group, adj_x; /* 0: not said */
	int64_t macs;
} ops[] = {
	/* 1 x 5 x 4 x 6 outputs, each over 3 x 2 taps of 7 channels */
	{ "convolution", OP_CONV_2D, { 4, { 1, 5, 4, 6 } },
		{ { 4, { 1, 7, 5, 7 } }, { 4, { 6, 3, 2, 7 } } }, 2, NULL, 0, 0, 0,
		5040 },
	/* two groups: each output sees 4 of 8 channels */
	{ "grouped", OP_CONV_2D, { 4, { 1, 5, 5, 6 } },
		{ { 4, { 1, 5, 5, 8 } }, { 4, { 6, 1, 1, 4 } } }, 2, NULL, 0, 0, 0, 600 },
	{ "channels first", OP_CONV_2D, { 4, { 1, 6, 5, 4 } },
		{ { 4, { 1, 7, 7, 5 } }, { 4, { 6, 7, 3, 2 } } }, 2, "NCHW", 0, 0, 0,
		5040 },
	{ "along one dimension", OP_CONV_2D, { 3, { 1, 6, 10 } },
		{ { 3, { 1, 4, 12 } }, { 3, { 6, 4, 3 } } }, 2, "NCHW", 0, 0, 0, 720 },
	{ "no filter", OP_CONV_2D, { 4, { 1, 5, 5, 6 } }, { { 4, { 1, 7, 7, 7 } } }, 1,
		NULL, 3, 0, 0, 9450 },
	{ "no filter, groups", OP_CONV_2D, { 4, { 1, 5, 5, 6 } },
		{ { 4, { 1, 7, 7, 8 } } }, 1, NULL, 3, 2, 0, 5400 },
	{ "no filter, and nobody says how large", OP_CONV_2D, OUT, { OUT }, 1, NULL, 0, 0,
		0, -1 },
	{ "a filter of other channels", OP_CONV_2D, { 4, { 1, 5, 5, 4 } },
		{ { 4, { 1, 5, 5, 4 } }, { 4, { 3, 1, 1, 3 } } }, 2, NULL, 0, 0, 0, -1 },
	{ "channels unknown", OP_CONV_2D, { 4, { 1, 5, 5, -1 } },
		{ { 4, { 1, 5, 5, 4 } }, { 4, { 3, 1, 1, 4 } } }, 2, NULL, 0, 0, 0, -1 },
	{ "no output element", OP_CONV_2D, { 4, { 0, 5, 5, 3 } },
		{ { 4, { 0, 5, 5, 4 } }, { 4, { 3, 1, 1, 4 } } }, 2, NULL, 0, 0, 0, 0 },
	/* 3 x 3 taps for each of 1 x 4 x 4 x 10 outputs, of 5 inputs two each */
	{ "depthwise", OP_DEPTHWISE_CONV_2D, { 4, { 1, 4, 4, 10 } },
		{ { 4, { 1, 6, 6, 5 } }, { 4, { 1, 3, 3, 10 } } }, 2, NULL, 0, 0, 0,
		1440 },
	{ "depthwise, channels first", OP_DEPTHWISE_CONV_2D, { 4, { 1, 10, 4, 3 } },
		{ { 4, { 1, 5, 6, 5 } }, { 4, { 10, 1, 3, 3 } } }, 2, "NCHW", 0, 0, 0,
		1080 },
	{ "depthwise, no filter", OP_DEPTHWISE_CONV_2D, { 4, { 1, 4, 4, 10 } },
		{ { 4, { 1, 6, 6, 5 } } }, 1, NULL, 3, 0, 0, 1440 },
	/* 2 x 3 x 4 pixels of 5 channels, each times 3 x 2 taps of 7 outputs */
	{ "transposed", OP_TRANSPOSE_CONV, { 4, { 2, 6, 8, 7 } },
		{ { 1, { 4 } }, { 4, { 7, 3, 2, 5 } }, { 4, { 2, 3, 4, 5 } } }, 3, NULL,
		0, 0, 0, 5040 },
	{ "transposed, no filter", OP_TRANSPOSE_CONV, { 4, { 2, 6, 8, 7 } },
		{ { 1, { 4 } }, NONE, { 4, { 2, 3, 4, 5 } } }, 3, NULL, 0, 0, 0, -1 },
	{ "fully connected", OP_FULLY_CONNECTED, { 2, { 3, 10 } },
		{ { 2, { 3, 40 } }, { 2, { 10, 40 } } }, 2, NULL, 0, 0, 0, 1200 },
	{ "of pixels", OP_FULLY_CONNECTED, { 2, { 3, 10 } },
		{ { 4, { 3, 2, 4, 5 } }, { 2, { 10, 40 } } }, 2, NULL, 0, 0, 0, 1200 },
	{ "of pixels, no weights", OP_FULLY_CONNECTED, { 2, { 3, 10 } },
		{ { 4, { 3, 2, 4, 5 } } }, 1, NULL, 0, 0, 0, 1200 },
	/* 2 x 3 products of 4 x 5 and 5 x 6 */
	{ "matrices", OP_BATCH_MATMUL, { 4, { 2, 3, 4, 6 } },
		{ { 4, { 2, 3, 4, 5 } }, { 4, { 2, 3, 5, 6 } } }, 2, NULL, 0, 0, 0, 720 },
	{ "turned round", OP_BATCH_MATMUL, { 3, { 2, 4, 6 } },
		{ { 3, { 2, 5, 4 } }, { 2, { 5, 6 } } }, 2, NULL, 0, 0, 1, 240 },
	{ "a vector", OP_BATCH_MATMUL, { 1, { 6 } }, { { 1, { 5 } }, { 2, { 5, 6 } } }, 2,
		NULL, 0, 0, 0, 30 },
	{ "matrices, none there", OP_BATCH_MATMUL, { 2, { 4, 6 } },
		{ NONE, { 2, { 5, 6 } } }, 2, NULL, 0, 0, 0, -1 },
	/* 3 frames, 8 filters of 10 inputs and 6 frames remembered */
	{ "SVDF", OP_SVDF, { 2, { 3, 4 } },
		{ { 2, { 3, 10 } }, { 2, { 8, 10 } }, { 2, { 8, 6 } }, { 1, { 4 } },
			{ 2, { 3, 48 } } },
		5, NULL, 0, 0, 0, 384 },
	{ "SVDF, no time", OP_SVDF, { 2, { 3, 4 } },
		{ { 2, { 3, 10 } }, { 2, { 8, 10 } }, NONE, { 1, { 4 } },
			{ 2, { 3, 48 } } },
		5, NULL, 0, 0, 0, -1 },
	/* 2 x 5 steps; 4 gates of 3 units, over 7 inputs and 3 units */
	{ "LSTM", OP_UNIDIRECTIONAL_SEQUENCE_LSTM, { 3, { 2, 5, 3 } },
		{ { 3, { 2, 5, 7 } }, { 2, { 3, 7 } }, { 2, { 3, 7 } }, { 2, { 3, 7 } },
			{ 2, { 3, 7 } }, { 2, { 3, 3 } }, { 2, { 3, 3 } },
			{ 2, { 3, 3 } }, { 2, { 3, 3 } }, NONE, NONE, NONE, { 1, { 3 } },
			{ 1, { 3 } }, { 1, { 3 } }, { 1, { 3 } }, NONE },
		17, NULL, 0, 0, 0, 1200 },
	/* 10 steps; 3 gates of 3 units over 7 inputs and 2 outputs, two of them see the
	 * cell, and 2 outputs are made of 3 units */
	{ "LSTM, coupled, with peepholes and projection", OP_UNIDIRECTIONAL_SEQUENCE_LSTM,
		{ 3, { 2, 5, 2 } },
		{ { 3, { 2, 5, 7 } }, NONE, { 2, { 3, 7 } }, { 2, { 3, 7 } },
			{ 2, { 3, 7 } }, NONE, { 2, { 3, 2 } }, { 2, { 3, 2 } },
			{ 2, { 3, 2 } }, NONE, { 1, { 3 } }, { 1, { 3 } }, NONE,
			{ 1, { 3 } }, { 1, { 3 } }, { 1, { 3 } }, { 2, { 2, 3 } } },
		17, NULL, 0, 0, 0, 930 },
	{ "LSTM, no forget gate", OP_UNIDIRECTIONAL_SEQUENCE_LSTM, { 3, { 2, 5, 3 } },
		{ { 3, { 2, 5, 7 } }, { 2, { 3, 7 } }, NONE }, 3, NULL, 0, 0, 0, -1 },
	{ "pool", OP_AVERAGE_POOL_2D, OUT, { OUT }, 1, NULL, 3, 0, 0, 0 },
	{ "element by element", OP_MUL, OUT, { OUT, OUT }, 2, NULL, 0, 0, 0, 0 },
	{ "interpolation", OP_RESIZE_BILINEAR, OUT, { OUT }, 1, NULL, 0, 0, 0, 0 },
	{ "a type that nobody knows", OP_UNKNOWN, OUT, { OUT }, 1, NULL, 0, 0, 0, -1 },
	{ "a loop", OP_WHILE, OUT, { OUT }, 1, NULL, 0, 0, 0, -1 },
	{ "beyond what a number holds", OP_CONV_2D,
		{ 4, { 1, 1 << 20, 1 << 20, 1 << 10 } },
		{ { 4, { 1, 1 << 20, 1 << 20, 1 << 10 } },
			{ 4, { 1 << 10, 9, 9, 1 << 10 } } },
		2, NULL, 0, 0, 0, -1 },
};

static struct tn_tensor tensor_of(const struct tn_shape *s)
{
	struct tn_tensor t = { .dtype = DTYPE_I8, .shape = *s, .elements = 1 };

	for (uint32_t k = 0; k < s->rank; k++)
		t.elements =
			s->dim[k] < 0 || t.elements < 0 ? -1 : t.elements * s->dim[k];
	t.bytes = t.elements;
	return t;
}

START_TEST(macs_are_those_of_the_hand)
{
	struct tn_tensor tensors[OPERANDS + 1];
	tn_tensor_id in[OPERANDS], out = { OPERANDS };
	int64_t kernel[2] = { ops[_i].kernel, ops[_i].kernel };
	struct tn_attr attrs[4];
	struct tn_graph g = { .tensors = tensors, .n_tensors = OPERANDS + 1 };
	struct tn_op op = { .kind = ops[_i].kind,
		.inputs = in,
		.n_inputs = ops[_i].n_in,
		.outputs = &out,
		.n_outputs = 1,
		.attrs = attrs };
	int64_t got;

	for (uint32_t k = 0; k < OPERANDS; k++) {
		tensors[k] = tensor_of(&ops[_i].in[k]);
		in[k].i = ops[_i].in[k].dim[0] == -2 ? TN_NONE : k;
	}
	tensors[OPERANDS] = tensor_of(&ops[_i].out);
	if (ops[_i].kernel)
		attrs[op.n_attrs++] = (struct tn_attr){
			.name = "kernel", .kind = ATTR_INTS, .v.ints = kernel, .n = 2
		};
	if (ops[_i].group)
		attrs[op.n_attrs++] = (struct tn_attr){
			.name = "group", .kind = ATTR_INT, .v.i = ops[_i].group
		};
	if (ops[_i].adj_x)
		attrs[op.n_attrs++] =
			(struct tn_attr){ .name = "adj_x", .kind = ATTR_BOOL, .v.i = 1 };
	if (ops[_i].layout)
		attrs[op.n_attrs++] = (struct tn_attr){
			.name = "layout", .kind = ATTR_STRING, .v.s = ops[_i].layout
		};
	got = tn_macs_of(&g, &op);
	ck_assert_msg(got == ops[_i].macs, "%s: %" PRId64 ", by hand %" PRId64,
		ops[_i].name, got, ops[_i].macs);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *suite = suite_create("report_macs");
	TCase *tc = tcase_create("macs");

	tcase_add_loop_test(
		tc, macs_are_those_of_the_hand, 0, (int)(sizeof(ops) / sizeof(*ops)));
	suite_add_tcase(suite, tc);
	return suite;
}
