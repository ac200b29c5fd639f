/* tenure explain RULE: what a rule is for, and what to do about it. */
#include <string.h>

#include "driver/command.h"
#include "driver/rule.h"
#include "rules/page.h"

enum tn_status tn_rules_load(const tenure_options *options, struct tn_arena *arena,
	struct tn_diags *diags, struct tn_rule_set *out)
{
	enum tn_status status = tn_rules_shipped(arena, diags, out);

	for (size_t i = 0; i < options->rules.n && status == TN_OK; i++)
		status = tn_rules_read(options->rules.items[i], arena, diags, out);
	return status;
}

static enum tn_status explain(struct tn_run *run, const struct tn_rule_set *rules,
	const char *id, struct tn_strbuf *out)
{
	const struct tn_rule *rule = tn_rule_find(rules, id);

	if (rule) {
		tn_rule_page(rule, out);
	} else if (!strpbrk(id, "*?") || !tn_rule_index(rules, id, out)) {
		tn_diag_at(&run->diags, SEVERITY_ERROR, "command/unknown-rule", NULL,
			NULL, NULL, "there is no rule '%s'", id);
		tn_diag_note(&run->diags, "'tenure explain \"*\"' lists all");
		return TN_ERR_INPUT;
	}
	return TN_OK;
}

int tenure_explain_rule(const tenure_options *options, const char *rule)
{
	struct tn_run run;
	struct tn_rule_set rules;
	struct tn_strbuf out;
	enum tn_status status;

	tn_run_init(&run, options);
	tn_strbuf_init(&out);
	status = tn_rules_load(options, &run.arena, &run.diags, &rules);
	if (status == TN_OK)
		status = explain(&run, &rules, rule, &out);
	if (status == TN_OK)
		status = tn_command_deliver(&run, &out);
	tn_strbuf_release(&out);
	return tn_command_end(&run, status);
}
