/* Source files that the library carries as text (see embed.py). */
#ifndef TN_EMIT_EMBEDDED_H
#define TN_EMIT_EMBEDDED_H

#include <stddef.h>

struct tn_embedded {
	const char
		*name; /* "ref/conv_2d_s8.c", "tenure/kernels.h"; NULL ends the table */
	size_t len; /* bytes */
	const char *text;
};

/* The kernel set: all sources and the headers that they include. */
extern const struct tn_embedded tn_embedded_kernels[];

/* NULL when the table has no such file. */
const struct tn_embedded *tn_embedded_find(
	const struct tn_embedded *table, const char *name);

#endif
