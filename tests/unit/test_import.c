#include "suite.h"

#include <stdio.h>
#include <string.h>

#include "import/import.h"
#include "loaded.h"

static const struct {
	const char *file; /* under ../shared/formats/samples */
	const char *format;
} samples[] = {
	{ "chrome_trace/synthetic_arena_plan.json", "chrome-trace" },
	{ "executorch/arduino_AddModel.nodefaults.json", "executorch-json" },
	{ "keras/cnn_handwriting_model_architecture.json", "keras" },
	{ "keras/mnist_digit_model_architecture.json", "keras" },
	{ "minimalloc/A.1048576.csv", "offsets" },
	{ "model_explorer/coco-ssd_first60nodes.json", "model-explorer" },
	{ "model_explorer/test_graph_original.json", "model-explorer" },
	{ "mxnet/squeezenet_v1.2-symbol.json", "mxnet" },
	{ "onnx/if_loop_camel.json", "onnx-json" },
	{ "onnx/qdq_conv_snake.json", "onnx-json" },
	{ "openvino/ir_frontend_test_add.xml", "openvino" },
	{ "sarif/minimal_github.sarif.json", "sarif" },
	{ "st_cubeai/sww_model_strm_ww_int8.tflite_c_graph.json", "st-report" },
	{ "st_cubeai/sww_model_strm_ww_int8.tflite_c_info.json", "st-cubeai" },
	{ "tensorrt/resnet.onnx.engine.graph.json", "tensorrt" },
	{ "tensorrt/resnet.onnx.engine.profile.json", "tensorrt-profile" },
	{ "tflite/hello_world_int8.nonstrict.txt", "tflite-json" },
	{ "tflite/kws_ref_model.json", "tflite-json" },
	{ "tinyengine/49kb-int8-graph.json", "tinyengine" },
	{ "torch_export/pnnx_test_linear_dynamic_batch.json", "torch-export" },
	{ "tvm/lenet_deploy_graph.json", "mxnet" },
	{ "tvm/squeezenet_deploy_graph.json", "tvm" },
	{ "xla/profile_demo.memory_viewer.hloproto.json", "xla" },
};

START_TEST(samples_are_told_apart)
{
	char name[256];
	const char *path;
	struct loaded l;

	snprintf(name, sizeof(name), "formats/samples/%s", samples[_i].file);
	path = tn_test_shared(name);
	if (!path)
		return;
	loaded_file(&l, path, NULL);
	ck_assert_ptr_nonnull(l.source);
	ck_assert_ptr_nonnull(tn_import_sniff(l.source));
	ck_assert_str_eq(tn_import_sniff(l.source), samples[_i].format);
	loaded_release(&l);
}
END_TEST

static const struct {
	const char *name, *text, *from;
	const char *report; /* the start of it */
} refusals[] = {
	{ "byte order mark", "\xEF\xBB\xBF{\"format\": \"tenure.graph/1\", nothing}",
		NULL, "error 1:39: string or '}' expected near" },
	{ "byte order mark before flatc's",
		"\xEF\xBB\xBF {version: 3, subgraphs: [], buffers: []}", NULL,
		"error /subgraphs: the model has no subgraph" },
	{ "empty", "", NULL, "error: the file is empty [import/empty]" },
	{ "unknown text", "hello", NULL, "error: the file's format is not recognised" },
	{ "other JSON", "{\"a\": 1}", NULL,
		"error: this looks like JSON, but not like a graph" },
	{ "unfinished JSON", "{\"a\": \"\\", NULL, "error: this looks like JSON" },
	{ "unknown name", "hello", "tf-lite", "error: there is no format 'tf-lite'" },
	{ "forced", "hello", "tflite", "error: the file is damaged" },
	{ "onnx without a graph", "\010\010\022\004abcd", NULL,
		"error: the model has no graph [onnx/no-graph]" },
	{ "onnx cut off", "\010\010\022\044abcd", NULL,
		"error: the file is damaged at byte 2: a field is longer than what holds "
		"it [onnx/damaged]" },
	{ "zip", "PK\003\004....", NULL, "error: this is a zip archive" },
	{ "hdf5", "\x89HDF\r\n\x1a\n....", NULL, "error: this is an HDF5 file" },
	{ "pte", "\020\0\0\0", "executorch", "error: this is an ExecuTorch program" },
	{ "a plan", "{\"format\": \"tenure.plan/1\"}", NULL,
		"error: this is a file of tenure's that is no graph" },
	{ "keys of a model too deep", "{\"x\": {\"subgraphs\": [], \"buffers\": []}}",
		NULL, "error: this looks like JSON" },
};

