/* The plan of a view as JSON: plan_json.h's document, with the decisions and the figures of
 * each op that only the other tables know. */
#ifndef TN_REPORT_PLAN_VIEW_JSON_H
#define TN_REPORT_PLAN_VIEW_JSON_H

#include "base/status.h"
#include "report/view.h"

/* Needs graph and plan. */
enum tn_status TN_MUST_CHECK tn_plan_view_json(
	const struct tn_view *v, struct tn_strbuf *out);

#endif
