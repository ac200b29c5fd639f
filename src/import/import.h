/* Readers: a file's bytes in, a graph out. One reader per format; sniff.c chooses. */
#ifndef TN_IMPORT_IMPORT_H
#define TN_IMPORT_IMPORT_H

#include <stdbool.h>

#include "base/diag.h"
#include "base/intern.h"
#include "base/status.h"
#include "ir/excuse.h"
#include "ir/graph.h"

/* --dim NAME=N: the size of a dimension that the file gives a name. */
struct tn_import_dim {
	const char *name;
	int64_t size;
};

/* --shape NAME=AxBxC: the shape of the tensors of this name. Nothing follows from it for
 * other tensors. */
struct tn_import_shape {
	const char *tensor;
	struct tn_shape shape;
};

struct tn_import {
	struct tn_arena *arena; /* the graph's */
	struct tn_strings *strings;
	struct tn_diags *diags;
	const struct tn_source *source;
	const char *from; /* --from: a format's name, or NULL to sniff */
	bool keep_inputs; /* --keep-inputs: graph inputs are preserved in any format */
	const struct tn_import_dim *dims;
	size_t n_dims;
	const struct tn_import_shape *shapes;
	size_t n_shapes;
	TN_VEC(struct tn_excuse) excuses; /* out: those of the file */
};

/* Reads and validates. TN_OK; TN_ERR_INPUT when the file has errors (all of them are
 * reported); TN_ERR_NOMEM. The graph may point into the source's text. With TN_ERR_INPUT
 * it holds what could be read: to be shown or judged, never to be planned or run. */
enum tn_status TN_MUST_CHECK tn_import(struct tn_import *im, struct tn_graph *out);

/* For tn_file_read (base/file.h): may a file that starts like this be a graph in a format that
 * is told by its content (or in ONNX, when --from says so), a CSV of buffers, a plan? */
bool tn_import_fits(const char *head, size_t len);
bool tn_import_fits_onnx(const char *head, size_t len);
bool tn_import_fits_csv(const char *head, size_t len);
bool tn_import_fits_plan(const char *head, size_t len);

/* Sniffed format name for messages ("tflite", "native", ...), or NULL. */
const char *tn_import_sniff(const struct tn_source *source);

/* Does the content look like a graph of a format that can be read? */
bool tn_import_is_graph(const struct tn_source *source);

/* The single readers, called by tn_import; they do not validate. */
enum tn_status TN_MUST_CHECK tn_import_native(struct tn_import *im, struct tn_graph *out);
enum tn_status TN_MUST_CHECK tn_import_tflite(struct tn_import *im, struct tn_graph *out);
enum tn_status TN_MUST_CHECK tn_import_tflite_json(
	struct tn_import *im, struct tn_graph *out);
enum tn_status TN_MUST_CHECK tn_import_st_cubeai(
	struct tn_import *im, struct tn_graph *out);
enum tn_status TN_MUST_CHECK tn_import_onnx(struct tn_import *im, struct tn_graph *out);
enum tn_status TN_MUST_CHECK tn_import_onnx_json(
	struct tn_import *im, struct tn_graph *out);
enum tn_status TN_MUST_CHECK tn_import_executorch(
	struct tn_import *im, struct tn_graph *out);
enum tn_status TN_MUST_CHECK tn_import_model_explorer(
	struct tn_import *im, struct tn_graph *out);
enum tn_status TN_MUST_CHECK tn_import_openvino(
	struct tn_import *im, struct tn_graph *out);
enum tn_status TN_MUST_CHECK tn_import_tensorrt(
	struct tn_import *im, struct tn_graph *out);
enum tn_status TN_MUST_CHECK tn_import_torch_export(
	struct tn_import *im, struct tn_graph *out);
enum tn_status TN_MUST_CHECK tn_import_tvm(struct tn_import *im, struct tn_graph *out);
enum tn_status TN_MUST_CHECK tn_import_xla(struct tn_import *im, struct tn_graph *out);

#endif
