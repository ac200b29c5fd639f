/* Numbers at the end of their range, where files may say them: nothing overflows, and what
 * cannot be is not known or refused. Sanitizers see the rest. */
#include "suite.h"

#include <stdio.h>
#include <string.h>

#include "import/import.h"
#include "ir/op.h"
#include "ir/seed.h"
#include "ir/shape.h"
#include "loaded.h"

#define COUNT(list) (sizeof(list) / sizeof(*(list)))

/* An ONNX model, from a node's members on; its operands are x, z and c. */
#define ONNX(opset, node, x, z, constants, y)                                            \
	"{\"opsetImport\":[{\"version\":\"" opset "\"}],\"graph\":{\"node\":[{" node     \
	",\"output\":[\"y\"]}],\"input\":[" VALUE("x", x) "," VALUE("z",                 \
		z) "],"                                                                  \
		   "\"initializer\":[" constants "],\"output\":[" VALUE("y", y) "]}}"
#define VALUE(name, dims)                                                                \
	"{\"name\":\"" name "\",\"type\":{\"tensorType\":{\"elemType\":1,\"shape\":{"    \
	"\"dim\":[" dims "]}}}}"
#define D(n)	   "{\"dimValue\":\"" #n "\"}"
#define IMAGE	   D(1) "," D(1) "," D(4) "," D(4)
#define INT64_LAST "9223372036854775807"

static const struct {
	const char *name, *format, *text;
	enum tn_op_kind kind; /* of the first op, when there is one */
	int64_t bytes; /* of y */
} files[] = {
	{ "an axis that operands spread from", "onnx-json",
		ONNX("6",
			"\"opType\":\"Add\",\"input\":[\"x\",\"z\"],\"attribute\":["
			"{\"name\":\"broadcast\",\"i\":\"1\"},"
			"{\"name\":\"axis\",\"i\":\"" INT64_LAST "\"}]",
			D(2) "," D(3), D(3), "", D(2) "," D(3)),
		OP_UNKNOWN, 24 },
	{ "scales of no elements", "onnx-json",
		ONNX("13",
			"\"opType\":\"DequantizeLinear\",\"input\":[\"c\",\"s\"],"
			"\"attribute\":[{\"name\":\"axis\",\"i\":\"0\"}]",
			D(1), D(1),
			"{\"name\":\"c\",\"dataType\":3,\"dims\":[\"0\","
			"\"1099511627776\",\"1099511627776\"]},"
			"{\"name\":\"s\",\"dataType\":1,\"dims\":[\"0\"]}",
			D(0) "," D(1099511627776) "," D(1099511627776)),
		OP_UNKNOWN, 0 },
	{ "a window's span", "onnx-json",
		ONNX("13",
			"\"opType\":\"ConvTranspose\",\"input\":[\"x\",\"c\"],"
			"\"attribute\":[{\"name\":\"kernel_shape\",\"ints\":["
			"\"153092024\",\"1\"]},{\"name\":\"dilations\",\"ints\":["
			"\"60247241209\",\"1\"]}]",
			IMAGE, D(1),
			"{\"name\":\"c\",\"dataType\":1,\"dims\":[\"1\",\"1\",\"1\","
			"\"1\"],\"floatData\":[0]}",
			IMAGE),
		OP_UNKNOWN, 64 },
	{ "sizes that keep the aspect", "onnx-json",
		ONNX("18",
			"\"opType\":\"Resize\",\"input\":[\"x\",\"\",\"\",\"s\"],"
			"\"attribute\":[{\"name\":\"keep_aspect_ratio_policy\","
			"\"s\":\"bm90X3NtYWxsZXI=\"}]",
			IMAGE, D(1),
			"{\"name\":\"s\",\"dataType\":7,\"dims\":[\"4\"],"
			"\"int64Data\":[\"1\",\"1\",\"" INT64_LAST "\",\"4\"]}",
			IMAGE),
		OP_UNKNOWN, 64 },
	{ "a kernel of a list of doubles", "executorch-json",
		"{\"execution_plan\":[{\"name\":\"f\",\"values\":["
		"{\"val_type\":\"Tensor\",\"val\":{\"scalar_type\":\"FLOAT\","
		"\"sizes\":[1,1,4,4]}},"
		"{\"val_type\":\"Tensor\",\"val\":{\"scalar_type\":\"FLOAT\","
		"\"sizes\":[1,1,4,4],\"extra_tensor_info\":{"
		"\"fully_qualified_name\":\"y\"}}},"
		"{\"val_type\":\"Double\",\"val\":{\"double_val\":1e300}},"
		"{\"val_type\":\"IntList\",\"val\":{\"items\":[2,2]}}],\"inputs\":[0],"
		"\"outputs\":[1],\"operators\":[{\"name\":\"aten::max_pool2d\","
		"\"overload\":\"out\"}],\"delegates\":[],\"chains\":[{\"instructions\":["
		"{\"instr_args_type\":\"KernelCall\",\"instr_args\":{\"op_index\":0,"
		"\"args\":[0,3,1,1]}}]}],\"non_const_buffer_sizes\":[0]}]}",
		OP_UNKNOWN, 64 },
	{ "the axis of scales", "st-cubeai",
		"{\"buffers\":[{\"id\":1,\"name\":\"y\",\"format\":\"S\",\"nbits\":8,"
		"\"shape\":[2,2,3],\"shape_map\":[\"H\",\"W\",\"CH\"],\"intq\":{"
		"\"scales\":[1,1],\"axis\":" INT64_LAST "}}],\"graphs\":[{\"name\":\"g\","
		"\"nodes\":[],\"inputs\":[1],\"outputs\":[1]}],\"memory_pools\":[]}",
		OP_UNKNOWN, 12 },
	{ "strides of no elements", "native",
		"{\"format\":\"tenure.graph/1\",\"tensors\":[{\"name\":\"x\",\"dtype\":"
		"\"i8\",\"shape\":[0,1099511627776,1099511627776],\"role\":\"input\"},"
		"{\"name\":\"z\",\"dtype\":\"i8\",\"shape\":[1,1,5],\"role\":\"input\"},"
		"{\"name\":\"y\",\"dtype\":\"i8\",\"shape\":[0,1099511627776,5],\"role\":"
		"\"output\"}],\"ops\":[{\"type\":\"ADD\",\"inputs\":[\"x\",\"z\"],"
		"\"outputs\":[\"y\"]}]}",
		OP_ADD, 0 },
};

