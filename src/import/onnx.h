/* The parts of the reader of ONNX models; for import/onnx*.c only. */
#ifndef TN_IMPORT_ONNX_H
#define TN_IMPORT_ONNX_H

#include "import/foreign.h"
#include "import/side.h"

#define ONNX_VALUE "onnx/value"

/* What a tensor of integers is known to hold: shapes that ops compute. */
struct tn_onnx_known {
	const int64_t *v; /* NULL: not known */
	size_t n;
};

struct tn_onnx_capture {
	tn_tensor_id outer, inner;
};

/* A graph, or a body of If, Loop or Scan. */
struct tn_onnx_graph {
	struct tn_foreign f;
	TN_VEC(struct tn_onnx_known) known; /* by tensor; may be shorter */
	TN_VEC(struct tn_onnx_capture) captures;
};

/* Where names are looked up: those of a graph, or of one call of a function. */
struct tn_onnx_scope {
	struct tn_onnx_graph *graph;
	struct tn_names names; /* to tensors of the graph */
	struct tn_onnx_scope *up; /* of the graph around; NULL: there is none */
	const struct tn_at *call, *function; /* of a function: the node that calls it */
	struct tn_onnx_scope *caller;
	const char *prefix; /* of names that a call makes */
	int depth; /* of calls and bodies */
};

struct tn_onnx_blob {
	const uint8_t *data;
	size_t n;
};

struct tn_onnx {
	struct tn_tree tree;
	struct tn_sides sides;
	struct tn_at functions;
	struct tn_names function_names; /* "domain:name:overload" -> index */
	int64_t opset;
	TN_VEC(struct tn_graph) subgraphs; /* number 1 is the first */
	size_t nodes; /* made so far */
	size_t operands; /* of these, inputs and outputs, named */
	int64_t made; /* bytes of constants that were computed */
	size_t known; /* integers that tensors are known to hold, of all */
	TN_VEC(struct tn_onnx_blob) blobs; /* of a binary file: bytes by number */
	struct tn_ints list;
};

/* A node with its operands found. */
struct tn_onnx_node {
	struct tn_onnx_scope *scope;
	const struct tn_at *at;
	const char *type;
	tn_tensor_id *in, *out; /* TN_NONE: omitted */
	uint32_t n_in, n_out;
};

/* The attribute of a node, by name: the object that holds it. Resolves what a function's
 * body refers to in its call. False when absent. */
bool tn_onnx_attr(struct tn_onnx *x, const struct tn_onnx_node *n, const char *name,
	struct tn_at *frames, struct tn_at *out);
int64_t tn_onnx_attr_int(struct tn_onnx *x, const struct tn_onnx_node *n,
	const char *name, int64_t otherwise);
/* False when absent. */
bool tn_onnx_attr_ints(struct tn_onnx *x, const struct tn_onnx_node *n, const char *name,
	struct tn_ints *out);
/* "" when absent. */
const char *tn_onnx_attr_text(
	struct tn_onnx *x, const struct tn_onnx_node *n, const char *name);

/* Bytes in base64, or of a binary file. False after a report. */
bool tn_onnx_bytes(struct tn_onnx *x, const struct tn_at *at, const uint8_t **out_data,
	size_t *out_n);

enum tn_dtype tn_onnx_dtype(int64_t number);
/* Dimensions, type and values of a TensorProto. */
void tn_onnx_tensor(struct tn_onnx *x, struct tn_foreign *f, const struct tn_at *proto,
	struct tn_tensor *t);
/* Type and shape of a ValueInfoProto's type; what --dim does not give a size is not
 * known, and reported when `strict`. */
void tn_onnx_type(struct tn_onnx *x, struct tn_foreign *f, const struct tn_at *type,
	bool strict, enum tn_dtype *out_dtype, struct tn_shape *out_shape,
	bool *out_ranked);

/* Nodes of a graph or a function's body. */
void tn_onnx_nodes(
	struct tn_onnx *x, struct tn_onnx_scope *scope, const struct tn_at *owner);
/* TN_NONE after a report; "" is TN_NONE. */
tn_tensor_id tn_onnx_lookup(struct tn_onnx *x, struct tn_onnx_scope *scope,
	const struct tn_at *at, const char *name);
/* A new tensor by a name of the scope; `type` may be NULL. */
tn_tensor_id tn_onnx_declare(struct tn_onnx *x, struct tn_onnx_scope *scope,
	const struct tn_at *at, const char *name, const struct tn_at *type, bool strict);
#define TN_ONNX_OMITTED (TN_NONE - 1) /* in a scope: a function's input without a value */
/* A body as a subgraph; its number, or -1 after a report. Captured tensors are appended to
 * `captures`. `hints` stand for what its inputs are given. */
int64_t tn_onnx_body(struct tn_onnx *x, struct tn_onnx_scope *scope,
	const struct tn_at *graph, const struct tn_tensor *hints, size_t n_hints,
	struct tn_onnx_graph **out, struct tn_ids *captures);
void tn_onnx_node(struct tn_onnx *x, struct tn_onnx_scope *scope, const struct tn_at *at);
/* The nodes in an order in which values are there before they are read, if there is one:
 * the file's, when it is. NULL without memory. */
uint32_t *tn_onnx_order(struct tn_onnx *x, const struct tn_at *nodes);
/* A node that is no call of a function, as an op or a constant. */
void tn_onnx_add(struct tn_onnx *x, struct tn_onnx_node *n, const char *domain);

/* Makes constants of what is computed from constants only; true when the node is none. */
bool tn_onnx_fold(struct tn_onnx *x, const struct tn_onnx_node *n);
/* Shapes and types of the outputs that are not known yet. */
void tn_onnx_infer(struct tn_onnx *x, const struct tn_onnx_node *n);
#define TN_ONNX_KNOWN_MAX 1024 /* integers of one tensor */
/* The integers that a tensor is known to hold. */
bool tn_onnx_known(struct tn_onnx_graph *g, struct tn_onnx *x, tn_tensor_id id,
	struct tn_onnx_known *out);
void tn_onnx_know(struct tn_onnx_graph *g, struct tn_onnx *x, tn_tensor_id id,
	const int64_t *v, size_t n);
/* Values of the outputs that follow from known values of the inputs. */
void tn_onnx_evaluate(struct tn_onnx *x, const struct tn_onnx_node *n);

/* The kind of the node as an op of the table, its operands and attributes. */
enum tn_op_kind tn_onnx_kind(struct tn_onnx *x, const struct tn_onnx_node *n);
void tn_onnx_attributes(
	struct tn_onnx *x, const struct tn_onnx_node *n, enum tn_op_kind kind);

/* Does a node that reduces name no axes? */
bool tn_onnx_reduces_all(struct tn_onnx *x, const struct tn_onnx_node *n);

/* The model as the JSON that protobuf would print, bytes as numbers of blobs. */
enum tn_status TN_MUST_CHECK tn_onnx_decode(
	struct tn_onnx *x, struct tn_import *im, json_t **out);

#endif
