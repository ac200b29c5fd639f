/* Files that lie beside a graph's file, or below its folder, and hold its constants. */
#ifndef TN_IMPORT_SIDE_H
#define TN_IMPORT_SIDE_H

#include "import/import.h"

struct tn_side; /* a file that was read, or that could not be */

struct tn_sides {
	struct tn_side *list; /* newest first; in the scratch of the reader */
};

/* The file, read once; NULL after a report with this rule, or without memory, and then
 * *nomem is set. Its text lives in the graph's arena. Names that leave the folder, by
 * their text or by what links make of them, are refused. */
const struct tn_source *tn_side_file(struct tn_import *im, struct tn_sides *sides,
	struct tn_arena *scratch, const char *rule, const struct tn_path *at,
	const char *name, bool *nomem);

#endif
