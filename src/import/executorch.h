/* The parts of the reader of ExecuTorch programs; for import/executorch*.c only. */
#ifndef TN_IMPORT_EXECUTORCH_H
#define TN_IMPORT_EXECUTORCH_H

#include "import/aten.h"
#include "import/foreign.h"

#define ET_VALUE "executorch/value"

enum tn_et_kind { ET_OTHER, ET_TENSOR, ET_LIST, ET_INTS, ET_NUMBER };

struct tn_et_value {
	enum tn_et_kind kind;
	tn_tensor_id tensor;
	bool written;
	double number;
	const char *text; /* of a string; NULL: it is none */
	struct tn_ints items; /* of a list: indices of values; -1: none */
	int64_t memory, offset; /* memory 0: not planned */
};

struct tn_et {
	struct tn_tree tree;
	struct tn_foreign f;
	struct tn_at plan, constants;
	struct tn_at operators, delegates;
	TN_VEC(struct tn_et_value) values;
	struct tn_ints args, sizes;
	TN_VEC(bool) bound; /* by tensor: its sizes are upper bounds; the rest are not */
	size_t n_bound;
};

/* Adds the value, its tensor included; reports and goes on. */
void tn_et_read_value(struct tn_et *r, const struct tn_at *at);

#endif
