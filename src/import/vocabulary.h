/* Names of ops in the vocabularies of other frameworks. Only what means the same over the
 * same operands is in a table; an op that is in none is the worst case. */
#ifndef TN_IMPORT_VOCABULARY_H
#define TN_IMPORT_VOCABULARY_H

#include "ir/op.h"

enum tn_vocabulary {
	VOCABULARY_ATEN, /* PyTorch, ExecuTorch: "add", without namespace and overload */
	VOCABULARY_HLO, /* XLA */
	VOCABULARY_NNVM, /* MXNet, TVM before fusion */
	VOCABULARY_ONNX,
	VOCABULARY_OPENVINO,
	VOCABULARY_ST, /* "Nonlinearity softmax": description and what it is about */
};

/* OP_UNKNOWN when there is no such name. */
enum tn_op_kind tn_vocabulary_kind(enum tn_vocabulary v, const char *name);

#endif
