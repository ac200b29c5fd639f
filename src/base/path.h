/* Where the importer is in a JSON document: a chain of frames on the C stack, free until
 * a diagnostic is made. Rendered as a JSON pointer (RFC 6901). */
#ifndef TN_BASE_PATH_H
#define TN_BASE_PATH_H

#include <stddef.h>

#include "base/arena.h"

struct tn_path {
	const struct tn_path *up; /* NULL at the root */
	const char *key; /* object member, or NULL: array element `index` */
	size_t index;
};

/* "" for NULL (the whole document); NULL on lack of memory. */
char *tn_path_pointer(struct tn_arena *arena, const struct tn_path *path);

#endif