START_TEST(files_are_read)
{
	struct loaded l;
	uint32_t i = 0;

	loaded_bytes(&l, "x", files[_i].text, strlen(files[_i].text), files[_i].format);
	ck_assert_msg(l.status == TN_OK, "%s: status %d: %s", files[_i].name,
		(int)l.status, loaded_report(&l));
	while (i < l.graph.n_tensors && strcmp(l.graph.tensors[i].name, "y") != 0)
		i++;
	ck_assert_msg(i < l.graph.n_tensors, "%s: there is no y", files[_i].name);
	ck_assert_msg(l.graph.tensors[i].bytes == files[_i].bytes, "%s: %lld bytes",
		files[_i].name, (long long)l.graph.tensors[i].bytes);
	ck_assert_msg(!l.graph.n_ops || l.graph.ops[0].kind == files[_i].kind,
		"%s: the op is %s", files[_i].name,
		tn_op_info(l.graph.ops[0].kind)->name);
	loaded_release(&l);
}
END_TEST

/* What makes much of little: text, repeated, and what is said of the whole. */
static const struct {
	const char *name, *format, *before, *item, *between, *after;
	int times;
	const char *report;
} repeats[] = {
	{ "attributes of a node", "onnx-json",
		"{\"graph\":{\"node\":[{\"opType\":\"Relu\",\"input\":[\"x\"],\"output\":"
		"[\"y\"],\"attribute\":[",
		"{\"name\":\"a\",\"i\":\"1\"}", ",",
		"]}],\"input\":[" VALUE("x", D(4)) "],\"output\":[" VALUE(
			"y", D(4)) "]}}",
		257, "the node has more than 256 attributes [onnx/value]" },
	{ "a list that is named again and again", "executorch-json",
		"{\"execution_plan\":[{\"name\":\"f\",\"values\":[{\"val_type\":"
		"\"Tensor\","
		"\"val\":{\"scalar_type\":\"FLOAT\",\"sizes\":[4]}},{\"val_type\":"
		"\"TensorList\",\"val\":{\"items\":[",
		"0", ",", "@", 2950,
		"the ops have more than 8388608 operands, as lists of them are named "
		"many "
		"times [json/limit]" },
};