START_TEST(refusals_say_what_it_is)
{
	struct loaded l;
	const char *report;

	loaded_bytes(
		&l, "x", refusals[_i].text, strlen(refusals[_i].text), refusals[_i].from);
	report = loaded_report(&l);
	ck_assert_msg(l.status == TN_ERR_INPUT, "%s: status %d", refusals[_i].name,
		(int)l.status);
	ck_assert_msg(
		strncmp(report, refusals[_i].report, strlen(refusals[_i].report)) == 0,
		"%s: %s", refusals[_i].name, report);
	loaded_release(&l);
}
END_TEST

/* What each type of node makes of operands that are missing, empty, or too many. */
static const char *const onnx_types[] = { "Abs", "Add", "And", "ArgMax", "AveragePool",
	"BatchNormalization", "Cast", "CastLike", "Clip", "Concat", "Constant",
	"ConstantOfShape", "Conv", "ConvInteger", "ConvTranspose", "DepthToSpace",
	"DequantizeLinear", "Dropout", "Equal", "Expand", "Flatten", "GRU", "Gather",
	"GatherElements", "GatherND", "Gemm", "GlobalAveragePool", "Identity", "If",
	"LSTM", "LayerNormalization", "Loop", "LpPool", "MatMul", "MatMulInteger", "Max",
	"MaxPool", "Mean", "Min", "NonZero", "OneHot", "Pad", "QLinearAdd",
	"QLinearAveragePool", "QLinearConcat", "QLinearConv", "QLinearGlobalAveragePool",
	"QLinearLeakyRelu", "QLinearMatMul", "QLinearMul", "QLinearSigmoid",
	"QuantizeLinear", "RNN", "Range", "ReduceMean", "ReduceSum", "Relu", "Reshape",
	"Resize", "Scan", "Shape", "Size", "Slice", "Softmax", "SpaceToDepth", "Split",
	"Squeeze", "Sum", "Tile", "TopK", "Transpose", "Unsqueeze", "Upsample", "Where" };
static const char *const onnx_inputs[] = { "", "\"\"", "\"x\"", "\"x\", \"\", \"x\"",
	"\"\", \"x\", \"x\"", "\"x\", \"x\", \"x\", \"x\", \"x\", \"x\", \"x\", \"x\"" };
static const char *const onnx_outputs[] = { "", "\"\"", "\"y\"", "\"\", \"y\"" };
static const char *const onnx_domains[] = { "", "com.microsoft" };

#define COUNT(list) (sizeof(list) / sizeof(*(list)))

START_TEST(nodes_survive_odd_operands)
{
	char text[1024];
	struct loaded l;

	for (size_t i = 0; i < COUNT(onnx_inputs) * COUNT(onnx_outputs) * 2; i++) {
		size_t in = i / 2 % COUNT(onnx_inputs), out = i / 2 / COUNT(onnx_inputs);

		snprintf(text, sizeof(text),
			"{\"irVersion\": \"8\", \"opsetImport\": [{\"version\": "
			"\"13\"}], "
			"\"graph\": {\"name\": \"g\", \"node\": [{\"opType\": \"%s\", "
			"\"domain\": \"%s\", \"input\": [%s], \"output\": [%s]}], "
			"\"input\": [{\"name\": \"x\", \"type\": {\"tensorType\": "
			"{\"elemType\": 1, \"shape\": {\"dim\": [{\"dimValue\": \"1\"}, "
			"{\"dimValue\": \"4\"}, {\"dimValue\": \"4\"}, "
			"{\"dimValue\": \"4\"}]}}}}], \"output\": []}}",
			onnx_types[_i], onnx_domains[i % 2], onnx_inputs[in],
			onnx_outputs[out]);
		loaded_bytes(&l, "x", text, strlen(text), "onnx-json");
		ck_assert_msg((l.status == TN_OK) == (l.diags.errors == 0),
			"%s: status %d, %zu errors", text, (int)l.status, l.diags.errors);
		ck_assert_msg(l.status == TN_OK || l.status == TN_ERR_INPUT,
			"%s: status %d", text, (int)l.status);
		loaded_release(&l);
	}
}
END_TEST

