/* The pieces of the HTML report beside its timeline that need no script. Each fills an
 * element of the template. */
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

/* Does the picture hold what this entry of the legend explains? */
bool tn_legend_needs(const struct tn_page *p, const char *kind);

void tn_html_findings(struct tn_page *p, xmlNodePtr parent);

/* The totals with their gauges. */
void tn_html_figures(struct tn_page *p, xmlNodePtr parent);

/* What sharing and fusion do to the bytes that move, and what they do not. */
void tn_html_traffic(struct tn_page *p, xmlNodePtr parent);

/* How the graph was executed, and the digests of its activations. */
void tn_html_runs(struct tn_page *p, xmlNodePtr parent);

/* A scrolling table with its heading; returns the body. A column of numbers has a name
 * that begins with '>', which is not shown. */
xmlNodePtr tn_html_table(
	struct tn_html *h, xmlNodePtr parent, const char *const *columns, size_t n);

#endif
