/* Graphs of other frameworks: each fixture gives the native graph beside it, and so do the
 * public samples, as far as numbers tell. */
#include "suite.h"

#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "export/native.h"
#include "import/import.h"
#include "ir/op.h"
#include "loaded.h"

/* What the samples leave open. */
static const struct tn_import_dim dims[] = { { "N", 1 }, { "batch", 1 }, { "s0", 2 } };
static const struct tn_import_shape shapes[] = {
	{ "data", { .rank = 4, .dim = { 1, 3, 224, 224 } } },
};

static void load_sample(struct loaded *l, const char *path)
{
	struct tn_import im;

	loaded_file(l, path, NULL);
	im = (struct tn_import){ .arena = &l->arena,
		.strings = &l->strings,
		.diags = &l->diags,
		.source = l->source,
		.dims = dims,
		.n_dims = 3,
		.shapes = shapes,
		.n_shapes = strstr(path, "mxnet") ? 1 : 0 };
	tn_diags_init(&l->diags, &l->run);
	l->status = tn_import(&im, &l->graph);
}

static char *native_text(const struct tn_graph *g, struct tn_strbuf *out)
{
	tn_strbuf_init(out);
	ck_assert_int_eq(tn_export_native(g, NULL, NULL, out), TN_OK);
	return out->text;
}

static void gives_its_native_graph(const char *path)
{
	const char *name = strrchr(path, '/') + 1;
	struct tn_strbuf once, twice;
	struct loaded l, m;

	load_sample(&l, path);
	loaded_ok(&l, name);
	ck_assert_int_eq(l.graph.format, FORMAT_FOREIGN);
	loaded_native_golden(&l, path, &once);
	loaded_bytes(&m, "native", once.text, once.len, NULL);
	loaded_ok(&m, name);
	ck_assert_str_eq(once.text, native_text(&m.graph, &twice));
	tn_strbuf_release(&once);
	tn_strbuf_release(&twice);
	loaded_release(&l);
	loaded_release(&m);
}

START_TEST(fixtures_give_native_graphs)
{
	ck_assert_int_ge(
		each_file(tn_test_path("fixtures/foreign"), "", gives_its_native_graph),
		49);
}
END_TEST

/* Files that say the same in two spellings. */
static const struct {
	const char *a, *b;
} same[] = {
	{ "onnx_choice.json", "onnx_choice.onnx" },
	{ "onnx_constants.json", "onnx_constants.onnx" },
	{ "onnx_function.json", "onnx_function.onnx" },
	{ "onnx_loop.json", "onnx_loop_snake.json" },
	{ "onnx_overload.json", "onnx_overload.onnx" },
	{ "onnx_qdq.json", "onnx_qdq_snake.json" },
	{ "xla.json", "xla_snake.json" },
	{ "xla_in_place.json", "xla_in_place_snake.json" },
};

START_TEST(spellings_give_one_graph)
{
	struct tn_strbuf a, b;
	struct loaded l, m;
	char path[256];

	snprintf(path, sizeof(path), "fixtures/foreign/%s", same[_i].a);
	loaded_file(&l, tn_test_path(path), NULL);
	loaded_ok(&l, path);
	snprintf(path, sizeof(path), "fixtures/foreign/%s", same[_i].b);
	loaded_file(&m, tn_test_path(path), NULL);
	loaded_ok(&m, path);
	ck_assert_str_eq(native_text(&l.graph, &a), native_text(&m.graph, &b));
	tn_strbuf_release(&a);
	tn_strbuf_release(&b);
	loaded_release(&l);
	loaded_release(&m);
}
END_TEST

