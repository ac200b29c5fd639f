/* Writes a graph in the native format (docs/INPUT.md), so that reading it gives the same
 * graph again, bit for bit: what a reader of another format decided is written out. */
#ifndef TN_EXPORT_NATIVE_H
#define TN_EXPORT_NATIVE_H

#include <stdint.h>

#include "base/status.h"
#include "base/strbuf.h"
#include "ir/excuse.h"
#include "ir/graph.h"

/* Where large constants go instead of base64 in the graph's text. */
struct tn_export_side {
	const char *name; /* path of the side file, relative to the graph's folder */
	int64_t above; /* bytes; constants larger than this go there */
	struct tn_strbuf
		*out; /* the side file's bytes; each constant starts at 16 bytes */
};

/* Appends to out; excuses (what the graph's file suppresses) and side may be NULL.
 * TN_ERR_NOMEM or TN_OK. The graph must have passed tn_validate. */
enum tn_status TN_MUST_CHECK tn_export_native(const struct tn_graph *g,
	const struct tn_excuses *excuses, const struct tn_export_side *side,
	struct tn_strbuf *out);

#endif