START_TEST(open_dimensions_are_bound)
{
	static const char text[] = "{\"format\": \"tenure.graph/1\", \"tensors\": ["
				   "{\"name\": \"x\", \"dtype\": \"i8\", \"shape\": "
				   "[\"N\", 3], \"role\": \"input\"},"
				   "{\"name\": \"y\", \"dtype\": \"i8\", \"shape\": [-1, "
				   "3], \"role\": \"output\"}],"
				   "\"ops\": [{\"type\": \"NEG\", \"inputs\": [\"x\"], "
				   "\"outputs\": [\"y\"]}]}";
	static const struct tn_import_dim dims[] = { { "M", 7 }, { "N", 5 } };
	static const struct tn_import_shape shapes[] = {
		{ "y", { .rank = 2, .dim = { 5, 3 } } },
		{ "z", { .rank = 0 } },
	};
	struct loaded l;
	struct tn_import im;

	/* without them it is an error that names both */
	loaded_bytes(&l, "open", text, sizeof(text) - 1, NULL);
	ck_assert_int_eq(l.status, TN_ERR_INPUT);
	ck_assert_str_eq(loaded_report(&l),
		"error /tensors/0/shape/0: the size of 'N' is not known: give it one, as "
		"--dim 'N=64' [graph/dynamic-shape]\n"
		"error /tensors/1: dimension 0 of 'y' is not known: give it a size "
		"[graph/dynamic-shape]\n");
	im = (struct tn_import){ .arena = &l.arena,
		.strings = &l.strings,
		.diags = &l.diags,
		.source = l.source,
		.dims = dims,
		.n_dims = 2,
		.shapes = shapes,
		.n_shapes = 2 };
	tn_diags_init(&l.diags, &l.run);
	ck_assert_int_eq(tn_import(&im, &l.graph), TN_OK);
	ck_assert_int_eq(l.graph.tensors[0].bytes, 15);
	ck_assert_int_eq(l.graph.tensors[1].bytes, 15);
	ck_assert_str_eq(loaded_report(&l),
		"warning: there is no tensor 'z' to give a shape to [import/shape]\n");
	loaded_release(&l);
}
END_TEST

/* A graph of one tensor, of one dimension: @. */
static const struct {
	const char *format, *text;
} dimensions[] = {
	{ "native", "{\"format\":\"tenure.graph/"
		    "1\",\"tensors\":[{\"name\":\"x\",\"dtype\":\"f32\",\"shape\":[@],"
		    "\"role\":\"input\"}],\"ops\":[]}" },
	{ "tflite-json", "{\"version\":3,\"operator_codes\":[],\"subgraphs\":[{"
			 "\"tensors\":[{\"shape\":[@]}],\"inputs\":[0],\"outputs\":[0],"
			 "\"operators\":[]}],\"buffers\":[{}]}" },
	{ "onnx-json", "{\"graph\":{\"node\":[],\"input\":[{\"name\":\"x\",\"type\":{"
		       "\"tensorType\":{\"elemType\":1,\"shape\":{\"dim\":[{\"dimValue\":"
		       "\"@\"}]}}}}],\"output\":[{\"name\":\"x\"}]}}" },
	{ "tvm", "{\"nodes\":[{\"op\":\"null\",\"name\":\"x\",\"inputs\":[]}],\"arg_"
		 "nodes\":[0],\"heads\":[[0,0,0]],\"attrs\":{\"shape\":[\"list_shape\",[["
		 "@]]],\"dltype\":[\"list_str\",[\"float32\"]]}}" },
	{ "executorch-json", "{\"execution_plan\":[{\"name\":\"f\",\"values\":[{\"val_"
			     "type\":\"Tensor\",\"val\":{\"scalar_type\":\"FLOAT\","
			     "\"sizes\":[@]}}],\"inputs\":[0],\"outputs\":[0],"
			     "\"chains\":[],\"non_const_buffer_sizes\":[0]}]}" },
	{ "xla", "{\"entryComputationName\":\"m\",\"computations\":[{\"name\":\"m\","
		 "\"rootId\":\"1\",\"instructions\":[{\"name\":\"x\",\"opcode\":"
		 "\"parameter\",\"id\":\"1\",\"shape\":{\"elementType\":\"F32\","
		 "\"dimensions\":[\"@\"]}}]}]}" },
	{ "torch-export",
		"{\"graph_module\":{\"graph\":{\"inputs\":[],\"outputs\":[],\"nodes\":[],"
		"\"tensor_values\":{\"x\":{\"dtype\":7,\"sizes\":[{\"as_int\":@}]}}},"
		"\"signature\":{\"input_specs\":[{\"user_input\":{\"arg\":{\"as_tensor\":"
		"{\"name\":\"x\"}}}}],\"output_specs\":[]}},\"schema_version\":{}}" },
	{ "tensorrt", "{\"Layers\":[{\"Name\":\"a\",\"LayerType\":\"kgen\",\"Inputs\":[{"
		      "\"Name\":\"x\",\"Dimensions\":[@],\"Format/"
		      "Datatype\":\"FP32\"}],\"Outputs\":[]}],\"Bindings\":[\"x\"]}" },
};

