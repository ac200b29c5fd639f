/* Sizes that a file spells as text: a name ("N"), or an expression over names. */
#ifndef TN_IMPORT_SIZE_EXPR_H
#define TN_IMPORT_SIZE_EXPR_H

#include <stddef.h>

#include "import/import.h"

#define TN_SIZE_NAME_BYTES 64

enum tn_size_answer {
	SIZE_KNOWN,
	SIZE_NAMELESS, /* a name in it that --dim gives no size */
	SIZE_UNREAD, /* not understood */
	SIZE_WRONG, /* no whole number from 0 up */
};

/* The size that --dim gives the text as it stands, or else what it comes to with the
 * sizes that --dim gives its names. As SymPy prints it ("2*s0 + 1", "floor(W/2)") or
 * represents it ("Add(Mul(Integer(2), Symbol('s0', integer=True)), Integer(1))"). Exact:
 * fractions are kept as such. `missing` is the first name without a size. */
enum tn_size_answer tn_size_expr(const struct tn_import *im, const char *text,
	int64_t *out, char missing[TN_SIZE_NAME_BYTES]);

/* The same; what is not SIZE_KNOWN is reported at the path and TN_DIM_POISON. */
int64_t tn_size_or_report(
	struct tn_import *im, const struct tn_path *at, const char *text);

#endif
