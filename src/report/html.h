/* The memory report: one HTML file that needs nothing else, no network and no server. Its
 * content security policy allows its own style and script and nothing more; without
 * script it is complete but for the slider. Needs graph and plan. */
#ifndef TN_REPORT_HTML_H
#define TN_REPORT_HTML_H

#include "base/status.h"
#include "report/view.h"

enum tn_status TN_MUST_CHECK tn_html_write(
	const struct tn_view *v, struct tn_strbuf *out);

#endif
