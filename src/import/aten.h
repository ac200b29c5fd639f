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
	ATEN_NORM,
	ATEN_QUANT, /* one scale and zero point, said with the op */
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

/* A normalisation: which arguments of the schema are its operands (they may be None), and
 * where the others are. */
#define TN_ATEN_NONE SIZE_MAX

struct tn_aten_norm {
	const char *name;
	struct {
		const char *name;
		size_t place;
	} operands[5];
	size_t n_operands;
	size_t rows; /* the row's shape, or TN_ATEN_NONE */
	size_t training; /* or TN_ATEN_NONE */
	size_t eps;
};

/* Of ATEN_NORM; else NULL. */
const struct tn_aten_norm *tn_aten_norm_of(const struct tn_aten *a);
/* Is the argument at this place an operand? */
bool tn_aten_norm_takes(const struct tn_aten_norm *n, size_t place);

/* The arguments of a call, by the names and the places that the operator's schema gives
 * them; each reader has its own way to them. False, NULL or 0: not given, None, or of
 * another kind. A bool is a number. A list gives its length, of which `max` are copied, or
 * SIZE_MAX when it is given and is no list of numbers. */
struct tn_aten_call {
	void *reader;
	const struct tn_at *node;
	bool (*number)(const struct tn_aten_call *call, const char *name, size_t place,
		double *out);
	size_t (*ints)(const struct tn_aten_call *call, const char *name, size_t place,
		int64_t *out, size_t max); /* a single number is a list of one */
	const char *(*text)(
		const struct tn_aten_call *call, const char *name, size_t place);
	bool (*tensor)(const struct tn_aten_call *call, const char *name, size_t place);
};

/* What the arguments that are no tensors say about the newest op, as attributes, whatever
 * the form; the op is not known when they ask for what no kernel does. */
void tn_aten_attributes(
	struct tn_foreign *f, const struct tn_aten *a, const struct tn_aten_call *call);

/* Of ATEN_QUANT, for the newest op: its scale and zero point, and the integers that it
 * rounds to. False: our op would not be the same. */
bool tn_aten_quant(
	struct tn_foreign *f, double scale, int64_t zero, int64_t min, int64_t max);

/* A constant scalar operand for the newest op. */
void tn_aten_scalar(
	struct tn_foreign *f, const struct tn_at *at, enum tn_dtype dtype, double value);

#endif
