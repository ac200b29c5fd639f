/* Findings as workflow commands of GitHub Actions: `::error file=…,line=…,col=…::…`. */
#ifndef TN_REPORT_GITHUB_H
#define TN_REPORT_GITHUB_H

#include "base/status.h"
#include "report/view.h"

enum tn_status TN_MUST_CHECK tn_github_write(
	const struct tn_view *views, size_t n, struct tn_strbuf *out);

#endif
