/* Which format is this? Decided by content, never by the file's name. */
#ifndef TN_IMPORT_SNIFF_H
#define TN_IMPORT_SNIFF_H

#include "import/import.h"

struct tn_format {
	const char *name; /* for --from and messages */
	const char *title; /* "a TensorFlow Lite model" */
	/* NULL: recognised, but not a graph that tenure reads */
	enum tn_status (*read)(struct tn_import *im, struct tn_graph *out);
	const char *advice; /* what to do instead, or NULL */
};

/* NULL when nothing fits. */
const struct tn_format *tn_format_sniff(const struct tn_source *source);
const struct tn_format *tn_format_named(const char *name);

/* The formats that can be read, by index; NULL at the end. */
const struct tn_format *tn_format_readable(size_t index);

#endif
