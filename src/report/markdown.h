/* Findings, plan and decisions as Markdown, for a pull request's comment or a job's
 * summary. Names cannot format anything, link anywhere or mention anybody. */
#ifndef TN_REPORT_MARKDOWN_H
#define TN_REPORT_MARKDOWN_H

#include "base/status.h"
#include "report/view.h"

enum tn_status TN_MUST_CHECK tn_markdown_write(
	const struct tn_view *views, size_t n, struct tn_strbuf *out);

#endif
