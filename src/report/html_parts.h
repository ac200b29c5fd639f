/* The pieces of the HTML report below its timeline. Each fills an element of the
 * template. */
#ifndef TN_REPORT_HTML_PARTS_H
#define TN_REPORT_HTML_PARTS_H

#include "report/boxes.h"
#include "report/findings.h"
#include "report/html_node.h"

struct tn_page {
	struct tn_html h;
	struct tn_arena *arena;
	const struct tn_view *v;
	struct tn_boxes boxes;
	struct tn_load *loads; /* by position */
	uint32_t peak; /* position, or TN_NONE */
	struct tn_findings findings;
};

/* A card for each box: what it is, who writes and reads it, why it stays. */
void tn_html_cards(struct tn_page *p, xmlNodePtr parent);

void tn_html_findings(struct tn_page *p, xmlNodePtr parent);
void tn_html_decisions(struct tn_page *p, xmlNodePtr parent);
void tn_html_ops(struct tn_page *p, xmlNodePtr parent);
void tn_html_tensors(struct tn_page *p, xmlNodePtr parent);

/* The totals with their gauges. */
void tn_html_figures(struct tn_page *p, xmlNodePtr parent);

/* A bar of part / whole, `class` in width and height by the style sheet. */
void tn_html_bar(struct tn_html *h, xmlNodePtr parent, const char *class, int64_t part,
	int64_t whole);

#endif
