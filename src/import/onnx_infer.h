/* Shape inference for ONNX, by families of ops; for import/onnx_*.c only. */
#ifndef TN_IMPORT_ONNX_INFER_H
#define TN_IMPORT_ONNX_INFER_H

#include "import/onnx.h"

#define TN_INFER_DIM_MAX (INT64_C(1) << 40) /* so that sums of a few do not overflow */

/* The shape of an operand; NULL when it is absent, not known or out of bounds. */
const struct tn_shape *tn_infer_shape(const struct tn_onnx_node *n, uint32_t k);
/* DTYPE_INVALID when absent. */
enum tn_dtype tn_infer_dtype(const struct tn_onnx_node *n, uint32_t k);

/* What follows for an output. A shape that the file gives and that is another is reported
 * as a warning, and the one that follows is taken. NULL: only the type follows. */
void tn_infer_set(struct tn_onnx *x, const struct tn_onnx_node *n, uint32_t k,
	enum tn_dtype dtype, const struct tn_shape *shape);

/* Integers of an attribute, or (from newer opsets on) of a constant operand. */
bool tn_infer_ints(struct tn_onnx *x, const struct tn_onnx_node *n, const char *attr,
	uint32_t operand, struct tn_ints *out);
/* Wraps a negative axis; false when it is out of range. */
bool tn_infer_axis(int64_t *axis, uint32_t rank);

/* NumPy's broadcast of two shapes; false when they do not fit. */
bool tn_infer_broadcast(
	const struct tn_shape *a, const struct tn_shape *b, struct tn_shape *out);

typedef void tn_infer_fn(struct tn_onnx *x, const struct tn_onnx_node *n);

/* NULL when the op is of another family. */
tn_infer_fn *tn_infer_window(const char *type);
tn_infer_fn *tn_infer_move(const char *type);
tn_infer_fn *tn_infer_rare(const char *type);

#endif
