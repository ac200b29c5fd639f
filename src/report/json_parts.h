/* Pieces of JSON that several writers of this folder put into their documents. jansson's
 * types are known in the JSON writers only. */
#ifndef TN_REPORT_JSON_PARTS_H
#define TN_REPORT_JSON_PARTS_H

#include <jansson.h>

#include "base/strbuf.h"
#include "report/findings.h"
#include "report/view.h"

/* Text that may hold any bytes; NULL gives null. NULL on lack of memory. */
json_t *tn_json_text(const char *text);

/* What a builder of text has written; the buffer is released. */
json_t *tn_json_taken(struct tn_strbuf *text);

/* Puts a new value; false when it is NULL or memory runs out. The value is taken over. */
bool tn_json_put(json_t *object, const char *key, json_t *value);
bool tn_json_push(json_t *array, json_t *value);

/* The candidates of the view as an array: the plan's "decisions", lint's "candidates".
 * With the file's name in each when `file` is set. */
json_t *tn_json_decisions(const struct tn_view *v, bool file);

/* A count; null where it is TN_TRAFFIC_UNKNOWN. */
json_t *tn_json_counted(int64_t n);

/* The ops in execution order: name, type, live_bytes, macs, bytes_read, bytes_written,
 * and with a plan the variant that runs and its scratch. */
json_t *tn_json_ops(const struct tn_view *v);

json_t *tn_json_finding(const struct tn_finding *f);
json_t *tn_json_findings(const struct tn_findings *findings);

/* Appends the document, indented, with a final line break, and drops it. */
enum tn_status TN_MUST_CHECK tn_json_write(json_t *root, struct tn_strbuf *out);

#endif