static const struct {
	const char *file; /* under ../shared/formats/samples */
	uint32_t tensors, ops, unknown, claims;
	const char *report; /* the start of it when the file is refused */
} samples[] = {
	{ "executorch/ModuleLinear_no_constant_segment.defaults.json", 5, 2, 0, 1, NULL },
	{ "executorch/arduino_AddModel.defaults.json", 3, 1, 0, 1, NULL },
	{ "executorch/arduino_AddModel.nodefaults.json", 3, 1, 0, 1, NULL },
	{ "model_explorer/coco-ssd_first60nodes.json", 0, 0, 0, 0,
		"error /graphs/0/nodes/0/outputsMetadata/0: dimension 1 of " },
	{ "model_explorer/test_graph_original.json", 0, 0, 0, 0,
		"error /graphs/0/nodes: no node says what its outputs are" },
	{ "mxnet/squeezenet_v1.2-symbol.json", 114, 59, 0, 0, NULL },
	{ "onnx/if_loop_camel.json", 9, 3, 0, 0, NULL },
	{ "onnx/if_loop_snake.json", 9, 3, 0, 0, NULL },
	{ "onnx/lstm_function_optional_io.json", 12, 5, 1, 0, NULL },
	{ "onnx/qdq_conv_camel.json", 19, 6, 0, 0, NULL },
	{ "onnx/qdq_conv_defaults_enumints.json", 19, 6, 0, 0, NULL },
	{ "onnx/qdq_conv_snake.json", 19, 6, 0, 0, NULL },
	{ "onnx/qlinearconv.json", 15, 5, 0, 0, NULL },
	{ "onnx/real_light_shufflenet.json", 728, 203, 0, 0, NULL },
	{ "onnx/real_light_squeezenet.json", 161, 68, 1, 0, NULL },
	{ "onnx/real_onnx2c_mnist_cntk.json", 21, 12, 0, 0, NULL },
	{ "onnx/real_tfl_helloworld.json", 15, 8, 0, 0, NULL },
	{ "openvino/ir_frontend_test_add.xml", 4, 1, 0, 0, NULL },
	{ "st_cubeai/sww_model_strm_ww_int8.tflite_c_info.json", 39, 10, 0, 2, NULL },
	{ "st_cubeai/sww_model_strm_ww_int8.tflite_c_graph.json", 0, 0, 0, 0,
		"error: this is an ST Edge AI report without buffers" },
	{ "st_cubeai/sww_model_strm_ww_int8.tflite_report.json", 0, 0, 0, 0,
		"error: this is an ST Edge AI report without buffers" },
	{ "tensorrt/mobilenet.qat.onnx.engine.graph.json", 74, 73, 72, 0, NULL },
	{ "tensorrt/resnet-qat.onnx.engine.graph.json", 38, 37, 35, 0, NULL },
	{ "tensorrt/resnet.onnx.engine.graph.json", 37, 36, 25, 0, NULL },
	{ "torch_export/emulated_conv_bn_fc_buffer_mutation.json", 24, 10, 1, 0, NULL },
	{ "torch_export/emulated_nonfunctional_inplace_views.json", 6, 2, 0, 0, NULL },
	{ "torch_export/nn_rust_importer_test_buffer_mutation.json", 0, 0, 0, 0,
		"error /graph_module/signature/output_specs/0/buffer_mutation/arg: there "
		"is no " },
	{ "torch_export/pnnx_test_linear_dynamic_batch.json", 3, 1, 0, 0, NULL },
	{ "tvm/crt_graph_executor_test_fused_add.json", 3, 1, 1, 1, NULL },
	{ "tvm/squeezenet_deploy_graph.json", 101, 48, 48, 1, NULL },
	{ "xla/profile_demo.memory_viewer.hloproto.json", 2, 2, 2, 1, NULL },
	{ "xla/synthetic_kv_cache_alias.hloproto.json", 6, 2, 1, 2, NULL },
};

