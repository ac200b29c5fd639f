/* What the pages share: their head, and a timeline without script. */
#ifndef TN_REPORT_HTML_SHELL_H
#define TN_REPORT_HTML_SHELL_H

#include "report/assets.h"
#include "report/html_timeline.h"

/* More boxes than these are no picture without script. */
#define TN_SHELL_BOXES_MAX 1000

struct tn_shell_asset {
	const char *slot; /* id of the element that holds it */
	const struct tn_asset *asset;
};

/* The element of the template with this id. There must be one. */
xmlNodePtr tn_shell_slot(struct tn_html *h, const char *id);

/* Style sheets and scripts, and the policy that allows them by their hashes and nothing
 * else from anywhere. */
void tn_shell_head(struct tn_html *h, const struct tn_shell_asset *styles,
	size_t n_styles, const struct tn_shell_asset *scripts, size_t n_scripts);

/* What timelines are filled with; once in a page. */
void tn_shell_patterns(struct tn_html *h, xmlNodePtr parent);

/* One region: axis and plot, side by side in a frame that scrolls; nothing for an empty
 * one. */
void tn_shell_region(xmlNodePtr parent, struct tn_timeline *t);

#endif
