/* Reader of MiniMalloc's CSV: one buffer a line, lifetimes half-open.
 *
 *   id,lower,upper,size          also: alignment, offset (given; an empty field is free)
 *   b1,0,3,4
 *
 * The header names the columns, in any order. Older files say buffer or buffer_id for id,
 * start or begin for lower, and end for upper, which then is the last moment itself. A
 * gaps column must be empty: a buffer that is away for a while is not a buffer here. A
 * variant column, which MiniMalloc passes over, says of plans which kernel writes the
 * buffer; a root column, which it passes over, too, the id of the buffer whose bytes these
 * are. A field may be quoted as RFC 4180 says: then it may hold commas, line ends and, doubled,
 * quotes. */
#ifndef TN_IMPORT_MINIMALLOC_H
#define TN_IMPORT_MINIMALLOC_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/status.h"
#include "plan/problem.h"

struct tn_minimalloc {
	struct tn_problem problem; /* no pairs; capacity -1 */
	const char **ids; /* by buffer */
	const char **variants; /* by buffer, "" where none; NULL: there is no column */
	const char *
		*roots; /* by buffer, the same pointer for one root; itself where none */
	const size_t *lines; /* by buffer */
};

/* Everything is in the arena. TN_ERR_INPUT after reports with line and column. */
enum tn_status TN_MUST_CHECK tn_import_minimalloc(const struct tn_source *source,
	struct tn_arena *arena, struct tn_diags *diags, struct tn_minimalloc *out);

#endif