START_TEST(samples_are_read)
{
	char name[256];
	const char *path;
	struct loaded l;
	uint32_t unknown = 0;

	snprintf(name, sizeof(name), "formats/samples/%s", samples[_i].file);
	path = tn_test_shared(name);
	if (!path)
		return;
	load_sample(&l, path);
	if (samples[_i].report) {
		ck_assert_int_eq(l.status, TN_ERR_INPUT);
		ck_assert_msg(strncmp(loaded_report(&l), samples[_i].report,
				      strlen(samples[_i].report)) == 0,
			"%s: %s", name, loaded_report(&l));
		loaded_release(&l);
		return;
	}
	loaded_ok(&l, name);
	for (uint32_t i = 0; i < l.graph.n_ops; i++)
		unknown += l.graph.ops[i].kind == OP_UNKNOWN;
	ck_assert_msg(l.graph.n_tensors == samples[_i].tensors &&
			      l.graph.n_ops == samples[_i].ops &&
			      unknown == samples[_i].unknown &&
			      l.graph.n_claims == samples[_i].claims,
		"%s: %u tensors, %u ops, %u unknown, %u claims", name, l.graph.n_tensors,
		l.graph.n_ops, unknown, l.graph.n_claims);
	loaded_release(&l);
}
END_TEST

/* A shape without bounds is what --shape says, or an error. */
START_TEST(shapes_without_bounds_are_given)
{
	static const char text[] =
		"{\"execution_plan\": [{\"name\": \"f\", \"values\": [{\"val_type\": "
		"\"Tensor\", \"val\": {\"scalar_type\": \"FLOAT\", \"sizes\": [3], "
		"\"shape_dynamism\": \"DYNAMIC_UNBOUND\"}}], \"inputs\": [0], "
		"\"outputs\": [0], \"chains\": [], \"non_const_buffer_sizes\": [0]}]}";
	static const struct tn_import_shape given = { "value 0",
		{ .rank = 2, .dim = { 4, 5 } } };
	struct loaded l;
	struct tn_import im;

	loaded_bytes(&l, "x", text, sizeof(text) - 1, NULL);
	ck_assert_int_eq(l.status, TN_ERR_INPUT);
	im = (struct tn_import){ .arena = &l.arena,
		.strings = &l.strings,
		.diags = &l.diags,
		.source = l.source,
		.shapes = &given,
		.n_shapes = 1 };
	tn_diags_init(&l.diags, &l.run);
	ck_assert_int_eq(tn_import(&im, &l.graph), TN_OK);
	ck_assert_int_eq(l.graph.tensors[0].bytes, 80);
	loaded_release(&l);
}
END_TEST

#define COUNT(list) ((int)(sizeof(list) / sizeof(*(list))))

/* ---- what a layer of OpenVINO says of itself ---- */

#define IMAGE	  "<dim>1</dim><dim>3</dim><dim>9</dim><dim>9</dim>"
#define SQUARE	  "<dim>3</dim><dim>3</dim>"
#define MATRIX	  "<dim>3</dim><dim>5</dim>"
#define SLOPE	  "<dim>3</dim>"
#define ONE_SLOPE "<dim>1</dim>"

