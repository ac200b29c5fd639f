/* --dim and --shape: sizes that a file leaves open. */
#ifndef TN_DRIVER_SIZES_H
#define TN_DRIVER_SIZES_H

#include "import/import.h"
#include "tenure/tenure.h"

/* Fills in dims and shapes, from the arena. TN_ERR_INPUT after a report. */
enum tn_status TN_MUST_CHECK tn_sizes_parse(const tenure_options *options,
	struct tn_arena *arena, struct tn_diags *diags, struct tn_import *out);

#endif