static void repeat(
	struct tn_strbuf *out, int times, const char *item, const char *between)
{
	for (int i = 0; i < times; i++)
		tn_strbuf_printf(out, "%s%s", i ? between : "", item);
}

START_TEST(repeats_are_limited)
{
	struct tn_strbuf text;
	struct loaded l;

	tn_strbuf_init(&text);
	tn_strbuf_puts(&text, repeats[_i].before);
	repeat(&text, repeats[_i].times, repeats[_i].item, repeats[_i].between);
	if (repeats[_i].after[0] == '@') {
		tn_strbuf_puts(&text,
			"]}}],\"inputs\":[0],\"outputs\":[0],\"operators\":[{\"name\":"
			"\"aten::cat\",\"overload\":\"out\"}],\"delegates\":[],"
			"\"chains\":["
			"{\"instructions\":[{\"instr_args_type\":\"KernelCall\","
			"\"instr_args\":{\"op_index\":0,\"args\":[");
		repeat(&text, repeats[_i].times, "1", ",");
		tn_strbuf_puts(&text, "]}}]}],\"non_const_buffer_sizes\":[0]}]}");
	} else {
		tn_strbuf_puts(&text, repeats[_i].after);
	}
	loaded_bytes(&l, "x", text.text, text.len, repeats[_i].format);
	ck_assert_msg(l.status == TN_ERR_INPUT, "%s: status %d", repeats[_i].name,
		(int)l.status);
	ck_assert_msg(strstr(loaded_report(&l), repeats[_i].report), "%s: %s",
		repeats[_i].name, loaded_report(&l));
	loaded_release(&l);
	tn_strbuf_release(&text);
}
END_TEST

/* A model of so many graphs, each of a thousand names of one letter: the unpacker makes
 * one of them, and copies what it has for each. */
static struct loaded *read_graphs(struct loaded *l, int times)
{
	struct tn_strbuf text;

	tn_strbuf_init(&text);
	for (int i = 0; i < times; i++) {
		tn_strbuf_add(&text, "\x3a\xb8\x17", 3); /* graph: 3000 bytes */
		for (int k = 0; k < 1000; k++)
			tn_strbuf_add(&text, "\x52\x01x", 3); /* docString */
	}
	loaded_bytes(l, "x", text.text, text.len, "onnx");
	tn_strbuf_release(&text);
	return l;
}

START_TEST(graphs_are_merged_a_few_times)
{
	struct loaded l;

	loaded_ok(read_graphs(&l, 2), "two graphs");
	loaded_release(&l);
	read_graphs(&l, 40);
	ck_assert_int_eq(l.status, TN_ERR_INPUT);
	ck_assert_msg(strstr(loaded_report(&l), "there are too many values"), "%s",
		loaded_report(&l));
	loaded_release(&l);
}
END_TEST

/* Weights without data of any size: C is not spread to as many outputs. */
START_TEST(bias_of_many_outputs)
{
	static const char text[] = ONNX("13",
		"\"opType\":\"Gemm\",\"input\":[\"x\",\"w\",\"c\"]", D(1) "," D(1), D(1),
		"{\"name\":\"w\",\"dataType\":1,\"dims\":[\"1\","
		"\"1000000000000\"]},{\"name\":\"c\",\"dataType\":1,\"dims\":["
		"\"1\"],\"floatData\":[2]}",
		D(1) "," D(1000000000000));
	struct loaded l;

	loaded_bytes(&l, "x", text, sizeof(text) - 1, "onnx-json");
	loaded_ok(&l, "a bias");
	loaded_release(&l);
}
END_TEST

