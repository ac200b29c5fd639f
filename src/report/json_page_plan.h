/* One plan as the page draws it. */
#ifndef TN_REPORT_JSON_PAGE_PLAN_H
#define TN_REPORT_JSON_PAGE_PLAN_H

#include "report/json_page.h"
#include "report/json_stream.h"

/* Writes an object. first: the page's own plan; another one whose buffers live alike says no
 * more of them than their offsets. */
enum tn_status TN_MUST_CHECK tn_json_page_plan(const struct tn_page_plan *plan,
	const struct tn_page_plan *first, struct tn_arena *arena,
	struct tn_json_stream *out);

#endif
