#include "import/formats.h"

#include <string.h>

#include "base/banned.h"

#define AS_TFLITE "convert the model to .tflite (tf.lite.TFLiteConverter) and read that"
#define AS_ONNX	  "export the model (torch.onnx.export) and read the .onnx file"
#define AS_HLO                                                                           \
	"compile with XLA_FLAGS='--xla_dump_to=DIR --xla_dump_hlo_as_proto' and read "   \
	"the HloProto as protobuf's JSON (MessageToJson)"

static const struct tn_format formats[IMPORT_NONE] = {
	[IMPORT_NATIVE] = { "native", "a tenure graph", tn_import_native, NULL },
	[IMPORT_TFLITE] = { "tflite", "a TensorFlow Lite model", tn_import_tflite, NULL },
	[IMPORT_TFLITE_JSON] = { "tflite-json",
		"a TensorFlow Lite model as flatc writes it in JSON",
		tn_import_tflite_json, NULL },
	[IMPORT_ONNX] = { "onnx", "an ONNX model", tn_import_onnx, NULL },
	[IMPORT_ONNX_JSON] = { "onnx-json", "an ONNX model in JSON", tn_import_onnx_json,
		NULL },
	[IMPORT_EXECUTORCH] = { "executorch", "an ExecuTorch program", NULL,
		"write it as JSON with flatc and ExecuTorch's program.fbs" },
	[IMPORT_EXECUTORCH_JSON] = { "executorch-json", "an ExecuTorch program in JSON",
		tn_import_executorch, NULL },
	[IMPORT_TORCH_EXPORT] = { "torch-export", "a PyTorch export",
		tn_import_torch_export, NULL },
	[IMPORT_TVM] = { "tvm", "a TVM graph executor's graph", tn_import_tvm, NULL },
	[IMPORT_MXNET] = { "mxnet", "an MXNet or NNVM symbol", tn_import_tvm, NULL },
	[IMPORT_XLA] = { "xla", "an XLA HLO module", tn_import_xla, NULL },
	[IMPORT_TENSORRT] = { "tensorrt", "TensorRT layer information",
		tn_import_tensorrt, NULL },
	[IMPORT_TENSORRT_PROFILE] = { "tensorrt-profile", "a TensorRT profile", NULL,
		"read the layer information of the same engine (--exportLayerInfo)" },
	[IMPORT_ST_CUBEAI] = { "st-cubeai",
		"an ST Edge AI network with its buffers (c_info)", tn_import_st_cubeai,
		NULL },
	[IMPORT_ST_REPORT] = { "st-report", "an ST Edge AI report without buffers", NULL,
		"read the c_info.json beside it" },
	[IMPORT_MODEL_EXPLORER] = { "model-explorer", "a Model Explorer graph",
		tn_import_model_explorer, NULL },
	[IMPORT_OVERLAY] = { "node-data", "Model Explorer's data on nodes", NULL,
		"read the graph that it is shown on" },
	[IMPORT_KERAS] = { "keras", "a Keras model's layers", NULL, AS_TFLITE },
	[IMPORT_KERAS_ZIP] = { "keras-zip", "a Keras model (.keras)", NULL, AS_TFLITE },
	[IMPORT_TFJS] = { "tfjs", "a TensorFlow.js model", NULL,
		"convert the model that it was made from to .tflite and read that" },
	[IMPORT_TINYENGINE] = { "tinyengine", "a TinyEngine graph", NULL,
		"read the .tflite model that it was made from" },
	[IMPORT_OPENVINO] = { "openvino", "an OpenVINO network", tn_import_openvino,
		NULL },
	[IMPORT_HDF5] = { "hdf5", "an HDF5 file, as Keras writes", NULL, AS_TFLITE },
	[IMPORT_PT2] = { "pt2", "a PyTorch archive (.pt2)", NULL,
		"take the export out of it: unzip -p FILE '*/models/*.json' > model.json "
		"(before PyTorch 2.8: serialized_exported_program.json)" },
	[IMPORT_ZIP] = { "zip", "a zip archive", NULL,
		"take the model out of it and read that" },
	[IMPORT_TORCH] = { "torch", "a PyTorch file (.pt, .pth)", NULL, AS_ONNX },
	[IMPORT_PICKLE] = { "pickle", "a Python pickle, as PyTorch once wrote", NULL,
		AS_ONNX },
	[IMPORT_SAFETENSORS] = { "safetensors", "a file of weights without a graph", NULL,
		AS_ONNX },
	[IMPORT_GGUF] = { "gguf", "a file of weights without a graph", NULL,
		"read the .tflite or .onnx file of the model" },
	[IMPORT_SAVED_MODEL] = { "saved-model", "a TensorFlow SavedModel", NULL,
		AS_TFLITE },
	[IMPORT_GRAPH_DEF] = { "graph-def", "a TensorFlow graph (.pb)", NULL, AS_TFLITE },
	[IMPORT_CORE_ML] = { "core-ml", "a Core ML model", NULL,
		"read the .tflite or .onnx file of the model that it was made from" },
	[IMPORT_GZIP] = { "gzip", "a file that gzip compressed", NULL,
		"unpack it: gunzip FILE" },
	[IMPORT_LFS] = { "git-lfs", "Git LFS's pointer to the file, not the file", NULL,
		"fetch it: git lfs pull" },
	[IMPORT_C_ARRAY] = { "c-array", "a .tflite model as a C array", NULL,
		"read the .tflite file that it was made from" },
	[IMPORT_STABLEHLO] = { "stablehlo", "MLIR as text (StableHLO?)", NULL, AS_HLO },
	[IMPORT_MLIR_BYTECODE] = { "mlir-bytecode", "MLIR as bytecode (StableHLO?)", NULL,
		AS_HLO },
	[IMPORT_HLO_TEXT] = { "hlo-text", "an XLA HLO module as text", NULL, AS_HLO },
	[IMPORT_VELA] = { "vela", "a report of Vela's, which holds no graph", NULL,
		"read the .tflite that Vela wrote: its metadata has the plan" },
	[IMPORT_CHROME_TRACE] = { "chrome-trace", "a Chrome trace, which holds no graph",
		NULL, "read the model whose run it shows" },
	[IMPORT_SARIF] = { "sarif", "a SARIF report, which holds no graph", NULL,
		"read the model that it is about" },
	[IMPORT_TENURE_OTHER] = { "tenure", "a file of tenure's that is no graph", NULL,
		"read the graph; a plan is given with --plan" },
	[IMPORT_OFFSETS] = { "offsets", "an offset problem", NULL,
		"use 'tenure offsets'" },
};

const struct tn_format *tn_format(enum tn_import_format format)
{
	return format == IMPORT_NONE ? NULL : &formats[format];
}

const struct tn_format *tn_format_named(const char *name)
{
	for (size_t i = 0; i < IMPORT_NONE; i++)
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	return NULL;
}

const struct tn_format *tn_format_readable(size_t index)
{
	for (size_t i = 0; i < IMPORT_NONE; i++)
		if (formats[i].read && index-- == 0)
			return &formats[i];
	return NULL;
}
