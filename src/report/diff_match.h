/* The steps of tn_diff_find: which op of one version is which of the other, and what
 * follows from that. */
#ifndef TN_REPORT_DIFF_MATCH_H
#define TN_REPORT_DIFF_MATCH_H

#include "report/diff.h"

/* Fills `match` of both sides. */
enum tn_status TN_MUST_CHECK tn_diff_match(
	struct tn_diff_side *before, struct tn_diff_side *after, struct tn_arena *arena);

/* With matches: fills the lists of decisions and of findings, and their counts. */
enum tn_status TN_MUST_CHECK tn_diff_decisions(struct tn_diff *d, struct tn_arena *arena);
enum tn_status TN_MUST_CHECK tn_diff_findings(struct tn_diff *d, struct tn_arena *arena);

#endif
