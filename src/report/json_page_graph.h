/* The graph as the page's script reads it: ops, tensors and decisions in columns. */
#ifndef TN_REPORT_JSON_PAGE_GRAPH_H
#define TN_REPORT_JSON_PAGE_GRAPH_H

#include <jansson.h>

#include "report/boxes.h"
#include "report/json_stream.h"

/* What cannot be seen is spelled out in it, so that the script can take names as text. */
json_t *tn_json_page_text(const char *text);

/* The digits as a text, which the script can take for exact at any size. */
json_t *tn_json_page_digits(int64_t value);

/* "ops", "tensors", "decisions", and "texts", which others give by their number. loads: by
 * position. */
void tn_json_page_graph(struct tn_json_stream *out, const struct tn_view *v,
	const struct tn_load *loads, struct tn_arena *arena);

/* "variants": how a kernel may run, by the number that ops and decisions give. */
void tn_json_page_variants(struct tn_json_stream *out);

#endif
