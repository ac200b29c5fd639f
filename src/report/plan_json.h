/* The plan as JSON, format "tenure.plan/1": what `plan -o` writes and `plan --json` prints.
 * src/import/plan_json.c reads it back. */
#ifndef TN_REPORT_PLAN_JSON_H
#define TN_REPORT_PLAN_JSON_H

#include <jansson.h>

#include "base/status.h"
#include "base/strbuf.h"
#include "ir/graph.h"
#include "plan/plan.h"

/* What others know and the plan does not; any may be NULL. Borrowed. */
struct tn_plan_extras {
	json_t *decisions; /* array, shared as it is; NULL: empty */
	json_t *rewrite; /* names of the passes; likewise */
	json_t *rewrites; /* what they did; likewise */
	json_t *refused; /* what they left, and why; likewise */
	const json_t *ops; /* array of objects in execution order: type, live_bytes, macs,
	                      bytes_read and bytes_written go into the plan's ops */
};

/* Tensors without a place are left out; ops are in execution order. Appends to out, with
 * a final line break. TN_ERR_NOMEM or TN_OK. */
enum tn_status TN_MUST_CHECK tn_plan_json_write(const struct tn_graph *g,
	const struct tn_plan *plan, const struct tn_plan_extras *extras,
	struct tn_strbuf *out);

#endif
