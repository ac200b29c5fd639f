/* Findings as SARIF 2.1.0, for code scanning. A fingerprint is made of the rule, the
 * subject's name and the message, so that it survives renumbering and moved lines. */
#ifndef TN_REPORT_SARIF_H
#define TN_REPORT_SARIF_H

#include "base/status.h"
#include "report/view.h"

enum tn_status TN_MUST_CHECK tn_sarif_write(
	const struct tn_view *views, size_t n, struct tn_strbuf *out);

#endif