/* The type and the attributes of the op, as a native graph has them. */
static const struct {
	const char *type, *data, *x, *z, *y, *want;
} layers[] = {
	{ "MatMul", "", SQUARE, SQUARE, SQUARE, "BATCH_MATMUL" },
	{ "MatMul", "transpose_a='false' transpose_b='0'", SQUARE, SQUARE, SQUARE,
		"BATCH_MATMUL" },
	{ "MatMul", "transpose_a='true'", SQUARE, SQUARE, SQUARE,
		"BATCH_MATMUL adj_x=true" },
	{ "MatMul", "transpose_a='false' transpose_b='true'", SQUARE, MATRIX, SQUARE,
		"BATCH_MATMUL adj_y=true" },
	{ "MatMul", "transpose_a='1' transpose_b='1'", SQUARE, SQUARE, SQUARE,
		"BATCH_MATMUL adj_x=true adj_y=true" },
	{ "MatMul", "transpose_b='yes'", SQUARE, SQUARE, SQUARE, "UNKNOWN" },
	{ "Elu", "alpha='1'", IMAGE, NULL, IMAGE, "ELU alpha=1" },
	{ "Elu", "alpha='0.5'", IMAGE, NULL, IMAGE, "ELU alpha=0.5" },
	{ "Elu", "", IMAGE, NULL, IMAGE, "UNKNOWN" },
	{ "Elu", "alpha='half'", IMAGE, NULL, IMAGE, "UNKNOWN" },
	{ "Clamp", "min='-1' max='2.5'", IMAGE, NULL, IMAGE, "CLIP min=-1 max=2.5" },
	{ "Add", "auto_broadcast='numpy'", IMAGE, IMAGE, IMAGE, "ADD" },
	{ "Add", "auto_broadcast='pdpd'", IMAGE, IMAGE, IMAGE, "UNKNOWN" },
	{ "Divide", "m_pythondiv='true'", IMAGE, IMAGE, IMAGE, "DIV" },
	{ "Divide i32", "", IMAGE, IMAGE, IMAGE, "FLOOR_DIV" },
	{ "Divide i32", "m_pythondiv='false'", IMAGE, IMAGE, IMAGE, "DIV" },
	{ "Divide i32", "m_pythondiv='2'", IMAGE, IMAGE, IMAGE, "UNKNOWN" },
	{ "PReLU", "", IMAGE, ONE_SLOPE, IMAGE, "PRELU" },
	{ "PReLU", "", MATRIX, "<dim>5</dim>", MATRIX, "PRELU" },
	{ "PReLU", "", IMAGE, SLOPE, IMAGE, "UNKNOWN" },
	{ "Gather", "", IMAGE, SLOPE, IMAGE, "UNKNOWN" },
	{ "BatchNormInference", "epsilon='small'", IMAGE, NULL, IMAGE, "UNKNOWN" },
	{ "AvgPool",
		"kernel='3,3' strides='2,2' pads_begin='1,1' pads_end='0,0' "
		"exclude-pad='true' rounding_type='floor' auto_pad='explicit'",
		IMAGE, NULL, IMAGE,
		"AVERAGE_POOL_2D stride=[2,2] kernel=[3,3] pad=[1,1,0,0] layout=NCHW" },
	{ "AvgPool",
		"kernel='3,3' strides='2,2' pads_begin='1,0' pads_end='2,3' "
		"exclude-pad='false'",
		IMAGE, NULL, IMAGE,
		"AVERAGE_POOL_2D stride=[2,2] kernel=[3,3] pad=[1,0,2,3] "
		"count_include_pad=1 layout=NCHW" },
	{ "AvgPool", "kernel='3,3' exclude-pad='sometimes'", IMAGE, NULL, IMAGE,
		"UNKNOWN" },
	{ "MaxPool", "kernel='3,3' dilations='2,2' rounding_type='ceil'", IMAGE, NULL,
		IMAGE,
		"MAX_POOL_2D dilation=[2,2] kernel=[3,3] ceil_mode=1 layout=NCHW" },
	{ "MaxPool", "kernel='3,3' rounding_type='ceil_torch' auto_pad='valid'", IMAGE,
		NULL, IMAGE,
		"MAX_POOL_2D kernel=[3,3] auto_pad=VALID ceil_mode=1 layout=NCHW" },
	{ "MaxPool", "kernel='3,3' auto_pad='same_upper'", IMAGE, NULL, IMAGE,
		"MAX_POOL_2D kernel=[3,3] auto_pad=SAME_UPPER layout=NCHW" },
	{ "MaxPool", "kernel='3,3' auto_pad='same_lower'", IMAGE, NULL, IMAGE,
		"MAX_POOL_2D kernel=[3,3] auto_pad=SAME_LOWER layout=NCHW" },
	{ "MaxPool", "kernel='3,3' auto_pad='same'", IMAGE, NULL, IMAGE, "UNKNOWN" },
	{ "MaxPool", "kernel='3,3' rounding_type='up'", IMAGE, NULL, IMAGE, "UNKNOWN" },
	{ "MaxPool", "kernel='3,3' pads_begin='1,1'", IMAGE, NULL, IMAGE, "UNKNOWN" },
	{ "MaxPool", "kernel='3,3' pads_begin='a' pads_end='b'", IMAGE, NULL, IMAGE,
		"UNKNOWN" },
	{ "MaxPool", "kernel='3.5'", IMAGE, NULL, IMAGE, "UNKNOWN" },
};

