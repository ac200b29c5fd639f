/* Findings, plan and decisions as Markdown, for a pull request's comment or a job's
 * summary. Names cannot format anything, link anywhere or mention anybody. */
#ifndef TN_REPORT_MARKDOWN_H
#define TN_REPORT_MARKDOWN_H

#include "base/status.h"
#include "report/view.h"

enum tn_status TN_MUST_CHECK tn_markdown_write(
	const struct tn_view *views, size_t n, struct tn_strbuf *out);

/* A code span: in it nothing is markup, nothing is linked and nobody is mentioned. Its
 * fence is longer than any run of backticks inside; a bar would end a table's cell, so
 * none is left. */
void tn_markdown_code(struct tn_strbuf *out, const char *text);

#endif
