#include "suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
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

/* A file of another tool, the first of a text in it replaced, and what is then said, among other
 * things. */
static const struct {
	const char *file, *format; /* under fixtures */
	const char *old, *new;
	const char *report; /* a line of it */
} changes[] = {
	{ "foreign/executorch.json", "executorch-json", "\"memory_id\": 1",
		"\"memory_id\": 0",
		"error /execution_plan/0/values/0/val/allocation_info: memory_id 0 is no "
		"planned memory: they count from 1 [executorch/value]\n" },
	{ "foreign/tvm_type_flags.json", "mxnet", "    5,\n    4,", "    5,\n    99,",
		"error /attrs/dtype/1/1: 99 is not a known element type "
		"[graph/dtype]\n" },
	{ "foreign/tvm_type_flags.json", "mxnet", "    5,\n    4,", "    5,\n    -1,",
		"error /attrs/dtype/1/1: -1 is not a known element type "
		"[graph/dtype]\n" },
	{ "invalid/onnx-constants/input.json", "onnx-json", "\"AAAA\"", "\"AAA\"",
		"error /graph/initializer/0/rawData: the length of base64 is a multiple "
		"of 4, not 3 [onnx/data]\n" },
	{ "invalid/onnx-constants/input.json", "onnx-json", "\"elemType\": 1",
		"\"elemType\": 99",
		"error /graph/input/0/type/tensorType: 99 is not a known element type "
		"[graph/dtype]\n" },
	{ "invalid/onnx-constants/input.json", "onnx-json", "\"dim\": [",
		"\"dim\": [{}, {}, {}, {}, {}, {}, {}, {},",
		"error /graph/input/0/type/tensorType/shape/dim: 9 dimensions are more "
		"than 8 [graph/rank]\n" },
	{ "foreign/st.json", "st-cubeai", "\"axis\": 3, \"scales\": [0.1, 0.2, 0.3]",
		"\"axis\": 4, \"scales\": [0.1, 0.2, 0.3, 0.4]",
		"error /buffers/4/intq: 4 scales and 3 offsets [st/value]\n" },
	{ "foreign/st.json", "st-cubeai",
		"\"axis\": 3, \"scales\": [0.1, 0.2, 0.3], \"offsets\": [0, 0, 0]",
		"\"axis\": 4, \"scales\": [0.1, 0.2, 0.3, 0.4], \"offsets\": []",
		"error /buffers/4/intq: the axis of 4 scales leads out of 4 dimensions "
		"[st/value]\n" },
	{ "models/small_cnn.strict.json", "tflite-json", "0.007812", "\"half\"",
		"error /subgraphs/0/tensors/0/quantization/scale/0: expected a number, "
		"found a string [tflite/type]\n" },
	{ "foreign/torch_one_line.json", "torch-export", "\"sizes\": [{\"as_int\": 2}",
		"\"sizes\": [{}, {}, {}, {}, {}, {}, {}, {\"as_int\": 2}",
		"error /graph_module/graph/tensor_values/x/sizes: 9 dimensions are more "
		"than 8 [graph/rank]\n" },
	{ "foreign/xla.json", "xla", "\"21\",\n       \"21\"", "\"30\"",
		"error /hloModule/computations/1/instructions/3/operandIds/0: the "
		"operand "
		"belongs to another computation [xla/value]\n" },
};

/* The bytes of the file, NUL-terminated, in the buffer. */
static void read_whole(const char *path, char *text, size_t size)
{
	FILE *f = fopen(path, "rb");
	size_t n;

	ck_assert_msg(f != NULL, "%s cannot be read", path);
	n = fread(text, 1, size, f);
	fclose(f);
	ck_assert_msg(n < size, "%s is longer than %zu bytes", path, size);
	text[n] = '\0';
}

static void is_said(struct loaded *l, const char *what, const char *line)
{
	const char *report = loaded_report(l), *at = strstr(report, line);

	ck_assert_msg(l->status == TN_ERR_INPUT, "%s: status %d", what, (int)l->status);
	ck_assert_msg(at && (at == report || at[-1] == '\n'), "%s: wanted %sfound %s",
		what, line, report);
}

START_TEST(changed_values_are_refused)
{
	static char text[1 << 16];
	char name[256];
	struct tn_strbuf changed;
	struct loaded l;
	char *at;

	snprintf(name, sizeof(name), "fixtures/%s", changes[_i].file);
	read_whole(tn_test_path(name), text, sizeof(text));
	at = strstr(text, changes[_i].old);
	ck_assert_msg(at != NULL, "%s has no %s", name, changes[_i].old);
	tn_strbuf_init(&changed);
	tn_strbuf_add(&changed, text, (size_t)(at - text));
	tn_strbuf_puts(&changed, changes[_i].new);
	tn_strbuf_puts(&changed, at + strlen(changes[_i].old));
	loaded_bytes(&l, name, changed.text, changed.len, changes[_i].format);
	is_said(&l, name, changes[_i].report);
	loaded_release(&l);
	tn_strbuf_release(&changed);
}
END_TEST

static void repeat(struct tn_strbuf *out, const char *text, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		tn_strbuf_printf(out, "%s%s", i ? ", " : "", text);
}

