/* Text for people: findings, candidates, the summary of a plan. */
#ifndef TN_REPORT_TEXT_H
#define TN_REPORT_TEXT_H

#include "base/status.h"
#include "report/view.h"

/* `file:line:column: error: message [rule]`, or the JSON pointer where a file has no
 * lines; notes indented below; all views' findings, grouped by file. */
enum tn_status TN_MUST_CHECK tn_text_findings(
	const struct tn_view *views, size_t n, bool color, struct tn_strbuf *out);

/* "2 errors, 1 warning in 3 files"; one line. */
enum tn_status TN_MUST_CHECK tn_text_totals(
	const struct tn_view *views, size_t n, struct tn_strbuf *out);

/* Every candidate with verdict, obligation, witness in words, and bytes. Needs graph and
 * candidates; writes nothing without. */
enum tn_status TN_MUST_CHECK tn_text_candidates(
	const struct tn_view *v, bool color, struct tn_strbuf *out);

/* Tensors in the order in which they come to life, totals, decisions. Needs graph and
 * plan. */
enum tn_status TN_MUST_CHECK tn_text_plan(
	const struct tn_view *v, bool color, struct tn_strbuf *out);

#endif