static void put_port(
	struct tn_strbuf *out, const char *id, const char *shape, const char *type)
{
	tn_strbuf_printf(out, "<port id='%s' precision='%s'>%s</port>", id, type, shape);
}

static void put_input(struct tn_strbuf *out, int id, const char *shape, const char *type)
{
	if (!shape)
		return;
	tn_strbuf_printf(
		out, "<layer id='%d' name='in%d' type='Parameter'><output>", id, id);
	put_port(out, "0", shape, type);
	tn_strbuf_puts(out, "</output></layer>");
}

static void put_net(struct tn_strbuf *out, int i)
{
	const bool whole = strstr(layers[i].type, " i32") != NULL;
	const char *type = whole ? "I32" : "FP32";

	tn_strbuf_puts(out, "<net name='n' version='11'><layers>");
	put_input(out, 0, layers[i].x, type);
	put_input(out, 1, layers[i].z, type);
	tn_strbuf_printf(out,
		"<layer id='2' name='op' type='%.*s' version='opset5'><data %s/><input>",
		(int)strcspn(layers[i].type, " "), layers[i].type, layers[i].data);
	put_port(out, "0", layers[i].x, type);
	if (layers[i].z)
		put_port(out, "1", layers[i].z, type);
	tn_strbuf_puts(out, "</input><output>");
	put_port(out, "2", layers[i].y, type);
	tn_strbuf_puts(out,
		"</output></layer><layer id='3' name='r' type='Result'><input>"
		"<port id='0'/></input></layer></layers><edges><edge from-layer='0' "
		"from-port='0' to-layer='2' to-port='0'/>");
	if (layers[i].z)
		tn_strbuf_puts(out, "<edge from-layer='1' from-port='0' to-layer='2' "
				    "to-port='1'/>");
	tn_strbuf_puts(out, "<edge from-layer='2' from-port='2' to-layer='3' "
			    "to-port='0'/></edges></net>");
}

static void say_attribute(struct tn_strbuf *out, const struct tn_attr *a)
{
	tn_strbuf_printf(out, " %s=", a->name);
	switch (a->kind) {
	case ATTR_INT:
		tn_strbuf_printf(out, "%lld", (long long)a->v.i);
		break;
	case ATTR_BOOL:
		tn_strbuf_puts(out, a->v.i ? "true" : "false");
		break;
	case ATTR_FLOAT:
		tn_strbuf_printf(out, "%g", a->v.f);
		break;
	case ATTR_STRING:
		tn_strbuf_puts(out, a->v.s);
		break;
	case ATTR_INTS:
		for (size_t i = 0; i < a->n; i++)
			tn_strbuf_printf(
				out, "%s%lld", i ? "," : "[", (long long)a->v.ints[i]);
		tn_strbuf_puts(out, "]");
		break;
	default:
		ck_abort_msg("an attribute of another kind: %s", a->name);
	}
}

START_TEST(what_a_layer_says)
{
	struct tn_strbuf text, got;
	const struct tn_op *op;
	struct loaded l;

	tn_strbuf_init(&text);
	tn_strbuf_init(&got);
	put_net(&text, _i);
	loaded_bytes(&l, "x", text.text, text.len, "openvino");
	ck_assert_msg(l.graph.n_ops == 1, "%s: %s", layers[_i].type, loaded_report(&l));
	op = &l.graph.ops[0];
	tn_strbuf_puts(
		&got, op->kind == OP_UNKNOWN ? "UNKNOWN" : tn_op_info(op->kind)->name);
	for (uint32_t i = 0; i < op->n_attrs && op->kind != OP_UNKNOWN; i++)
		say_attribute(&got, &op->attrs[i]);
	ck_assert_str_eq(got.text, layers[_i].want);
	tn_strbuf_release(&text);
	tn_strbuf_release(&got);
	loaded_release(&l);
}
END_TEST

