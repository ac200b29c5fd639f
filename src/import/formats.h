/* The formats that are known by name: those that are read, and those that are told apart
 * only to say what to export instead. */
#ifndef TN_IMPORT_FORMATS_H
#define TN_IMPORT_FORMATS_H

#include "import/import.h"

enum tn_import_format {
	IMPORT_NATIVE,
	IMPORT_TFLITE,
	IMPORT_TFLITE_JSON,
	IMPORT_ONNX,
	IMPORT_ONNX_JSON,
	IMPORT_EXECUTORCH,
	IMPORT_EXECUTORCH_JSON,
	IMPORT_TORCH_EXPORT,
	IMPORT_TVM,
	IMPORT_MXNET,
	IMPORT_XLA,
	IMPORT_TENSORRT,
	IMPORT_TENSORRT_PROFILE,
	IMPORT_ST_CUBEAI,
	IMPORT_ST_REPORT,
	IMPORT_MODEL_EXPLORER,
	IMPORT_OVERLAY,
	IMPORT_KERAS,
	IMPORT_KERAS_ZIP,
	IMPORT_TFJS,
	IMPORT_TINYENGINE,
	IMPORT_OPENVINO,
	IMPORT_HDF5,
	IMPORT_PT2,
	IMPORT_ZIP,
	IMPORT_TORCH,
	IMPORT_PICKLE,
	IMPORT_SAFETENSORS,
	IMPORT_GGUF,
	IMPORT_SAVED_MODEL,
	IMPORT_GRAPH_DEF,
	IMPORT_CORE_ML,
	IMPORT_GZIP,
	IMPORT_LFS,
	IMPORT_C_ARRAY,
	IMPORT_STABLEHLO,
	IMPORT_MLIR_BYTECODE,
	IMPORT_HLO_TEXT,
	IMPORT_VELA,
	IMPORT_CHROME_TRACE,
	IMPORT_SARIF,
	IMPORT_TENURE_OTHER,
	IMPORT_OFFSETS,
	IMPORT_NONE,
};

struct tn_format {
	const char *name; /* for --from and messages */
	const char *title; /* "a TensorFlow Lite model" */
	/* NULL: recognised, but not a graph that tenure reads */
	enum tn_status (*read)(struct tn_import *im, struct tn_graph *out);
	const char *advice; /* what to read instead; NULL when there is a reader */
};

/* NULL for IMPORT_NONE. */
const struct tn_format *tn_format(enum tn_import_format format);
const struct tn_format *tn_format_named(const char *name);

/* The formats that can be read, by index; NULL at the end. */
const struct tn_format *tn_format_readable(size_t index);

#endif