/* What a file calls as we call what we make of it does not stand in for it. */
START_TEST(attributes_of_ours_are_not_the_files)
{
	static const char text[] = ONNX("13",
		"\"opType\":\"MaxPool\",\"input\":[\"x\"],\"attribute\":[{\"name\":"
		"\"layout\",\"s\":\"TkhXQw==\"},{\"name\":\"kernel\",\"ints\":[\"9\","
		"\"9\"]},{\"name\":\"kernel_shape\",\"ints\":[\"1\",\"1\"]}]",
		IMAGE, D(1), "", IMAGE);
	struct loaded l;

	loaded_bytes(&l, "x", text, sizeof(text) - 1, "onnx-json");
	loaded_ok(&l, "a pool");
	for (uint32_t i = 0; i < l.graph.n_ops; i++) {
		const struct tn_op *op = &l.graph.ops[i];

		for (uint32_t k = 0; k < op->n_attrs; k++)
			for (uint32_t m = 0; m < k; m++)
				ck_assert_str_ne(op->attrs[k].name, op->attrs[m].name);
	}
	loaded_release(&l);
}
END_TEST

/* Nor does a file say how a kernel works by names that only the native format gives a meaning:
 * of an op that nobody knows each output byte may need every input byte. */
START_TEST(kernels_are_not_declared_by_onnx)
{
	const char *const *names = tn_declaring_attrs;
	char text[4096];

	for (size_t i = 0; names[i]; i++) {
		struct loaded l;
		int n = snprintf(text, sizeof(text),
			ONNX("13",
				"\"opType\":\"Odd\",\"domain\":\"of.ours\",\"input\":"
				"[\"x\"],\"attribute\":[{\"name\":\"%s\",\"i\":\"1\"}"
				",{\"name\":\"other\",\"i\":\"1\"}]",
				D(4), D(1), "", D(4)),
			names[i]);

		ck_assert(n > 0 && (size_t)n < sizeof(text));
		loaded_bytes(&l, "x", text, (size_t)n, "onnx-json");
		loaded_ok(&l, names[i]);
		ck_assert_uint_eq(l.graph.n_ops, 1);
		ck_assert_msg(!tn_op_attr(&l.graph.ops[0], names[i]), "%s", names[i]);
		ck_assert_ptr_ne(tn_op_attr(&l.graph.ops[0], "other"), NULL);
		loaded_release(&l);
	}
}
END_TEST

/* Pools need no names, and may share one; claims have ids of their own. */
START_TEST(pools_without_names)
{
	static const char text[] =
		"{\"buffers\":[{\"id\":1,\"name\":\"x\",\"format\":\"S\",\"nbits\":8,"
		"\"shape\":[4],\"mpool_id\":1,\"offset_start\":0,\"size_bytes\":4},"
		"{\"id\":2,\"name\":\"y\",\"format\":\"S\",\"nbits\":8,\"shape\":[4],"
		"\"mpool_id\":2,\"offset_start\":0,\"size_bytes\":4}],\"graphs\":["
		"{\"name\":\"g\",\"nodes\":[{\"name\":\"n\",\"description\":"
		"\"Nonlinearity\",\"inputs\":[1],\"outputs\":[2]}],\"inputs\":[1],"
		"\"outputs\":[2]}],\"memory_pools\":[{\"id\":1,\"size_bytes\":4},{\"id\":"
		"2,"
		"\"size_bytes\":4}]}";
	struct loaded l;

	loaded_bytes(&l, "x", text, sizeof(text) - 1, "st-cubeai");
	loaded_ok(&l, "pools");
	ck_assert_int_eq(l.graph.n_claims, 2);
	ck_assert_str_eq(l.graph.claims[0].id, "pool");
	ck_assert_str_eq(l.graph.claims[1].id, "pool#1");
	loaded_release(&l);
}
END_TEST