/* Softmax along the last dimension is known, and no other. */
static const struct {
	const char *format, *type, *attrs, *shape;
	enum tn_op_kind kind;
} softmaxes[] = {
	{ "tvm", "softmax", "", "[1,3,4]", OP_SOFTMAX },
	{ "tvm", "softmax", "\"axis\":\"-1\"", "[1,3,4]", OP_SOFTMAX },
	{ "tvm", "softmax", "\"axis\":\"2\"", "[1,3,4]", OP_SOFTMAX },
	{ "tvm", "softmax", "\"axis\":\"1\"", "[1,3,4]", OP_UNKNOWN },
	{ "tvm", "log_softmax", "\"axis\":\"1\"", "[1,3,4]", OP_UNKNOWN },
	{ "tvm", "log_softmax", "\"axis\":\"1\"", "[1,4]", OP_LOG_SOFTMAX },
	{ "mxnet", "softmax", "\"axis\":\"0\"", "[4,4]", OP_UNKNOWN },
	{ "mxnet", "softmax", "\"temperature\":\"None\"", "[4,4]", OP_SOFTMAX },
	{ "mxnet", "softmax", "\"temperature\":\"1.0\"", "[4,4]", OP_SOFTMAX },
	{ "mxnet", "softmax", "\"temperature\":\"2.0\"", "[4,4]", OP_UNKNOWN },
	{ "mxnet", "SoftmaxActivation", "\"mode\":\"channel\"", "[2,4]", OP_SOFTMAX },
	{ "mxnet", "SoftmaxActivation", "\"mode\":\"channel\"", "[2,4,4,4]", OP_UNKNOWN },
	{ "mxnet", "SoftmaxActivation", "", "[2,4,4]", OP_UNKNOWN },
	{ "mxnet", "SoftmaxOutput", "\"multi_output\":\"True\"", "[2,4,4]", OP_UNKNOWN },
};

START_TEST(a_softmax_by_rows)
{
	struct tn_strbuf text;
	struct loaded l;

	tn_strbuf_init(&text);
	tn_strbuf_printf(&text,
		"{\"nodes\":[{\"op\":\"null\",\"name\":\"x\",\"inputs\":[]},{\"op\":"
		"\"%s\",\"name\":\"y\",\"attrs\":{%s},\"inputs\":[[0,0,0]]}],"
		"\"arg_nodes\":[0],\"heads\":[[1,0,0]],\"node_row_ptr\":[0,1,2],"
		"\"attrs\":{\"shape\":[\"list_shape\",[%s,%s]],\"dltype\":[\"list_str\","
		"[\"float32\",\"float32\"]]}}",
		softmaxes[_i].type, softmaxes[_i].attrs, softmaxes[_i].shape,
		softmaxes[_i].shape);
	loaded_bytes(&l, "x", text.text, text.len, softmaxes[_i].format);
	loaded_ok(&l, text.text);
	ck_assert_uint_eq(l.graph.n_ops, 1);
	ck_assert_int_eq(l.graph.ops[0].kind, softmaxes[_i].kind);
	tn_strbuf_release(&text);
	loaded_release(&l);
}
END_TEST

Suite *tn_test_suite(void)
{
	Suite *s = suite_create("foreign");
	TCase *tc = tcase_create("read");

	tcase_add_test(tc, fixtures_give_native_graphs);
	tcase_add_loop_test(tc, spellings_give_one_graph, 0, COUNT(same));
	tcase_add_test(tc, shapes_without_bounds_are_given);
	tcase_add_loop_test(tc, samples_are_read, 0, COUNT(samples));
	tcase_add_loop_test(tc, what_a_layer_says, 0, COUNT(layers));
	tcase_add_loop_test(tc, a_softmax_by_rows, 0, COUNT(softmaxes));
	suite_add_tcase(s, tc);
	return s;
}
