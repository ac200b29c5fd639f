/* PyTorch's operators as torch.export and ExecuTorch name them. */
#ifndef TN_IMPORT_ATEN_H
#define TN_IMPORT_ATEN_H

#include "import/foreign.h"

enum tn_aten_form {
	ATEN_PLAIN,
	ATEN_VIEW, /* the same bytes under another shape: view, unsqueeze, alias */
	ATEN_TRANSPOSE, /* dims swapped or permuted: a view in PyTorch, a copy in _copy */
	ATEN_SLICE, /* a part, or a part at one index: slice, select, narrow, expand */
	ATEN_WINDOW, /* channels first: the layout is said with the op */
	ATEN_ROW, /* only along the last dimension what its kind says */
	ATEN_REDUCE,
	ATEN_CONCAT,
};

struct tn_aten {
	char name[48]; /* without namespace, overload, "_copy" and "_" */
	bool in_place; /* "add_": writes its first operand */
	bool is_copy; /* "view_copy" */
	enum tn_op_kind kind;
	enum tn_aten_form form;
};

/* From "add_", "view_copy" or "convolution". */
struct tn_aten tn_aten_of(const char *name);

/* A constant scalar operand for the newest op. */
void tn_aten_scalar(
	struct tn_foreign *f, const struct tn_at *at, enum tn_dtype dtype, double value);

#endif