/* The size that stands for what was reported is one that a file may have, too. */
START_TEST(no_size_goes_without_report)
{
	static const char *const sizes[] = { "4", "-9223372036854775808",
		"9223372036854775807" };
	char text[1024];
	struct loaded l;

	for (size_t i = 0; i < COUNT(sizes); i++) {
		const char *size = strchr(dimensions[_i].text, '@');

		snprintf(text, sizeof(text), "%.*s%s%s",
			(int)(size - dimensions[_i].text), dimensions[_i].text, sizes[i],
			size + 1);
		loaded_bytes(&l, "x", text, strlen(text), dimensions[_i].format);
		ck_assert_msg((l.status == TN_OK) == (i == 0), "%s: %s: status %d: %s",
			dimensions[_i].format, sizes[i], (int)l.status,
			loaded_report(&l));
		ck_assert_msg((l.diags.errors == 0) == (i == 0), "%s: %s: %zu errors",
			dimensions[_i].format, sizes[i], l.diags.errors);
		loaded_release(&l);
	}
}
END_TEST

/* What exporters write for sizes, with W 7, s0 5 and a.b_1 8; -1: it is refused. */
static const struct {
	const char *text;
	int64_t size;
} expressions[] = {
	{ "s0", 5 },
	{ "2*s0", 10 },
	{ "s0 + 1", 6 },
	{ "a.b_1 - s0", 3 },
	{ "s0*W + 2*s0", 45 },
	{ "(s0 + 1)*(W - 1)", 36 },
	{ "floor(W/2)", 3 },
	{ "floor(W/2 - 1/2) + 1", 4 },
	{ "floor(W/2 + 1/2)", 4 },
	{ "ceiling(W/2)", 4 },
	{ "W//2", 3 },
	{ "((s0 - 1)//2) + 1", 3 },
	{ "-1*((-s0)//2)", 3 },
	{ "6*W/14", 3 },
	{ "W % s0", 2 },
	{ "s0**2", 25 },
	{ "W**2//2", 24 },
	{ "floor(4*W**(-1)*s0)", 2 },
	{ "50-s0**2", 25 },
	{ "max(1, s0, W)", 7 },
	{ "Min(s0, W)", 5 },
	{ "Mod(s0, 3)", 2 },
	{ "CeilDiv(s0, 2)", 3 },
	{ "Add(Mul(Integer(2), Symbol('s0', integer=True)), Integer(-1))", 9 },
	{ "floor(Mul(Rational(1, 2), Symbol('W', positive=True, integer=True)))", 3 },
	{ "Pow(Symbol('s0'), Integer(2))", 25 },
	{ "torch.utils._sympy.functions.FloorDiv(Symbol('W'), Integer(2))", 3 },
	{ "W-7", 0 },
	{ "N*2", 64 }, /* the whole is given, and so is N */
	{ "past seq-1", 9 },
	{ "W/2", -1 },
	{ "s0 - W", -1 },
	{ "W/(s0 - 5)", -1 },
	{ "W//0", -1 },
	{ "s0 % 0", -1 },
	{ "2*M", -1 },
	{ "s0 +", -1 },
	{ "s0 s0", -1 },
	{ "(s0", -1 },
	{ "floor(W, 2)", -1 },
	{ "Piecewise(s0)", -1 },
	{ "9223372036854775807 + s0", -1 },
	{ "99999999999999999999", -1 },
	{ "s0**99", -1 },
	{ "(-9223372036854775807 - 1)/(-1)", -1 },
	{ "--------------------------------------------------------------s0", -1 },
	{ "((((((((((((((((((((((((((((((((((((((((s0))))))))))))))))))))))))))))))))))))"
	  "))))",
		-1 },
};

