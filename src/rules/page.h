/* A rule as a page of Markdown, which reads well on a terminal too. */
#ifndef TN_RULES_PAGE_H
#define TN_RULES_PAGE_H

#include "base/strbuf.h"
#include "rules/rules.h"

void tn_rule_page(const struct tn_rule *rule, struct tn_strbuf *out);

/* A table of the rules whose ids match the pattern (base/glob.h). False: there are none. */
bool tn_rule_index(
	const struct tn_rule_set *rules, const char *pattern, struct tn_strbuf *out);

#endif
