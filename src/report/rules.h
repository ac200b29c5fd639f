/* The rules that a report names: those that the views describe, in their order, then
 * those that only findings mention, by name. */
#ifndef TN_REPORT_RULES_H
#define TN_REPORT_RULES_H

#include "base/status.h"
#include "report/findings.h"

struct tn_rules {
	struct tn_view_rule *list; /* summary NULL: nobody described it */
	size_t n;
};

enum tn_status TN_MUST_CHECK tn_rules_collect(const struct tn_view *views, size_t n,
	const struct tn_findings *findings, struct tn_arena *arena, struct tn_rules *out);

/* Index by id; out->n when it is not there. */
size_t tn_rules_index(const struct tn_rules *rules, const char *id);

/* The id of a finding's rule; "tenure" when it has none. */
const char *tn_finding_rule(const struct tn_finding *f);

#endif
