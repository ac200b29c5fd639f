/* The parts of the reader of torch.export's graphs; for import/torch*.c only. */
#ifndef TN_IMPORT_TORCH_H
#define TN_IMPORT_TORCH_H

#include "import/aten.h"

/* A size: a number, or an expression over symbols that --dim gives values. */
int64_t tn_torch_size(struct tn_foreign *f, const struct tn_at *at);

/* A view's place in the tensor that it is a view of. */
struct tn_torch_view {
	int64_t offset; /* elements */
	bool is_view;
};

#endif