/* `n` functions that each call the next one so often, and one more that has these nodes. */
static void write_calls(
	struct tn_strbuf *out, uint32_t n, uint32_t times, const char *nodes)
{
	char call[64];

	tn_strbuf_puts(
		out, "{\"opsetImport\": [{\"version\": \"13\"}], \"functions\": [");
	for (uint32_t i = 0; i < n; i++) {
		snprintf(call, sizeof(call), "{\"opType\": \"f%" PRIu32 "\"}", i + 1);
		tn_strbuf_printf(out, "{\"name\": \"f%" PRIu32 "\", \"node\": [", i);
		repeat(out, call, times);
		tn_strbuf_puts(out, "]}, ");
	}
	tn_strbuf_printf(out,
		"{\"name\": \"f%" PRIu32 "\", \"node\": [%s]}], \"graph\": "
		"{\"node\": [{\"opType\": \"f0\"}], \"input\": [], \"output\": []}}",
		n, nodes);
}

static void deep_bodies(struct tn_strbuf *out)
{
	write_calls(out, 15, 1,
		"{\"opType\": \"If\", \"attribute\": [{\"name\": \"then_branch\", "
		"\"type\": \"GRAPH\", \"g\": {\"node\": []}}]}");
}

static void deep_calls(struct tn_strbuf *out)
{
	write_calls(out, 17, 1, "");
}

static void many_calls(struct tn_strbuf *out)
{
	write_calls(out, 4, 64, "");
}

/* A node of many operands, 32 x 32 x 32 times. */
static void many_operands(struct tn_strbuf *out)
{
	struct tn_strbuf node;

	tn_strbuf_init(&node);
	tn_strbuf_puts(&node, "{\"opType\": \"Odd\", \"input\": [");
	repeat(&node, "\"\"", 300);
	tn_strbuf_puts(&node, "]}");
	write_calls(out, 3, 32, node.text);
	tn_strbuf_release(&node);
}

/* Two nodes, of whose last possible outputs a third reads. */
static void many_outputs(struct tn_strbuf *out)
{
	tn_strbuf_puts(out,
		"{\"nodes\": [{\"op\": \"null\", \"name\": \"a\", \"inputs\": []}, "
		"{\"op\": \"null\", \"name\": \"b\", \"inputs\": []}, "
		"{\"op\": \"relu\", \"name\": \"y\", \"inputs\": [[0, 4095, 0], "
		"[1, 4095, 0]]}], \"arg_nodes\": [0, 1], \"heads\": [[2, 0, 0]]}");
}

/* An array, a tuple of it 64 times, one of that, and so on. */
static void many_leaves(struct tn_strbuf *out)
{
	char id[16];

	tn_strbuf_puts(out,
		"{\"hloModule\": {\"name\": \"m\", \"entryComputationId\": \"1\", "
		"\"computations\": [{\"name\": \"main\", \"id\": \"1\", \"rootId\": "
		"\"5\", \"instructions\": [{\"name\": \"x\", \"opcode\": \"parameter\", "
		"\"id\": \"1\", \"shape\": {\"elementType\": \"F32\"}}");
	for (int i = 1; i < 5; i++) {
		tn_strbuf_printf(out,
			", {\"name\": \"t%d\", \"opcode\": \"tuple\", \"id\": \"%d\", "
			"\"operandIds\": [",
			i, i + 1);
		snprintf(id, sizeof(id), "\"%d\"", i);
		repeat(out, id, 64);
		tn_strbuf_puts(out, "]}");
	}
	tn_strbuf_puts(out, "]}]}}");
}

/* Small files that would make a graph without end, each with where that ends. */
static const struct {
	void (*write)(struct tn_strbuf *out);
	const char *format, *report; /* a line of it */
} endless[] = {
	{ deep_bodies, "onnx-json",
		"error /functions/15/node/0/attribute/0/g: the bodies are nested too "
		"deep "
		"[onnx/value]\n" },
	{ deep_calls, "onnx-json",
		"error /functions/15/node/0: the calls of functions are nested too deep "
		"[onnx/value]\n" },
	{ many_calls, "onnx-json",
		"error /functions/3/node/62: the functions' calls make too many nodes "
		"[onnx/value]\n" },
	{ many_operands, "onnx-json",
		"error /functions/3/node/0: the functions' calls name too many operands "
		"[onnx/value]\n" },
	{ many_outputs, "mxnet",
		"error /nodes: the nodes have too many outputs [nnvm/value]\n" },
	{ many_leaves, "xla",
		"error /hloModule/computations/0/instructions/4: the tuples hold too "
		"many arrays [xla/value]\n" },
};

START_TEST(endless_files_end)
{
	struct tn_strbuf text;
	struct loaded l;

	tn_strbuf_init(&text);
	endless[_i].write(&text);
	loaded_bytes(&l, "x", text.text, text.len, endless[_i].format);
	is_said(&l, endless[_i].format, endless[_i].report);
	loaded_release(&l);
	tn_strbuf_release(&text);
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
	tcase_add_loop_test(tc, changed_values_are_refused, 0, (int)COUNT(changes));
	suite_add_tcase(s, tc);
	tc = tcase_create("endless");
	tcase_set_timeout(tc, 120); /* a million of calls */
	tcase_add_loop_test(tc, endless_files_end, 0, (int)COUNT(endless));
	suite_add_tcase(s, tc);
	return s;
}
