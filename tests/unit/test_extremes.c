/* Numbers at the end of their range, where files may say them: nothing overflows, and what
 * cannot be is not known or refused. Sanitizers see the rest. */
#include "suite.h"

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
	tcase_add_test(tc, strides_that_do_not_fit);
	tcase_add_test(tc, wide_elements_are_seeded);
	suite_add_tcase(s, tc);
	return s;
}