/* Of two plans that name one tensor each has its own place of it. */
START_TEST(plans_of_the_same_tensors)
{
	static const char text[] =
		"{\"format\":\"tenure.graph/1\",\"tensors\":[{\"name\":\"x\",\"dtype\":"
		"\"i8\",\"shape\":[4],\"role\":\"input\"},{\"name\":\"y\",\"dtype\":"
		"\"i8\",\"shape\":[4],\"role\":\"output\"}],\"ops\":[{\"type\":\"NEG\","
		"\"inputs\":[\"x\"],\"outputs\":[\"y\"]}],\"claims\":[{\"kind\":\"plan\","
		"\"offsets\":{\"x\":0,\"y\":16}},{\"kind\":\"plan\",\"offsets\":{\"y\":"
		"32},\"sizes\":{\"y\":4,\"x\":5}}]}";
	const struct tn_claim *c;
	struct loaded l;

	loaded_bytes(&l, "x", text, sizeof(text) - 1, "native");
	loaded_ok(&l, "plans");
	ck_assert_int_eq(l.graph.n_claims, 2);
	c = &l.graph.claims[1];
	ck_assert_int_eq(l.graph.claims[0].n_places, 2);
	ck_assert_int_eq(c->n_places, 2);
	ck_assert_int_eq(c->places[0].offset, 32);
	ck_assert_int_eq(c->places[0].size, 4);
	ck_assert_int_eq(c->places[1].offset, -1);
	ck_assert_int_eq(c->places[1].size, 5);
	loaded_release(&l);
}
END_TEST

START_TEST(strides_that_do_not_fit)
{
	const int64_t large = INT64_C(1) << 40;
	const struct tn_shape none = { 4, { 0, large, large, 5 } };
	int64_t strides[TN_RANK_MAX];

	tn_shape_strides(&none, strides);
	ck_assert_int_eq(strides[3], 1);
	ck_assert_int_eq(strides[2], 5);
	ck_assert_int_eq(strides[1], 5 * large);
	ck_assert_int_eq(strides[0], 0);
}
END_TEST

/* The widest elements are filled, too, to the last byte and no further. */
START_TEST(wide_elements_are_seeded)
{
	uint8_t bytes[33], again[33];

	for (int i = 0; i < 2; i++) {
		void (*const fill)(uint32_t, enum tn_dtype, uint8_t *, int64_t) =
			i ? tn_seed_const : tn_seed_input;
		bool any = false;

		memset(bytes, 0xA5, sizeof(bytes));
		memset(again, 0x5A, sizeof(again));
		fill(7, DTYPE_C128, bytes, 32);
		fill(7, DTYPE_C128, again, 32);
		ck_assert_mem_eq(bytes, again, 32);
		ck_assert_int_eq(bytes[32], 0xA5);
		for (int k = 0; k < 32; k++) {
			any = any || bytes[k];
			if (k % 16 >= 8)
				ck_assert_int_eq(bytes[k], 0);
		}
		ck_assert(any);
	}
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("extremes");
	TCase *tc = tcase_create("numbers");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, files_are_read, 0, (int)COUNT(files));
	tcase_add_loop_test(tc, repeats_are_limited, 0, (int)COUNT(repeats));
	tcase_add_test(tc, graphs_are_merged_a_few_times);
	tcase_add_test(tc, bias_of_many_outputs);
	tcase_add_test(tc, attributes_of_ours_are_not_the_files);
	tcase_add_test(tc, kernels_are_not_declared_by_onnx);
	tcase_add_test(tc, pools_without_names);
	tcase_add_test(tc, plans_of_the_same_tensors);
	tcase_add_test(tc, strides_that_do_not_fit);
	tcase_add_test(tc, wide_elements_are_seeded);
	suite_add_tcase(s, tc);
	return s;
}
