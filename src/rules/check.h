/* Rules with a check: for each node that the context selects the assertion must hold, or
 * there is a finding whose message is made from the template: {expression} is replaced by
 * its value at the node, {{ is a brace.
 *
 * XPath 1.0 with some functions more: tensor(i) and op(i) are the elements of those
 * indices, tensors(dtypes) and ops(types) those of these kinds (words with blanks between,
 * patterns), inputs(), outputs(), constants() and variables() tensors, matches(text,
 * pattern) compares with '*' and '?'. Nothing is read but the facts; an expression that
 * takes too many steps is an error of its rule. */
#ifndef TN_RULES_CHECK_H
#define TN_RULES_CHECK_H

#include "ir/graph.h"
#include "plan/plan.h"
#include "rules/rules.h"

struct tn_facts_tables; /* rules/facts.h */

/* Judges the graph, which has passed validation, by all rules that have a check and are
 * on (skip[i] false; NULL: all). plan and tables may be NULL. TN_ERR_INPUT, reported at the
 * rule, when one is wrong or takes too long. */
enum tn_status TN_MUST_CHECK tn_rules_check(const struct tn_rule_set *rules,
	const bool *skip, const struct tn_graph *g, const struct tn_plan *plan,
	const struct tn_facts_tables *tables, struct tn_arena *arena,
	struct tn_diags *diags);

/* Tries the expressions of a rule on a small model: what is wrong with them, or NULL. The
 * text lives in the arena; its place in the pack is *out_line. *out_nomem: there was no
 * memory to find out. */
const char *tn_rule_fault(const struct tn_rule *rule, struct tn_arena *arena,
	long *out_line, bool *out_nomem);

#endif