static const char *const named[] = {
	"{\"format\":\"tenure.graph/1\",\"tensors\":[{\"name\":\"x\",\"dtype\":\"i8\","
	"\"shape\":[\"@\"],\"role\":\"input\"}],\"ops\":[]}",
	"{\"graph\":{\"node\":[],\"input\":[{\"name\":\"x\",\"type\":{\"tensorType\":{"
	"\"elemType\":3,\"shape\":{\"dim\":[{\"dimParam\":\"@\"}]}}}}],\"output\":[{"
	"\"name\":\"x\"}]}}",
	"{\"graph_module\":{\"graph\":{\"inputs\":[],\"outputs\":[],\"nodes\":[],"
	"\"tensor_values\":{\"x\":{\"dtype\":2,\"sizes\":[{\"as_expr\":{\"expr_str\":\"@"
	"\"}}]}}"
	"},\"signature\":{\"input_specs\":[{\"user_input\":{\"arg\":{\"as_tensor\":{"
	"\"name\":\"x\"}}}}],\"output_specs\":[]}},\"schema_version\":{}}",
};

START_TEST(sizes_are_computed)
{
	static const struct tn_import_dim dims[] = { { "W", 7 }, { "s0", 5 },
		{ "a.b_1", 8 }, { "N", 3 }, { "N*2", 64 }, { "past seq-1", 9 } };
	const char *want = expressions[_i].text;
	char text[1024];

	for (size_t i = 0; i < COUNT(named); i++) {
		const char *size = strchr(named[i], '@');
		struct loaded l;
		struct tn_import im;

		snprintf(text, sizeof(text), "%.*s%s%s", (int)(size - named[i]), named[i],
			want, size + 1);
		loaded_bytes(&l, "x", text, strlen(text), NULL);
		im = (struct tn_import){ .arena = &l.arena,
			.strings = &l.strings,
			.diags = &l.diags,
			.source = l.source,
			.dims = dims,
			.n_dims = COUNT(dims) };
		tn_diags_init(&l.diags, &l.run);
		l.status = tn_import(&im, &l.graph);
		if (expressions[_i].size < 0) {
			ck_assert_msg(l.status == TN_ERR_INPUT, "%s: is read", want);
			ck_assert_msg(strstr(loaded_report(&l), "[graph/dynamic-shape]"),
				"%s: %s", want, loaded_report(&l));
		} else {
			ck_assert_msg(
				l.status == TN_OK, "%s: %s", want, loaded_report(&l));
			ck_assert_msg(l.graph.tensors[0].bytes == expressions[_i].size,
				"%s: %lld bytes", want,
				(long long)l.graph.tensors[0].bytes);
		}
		loaded_release(&l);
	}
}
END_TEST

static void is_refused(const char *folder)
{
	static const char *const inputs[] = { "input.json", "input.tflite", "input.onnx",
		"input.xml" };
	char path[4096];
	struct loaded l;
	FILE *there = NULL;

	for (int i = 0; i < 4 && !there; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, inputs[i]);
		there = fopen(path, "rb");
	}
	ck_assert_msg(there != NULL, "no input in %s", folder);
	fclose(there);
	loaded_file(&l, path, NULL);
	ck_assert_msg((l.status == TN_OK) == (l.diags.errors == 0),
		"%s: status %d, %zu errors", folder, (int)l.status, l.diags.errors);
	ck_assert_msg(l.diags.list.count > 0, "%s: nothing was found", folder);
	snprintf(path, sizeof(path), "%s/expected.txt", folder);
	same_as_golden(path, loaded_report(&l));
	loaded_release(&l);
}

/* Each folder holds an input and the report that it must give. */
START_TEST(wrong_files_are_refused)
{
	ck_assert_int_ge(each_folder(tn_test_path("fixtures/invalid"), is_refused), 50);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("import");
	TCase *tc = tcase_create("sniff");

	tcase_add_loop_test(
		tc, samples_are_told_apart, 0, (int)(sizeof(samples) / sizeof(*samples)));
	tcase_add_loop_test(tc, refusals_say_what_it_is, 0,
		(int)(sizeof(refusals) / sizeof(*refusals)));
	tcase_add_loop_test(tc, nodes_survive_odd_operands, 0, (int)COUNT(onnx_types));
	tcase_add_test(tc, open_dimensions_are_bound);
	tcase_add_loop_test(tc, no_size_goes_without_report, 0, (int)COUNT(dimensions));
	tcase_add_loop_test(tc, sizes_are_computed, 0, (int)COUNT(expressions));
	tcase_add_test(tc, wrong_files_are_refused);
	suite_add_tcase(s, tc);
	return s;
}
