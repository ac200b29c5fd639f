/* The data of the HTML page, for its script: columns of numbers, and each name once. Not a
 * format for others; `plan --json` is. Names are safe to see. */
#ifndef TN_REPORT_JSON_PAGE_H
#define TN_REPORT_JSON_PAGE_H

#include "report/boxes.h"

struct tn_page_plan {
	const char *id, *name; /* "planned", "disjoint", "none" */
	const struct tn_view *v;
	const struct tn_boxes *boxes;
};

/* ASCII, without a line break. The first plan is the one that the page is about. */
enum tn_status TN_MUST_CHECK tn_json_page(const struct tn_page_plan *plans, size_t n,
	const struct tn_load *loads, uint32_t peak, struct tn_arena *arena,
	struct tn_strbuf *text);

#endif
